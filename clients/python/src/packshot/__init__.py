"""Client of the packshot API: product photos in, marketplace main images out."""

from . import webhooks
from ._async_client import AsyncPackshot
from ._client import Packshot
from ._errors import (
    APIError,
    AuthenticationError,
    Cancelled,
    ChecksumMismatch,
    ConnectionFailed,
    DownloadError,
    IdempotencyError,
    ImageError,
    InsufficientCreditsError,
    InvalidRequestError,
    NotFoundError,
    PackshotError,
    RateLimitError,
    ServiceError,
    TimedOut,
)
from ._image import Image
from ._models import (
    Account,
    ApiKey,
    BalanceLow,
    BatchCreated,
    BatchStatus,
    Check,
    CompletedImage,
    Compliance,
    FailedImage,
    FieldError,
    Finding,
    FindingBox,
    KeySecret,
    Options,
    Output,
    StatusImage,
    UploadFailedResult,
    UploadResponse,
    UploadResult,
)
from ._sources import Source
from ._version import VERSION
from .webhooks import SignatureError

__version__ = VERSION

__all__ = [
    "APIError",
    "Account",
    "ApiKey",
    "AsyncPackshot",
    "AuthenticationError",
    "BalanceLow",
    "BatchCreated",
    "BatchStatus",
    "Cancelled",
    "Check",
    "ChecksumMismatch",
    "CompletedImage",
    "Compliance",
    "ConnectionFailed",
    "DownloadError",
    "FailedImage",
    "FieldError",
    "Finding",
    "FindingBox",
    "IdempotencyError",
    "Image",
    "ImageError",
    "InsufficientCreditsError",
    "InvalidRequestError",
    "KeySecret",
    "NotFoundError",
    "Options",
    "Output",
    "Packshot",
    "PackshotError",
    "RateLimitError",
    "ServiceError",
    "SignatureError",
    "Source",
    "StatusImage",
    "TimedOut",
    "UploadFailedResult",
    "UploadResponse",
    "UploadResult",
    "webhooks",
]

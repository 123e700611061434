"""What can go wrong. An answer of the API becomes the class of its family; `code` is the API's own and stable."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._decode import decode
from ._error_codes import ERROR_CODES
from ._models import FieldError
from ._models import ImageError as ImageFault


class PackshotError(Exception):
    """Everything that this package raises on purpose."""


class ConnectionFailed(PackshotError):
    """No answer, after every attempt that was allowed. The cause is `__cause__`."""


class TimedOut(PackshotError):
    """The call's `timeout` ended first. A batch that was created goes on."""


class Cancelled(PackshotError):
    """The caller set its `cancel` event. A batch that was created goes on."""


class ChecksumMismatch(PackshotError):
    """The bytes that came are not those of the result."""


class APIError(PackshotError):
    """The API refused. `problem` is the whole problem document (RFC 9457), empty where none came."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after: Optional[float] = None) -> None:
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code", f"http_{status}")
        self.detail: str = problem.get("detail", f"The server answered {status}")
        self.request_id: Optional[str] = problem.get("request_id")
        self.retryable: bool = problem.get("retryable", status in (408, 429, 502, 503, 504))
        self.errors: Sequence[FieldError] = decode(list[FieldError], problem.get("errors", []))
        self.retry_after = retry_after
        """Seconds."""
        self.remedy: Optional[str] = self.errors[0].remedy if self.errors else problem.get("remedy")
        """What to do about it, where a finding ended the image (`on_finding="fail"`)."""
        super().__init__(f"{self.code}: {self.detail}" + (f" ({self.request_id})" if self.request_id else ""))


class AuthenticationError(APIError):
    """The key is missing, mistyped, unknown, revoked or expired, or may not do this (scope, address)."""


class InsufficientCreditsError(APIError):
    """Not enough credits, or the key has spent what it may today (`key_spending_cap_reached`). Nothing was charged."""


class RateLimitError(APIError):
    """Too many requests, after every retry."""


class IdempotencyError(APIError):
    """The Idempotency-Key was used with a different request, is in use, or is not a usable key."""


class NotFoundError(APIError):
    """No such batch for this key, nothing at this address, or it was deleted."""


class DownloadError(APIError):
    """The link was altered or has expired. The status of its batch has a fresh one."""


class ImageError(APIError):
    """The image could not be made into a main image. It was not charged."""


class InvalidRequestError(APIError):
    """A field, an option or the size of the request is wrong; `errors` names each."""


class ServiceError(APIError):
    """Something went wrong at the service, in spite of every retry."""


def family_of(status: int, code: str) -> type[APIError]:
    scope = ERROR_CODES[code][1] if code in ERROR_CODES else "request"
    if scope == "image":
        return ImageError
    if code.startswith("idempotency_"):
        return IdempotencyError
    if status == 403 and code.startswith("key_"):
        return AuthenticationError
    if code.startswith("download_") or status == 416:
        return DownloadError
    by_status: dict[int, type[APIError]] = {
        401: AuthenticationError,
        402: InsufficientCreditsError,
        404: NotFoundError,
        410: NotFoundError,
        429: RateLimitError,
    }
    return by_status.get(status, ServiceError if status >= 500 else InvalidRequestError)


def api_error(status: int, problem: dict[str, Any], retry_after: Optional[float] = None) -> APIError:
    return family_of(status, problem.get("code", ""))(status, problem, retry_after)


def image_error(error: ImageFault, request_id: str) -> ImageError:
    """For an image of a batch that failed: the request itself was answered with 200."""
    status, _, retryable = ERROR_CODES.get(error.code, (422, "image", False))
    facts = {"code": error.code, "detail": error.detail, "remedy": error.remedy}
    problem = {**facts, "request_id": request_id, "status": status, "retryable": retryable}
    return ImageError(status, problem)

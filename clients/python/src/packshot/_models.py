"""Generated from the OpenAPI document by generate.py; not edited by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union


@dataclass(frozen=True)
class Options:
    marketplace: Optional[Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']] = (
        None
    )
    """
    Sets the defaults of canvas, fill and format, and the rules of the compliance check.
    """
    canvas: Optional[Union[int, str]] = None
    """
    Side of the square canvas, or WIDTHxHEIGHT such as 1801x2600, px: sides of 100 to 10000, at most 64 megapixels. Only with layout hero.
    """
    fill: Optional[float] = None
    """
    Share of the canvas that the product box takes, by the side that fills more of it. Only with layout hero.
    """
    format: Optional[Literal['jpg', 'png', 'webp']] = None
    """
    File format of the result.
    """
    quality: Optional[int] = None
    """
    Encoder quality. It is lowered where the marketplace limits the bytes of a file. Not with png.
    """
    background: Optional[str] = None
    """
    white, transparent (png or webp) or a colour like #f4f4f4.
    """
    layout: Optional[Literal['hero', 'original']] = None
    """
    hero: product centred on the canvas. original: same framing as the input.
    """
    shadow: Optional[Literal['none', 'soft']] = None
    """
    soft: a contact shadow below the product. Not with a transparent background.
    """
    provenance: Optional[Literal['none', 'iptc']] = None
    """
    iptc: the file says in its XMP that a photo was altered by an algorithm (IPTC DigitalSourceType algorithmicallyEnhanced). By default it carries no metadata.
    """


@dataclass(frozen=True)
class ProductBox:
    """
    Box of the product in the output, px. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class ComplianceCheck:
    rule: Literal['background_white', 'product_fill', 'specified_fill', 'product_side', 'centred', 'colour_space', 'bit_depth', 'longest_side', 'shortest_side', 'size', 'zoom_side', 'advised_side', 'largest_side', 'pixels', 'advised_pixels', 'aspect', 'file_bytes', 'format', 'jpeg_quality']
    severity: Literal['required', 'recommended', 'service']
    """
    required: a listing may be refused for it. recommended: it is not. service: what the service itself promises, not a rule of the marketplace.
    """
    required: str
    measured: str
    passed: bool


@dataclass(frozen=True)
class ImageError:
    code: str
    detail: str


@dataclass(frozen=True)
class AcceptedImage:
    image_id: str
    status: Literal['queued', 'processing', 'completed', 'failed']


@dataclass(frozen=True)
class FieldError:
    """
    One field or file at fault.
    """

    field: str
    code: str
    detail: str


@dataclass(frozen=True)
class BatchProgress:
    """
    Images of the batch, by status.
    """

    total: int
    queued: int
    processing: int
    completed: int
    failed: int


@dataclass(frozen=True)
class UnfinishedImage:
    image_id: str
    status: Literal['queued', 'processing']


@dataclass(frozen=True)
class FailedImage:
    image_id: str
    status: Literal['failed']
    error: ImageError


@dataclass(frozen=True)
class Account:
    success: Literal[True]
    request_id: str
    account_id: str
    available_credits: int
    held_credits: int
    spent_credits: int
    granted_credits: int
    remaining_api_credits_usd: float
    held_api_credits_usd: float
    price_per_image_usd: float


@dataclass(frozen=True)
class Canvas:
    """
    Default canvas, px.
    """

    width: int
    height: int


@dataclass(frozen=True)
class Requirement1:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['background_white']
    shadow: Literal['tolerated', 'forbidden']


@dataclass(frozen=True)
class Requirement2:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['product_fill']
    min: Optional[float] = None
    max: Optional[float] = None


@dataclass(frozen=True)
class Requirement3:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['product_side']
    min: Optional[int] = None
    max: Optional[int] = None


@dataclass(frozen=True)
class Requirement4:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['longest_side']
    min: Optional[int] = None
    max: Optional[int] = None


@dataclass(frozen=True)
class Requirement5:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['shortest_side']
    min: Optional[int] = None
    max: Optional[int] = None


@dataclass(frozen=True)
class Requirement6:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['size']
    min_width: int
    min_height: int


@dataclass(frozen=True)
class Requirement7:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['pixels']
    max: int


@dataclass(frozen=True)
class Requirement8:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['aspect']
    width: float
    height: float


@dataclass(frozen=True)
class Requirement9:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['file_bytes']
    min: Optional[int] = None
    max: Optional[int] = None


@dataclass(frozen=True)
class Requirement10:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['format']
    any_of: list[Literal['jpg', 'png', 'webp']]


@dataclass(frozen=True)
class Requirement11:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['jpeg_quality']
    min: int


@dataclass(frozen=True)
class Requirement12:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['colour_space']


@dataclass(frozen=True)
class Requirement13:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['bit_depth']


@dataclass(frozen=True)
class Requirement14:
    """
    What is measured on the finished file, and the bounds it has to keep.
    """

    kind: Literal['centred']
    within_px: int


Requirement = Union[
    Requirement1,
    Requirement2,
    Requirement3,
    Requirement4,
    Requirement5,
    Requirement6,
    Requirement7,
    Requirement8,
    Requirement9,
    Requirement10,
    Requirement11,
    Requirement12,
    Requirement13,
    Requirement14,
]
"""
What is measured on the finished file, and the bounds it has to keep.
"""


@dataclass(frozen=True)
class Compliance:
    """
    Measured on the decoded output file. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """

    marketplace: Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']
    passed: bool
    """
    True when every required rule of the marketplace is met.
    """
    checks: list[ComplianceCheck]


@dataclass(frozen=True)
class UploadFailedResult:
    original_name: str
    image_id: str
    batch_id: str
    error: ImageError


@dataclass(frozen=True)
class BatchCreated:
    success: bool
    status: Literal['queued', 'processing', 'completed', 'completed_with_errors', 'failed']
    request_id: str
    batch_id: str
    charged_images: int
    remaining_api_credits_usd: str
    images: list[AcceptedImage]


@dataclass(frozen=True)
class Problem:
    """
    RFC 9457 problem document.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    success: Literal[False]
    retryable: bool
    batch_id: Optional[str] = None
    status_url: Optional[str] = None
    errors: Optional[list[FieldError]] = None


@dataclass(frozen=True)
class CompletedImage:
    """
    One whose files were removed at the end of their life carries no URLs.
    """

    image_id: str
    status: Literal['completed']
    filename: str
    batch_id: str
    sha256: str
    """
    SHA-256 of the file behind the download URL, lower-case hex.
    """
    product_box: ProductBox
    matte_confidence: float
    """
    How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result.
    """
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    processing_ms: float
    compliance: Compliance
    width: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    height: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    format: Literal['JPG', 'PNG', 'WEBP', 'ZIP']
    """
    ZIP only for results of /v1.0/removebg.
    """
    background: str
    amazon_compliant: bool
    """
    Whether the result meets Amazon's rules, as measured. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """
    clean_download_url: Optional[str] = None
    preview_url: Optional[str] = None
    expires_at: Optional[str] = None
    """
    When the URLs stop working; the status response mints fresh ones.
    """


@dataclass(frozen=True)
class Rule:
    rule: Literal['background_white', 'product_fill', 'specified_fill', 'product_side', 'centred', 'colour_space', 'bit_depth', 'longest_side', 'shortest_side', 'size', 'zoom_side', 'advised_side', 'largest_side', 'pixels', 'advised_pixels', 'aspect', 'file_bytes', 'format', 'jpeg_quality']
    requires: Requirement
    severity: Literal['required', 'recommended']
    """
    required: a listing may be refused for it.
    """
    source: str
    """
    Where it is written.
    """
    as_of: str
    """
    When that was read, or the date on the page itself.
    """
    evidence: Literal['official', 'secondary']
    """
    official: the text was read on a page of the marketplace. secondary: it was read in a copy, or where somebody else cites that page.
    """
    required: str
    """
    The rule in words.
    """
    note: Optional[str] = None


@dataclass(frozen=True)
class Marketplace:
    name: Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']
    label: str
    """
    As the marketplace writes its own name.
    """
    canvas: Canvas
    """
    Default canvas, px.
    """
    fill: float
    """
    Default share of the canvas that the product takes.
    """
    format: Literal['jpg', 'png', 'webp']
    """
    Default format.
    """
    rules: list[Rule]


@dataclass(frozen=True)
class UploadResult:
    original_name: str
    clean_url: str
    width: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    height: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    format: Literal['JPG', 'PNG', 'WEBP', 'ZIP']
    """
    ZIP only for results of /v1.0/removebg.
    """
    background: str
    """
    PURE_WHITE_255 for white, TRANSPARENT, or the colour asked for as #RRGGBB.
    """
    amazon_compliant: bool
    """
    Whether the result meets Amazon's rules, as measured. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """
    batch_id: str
    image_id: str
    preview_url: str
    sha256: str
    """
    SHA-256 of the file behind the download URL, lower-case hex.
    """
    expires_at: str
    """
    When the URLs stop working; the status response mints fresh ones.
    """
    product_box: ProductBox
    matte_confidence: float
    """
    How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result.
    """
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    processing_ms: float
    compliance: Compliance


StatusImage = Union[UnfinishedImage, FailedImage, CompletedImage]


@dataclass(frozen=True)
class Marketplaces:
    """
    Every rule that the service knows of, with where it is written.
    """

    success: Literal[True]
    request_id: str
    marketplaces: list[Marketplace]


@dataclass(frozen=True)
class UploadResponse:
    success: bool
    """
    True when every file was processed.
    """
    processed_count: int
    cost_usd: float
    remaining_api_credits_usd: float
    results: list[Union[UploadResult, UploadFailedResult]]
    request_id: str
    batch_id: str


@dataclass(frozen=True)
class BatchStatus:
    success: bool
    request_id: str
    batch_id: str
    status: Literal['queued', 'processing', 'completed', 'completed_with_errors', 'failed']
    progress: BatchProgress
    charged_images: int
    refunded_images: int
    remaining_api_credits_usd: str
    created_at: str
    completed_at: Optional[str]
    images: list[StatusImage]

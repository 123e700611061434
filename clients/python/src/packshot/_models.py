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
    marketplaces: Optional[Union[list[Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']], str]] = (
        None
    )
    """
    Up to 8 marketplaces, set apart by commas or as a list: one file and one compliance report each, in `outputs`, for one credit. All other options hold for each of them. Not with marketplace.
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
    File format of the result. On white, jpg and png are exactly (255, 255, 255) around the product; webp is lossy, and a few levels off near it.
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
    region: Optional[str] = None
    """
    Only the product in this part of the upright photo: x,y,width,height in pixels, or each in percent. Leave a little room around it.
    """
    shadow: Optional[Literal['none', 'soft']] = None
    """
    soft: a contact shadow below the product. Not with a transparent background.
    """
    provenance: Optional[Literal['none', 'iptc']] = None
    """
    iptc: the file says in its XMP that a photo was altered by an algorithm (IPTC DigitalSourceType algorithmicallyEnhanced). By default it carries no metadata.
    """
    on_finding: Optional[Literal['warn', 'fail']] = None
    """
    What a finding that the marketplace refuses a listing for does: warn lists it beside the result, fail ends the image with its code, at no charge.
    """


@dataclass(frozen=True)
class RetentionChange:
    retention_days: Optional[int]
    """
    Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
    """


@dataclass(frozen=True)
class LowBalance:
    account_id: str
    balance: int
    """
    Credits that are not used yet, those that running images hold too. May be below 0.
    """
    balance_usd: str
    level: int
    """
    Credits at which you asked to be told.
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


Marketplace = str


@dataclass(frozen=True)
class FindingBox:
    """
    Pixels of the photo as sent, turned upright; `x`, `y` is the upper left corner.
    """

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class ReviewReason:
    code: Literal['product_cropped', 'source_too_small', 'source_blurred', 'several_products', 'text_or_logo_overlay', 'person_in_photo', 'border_or_frame', 'collage', 'low_confidence', 'already_white', 'looks_like_screenshot', 'rule_not_met']
    """
    Stable: a finding's, or `rule_not_met` for a required rule of a marketplace.
    """
    detail: str
    """
    What was measured.
    """
    remedy: str
    """
    What to do about it.
    """


@dataclass(frozen=True)
class ImageError:
    code: str
    detail: str
    remedy: Optional[str] = None
    """
    What to do about it, where a finding ended the image (`on_finding=fail`).
    """


@dataclass(frozen=True)
class AcceptedImage:
    image_id: str
    status: Literal['queued', 'processing', 'completed', 'failed']


@dataclass(frozen=True)
class RefusedFile:
    """
    A file of an upload that became no image: it is in no batch and costs nothing.
    """

    original_name: str
    error: ImageError


@dataclass(frozen=True)
class FieldError:
    """
    One field or file at fault.
    """

    field: str
    code: str
    detail: str
    remedy: Optional[str] = None
    """
    What to do about it, where a finding ended the image (`on_finding=fail`).
    """


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
class DeletedImage:
    """
    Deleted by its owner; it counts on as what it was.
    """

    image_id: str
    status: Literal['deleted']


@dataclass(frozen=True)
class Deleting:
    """
    Begun, and gone on with until it is done.
    """

    success: Literal[True]
    request_id: str
    status: Literal['deleting']
    batch_id: Optional[str] = None


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
    retention_days: Optional[int]
    """
    Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
    """


@dataclass(frozen=True)
class Retention:
    success: Literal[True]
    request_id: str
    retention_days: Optional[int]
    """
    Days that results of batches sent from now on are kept; 0: until their first complete download; null: as the service keeps them, 7 days.
    """


@dataclass(frozen=True)
class ApiKey:
    key_id: str
    mode: Literal['live', 'test']
    label: str
    masked: str
    """
    Prefix and last four characters of its newest secret.
    """
    scopes: list[Literal['images:write', 'batches:read', 'account:read', 'admin']]
    expires_at: Optional[str]
    allowed_ips: Optional[list[str]]
    daily_credit_cap: Optional[int]
    credits_used_today: Optional[int]
    """
    Of the cap, on this UTC day; null where there is no cap.
    """
    created_at: str
    created_by: Optional[str]
    """
    The key that made it; null: the developer portal.
    """
    last_used_at: Optional[str]
    revoked_at: Optional[str]
    older_secrets_until: Optional[str]
    """
    Until when a secret that was rolled still works; null: none does.
    """


@dataclass(frozen=True)
class KeySecret:
    success: Literal[True]
    request_id: str
    key: ApiKey
    secret: str
    """
    The whole key. It is shown here once and is nowhere else.
    """


@dataclass(frozen=True)
class KeyAnswer:
    success: Literal[True]
    request_id: str
    key: ApiKey


@dataclass(frozen=True)
class WebhookEvent:
    headers: dict[str, str]
    """
    By the Standard Webhooks specification.
    """
    body: str
    """
    As signed: the status of a batch, as JSON.
    """


@dataclass(frozen=True)
class BalanceLow:
    id: str
    """
    The same as `webhook-id`.
    """
    type: Literal['balance.low']
    created_at: str
    data: LowBalance


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
class Output:
    """
    The file of one marketplace.
    """

    marketplace: Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']
    filename: str
    width: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    height: int
    """
    Of the file delivered, px. With a test key at most 512.
    """
    bytes: int
    """
    Of the file.
    """
    format: Literal['JPG', 'PNG', 'WEBP', 'ZIP']
    """
    ZIP only for results of /v1.0/removebg.
    """
    background: str
    sha256: str
    """
    SHA-256 of the file behind the download URL, lower-case hex.
    """
    product_box: ProductBox
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    compliance: Compliance
    output_url: Optional[str] = None
    """
    Not there once the file was removed at the end of its life.
    """


@dataclass(frozen=True)
class Finding:
    """
    Something about the photo that was sent.
    """

    code: Literal['product_cropped', 'source_too_small', 'source_blurred', 'several_products', 'text_or_logo_overlay', 'person_in_photo', 'border_or_frame', 'collage', 'low_confidence', 'already_white', 'looks_like_screenshot']
    """
    Stable: branch on this. /docs/findings explains each.
    """
    severity: Literal['required', 'recommended', 'info']
    """
    required: a listing is refused for it on one of `marketplaces`; recommended: it is not; info: nothing to mend.
    """
    detail: str
    """
    What was measured on this photo.
    """
    box: Optional[FindingBox]
    """
    Where it is; null where the whole photo is meant.
    """
    remedy: str
    """
    What to do about it.
    """
    marketplaces: list[Marketplace]
    """
    For which of them it matters.
    """


@dataclass(frozen=True)
class Review:
    """
    The verdict on an image and all its files, from compliance, findings and confidence; never `ready` below a confidence of 0.9. An answer that an earlier release stored and that is replayed has none.
    """

    verdict: Literal['ready', 'needs_a_look', 'retake']
    """
    ready: nothing that is measured speaks against listing it. needs_a_look: a person should look at it first. retake: only another photo helps.
    """
    reasons: list[ReviewReason]
    """
    The worst first; empty with `ready`.
    """


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
    refused: Optional[list[RefusedFile]] = None
    """
    With `Prefer: respond-async`: files that became no image. `images` are the others, in order.
    """


@dataclass(frozen=True)
class Problem:
    """
    RFC 9457 problem document.
    """

    type: str
    """
    Where the code is explained, an absolute URL.
    """
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
class Check:
    """
    Findings about one photo. Nothing was made, and nothing was charged.
    """

    success: Literal[True]
    request_id: str
    check_id: str
    original_name: str
    marketplace: Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify', 'tiktok-shop', 'zalando', 'bol', 'mercado-libre', 'kaufland', 'allegro', 'coupang', 'lazada', 'shopee', 'meta', 'noon', 'aliexpress']
    """
    The one whose defaults and rules the options asked for.
    """
    width: int
    """
    Of the photo, turned upright, px.
    """
    height: int
    product_box: Optional[FindingBox]
    """
    Null where no product was found.
    """
    matte_confidence: float
    """
    How sure the fast matte is of the product.
    """
    findings: list[Finding]
    """
    What was found about the photo that was sent; empty where nothing was.
    """
    processing_ms: int
    """
    Time spent on it, whole ms.
    """


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
    How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result. 1 where nothing was guessed: the photo brought its own cut-out, or the request its matte.
    """
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    processing_ms: int
    """
    Time spent on it, whole ms.
    """
    compliance: Compliance
    findings: list[Finding]
    """
    What was found about the photo that was sent; empty where nothing was.
    """
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
    Whether the result meets Amazon's rules and this service's own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than compliance for amazon. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """
    clean_download_url: Optional[str] = None
    preview_url: Optional[str] = None
    expires_at: Optional[str] = None
    """
    When the URLs stop working; the status response mints fresh ones.
    """
    outputs: Optional[list[Output]] = None
    """
    With `marketplaces`: one file for each, in the order asked for. The first is also the result itself; all of them cost one credit together.
    """
    review: Optional[Review] = None


@dataclass(frozen=True)
class KeyList:
    success: Literal[True]
    request_id: str
    keys: list[ApiKey]
    """
    Newest first, revoked ones too.
    """


@dataclass(frozen=True)
class WebhookEvents:
    success: Literal[True]
    request_id: str
    secret: str
    """
    Signs these deliveries: this key's own, `whsec_…`.
    """
    events: list[WebhookEvent]
    next: str
    """
    Goes into `after` of the next call.
    """
    missing: bool
    """
    True where events after the one asked for are not known any more: the listener was away.
    """


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
    Whether the result meets Amazon's rules and this service's own figures, as measured: fill within half a percent of 85 %, centred, no shadow, a longer side of at least 1,000 px. Stricter than compliance for amazon. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
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
    How sure the matte is. From 0.9 on it was right 95 to 97 times of 100 on photos that it was not made on; below 0.5 let a person look at the result. 1 where nothing was guessed: the photo brought its own cut-out, or the request its matte.
    """
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    processing_ms: int
    """
    Time spent on it, whole ms.
    """
    compliance: Compliance
    findings: list[Finding]
    """
    What was found about the photo that was sent; empty where nothing was.
    """
    outputs: Optional[list[Output]] = None
    """
    With `marketplaces`: one file for each, in the order asked for. The first is also the result itself; all of them cost one credit together.
    """
    review: Optional[Review] = None


StatusImage = Union[
    UnfinishedImage,
    FailedImage,
    CompletedImage,
    DeletedImage,
]


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
    """
    False once every image has failed; before the end, and after any image, true.
    """
    request_id: str
    batch_id: str
    status: Literal['queued', 'processing', 'completed', 'completed_with_errors', 'failed']
    progress: BatchProgress
    charged_images: int
    """
    What the batch costs as it stands: images charged, and those under way, whose credits are held. A failed image is not among them. 0 with a test key.
    """
    refunded_images: int
    """
    Failed images, whose credits were returned; no part of `charged_images`.
    """
    remaining_api_credits_usd: str
    created_at: str
    completed_at: Optional[str]
    images: list[StatusImage]
    end_reason: Optional[Literal['key_revoked']] = None
    """
    Why the batch was ended before its images were done. Those not begun by then failed with `batch_stopped` and cost nothing; those on their way ended as they would have.
    """

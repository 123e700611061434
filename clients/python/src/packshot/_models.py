"""Generated from the OpenAPI document by generate.py; not edited by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union


@dataclass(frozen=True)
class Options:
    marketplace: Optional[Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify']] = (
        None
    )
    """
    Sets the defaults of canvas, fill and format, and the rules of the compliance check.
    """
    canvas: Optional[int] = None
    """
    Side of the square canvas, px. Only with layout hero.
    """
    fill: Optional[float] = None
    """
    Longer side of the product box ÷ canvas side. Only with layout hero.
    """
    format: Optional[Literal['jpg', 'png', 'webp']] = None
    """
    File format of the result.
    """
    quality: Optional[int] = None
    """
    Encoder quality. Not with png.
    """
    background: Optional[str] = None
    """
    white, transparent (png or webp) or a colour like #f4f4f4.
    """
    layout: Optional[Literal['hero', 'original']] = None
    """
    hero: product centred on a square canvas. original: same framing as the input.
    """
    shadow: Optional[Literal['none', 'soft']] = None
    """
    soft: a contact shadow below the product. Not with a transparent background.
    """


@dataclass(frozen=True)
class RemovebgForm:
    image_file: Optional[bytes] = None
    """
    Takes a JPEG, PNG, WebP, AVIF, TIFF or GIF file, 25 MB at most. In multipart/form-data. More formats and larger files than there. Compared with remove.bg: same.
    """
    image_file_b64: Optional[str] = None
    """
    Takes a file in base64, 12 MB at most. Larger files go into image_file. Compared with remove.bg: approximated.
    """
    image_url: Optional[str] = None
    """
    Takes a public http(s) address. Compared with remove.bg: same.
    """
    size: Optional[Literal['preview', 'small', 'regular', 'medium', 'hd', 'full', '4k', 'auto', '50MP']] = (
        None
    )
    """
    preview, the default, also called small and regular (0.25 megapixels), is free up to 200 a day for the account, test images included; the others cost one credit. auto is full (25 megapixels) where the account has a credit, else preview. PNG has no lower bound of its own. Compared with remove.bg: approximated.
    """
    type: Optional[Literal['auto', 'product']] = None
    """
    One model finds any product. Other types cannot be insisted on. Compared with remove.bg: approximated.
    """
    type_level: Optional[Literal['1', '2', 'none', 'latest']] = None
    """
    X-Type is always product; with none it is left out. Compared with remove.bg: approximated.
    """
    format: Optional[Literal['auto', 'png', 'jpg', 'webp', 'zip']] = None
    """
    auto is jpg with an opaque background, else png, also where the product happens to fill the frame. Compared with remove.bg: approximated.
    """
    channels: Optional[Literal['rgba', 'alpha']] = None
    """
    alpha with auto is a grey PNG, and takes no background, shadow or zip. Compared with remove.bg: same.
    """
    bg_color: Optional[str] = None
    """
    Takes a hex code of 3, 4, 6 or 8 digits, or a CSS colour name. Compared with remove.bg: same.
    """
    bg_image_url: Optional[str] = None
    """
    Takes a public http(s) address. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
    """
    bg_image_file: Optional[bytes] = None
    """
    Takes a JPEG, PNG, WebP, AVIF, TIFF or GIF file, 25 MB at most. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
    """
    roi: Optional[str] = None
    """
    Takes x1 y1 x2 y2, each in px or %. At least 16 px wide and high. Compared with remove.bg: same.
    """
    crop: Optional[Literal['true', 'false']] = None
    """
    Compared with remove.bg: same.
    """
    crop_margin: Optional[str] = None
    """
    Takes one, two or four lengths in px or %, at most 500px or 50% each. Pixels are those of the result. Without crop it has no effect, as there. Compared with remove.bg: same.
    """
    scale: Optional[str] = None
    """
    Takes 10% to 100%, or original. Compared with remove.bg: same.
    """
    position: Optional[str] = None
    """
    Takes original, center, one or two of 0% to 100%. Compared with remove.bg: same.
    """
    add_shadow: Optional[Literal['true', 'false']] = None
    """
    A soft contact shadow below any product, transparent where the background is. Compared with remove.bg: approximated.
    """
    shadow_type: Optional[Literal['none', 'auto']] = None
    """
    auto is the contact shadow of add_shadow. No other one is drawn. Compared with remove.bg: approximated.
    """
    shadow_opacity: Optional[Literal['100']] = None
    """
    The shadow has one strength. Compared with remove.bg: refused.
    """
    shadow_method: Optional[Literal['latest']] = None
    """
    There is one method. Compared with remove.bg: refused.
    """
    semitransparency: Optional[Literal['true', 'false']] = None
    """
    With false, what is partly transparent away from the outline becomes solid. With true, the default, the product is as the model finds it. Compared with remove.bg: approximated.
    """


@dataclass(frozen=True)
class RemovebgParameters:
    image_file_b64: Optional[str] = None
    """
    Takes a file in base64, 12 MB at most. Larger files go into image_file. Compared with remove.bg: approximated.
    """
    image_url: Optional[str] = None
    """
    Takes a public http(s) address. Compared with remove.bg: same.
    """
    size: Optional[Literal['preview', 'small', 'regular', 'medium', 'hd', 'full', '4k', 'auto', '50MP']] = (
        None
    )
    """
    preview, the default, also called small and regular (0.25 megapixels), is free up to 200 a day for the account, test images included; the others cost one credit. auto is full (25 megapixels) where the account has a credit, else preview. PNG has no lower bound of its own. Compared with remove.bg: approximated.
    """
    type: Optional[Literal['auto', 'product']] = None
    """
    One model finds any product. Other types cannot be insisted on. Compared with remove.bg: approximated.
    """
    type_level: Optional[Literal['1', '2', 'none', 'latest']] = None
    """
    X-Type is always product; with none it is left out. Compared with remove.bg: approximated.
    """
    format: Optional[Literal['auto', 'png', 'jpg', 'webp', 'zip']] = None
    """
    auto is jpg with an opaque background, else png, also where the product happens to fill the frame. Compared with remove.bg: approximated.
    """
    channels: Optional[Literal['rgba', 'alpha']] = None
    """
    alpha with auto is a grey PNG, and takes no background, shadow or zip. Compared with remove.bg: same.
    """
    bg_color: Optional[str] = None
    """
    Takes a hex code of 3, 4, 6 or 8 digits, or a CSS colour name. Compared with remove.bg: same.
    """
    bg_image_url: Optional[str] = None
    """
    Takes a public http(s) address. Centred, and as large as it takes to fill the frame. Compared with remove.bg: same.
    """
    roi: Optional[str] = None
    """
    Takes x1 y1 x2 y2, each in px or %. At least 16 px wide and high. Compared with remove.bg: same.
    """
    crop: Optional[Literal['true', 'false']] = None
    """
    Compared with remove.bg: same.
    """
    crop_margin: Optional[str] = None
    """
    Takes one, two or four lengths in px or %, at most 500px or 50% each. Pixels are those of the result. Without crop it has no effect, as there. Compared with remove.bg: same.
    """
    scale: Optional[str] = None
    """
    Takes 10% to 100%, or original. Compared with remove.bg: same.
    """
    position: Optional[str] = None
    """
    Takes original, center, one or two of 0% to 100%. Compared with remove.bg: same.
    """
    add_shadow: Optional[Literal['true', 'false']] = None
    """
    A soft contact shadow below any product, transparent where the background is. Compared with remove.bg: approximated.
    """
    shadow_type: Optional[Literal['none', 'auto']] = None
    """
    auto is the contact shadow of add_shadow. No other one is drawn. Compared with remove.bg: approximated.
    """
    shadow_opacity: Optional[Literal['100']] = None
    """
    The shadow has one strength. Compared with remove.bg: refused.
    """
    shadow_method: Optional[Literal['latest']] = None
    """
    There is one method. Compared with remove.bg: refused.
    """
    semitransparency: Optional[Literal['true', 'false']] = None
    """
    With false, what is partly transparent away from the outline becomes solid. With true, the default, the product is as the model finds it. Compared with remove.bg: approximated.
    """


@dataclass(frozen=True)
class RemovebgJson:
    image_file_b64: Optional[Union[str, bool, float]] = None
    image_url: Optional[Union[str, bool, float]] = None
    size: Optional[Union[Literal['preview', 'small', 'regular', 'medium', 'hd', 'full', '4k', 'auto', '50MP'], bool, float]] = (
        None
    )
    type: Optional[Union[Literal['auto', 'product'], bool, float]] = None
    type_level: Optional[Union[Literal['1', '2', 'none', 'latest'], bool, float]] = None
    format: Optional[Union[Literal['auto', 'png', 'jpg', 'webp', 'zip'], bool, float]] = (
        None
    )
    channels: Optional[Union[Literal['rgba', 'alpha'], bool, float]] = None
    bg_color: Optional[Union[str, bool, float]] = None
    bg_image_url: Optional[Union[str, bool, float]] = None
    roi: Optional[Union[str, bool, float]] = None
    crop: Optional[Union[Literal['true', 'false'], bool, float]] = None
    crop_margin: Optional[Union[str, bool, float]] = None
    scale: Optional[Union[str, bool, float]] = None
    position: Optional[Union[str, bool, float]] = None
    add_shadow: Optional[Union[Literal['true', 'false'], bool, float]] = None
    shadow_type: Optional[Union[Literal['none', 'auto'], bool, float]] = None
    shadow_opacity: Optional[Union[Literal['100'], bool, float]] = None
    shadow_method: Optional[Union[Literal['latest'], bool, float]] = None
    semitransparency: Optional[Union[Literal['true', 'false'], bool, float]] = None


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
    rule: Literal['background_white', 'product_fill', 'centred', 'colour_space', 'bit_depth', 'longest_side', 'format']
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
class Data:
    result_b64: str
    foreground_top: int
    foreground_left: int
    foreground_width: int
    foreground_height: int


@dataclass(frozen=True)
class RemovebgResult:
    data: Data


@dataclass(frozen=True)
class Error:
    title: str
    code: str
    detail: str


@dataclass(frozen=True)
class RemovebgErrors:
    errors: list[Error]
    batch_id: Optional[str] = None
    status_url: Optional[str] = None


@dataclass(frozen=True)
class Credits:
    total: float
    subscription: float
    payg: float
    enterprise: float


@dataclass(frozen=True)
class Api:
    free_calls: int
    """
    Free previews that a day (UTC) allows.
    """
    sizes: str


@dataclass(frozen=True)
class Attributes:
    credits: Credits
    api: Api


@dataclass(frozen=True)
class Data1:
    attributes: Attributes


@dataclass(frozen=True)
class RemovebgAccount:
    data: Data1


@dataclass(frozen=True)
class Compliance:
    """
    Measured on the decoded output file. With a test key: in the full-size result that a live key gets, measured before it is reduced and marked.
    """

    marketplace: Literal['amazon', 'walmart', 'ebay', 'etsy', 'google', 'shopify']
    passed: bool
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
    How sure the matte is: 1 means no doubtful pixel.
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
    How sure the matte is: 1 means no doubtful pixel.
    """
    upscaled: bool
    """
    True where the product had to be enlarged to fill the canvas.
    """
    processing_ms: float
    compliance: Compliance


StatusImage = Union[UnfinishedImage, FailedImage, CompletedImage]


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

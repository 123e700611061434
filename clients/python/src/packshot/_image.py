"""One finished image, whichever way it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union
from urllib.parse import unquote

from ._models import CompletedImage, Compliance, Finding, Output, ProductBox, Review, UploadResult

_SHARED = (
    "image_id",
    "batch_id",
    "preview_url",
    "expires_at",
    "sha256",
    "width",
    "height",
    "format",
    "background",
    "amazon_compliant",
    "compliance",
    "product_box",
    "matte_confidence",
    "upscaled",
    "processing_ms",
    "outputs",
    "findings",
    "review",
)


@dataclass(frozen=True)
class Image:
    name: str
    """Of the finished file."""
    url: Optional[str]
    """Plain download link, no key needed. None once the file was removed at the end of its life."""
    image_id: str
    batch_id: str
    preview_url: Optional[str]
    expires_at: Optional[str]
    """When the URLs stop working; the status of the batch has fresh ones."""
    sha256: str
    width: int
    height: int
    format: str
    background: str
    amazon_compliant: bool
    compliance: Compliance
    """The marketplace's rules, measured on the finished file."""
    product_box: ProductBox
    matte_confidence: float
    upscaled: bool
    processing_ms: int
    findings: list[Finding]
    """What was found about the photo."""
    review: Optional[Review] = None
    """Whether it can be listed as it is. None in a replayed answer of a release that did not say it."""
    outputs: Optional[list[Output]] = None
    """With `marketplaces`: the file of each, in the order asked for; the first is this image itself."""


def image_of(result: Union[UploadResult, CompletedImage]) -> Image:
    shared = {name: getattr(result, name) for name in _SHARED}
    if isinstance(result, CompletedImage):
        return Image(name=result.filename, url=result.clean_download_url, **shared)
    return Image(name=unquote(result.clean_url.rsplit("/", 1)[-1]), url=result.clean_url, **shared)

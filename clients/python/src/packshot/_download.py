"""Finished files: which link, which checksum, and how one is written."""

from __future__ import annotations

import hashlib
import os
import uuid
from pathlib import Path
from typing import Optional, Union

from ._errors import ChecksumMismatch, PackshotError
from ._image import Image
from ._models import CompletedImage, UploadResult

Downloadable = Union[str, Image, UploadResult, CompletedImage]


def link_of(image: Downloadable, sha256: Optional[str]) -> tuple[str, Optional[str]]:
    if isinstance(image, str):
        return image, sha256
    url = image.clean_url if isinstance(image, UploadResult) else None
    url = image.clean_download_url if isinstance(image, CompletedImage) else url
    url = image.url if isinstance(image, Image) else url
    if url is None:
        raise PackshotError("the file was removed at the end of its life")
    return url, sha256 or image.sha256


def verified(content: bytes, expected: Optional[str]) -> bytes:
    if expected is not None and hashlib.sha256(content).hexdigest() != expected:
        raise ChecksumMismatch("the bytes that came are not those of the result")
    return content


def part_of(to: Path) -> Path:
    return to.with_name(f".{to.name}.{uuid.uuid4().hex}.part")


def write_whole(to: Path, content: bytes) -> Path:
    """Never a part of the file under its name."""
    part = part_of(to)
    try:
        part.write_bytes(content)
        os.replace(part, to)
    finally:
        part.unlink(missing_ok=True)
    return to

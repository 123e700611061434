"""The free check, before a node that finds every photo with CROPPED in its bytes cut off."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from packshot import AsyncPackshot, Check, ImageError, InvalidRequestError, Options, Packshot


@pytest.fixture
def cropped(photo: Path) -> bytes:
    return photo.read_bytes() + b"CROPPED"


def only_finding(check: Check) -> str:
    (finding,) = check.findings
    assert finding.severity == "required" and finding.box is not None and finding.box.width == 212
    assert finding.detail and finding.remedy and finding.marketplaces == ["amazon"]
    return finding.code


def test_a_photo_is_checked_from_a_path_bytes_a_file_or_a_url_at_no_charge(
    client: Packshot, photo: Path, cropped: bytes, shop: str
) -> None:
    before = client.account()
    for source in (cropped, io.BytesIO(cropped), ("mug.jpg", cropped)):
        check = client.check(source, options=Options(marketplace="walmart"))
        assert (check.marketplace, only_finding(check), check.width) == ("walmart", "product_cropped", 1600)
    for fine in (photo, str(photo), f"{shop}/photo/0.jpg"):
        assert client.check(fine).findings == []
    after = client.account()
    assert (after.spent_credits, after.held_credits) == (before.spent_credits, before.held_credits)


def test_a_check_without_async_and_with_it_says_the_same(client: Packshot, cropped: bytes) -> None:
    async def asked() -> Check:
        async with AsyncPackshot() as waiting:
            return await waiting.check(cropped, options=Options(marketplace="etsy"))

    check, same = client.check(cropped, options=Options(marketplace="etsy")), asyncio.run(asked())
    assert (same.findings, same.marketplace) == (check.findings, check.marketplace)
    assert same.check_id != check.check_id


def test_a_photo_that_cannot_be_read_and_a_wrong_option_have_the_class_of_their_family(
    client: Packshot, shop: str
) -> None:
    with pytest.raises(ImageError) as image:
        client.check(b"no image")
    assert (image.value.code, image.value.errors[0].field) == ("unsupported_media_type", "files[0]")
    with pytest.raises(ImageError) as url:
        client.check(f"{shop}/empty.jpg")
    assert (url.value.code, url.value.errors[0].field) == ("file_empty", "input_url")
    with pytest.raises(InvalidRequestError):
        client.check(f"{shop}/photo/0.jpg", options=Options(layout="original", canvas=500))

from __future__ import annotations

import hashlib
import io
import threading
from pathlib import Path

import pytest

from packshot import (
    AuthenticationError,
    BatchStatus,
    Cancelled,
    ChecksumMismatch,
    CompletedImage,
    DownloadError,
    FailedImage,
    IdempotencyError,
    ImageError,
    InvalidRequestError,
    NotFoundError,
    Options,
    Packshot,
    TimedOut,
    UploadFailedResult,
    UploadResult,
)


def test_a_photo_becomes_an_image_from_a_path_bytes_a_file_or_a_url(client: Packshot, photo: Path, shop: str) -> None:
    content = photo.read_bytes()
    with photo.open("rb") as opened:
        images = [
            client.create(source, options=Options(marketplace="ebay"))
            for source in (str(photo), photo, content, opened, io.BytesIO(content), ("mug.jpg", content))
        ]
    assert [image.width for image in images] == [1600] * 6
    assert len({image.sha256 for image in images}) == 1
    assert [image.name for image in images] == ["photo.jpg"] * 2 + ["image-1.jpg", "photo.jpg"] + [
        "image-1.jpg",
        "mug.jpg",
    ]
    by_url = client.create(f"{shop}/photo/0.jpg")
    assert by_url.url is not None and by_url.amazon_compliant and by_url.compliance.passed


def test_several_marketplaces_give_a_file_each(client: Packshot, photo: Path, shop: str) -> None:
    options = Options(marketplaces=["walmart", "zalando"])
    for image in (client.create(photo, options=options), client.create(f"{shop}/photo/1.jpg", options=options)):
        assert image.outputs is not None
        assert [output.marketplace for output in image.outputs] == ["walmart", "zalando"]
        assert [(output.width, output.height) for output in image.outputs] == [(2200, 2200), (1801, 2600)]
        for output in image.outputs:
            assert output.output_url is not None and output.compliance.marketplace == output.marketplace
            content = client.download(output.output_url, sha256=output.sha256)
            assert len(content) == output.bytes
    assert client.create(photo).outputs is None


def test_a_download_is_checked_and_appears_whole(client: Packshot, photo: Path, tmp_path: Path) -> None:
    image = client.create(photo)
    content = client.download(image)
    assert hashlib.sha256(content).hexdigest() == image.sha256
    assert client.download(image, tmp_path / "out.jpg").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["out.jpg"]
    assert image.url is not None
    with Packshot(max_retries=1) as hasty, pytest.raises(ChecksumMismatch):
        hasty.download(image.url, tmp_path / "wrong.jpg", sha256="0" * 64)
    assert not (tmp_path / "wrong.jpg").exists()
    with pytest.raises(DownloadError) as altered:
        client.download(image.url.replace("photo.jpg", "other.jpg"))
    assert altered.value.code == "download_invalid"


def test_an_upload_tells_what_became_of_each_file(client: Packshot, photo: Path) -> None:
    before = client.account().spent_credits
    response = client.upload([photo, ("junk.txt", b"no image")])
    good, bad = response.results
    assert isinstance(good, UploadResult) and good.original_name == "photo.jpg"
    assert isinstance(bad, UploadFailedResult) and bad.error.code == "unsupported_media_type"
    assert client.account().spent_credits == before + 1


def test_a_batch_is_followed_with_its_progress_and_image_by_image(client: Packshot, shop: str) -> None:
    batch = client.create_batch([f"{shop}/photo/{index}.jpg" for index in range(3)] + [f"{shop}/empty.jpg"])
    ended = list(client.finished(batch))
    assert sorted(image.image_id for image in ended) == sorted(image.image_id for image in batch.images)
    assert sum(isinstance(image, CompletedImage) for image in ended) == 3
    failed = [image for image in ended if isinstance(image, FailedImage)]
    assert [image.error.code for image in failed] == ["file_empty"]
    told: list[BatchStatus] = []
    status = client.wait(batch, on_progress=told.append)
    assert told[-1] == status and status.status == "completed_with_errors" and status.refunded_images == 1
    completed = next(image for image in status.images if isinstance(image, CompletedImage))
    assert hashlib.sha256(client.download(completed)).hexdigest() == completed.sha256


def test_files_can_be_a_batch_but_not_together_with_urls(client: Packshot, photo: Path, shop: str) -> None:
    status = client.wait(client.create_batch([photo, photo]))
    assert status.progress.completed == 2
    with pytest.raises(ValueError):
        client.create_batch([photo, f"{shop}/photo/0.jpg"])
    with pytest.raises(ValueError):
        client.create_batch([photo], input_authorization="Bearer of-the-shop")


def test_errors_have_the_class_of_their_family_and_the_code_of_the_api(client: Packshot, photo: Path) -> None:
    with pytest.raises(ImageError) as image:
        client.create(b"no image")
    assert (image.value.code, image.value.errors[0].field) == ("unsupported_media_type", "files[0]")
    assert image.value.request_id is not None and image.value.request_id.startswith("req_")
    with pytest.raises(InvalidRequestError) as options:
        client.create(photo, options=Options(background="transparent", format="jpg"))
    assert (options.value.code, options.value.errors[0].field) == ("invalid_options", "background")
    with pytest.raises(NotFoundError) as batch:
        client.get_batch("bat_0123456789abcdefghjkmnpqrs")
    assert batch.value.code == "batch_not_found"
    with Packshot(api_key="sk_live_mistyped") as stranger, pytest.raises(AuthenticationError) as key:
        stranger.account()
    assert key.value.code == "key_malformed"
    with pytest.raises(ImageError) as url:
        client.create("https://127.0.0.1/none.jpg")
    assert url.value.code == "url_forbidden"


def test_one_key_is_charged_once_and_refused_for_another_request(client: Packshot, photo: Path) -> None:
    before = client.account().spent_credits
    first = client.create(photo, idempotency_key="python-once")
    again = client.create(photo, idempotency_key="python-once")
    assert first.image_id == again.image_id
    assert client.account().spent_credits == before + 1
    with pytest.raises(IdempotencyError) as other:
        client.create(photo, idempotency_key="python-once", options=Options(canvas=500))
    assert other.value.code == "idempotency_mismatch"


def test_a_call_ends_with_its_time_or_when_it_is_cancelled(client: Packshot, shop: str) -> None:
    batch = client.create_batch([f"{shop}/photo/0.jpg"])
    with pytest.raises(TimedOut):
        client.wait(batch, timeout=0.001)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        client.wait(batch, cancel=cancel)
    assert client.wait(batch, timeout=60).status == "completed"

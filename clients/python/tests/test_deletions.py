"""What is deleted is gone, and how long results are kept can be set."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Callable

import pytest

from packshot import AsyncPackshot, AuthenticationError, InvalidRequestError, NotFoundError, Packshot

ADMIN = os.environ["ADMIN_KEY"]


def until_deleted(ask: Callable[[], str]) -> None:
    for _ in range(100):
        if ask() == "deleted":
            return
        time.sleep(0.2)
    pytest.fail("it is still being deleted")


def test_an_image_then_its_upload_are_deleted_and_stay_charged(client: Packshot, photo: Path) -> None:
    upload = client.upload([photo, ("second.jpg", photo.read_bytes())])
    spent = client.account().spent_credits
    first, second = upload.results
    until_deleted(lambda: client.delete_image(upload, first))
    assert [image.status for image in client.get_batch(upload.batch_id).images] == ["deleted", "completed"]
    until_deleted(lambda: client.delete_image(upload.batch_id, second.image_id))
    until_deleted(lambda: client.delete_batch(upload))
    with pytest.raises(NotFoundError) as gone:
        client.get_batch(upload.batch_id)
    assert (gone.value.code, gone.value.status) == ("batch_deleted", 410)
    assert client.account().spent_credits == spent


def test_a_batch_and_a_finished_image_are_deleted_without_their_ids(client: Packshot, shop: str, photo: Path) -> None:
    batch = client.create_batch([f"{shop}/photo/71.jpg"])
    client.wait(batch)
    until_deleted(lambda: client.delete_batch(batch))
    image = client.create(photo)
    until_deleted(lambda: client.delete_image(image, image))
    assert client.get_batch(image.batch_id).images[0].status == "deleted"


@pytest.mark.parametrize("wrong", ["../account/data", "a/b", ""])
def test_no_id_leads_into_another_path(client: Packshot, wrong: str) -> None:
    with pytest.raises(ValueError):
        client.delete_batch(wrong)
    with pytest.raises(ValueError):
        client.delete_image("bat_01k9zq4v7kq3w5e7r9t1y3v5n7", wrong)


def test_retention_is_set_by_an_admin_key_and_told_with_the_balance(client: Packshot) -> None:
    with Packshot(ADMIN) as admin:
        for days in (0, 30, None):
            assert admin.set_retention(days) == days
            assert client.account().retention_days == days
        with pytest.raises(InvalidRequestError) as refused:
            admin.set_retention(31)
        assert refused.value.code == "invalid_request"
    with pytest.raises(AuthenticationError):
        client.set_retention(1)
    assert client.account().retention_days is None


def test_all_data_is_for_an_admin_key(client: Packshot) -> None:
    with pytest.raises(AuthenticationError) as refused:
        client.delete_account_data()
    assert refused.value.code == "key_scope_missing"


def test_with_async_the_same_is_deleted_and_set(photo: Path) -> None:
    async def run() -> None:
        async with AsyncPackshot() as client, AsyncPackshot(ADMIN) as admin:
            upload = await client.upload([photo])
            while await client.delete_image(upload, upload.results[0]) != "deleted":
                await asyncio.sleep(0.2)
            while await client.delete_batch(upload) != "deleted":
                await asyncio.sleep(0.2)
            with pytest.raises(NotFoundError):
                await client.get_batch(upload.batch_id)
            assert await admin.set_retention(3) == 3
            assert await admin.set_retention(None) is None
            with pytest.raises(AuthenticationError):
                await client.delete_account_data()

    asyncio.run(run())

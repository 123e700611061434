from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import anyio
import pytest

from packshot import AsyncPackshot, CompletedImage, ImageError, Packshot, TimedOut


def test_it_has_the_calls_of_the_other_client_but_for_cancel() -> None:
    def calls(kind: type[Any]) -> dict[str, list[str]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: [key for key in inspect.signature(call).parameters if key != "cancel"]
            for name, call in found
            if not name.startswith("_")
        }

    assert calls(AsyncPackshot) == calls(Packshot)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_it_makes_downloads_and_follows_images(backend: str, photo: Path, shop: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with AsyncPackshot() as client:
            image = await client.create(photo)
            assert (await client.download(image, tmp_path / "out.jpg")).stat().st_size > 1_000
            assert (await client.create(f"{shop}/photo/1.jpg")).compliance.passed
            batch = await client.create_batch([f"{shop}/photo/2.jpg", f"{shop}/photo/3.jpg"])
            ended = [found async for found in client.finished(batch)]
            assert [type(found) for found in ended] == [CompletedImage] * 2
            with pytest.raises(ImageError):
                await client.create(b"no image")
            assert (await client.account()).held_credits == 0

    anyio.run(work, backend=backend)


def test_a_call_ends_with_its_time_or_with_its_task(shop: str) -> None:
    async def work() -> None:
        async with AsyncPackshot() as client:
            batch = await client.create_batch([f"{shop}/photo/0.jpg"])
            with pytest.raises(TimedOut):
                await client.wait(batch, timeout=0.001)
            with anyio.move_on_after(0.001) as scope:
                await client.wait(batch)
            assert scope.cancelled_caught
            assert (await client.wait(batch)).status == "completed"

    anyio.run(work)

"""Run by test/python-client/main.ts with a number of calls, over a network that loses answers and doubles requests."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import anyio

from packshot import AsyncPackshot, Packshot

AT_ONCE = 12
# By chance three in ten answers are lost: of a thousand calls one loses six in a row.
RETRIES = 20
# All that the node without a model looks at is that it is an image.
PHOTO = b"\xff\xd8\xff\xe0 no product, only a head"


def with_threads(calls: int) -> list[str]:
    with Packshot(max_retries=RETRIES) as client, ThreadPoolExecutor(AT_ONCE) as pool:

        def call(index: int) -> str:
            image = client.create((f"{index}.jpg", PHOTO + str(index).encode()))
            assert image.name == f"{index}.jpg", f"call {index} was answered with {image.name}"
            return image.image_id

        return list(pool.map(call, range(calls)))


async def with_tasks(calls: int) -> list[str]:
    found: list[str] = []
    limiter = anyio.CapacityLimiter(AT_ONCE)
    async with AsyncPackshot(max_retries=RETRIES) as client:

        async def call(index: int) -> None:
            async with limiter:
                image = await client.create((f"async-{index}.jpg", PHOTO + str(index).encode()))
            assert image.name == f"async-{index}.jpg", f"call {index} was answered with {image.name}"
            found.append(image.image_id)

        async with anyio.create_task_group() as group:
            for index in range(calls):
                group.start_soon(call, index)
    return found


def main(calls: int) -> None:
    ids = with_threads(calls // 2) + anyio.run(with_tasks, calls - calls // 2)
    assert len(ids) == calls and len(set(ids)) == calls, f"{len(set(ids))} images for {calls} calls"


if __name__ == "__main__":
    main(int(sys.argv[1]))

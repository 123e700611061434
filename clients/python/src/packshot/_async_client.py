"""The client for asyncio and trio."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import AsyncIterator, Awaitable, Callable, Literal, Optional, Sequence, TypeVar, Union, overload

import anyio
import anyio.to_thread
import httpx

from ._download import Downloadable, link_of, part_of, verified, write_whole
from ._errors import ConnectionFailed, PackshotError
from ._image import Image
from ._models import (
    Account,
    ApiKey,
    BatchCreated,
    BatchStatus,
    Check,
    CompletedImage,
    FailedImage,
    KeyAnswer,
    KeyList,
    KeySecret,
    Options,
    Retention,
    UploadResponse,
)
from ._requests import (
    ACCOUNT,
    ACCOUNT_DATA,
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    DEFAULT_TIMEOUT_SECONDS,
    KEYS,
    UNCHANGED,
    WAIT_SECONDS_MAX,
    Batch,
    Call,
    Deletable,
    Deletion,
    Key,
    OneImage,
    Scope,
    answer_as,
    archive_call,
    archive_name_of,
    batch_call,
    change_key_call,
    check_call,
    create_key_call,
    delete_batch_call,
    delete_image_call,
    deletion_of,
    headers_of,
    is_ended,
    next_wait,
    only_image,
    only_image_of_batch,
    raise_if_refused,
    read_all,
    retention_call,
    revoke_key_call,
    roll_key_call,
    settings,
    status_call,
    table_call,
    upload_call,
)
from ._retry import Deadline, Retries
from ._sources import Source, url_of

T = TypeVar("T")


class AsyncPackshot:
    """As Packshot, awaited. `api_key` and `base_url` default to PACKSHOT_KEY and PACKSHOT_URL.

    Every call takes `timeout` (seconds for the whole call with its retries). Cancelling the task ends its call at once;
    a request that reached the service is finished and settled there.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: Optional[float] = DEFAULT_TIMEOUT_SECONDS,
        max_retries: int = 5,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._settings = settings(api_key, base_url)
        self._timeout = timeout
        self._max_retries = max_retries
        self._http = http_client or httpx.AsyncClient()

    async def __aenter__(self) -> "AsyncPackshot":
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def create(
        self,
        source: Source,
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Image:
        """One photo, by path, bytes, open file or URL; returns when it is done. Raises ImageError if it fails."""
        if url_of(source) is not None:
            started = time.monotonic()
            given = self._timeout if timeout is None else timeout
            batch = await self.create_batch([source], options=options, idempotency_key=idempotency_key, timeout=given)
            left = None if given is None else max(0.001, given - (time.monotonic() - started))
            return only_image_of_batch(await self.wait(batch, timeout=left))
        return only_image(
            await self.upload([source], options=options, idempotency_key=idempotency_key, timeout=timeout)
        )

    async def upload(
        self,
        sources: Sequence[Source],
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> UploadResponse:
        """Up to 20 files; returns when all are done. A file that failed is in `results` with its error."""
        call = upload_call(await anyio.to_thread.run_sync(read_all, sources), options, idempotency_key)
        return answer_as(UploadResponse, await self._send(call, self._deadline(timeout)))

    async def create_batch(
        self,
        sources: Sequence[Source],
        *,
        options: Optional[Options] = None,
        webhook_url: Optional[str] = None,
        input_authorization: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> BatchCreated:
        """Up to 1,000 URLs, or up to 20 files; returns as soon as the batch is queued.

        `input_authorization` is the Authorization header with which the URLs are fetched; https, and one host.
        """
        call = await anyio.to_thread.run_sync(
            batch_call, sources, options, webhook_url, idempotency_key, input_authorization
        )
        return answer_as(BatchCreated, await self._send(call, self._deadline(timeout)))

    async def get_batch(
        self,
        batch: Batch,
        *,
        wait_seconds: int = 0,
        timeout: Optional[float] = None,
    ) -> BatchStatus:
        """How the batch stands, with fresh URLs; with `wait_seconds` (0 to 25) at its end or then."""
        call = status_call(batch, wait_seconds)
        return answer_as(BatchStatus, await self._send(call, self._deadline(timeout)))

    async def wait(
        self,
        batch: Batch,
        *,
        on_progress: Optional[Callable[[BatchStatus], None]] = None,
        timeout: Optional[float] = None,
    ) -> BatchStatus:
        """The batch once it has ended. Without `timeout` it waits as long as that takes (6 hours at most).

        `on_progress` gets each status on the way, the last one included.
        """
        last: Optional[BatchStatus] = None
        async for last in self._statuses(batch, Deadline(timeout), brief=on_progress is not None):
            if on_progress is not None:
                on_progress(last)
        assert last is not None
        return last

    async def finished(
        self, batch: Batch, *, timeout: Optional[float] = None
    ) -> AsyncIterator[Union[CompletedImage, FailedImage]]:
        """Each image of the batch as it ends, completed or failed; ends with the batch."""
        seen: set[str] = set()
        async for status in self._statuses(batch, Deadline(timeout), brief=True):
            for image in status.images:
                if isinstance(image, (CompletedImage, FailedImage)) and image.image_id not in seen:
                    seen.add(image.image_id)
                    yield image

    async def check(
        self,
        source: Source,
        *,
        options: Optional[Options] = None,
        timeout: Optional[float] = None,
    ) -> Check:
        """What there is to find about a photo before it is paid for; makes nothing and costs nothing.

        Raises ImageError if it cannot be read, RateLimitError (code `check_quota_exceeded`) if the account's free
        checks are used up.
        """
        call = await anyio.to_thread.run_sync(check_call, source, options)
        return answer_as(Check, await self._send(call, self._deadline(timeout)))

    async def account(self, *, timeout: Optional[float] = None) -> Account:
        """Balance and price; never charged."""
        return answer_as(Account, await self._send(Call("GET", ACCOUNT), self._deadline(timeout)))

    async def save_archives(
        self,
        batch: Deletable,
        folder: "Union[str, os.PathLike[str]]",
        *,
        timeout: Optional[float] = None,
    ) -> list[Path]:
        """All finished files of a batch or an upload, as ZIP archives in `folder`: one, or several of a large batch.

        Streamed; an archive appears when it is whole. Without `timeout` it takes as long as that takes.
        """
        deadline, saved, parts = Deadline(timeout), list[Path](), 1
        Path(folder).mkdir(parents=True, exist_ok=True)
        while len(saved) < parts:
            call = archive_call(batch, len(saved) + 1)
            path, parts = await self._retried(
                partial(self._save, call, Path(folder), deadline), deadline, self._max_retries
            )
            saved.append(path)
        return saved

    async def results_csv(self, batch: Deletable, *, timeout: Optional[float] = None) -> str:
        """One row an image: verdict or error, credits, file and link."""
        return (await self._send(table_call(batch), self._deadline(timeout))).text

    async def delete_batch(self, batch: Deletable, *, timeout: Optional[float] = None) -> Deletion:
        """A batch or an upload with its photos, results and names, once every image has ended. Nothing is refunded.

        Raises InvalidRequestError (code `images_in_progress`) while one has not. Afterwards `get_batch` raises
        NotFoundError, code `batch_deleted`.
        """
        return deletion_of(await self._send(delete_batch_call(batch), self._deadline(timeout)))

    async def delete_image(
        self,
        batch: Deletable,
        image: OneImage,
        *,
        timeout: Optional[float] = None,
    ) -> Deletion:
        """One image of a batch or an upload, once that has ended."""
        return deletion_of(await self._send(delete_image_call(batch, image), self._deadline(timeout)))

    async def delete_account_data(self, *, timeout: Optional[float] = None) -> Deletion:
        """Everything that any key of the account sent and got, but no money and no key. Needs the scope `admin`."""
        return deletion_of(await self._send(Call("DELETE", ACCOUNT_DATA), self._deadline(timeout)))

    async def set_retention(self, days: Optional[int], *, timeout: Optional[float] = None) -> Optional[int]:
        """For batches sent from now on: days that results are kept (0 to 30). Needs the scope `admin`.

        0 keeps them until their first complete download, None as long as the service does. Answers what is set.
        """
        response = await self._send(retention_call(days), self._deadline(timeout))
        return answer_as(Retention, response).retention_days

    async def list_keys(self, *, timeout: Optional[float] = None) -> list[ApiKey]:
        """Every key of the account, newest first. Needs the scope `admin`, as do the next four."""
        call = Call("GET", KEYS)
        return answer_as(KeyList, await self._send(call, self._deadline(timeout))).keys

    async def create_key(
        self,
        label: str,
        *,
        mode: Literal["live", "test"] = "live",
        scopes: Sequence[Scope] = UNCHANGED,
        expires_at: Optional[str] = UNCHANGED,
        allowed_ips: Optional[Sequence[str]] = UNCHANGED,
        daily_credit_cap: Optional[int] = UNCHANGED,
        timeout: Optional[float] = None,
    ) -> KeySecret:
        """A new key with its `secret`, which is answered this once; tried once.

        What is left out is as it is with the calling key, except the scope `admin`.
        """
        fields = {
            "mode": mode,
            "scopes": scopes,
            "expires_at": expires_at,
            "allowed_ips": allowed_ips,
            "daily_credit_cap": daily_credit_cap,
        }
        return answer_as(KeySecret, await self._send(create_key_call(label, fields), self._deadline(timeout)))

    async def change_key(
        self,
        key: Key,
        *,
        label: str = UNCHANGED,
        scopes: Sequence[Scope] = UNCHANGED,
        expires_at: Optional[str] = UNCHANGED,
        allowed_ips: Optional[Sequence[str]] = UNCHANGED,
        daily_credit_cap: Optional[int] = UNCHANGED,
        timeout: Optional[float] = None,
    ) -> ApiKey:
        """The key as it is now; what is left out stays, None lifts a limit."""
        fields = {
            "label": label,
            "scopes": scopes,
            "expires_at": expires_at,
            "allowed_ips": allowed_ips,
            "daily_credit_cap": daily_credit_cap,
        }
        return answer_as(KeyAnswer, await self._send(change_key_call(key, fields), self._deadline(timeout))).key

    async def roll_key(
        self,
        key: Key,
        *,
        overlap_hours: float,
        timeout: Optional[float] = None,
    ) -> KeySecret:
        """Another secret, answered this once; those before go on for `overlap_hours` (0 to 168). Tried once."""
        call = roll_key_call(key, overlap_hours)
        return answer_as(KeySecret, await self._send(call, self._deadline(timeout)))

    async def revoke_key(self, key: Key, *, timeout: Optional[float] = None) -> ApiKey:
        """Ends the key and all of its secrets, for good."""
        return answer_as(KeyAnswer, await self._send(revoke_key_call(key), self._deadline(timeout))).key

    @overload
    async def download(
        self,
        image: Downloadable,
        to: None = None,
        *,
        sha256: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes: ...

    @overload
    async def download(
        self,
        image: Downloadable,
        to: "Union[str, os.PathLike[str]]",
        *,
        sha256: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Path: ...

    async def download(
        self,
        image: Downloadable,
        to: "Optional[Union[str, os.PathLike[str]]]" = None,
        *,
        sha256: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Union[bytes, Path]:
        """The finished file: its bytes, or with `to` the path it was written to.

        Compared with the result's SHA-256 (of a bare URL only where `sha256` is given); `to` appears when it is whole.
        """
        url, expected = link_of(image, sha256)
        deadline = self._deadline(timeout)
        content = await self._retried(lambda: self._fetch(url, expected, deadline), deadline, self._max_retries)
        return content if to is None else await anyio.to_thread.run_sync(write_whole, Path(to), content)

    async def _fetch(self, url: str, expected: Optional[str], deadline: Deadline) -> bytes:
        response = await self._exchange("GET", url, {}, deadline)
        raise_if_refused(response)
        return verified(response.content, expected)

    async def _save(self, call: Call, folder: Path, deadline: Deadline) -> tuple[Path, int]:
        timeout = httpx.Timeout(deadline.left(ANSWER_SECONDS), connect=deadline.left(CONNECT_SECONDS))
        headers = headers_of(call, self._settings)
        url = self._settings.base_url + call.path
        try:
            async with self._http.stream("GET", url, params=call.params, headers=headers, timeout=timeout) as response:
                if response.status_code >= 300:
                    await response.aread()
                    raise_if_refused(response)
                name, parts = archive_name_of(response)
                part = part_of(folder / name)
                try:
                    async with await anyio.open_file(part, "wb") as file:
                        async for content in response.aiter_bytes():
                            deadline.left(1.0)
                            await file.write(content)
                    os.replace(part, folder / name)
                finally:
                    part.unlink(missing_ok=True)
                return folder / name, parts
        except httpx.TransportError as error:
            raise ConnectionFailed(f"GET {call.path}: {error or type(error).__name__}") from error

    async def _statuses(self, batch: Batch, deadline: Deadline, brief: bool) -> AsyncIterator[BatchStatus]:
        """Statuses up to the one of the end. `brief`: asked as often as the service advises, else rarely."""
        wait = 0 if brief else WAIT_SECONDS_MAX
        while True:
            response = await self._send(status_call(batch, wait), deadline)
            status = answer_as(BatchStatus, response)
            yield status
            if is_ended(status):
                return
            wait = int(deadline.left(next_wait(response) if brief else WAIT_SECONDS_MAX)) or 1

    async def _send(self, call: Call, deadline: Deadline) -> httpx.Response:
        arguments = {**call.arguments(), "headers": headers_of(call, self._settings)}

        async def attempt() -> httpx.Response:
            response = await self._exchange(call.method, self._settings.base_url + call.path, arguments, deadline)
            raise_if_refused(response)
            return response

        return await self._retried(attempt, deadline, self._max_retries if call.repeatable else 0)

    async def _exchange(
        self, method: str, url: str, arguments: dict[str, object], deadline: Deadline
    ) -> httpx.Response:
        timeout = httpx.Timeout(deadline.left(ANSWER_SECONDS), connect=deadline.left(CONNECT_SECONDS))
        try:
            return await self._http.request(method, url, timeout=timeout, **arguments)  # type: ignore[arg-type]
        except httpx.TransportError as error:
            raise ConnectionFailed(f"{method} {httpx.URL(url).path}: {error or type(error).__name__}") from error

    async def _retried(self, attempt: Callable[[], Awaitable[T]], deadline: Deadline, retries_max: int) -> T:
        retries = Retries(retries_max, deadline)
        while True:
            try:
                return await attempt()
            except PackshotError as error:
                pause = retries.pause_after(error)
            await anyio.sleep(pause)

    def _deadline(self, timeout: Optional[float]) -> Deadline:
        return Deadline(self._timeout if timeout is None else timeout)

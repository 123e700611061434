"""Requests and answers, without any sending: both clients share this."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import uuid
from typing import Any, Literal, Optional, Sequence, TypeVar, Union

import httpx

from ._decode import decode
from ._errors import PackshotError, api_error, image_error
from ._image import Image, image_of
from ._models import (
    ApiKey,
    BatchCreated,
    BatchStatus,
    CompletedImage,
    FailedImage,
    Options,
    UploadFailedResult,
    UploadResponse,
    UploadResult,
)
from ._sources import Source, is_url_batch, read_source, url_of
from ._version import VERSION

T = TypeVar("T")
Batch = Union[str, BatchCreated, BatchStatus]
Deletable = Union[Batch, UploadResponse, Image]
OneImage = Union[str, Image, CompletedImage, FailedImage, UploadResult, UploadFailedResult]
Deletion = Literal["deleted", "deleting"]
"""`deleting`: begun, and gone on with until it is done; ask again to learn of its end."""
Key = Union[str, ApiKey]
Scope = Literal["images:write", "batches:read", "account:read", "admin"]

IMAGES = "/api/v1/service-hero"
ACCOUNT = "/api/v1/account"
ACCOUNT_DATA = "/api/v1/account/data"
RETENTION = "/api/v1/account/retention"
BATCHES = "/api/v1/batches"
CHECK = "/api/v1/check"
KEYS = "/api/v1/keys"
WAIT_SECONDS_MAX = 25
"""Longest wait that one status request may ask for."""
CONNECT_SECONDS, ANSWER_SECONDS = 10.0, 75.0
"""An upload is answered within 60 s."""
DEFAULT_TIMEOUT_SECONDS = 300.0
USER_AGENT = f"packshot-python/{VERSION}"


@dataclasses.dataclass(frozen=True)
class Call:
    """One logical call; each of its attempts sends the same."""

    method: str
    path: str
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    params: dict[str, str] = dataclasses.field(default_factory=dict)
    body: Optional[dict[str, Any]] = None
    form: dict[str, str] = dataclasses.field(default_factory=dict)
    files: Sequence[tuple[str, bytes]] = ()
    repeatable: bool = True
    """False: done again, it would do the same a second time, so it is tried once."""

    def arguments(self) -> dict[str, Any]:
        files = [("files", (name, content)) for name, content in self.files]
        given = {"params": self.params, "json": self.body, "data": self.form, "files": files}
        return {name: value for name, value in given.items() if value}


@dataclasses.dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str


def headers_of(call: Call, given: Settings) -> dict[str, str]:
    return {**call.headers, "Authorization": f"Bearer {given.api_key}", "User-Agent": USER_AGENT}


def settings(api_key: Optional[str], base_url: Optional[str]) -> Settings:
    key = api_key or os.environ.get("PACKSHOT_KEY") or os.environ.get("PACKSHOT_API_KEY")
    url = base_url or os.environ.get("PACKSHOT_URL") or os.environ.get("PACKSHOT_BASE_URL")
    if not key:
        raise PackshotError("no API key: pass api_key or set PACKSHOT_KEY")
    if not url:
        raise PackshotError("no address: pass base_url or set PACKSHOT_URL")
    return Settings(url.rstrip("/"), key)


def _given(options: Optional[Options]) -> dict[str, Any]:
    return {} if options is None else {k: v for k, v in dataclasses.asdict(options).items() if v is not None}


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _keyed(idempotency_key: Optional[str]) -> dict[str, str]:
    return {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}


def upload_call(
    files: Sequence[tuple[str, bytes]],
    options: Optional[Options],
    idempotency_key: Optional[str],
    at_once: bool = False,
) -> Call:
    form = {name: _text(value) for name, value in _given(options).items()}
    headers = {**_keyed(idempotency_key), **({"Prefer": "respond-async"} if at_once else {})}
    return Call("POST", IMAGES, headers, form=form, files=files)


def batch_call(
    sources: Sequence[Source],
    options: Optional[Options],
    webhook_url: Optional[str],
    idempotency_key: Optional[str],
    input_authorization: Optional[str] = None,
) -> Call:
    if not is_url_batch(sources):
        if webhook_url is not None:
            raise ValueError("webhook_url goes with URLs; a batch of files takes none")
        if input_authorization is not None:
            raise ValueError("input_authorization goes with URLs; a batch of files takes none")
        return upload_call(read_all(sources), options, idempotency_key, at_once=True)
    body: dict[str, Any] = {"images": [{"input_url": url_of(source)} for source in sources]}
    if options is not None:
        body["options"] = _given(options)
    if webhook_url is not None:
        body["webhook_url"] = webhook_url
    if input_authorization is not None:
        body["input_authorization"] = input_authorization
    return Call("POST", IMAGES, _keyed(idempotency_key), body=body)


def check_call(source: Source, options: Optional[Options]) -> Call:
    url = url_of(source)
    if url is None:
        form = {name: str(value) for name, value in _given(options).items()}
        return Call("POST", CHECK, form=form, files=read_all([source]))
    body: dict[str, Any] = {"input_url": url}
    if options is not None:
        body["options"] = _given(options)
    return Call("POST", CHECK, body=body)


UNCHANGED: Any = object()
"""Of an argument that was not given, where None means something."""


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNCHANGED}


def create_key_call(label: str, fields: dict[str, Any]) -> Call:
    return Call("POST", KEYS, body={"label": label, **_said(fields)}, repeatable=False)


def change_key_call(key: Key, fields: dict[str, Any]) -> Call:
    return Call("PATCH", _path_of(key), body=_said(fields))


def roll_key_call(key: Key, overlap_hours: float) -> Call:
    return Call("POST", f"{_path_of(key)}/roll", body={"overlap_hours": overlap_hours}, repeatable=False)


def revoke_key_call(key: Key) -> Call:
    return Call("POST", f"{_path_of(key)}/revoke")


def _path_of(key: Key) -> str:
    key_id = key if isinstance(key, str) else key.key_id
    if not key_id.isidentifier():
        raise ValueError("that is not the id of a key")
    return f"{KEYS}/{key_id}"


def delete_batch_call(batch: Deletable) -> Call:
    return Call("DELETE", f"{BATCHES}/{_id_of(batch if isinstance(batch, str) else batch.batch_id)}")


def delete_image_call(batch: Deletable, image: OneImage) -> Call:
    call = delete_batch_call(batch)
    image_id = image if isinstance(image, str) else image.image_id
    return dataclasses.replace(call, path=f"{call.path}/images/{_id_of(image_id)}")


def _id_of(text: str) -> str:
    if not text.isidentifier():
        raise ValueError("that is not the id of a batch or an image")
    return text


def archive_call(batch: Deletable, part: int) -> Call:
    call = delete_batch_call(batch)
    return dataclasses.replace(call, method="GET", path=f"{call.path}/results.zip", params={"part": str(part)})


def table_call(batch: Deletable) -> Call:
    call = delete_batch_call(batch)
    return dataclasses.replace(call, method="GET", path=f"{call.path}/results.csv")


def archive_name_of(response: httpx.Response) -> tuple[str, int]:
    """The file's name, and how many archives there are."""
    named = re.search(r'filename="([\w.-]+)"', response.headers.get("content-disposition", ""))
    name = named.group(1) if named else "packshot.zip"
    several = re.search(r"-of-(\d+)\.zip$", name)
    return name, int(several.group(1)) if several else 1


def deletion_of(response: httpx.Response) -> Deletion:
    return "deleting" if response.status_code == 202 else "deleted"


def retention_call(days: Optional[int]) -> Call:
    return Call("PATCH", RETENTION, body={"retention_days": days})


def status_call(batch: Batch, wait_seconds: int) -> Call:
    batch_id = batch if isinstance(batch, str) else batch.batch_id
    return Call("GET", f"{IMAGES}/status/{batch_id}", params={"wait": str(wait_seconds)} if wait_seconds else {})


def read_all(sources: Sequence[Source]) -> list[tuple[str, bytes]]:
    return [read_source(source, index) for index, source in enumerate(sources)]


def retry_after_of(response: httpx.Response) -> Optional[float]:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isdigit() else None


def raise_if_refused(response: httpx.Response) -> None:
    """Raises the error that the answer stands for."""
    if response.status_code < 300:
        return
    try:
        problem = json.loads(response.content)
    except ValueError:
        problem = {}
    raise api_error(response.status_code, problem if isinstance(problem, dict) else {}, retry_after_of(response))


def answer_as(kind: type[T], response: httpx.Response) -> T:
    try:
        return decode(kind, response.json())
    except (ValueError, TypeError) as error:
        raise PackshotError(f"the answer is not one of this API: {error}") from error


def only_image(response: UploadResponse) -> Image:
    """Of an upload of one file, which failed as a whole if that file did."""
    (result,) = response.results
    if isinstance(result, UploadResult):
        return image_of(result)
    raise image_error(result.error, response.request_id)


def only_image_of_batch(status: BatchStatus) -> Image:
    (image,) = status.images
    if isinstance(image, CompletedImage):
        return image_of(image)
    if isinstance(image, FailedImage):
        raise image_error(image.error, status.request_id)
    raise PackshotError("the batch ended without this image")


def is_ended(status: BatchStatus) -> bool:
    return status.completed_at is not None


def next_wait(response: httpx.Response) -> int:
    """How long the next status request waits, s: what the answer advises, so that a large batch is asked rarely."""
    return int(min(WAIT_SECONDS_MAX, max(1.0, retry_after_of(response) or 1.0)))

"""Deliveries of webhooks, signed by the Standard Webhooks specification."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping, Union

from ._decode import decode
from ._errors import PackshotError
from ._models import BalanceLow, BatchStatus

TOLERANCE_SECONDS = 300
_PREFIX = "whsec_"


class SignatureError(PackshotError):
    """The delivery is not genuine, or too old. Answer it with 400."""


def unwrap(secret: str, headers: Mapping[str, str], body: Union[bytes, str]) -> BatchStatus:
    """The batch that a delivery tells of, once its signature has been verified.

    `secret` is `whsec_…` from the webhooks page; `headers` are the request's; `body` is raw, before any parsing.
    Raises SignatureError, and TypeError for a genuine delivery that tells of no batch.
    """
    return decode(BatchStatus, _verified(secret, headers, body))


def unwrap_event(secret: str, headers: Mapping[str, str], body: Union[bytes, str]) -> Union[BatchStatus, BalanceLow]:
    """The same for an endpoint of the account, which may be sent other events too: by class, or by `type`."""
    payload = _verified(secret, headers, body)
    if payload.get("type") == "balance.low":
        return decode(BalanceLow, payload)
    return decode(BatchStatus, payload)


def _verified(secret: str, headers: Mapping[str, str], body: Union[bytes, str]) -> dict[str, Any]:
    raw = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not message_id or not timestamp.isdigit():
        raise SignatureError("the headers of the signature are missing")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise SignatureError("the delivery is more than five minutes old")
    signed = f"{message_id}.{timestamp}.".encode() + raw
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    if not any(_is_genuine(entry, expected) for entry in given.get("webhook-signature", "").split()):
        raise SignatureError("no signature matches the body")
    payload: dict[str, Any] = json.loads(raw)
    return payload


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret, validate=True)
    except binascii.Error as error:
        raise SignatureError("the secret is not base64") from error


def _is_genuine(entry: str, expected: bytes) -> bool:
    version, _, signature = entry.partition(",")
    try:
        return version == "v1" and hmac.compare_digest(base64.b64decode(signature, validate=True), expected)
    except binascii.Error:
        return False

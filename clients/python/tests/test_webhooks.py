from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from packshot import BalanceLow, SignatureError, webhooks


@pytest.fixture(scope="session")
def delivery() -> dict[str, Any]:
    """Of a real batch, signed by the service's own code."""
    found: dict[str, Any] = json.loads(Path(os.environ["DELIVERY"]).read_text("utf-8"))
    return found


def test_a_genuine_delivery_is_unwrapped(delivery: dict[str, Any]) -> None:
    batch = webhooks.unwrap(delivery["secret"], delivery["headers"], delivery["body"].encode())
    assert batch.batch_id == json.loads(delivery["body"])["batch_id"]
    assert batch.status == "failed" and batch.refunded_images == 1
    shouted = {name.upper(): value for name, value in delivery["headers"].items()}
    assert webhooks.unwrap(delivery["secret"], shouted, delivery["body"]) == batch


def test_an_event_of_an_endpoint_is_unwrapped_by_what_it_is(delivery: dict[str, Any]) -> None:
    genuine = (delivery["secret"], delivery["headers"], delivery["body"])
    assert webhooks.unwrap_event(*genuine) == webhooks.unwrap(*genuine)
    body = json.dumps(
        {
            "id": "evt_1",
            "type": "balance.low",
            "created_at": "2026-11-22T18:05:00.000Z",
            "data": {"account_id": "acc_1", "balance": 30, "balance_usd": "$7.50", "level": 30, "later": 1},
        }
    )
    secret, at = "whsec_" + base64.b64encode(b"k" * 32).decode(), str(int(time.time()))
    mac = hmac.new(b"k" * 32, f"evt_1.{at}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    headers = {"webhook-id": "evt_1", "webhook-timestamp": at, "webhook-signature": signature}
    event = webhooks.unwrap_event(secret, headers, body)
    assert isinstance(event, BalanceLow) and event.data.balance == 30
    with pytest.raises(TypeError):
        webhooks.unwrap(secret, headers, body)
    with pytest.raises(SignatureError):
        webhooks.unwrap_event(secret, headers, body + " ")


def test_anything_else_is_refused(delivery: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    secret, headers, body = delivery["secret"], delivery["headers"], delivery["body"]
    other = "whsec_" + "A" * 43 + "="
    for case in (
        (other, headers, body),
        (secret, headers, body + " "),
        (secret, {**headers, "webhook-id": "evt_2"}, body),
        (secret, {**headers, "webhook-signature": "v1,?"}, body),
        (secret, {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}, body),
        (secret, {}, body),
        ("whsec_?", headers, body),
    ):
        with pytest.raises(SignatureError):
            webhooks.unwrap(*case)
    later = time.time() + webhooks.TOLERANCE_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    with pytest.raises(SignatureError, match="old"):
        webhooks.unwrap(secret, headers, body)

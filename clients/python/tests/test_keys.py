"""Keys, managed by a key with the scope `admin`."""

from __future__ import annotations

import asyncio
import os

import httpx
import pytest

from packshot import AsyncPackshot, AuthenticationError, InsufficientCreditsError, Packshot, PackshotError

ADMIN = os.environ["ADMIN_KEY"]


def test_keys_are_made_changed_rolled_and_revoked() -> None:
    with Packshot(ADMIN) as admin:
        made = admin.create_key("Python", scopes=["images:write"], daily_credit_cap=3, expires_at=None)
        assert made.secret.startswith("packshot_live_") and made.key.credits_used_today == 0
        with Packshot(made.secret) as limited:
            with pytest.raises(AuthenticationError) as scope:
                limited.account()
            assert (scope.value.code, scope.value.status) == ("key_scope_missing", 403)
            changed = admin.change_key(made.key, daily_credit_cap=0)
            assert changed.daily_credit_cap == 0 and changed.scopes == ["images:write"]
            with pytest.raises(InsufficientCreditsError) as cap:
                limited.upload([b"\xff\xd8\xff\xe0" + bytes(200)])
            assert cap.value.code == "key_spending_cap_reached"
            rolled = admin.roll_key(made.key, overlap_hours=0)
            with pytest.raises(AuthenticationError) as ended:
                limited.account()
            assert ended.value.code == "key_expired"
        assert rolled.key.key_id == made.key.key_id and rolled.secret != made.secret
        assert admin.revoke_key(rolled.key).revoked_at is not None
        assert admin.list_keys()[0].label == "Python"


def test_without_async_and_with_it_the_same_keys_are_listed() -> None:
    async def listed() -> list[str]:
        async with AsyncPackshot(ADMIN) as admin:
            made = await admin.create_key("Waiting", mode="test")
            await admin.revoke_key(made.key)
            return [key.key_id for key in await admin.list_keys()]

    waiting = asyncio.run(listed())
    with Packshot(ADMIN) as admin:
        assert [key.key_id for key in admin.list_keys()] == waiting


def test_a_key_is_made_once_where_the_answer_is_lost() -> None:
    sent = []

    def lose(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.path)
        raise httpx.ReadError("the connection broke")

    lossy = httpx.Client(transport=httpx.MockTransport(lose))
    with Packshot(ADMIN, http_client=lossy) as admin, pytest.raises(PackshotError):
        admin.create_key("lost")
    assert sent == ["/api/v1/keys"]

"""When there is another attempt, without waiting for it: clock and chance are arguments."""

from __future__ import annotations

import pytest

from packshot import APIError, ConnectionFailed, InvalidRequestError, RateLimitError, ServiceError, TimedOut
from packshot._errors import api_error
from packshot._retry import Deadline, Retries


def retries(most: int = 5, seconds: float = 1_000.0, chance: float = 1.0) -> Retries:
    return Retries(most, Deadline(seconds, lambda: 0.0), lambda: chance)


def test_pauses_double_up_to_the_longest_and_are_random_below() -> None:
    full, half = retries(9), retries(9, chance=0.5)
    assert [full.pause_after(ConnectionFailed()) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert [half.pause_after(ConnectionFailed()) for _ in range(3)] == [0.25, 0.5, 1]


def test_a_pause_is_never_shorter_than_retry_after() -> None:
    busy = api_error(429, {"code": "rate_limited", "retryable": True}, retry_after=7)
    assert isinstance(busy, RateLimitError)
    assert retries(chance=0).pause_after(busy) == 7


def test_what_may_not_succeed_later_is_raised_at_once() -> None:
    wrong = api_error(400, {"code": "invalid_options", "retryable": False})
    assert isinstance(wrong, InvalidRequestError)
    with pytest.raises(InvalidRequestError):
        retries().pause_after(wrong)


def test_the_last_error_is_raised_after_the_last_attempt() -> None:
    one = retries(1)
    one.pause_after(ConnectionFailed())
    with pytest.raises(ConnectionFailed):
        one.pause_after(ConnectionFailed())


def test_no_pause_reaches_past_the_deadline() -> None:
    busy = api_error(503, {"code": "not_ready", "retryable": True}, retry_after=60)
    with pytest.raises(ServiceError):
        retries(seconds=30).pause_after(busy)
    with pytest.raises(TimedOut):
        Deadline(0, lambda: 0.0).left(1)


def test_an_answer_of_a_proxy_is_an_error_too() -> None:
    gateway = api_error(502, {})
    assert isinstance(gateway, ServiceError) and gateway.code == "http_502" and gateway.retryable
    assert isinstance(api_error(418, {}), APIError) and not api_error(418, {}).retryable

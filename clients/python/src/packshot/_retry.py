"""When a call is tried again, and after which pause."""

from __future__ import annotations

import random
import time
from typing import Callable, Optional

from ._errors import APIError, ChecksumMismatch, ConnectionFailed, PackshotError, TimedOut

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0


class Deadline:
    """When a call must end. Without seconds, never."""

    def __init__(self, seconds: Optional[float], now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._ends = None if seconds is None else now() + seconds

    def left(self, most: float) -> float:
        """Seconds left, at most `most`. Raises TimedOut where there are none."""
        if self._ends is None:
            return most
        left = self._ends - self._now()
        if left <= 0:
            raise TimedOut("the time given for this call is over")
        return min(left, most)


class Retries:
    """Of one logical call. Pauses are a random part of a span that doubles, never shorter than Retry-After says."""

    def __init__(self, most: int, deadline: Deadline, chance: Callable[[], float] = random.random) -> None:
        self._left = most
        self._span = FIRST_PAUSE_SECONDS
        self._deadline = deadline
        self._chance = chance

    def pause_after(self, error: PackshotError) -> float:
        """Seconds to wait before the next attempt. Raises the error where there must be none."""
        retryable = isinstance(error, (ConnectionFailed, ChecksumMismatch)) or (
            isinstance(error, APIError) and error.retryable
        )
        if not retryable or self._left == 0:
            raise error
        self._left -= 1
        pause = self._span * self._chance()
        self._span = min(2 * self._span, LONGEST_PAUSE_SECONDS)
        if isinstance(error, APIError) and error.retry_after is not None:
            pause += error.retry_after
        if self._deadline.left(pause) < pause:
            raise error
        return pause

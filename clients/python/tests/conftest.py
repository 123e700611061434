"""Tests run against a running system, which test/python-client/main.ts starts; it names everything they need."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from packshot import Packshot


@pytest.fixture
def client() -> Iterator[Packshot]:
    with Packshot() as made:
        yield made


@pytest.fixture(scope="session")
def photo() -> Path:
    return Path(os.environ["PHOTO"])


@pytest.fixture(scope="session")
def shop() -> str:
    """A web server with photos at /photo/<n>.jpg."""
    return os.environ["SHOP"]

from __future__ import annotations

import pytest

from packshot._requests import settings


def test_key_and_address_come_from_the_names_of_either_client(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PACKSHOT_KEY", "PACKSHOT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PACKSHOT_API_KEY", "theirs")
    monkeypatch.setenv("PACKSHOT_BASE_URL", "https://theirs.example/")
    found = settings(None, None)
    assert (found.api_key, found.base_url) == ("theirs", "https://theirs.example")
    monkeypatch.setenv("PACKSHOT_KEY", "ours")
    monkeypatch.setenv("PACKSHOT_URL", "https://ours.example")
    found = settings(None, None)
    assert (found.api_key, found.base_url) == ("ours", "https://ours.example")
    assert settings("given", None).api_key == "given"

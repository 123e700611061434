"""All files of a batch at once, and its table."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from packshot import AsyncPackshot, NotFoundError, Packshot
from packshot._models import UploadResult


def test_all_files_of_an_upload_come_in_one_archive_with_their_digests(
    client: Packshot, photo: Path, tmp_path: Path
) -> None:
    upload = client.upload([photo, ("second.jpg", photo.read_bytes())])
    tmp_path = tmp_path / "made" / "by" / "it"
    (archive,) = client.save_archives(upload, tmp_path)
    assert (archive.parent, archive.name) == (tmp_path, f"packshot-{upload.batch_id}.zip")
    with zipfile.ZipFile(archive) as opened:
        found = sorted(hashlib.sha256(opened.read(name)).hexdigest() for name in opened.namelist())
    assert found == sorted(result.sha256 for result in upload.results if isinstance(result, UploadResult))
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]
    rows = list(csv.DictReader(io.StringIO(client.results_csv(upload.batch_id))))
    assert [row["status"] for row in rows] == ["completed", "completed"]


def test_an_unknown_batch_has_no_archive_and_leaves_no_file(client: Packshot, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        client.save_archives("bat_01k9zq4v7kq3w5e7r9t1y3v5n7", tmp_path)
    with pytest.raises(NotFoundError):
        client.results_csv("bat_01k9zq4v7kq3w5e7r9t1y3v5n7")
    with pytest.raises(ValueError):
        client.save_archives("../account", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_with_async_the_same_comes(photo: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with AsyncPackshot() as client:
            upload = await client.upload([photo])
            (archive,) = await client.save_archives(upload, tmp_path)
            assert zipfile.ZipFile(archive).testzip() is None
            assert "completed" in await client.results_csv(upload)
            with pytest.raises(NotFoundError):
                await client.save_archives("bat_01k9zq4v7kq3w5e7r9t1y3v5n7", tmp_path)

    asyncio.run(run())

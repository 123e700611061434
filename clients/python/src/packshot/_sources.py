"""Where a photo comes from: a path, bytes, an open file, or a URL."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Optional, Sequence, Union

Content = Union[bytes, BinaryIO]
Source = Union[str, "os.PathLike[str]", Content, "tuple[str, Content]"]
"""A URL (`https://…`), a path, bytes, an open binary file, or `(name, bytes or file)`."""


def url_of(source: Source) -> Optional[str]:
    return source if isinstance(source, str) and source.lower().startswith(("http://", "https://")) else None


def is_url_batch(sources: Sequence[Source]) -> bool:
    urls = sum(url_of(source) is not None for source in sources)
    if urls not in (0, len(sources)):
        raise ValueError("a batch is either of URLs or of files, not of both")
    return urls > 0


def read_source(source: Source, index: int) -> tuple[str, bytes]:
    """Name and bytes. Read once, so that a retry sends the same bytes again."""
    if isinstance(source, tuple):
        name, content = source
        return name, content if isinstance(content, bytes) else content.read()
    if isinstance(source, bytes):
        return f"image-{index + 1}", source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return path.name, path.read_bytes()
    opened = getattr(source, "name", None)
    return Path(opened).name if isinstance(opened, str) else f"image-{index + 1}", source.read()

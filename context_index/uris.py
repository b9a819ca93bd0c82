"""The path on disk of an editor's document."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

_ON_DISK = frozenset({"file", "vscode-notebook-cell"})
_DRIVE_LETTER = 1
"""The length of what looks like a URI's scheme, but is the drive of a Windows path."""


def path_of(uri: str) -> Path | None:
    """The file that a URI or a plain path names; of a notebook's cell, the notebook. None for other schemes."""
    return Path(uri).absolute() if len(urlsplit(uri).scheme) <= _DRIVE_LETTER else _path_of_uri(uri)


@lru_cache(maxsize=256)  # each keystroke asks for the path of its document many times
def _path_of_uri(uri: str) -> Path | None:
    """The file that a URI names; the name of a host becomes a Windows share."""
    parts = urlsplit(uri)
    if parts.scheme not in _ON_DISK:
        return None
    host = f"//{parts.netloc}" if parts.netloc and parts.scheme == "file" else ""
    return Path(url2pathname(host + parts.path))

"""The text of one file, or why it has none for us: judged by its size and its bytes."""

from __future__ import annotations

import re
from pathlib import Path

from context_index.scan.exclusion import Exclusion

_MINIFIED_LINE = 500
"""Mean line length from which on a text of some size was written by no person."""
_MINIFIED_SIZE = 5_000


def read_text(path: Path, max_bytes: int) -> str | Exclusion:
    """The characters of a file that a person may have written."""
    try:
        if path.stat().st_size > max_bytes:
            return Exclusion.TOO_LARGE
        data = path.read_bytes()
    except OSError:
        return Exclusion.UNREADABLE
    if b"\0" in data:
        return Exclusion.BINARY
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Exclusion.NOT_UTF8
    if len(text) > _MINIFIED_SIZE and len(text) > _MINIFIED_LINE * (1 + _lines(text)):
        return Exclusion.GENERATED
    return text


def _lines(text: str) -> int:
    return len(re.findall(r"\r\n|\n|\r", text)) if "\r" in text else text.count("\n")

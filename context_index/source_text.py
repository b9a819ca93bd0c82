"""The current texts of all files of a workspace: the editor's where a file is open, else those on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from context_index.text import Document

LARGEST: Final = 200_000
"""The most characters of a text that is read; a longer one is data."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file of the workspace."""

    path: Path
    stamp: tuple[int, int]
    """Unchanged while the text is unchanged."""
    changed: float
    """When it was last changed, in nanoseconds since 1970; infinity for an open text."""
    opened: str | None
    """The editor's text, if it is open."""

    def read(self) -> str:
        """The text; empty where it can no longer be read, or is longer than `LARGEST`."""
        try:
            text = self.path.read_text("utf-8", "replace") if self.opened is None else self.opened
        except OSError:
            return ""
        return text if len(text) <= LARGEST else ""


def newest_first(files: Iterable[Path], opened: Mapping[Path, Document]) -> list[SourceText]:
    """The texts of `files`, the last changed first; a file that is gone is left out."""
    texts = []
    for path in files:
        if (document := opened.get(path)) is not None:
            text_stamp = hash(document.text), len(document.text)
            texts.append(SourceText(path, text_stamp, float("inf"), document.text))
        elif (stamp := stamp_of(path)) is not None:
            texts.append(SourceText(path, stamp, float(stamp[0]), None))
    return sorted(texts, key=lambda text: (-text.changed, text.path))


def stamp_of(path: Path) -> tuple[int, int] | None:
    """When a file was last changed, in nanoseconds since 1970, and its size in bytes; None where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size

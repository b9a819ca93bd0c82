"""Files for tests, on disk and as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Document, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def lay_out(root: Path, files: Mapping[str, str]) -> Path:
    """Write files by their paths below a folder; returns the folder."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def document(root: Path, name: str, text: str) -> Document:
    """A text as a document below a folder."""
    language = language_of(name)
    assert language is not None
    return Document((root / name).as_uri(), language, text)


def read_document(path: Path) -> Document:
    """A file as a document."""
    return document(path.parent, path.name, path.read_text("utf-8"))

"""Documents of files that benchmarks draw: their text with its line ends, or another text in their place."""

from __future__ import annotations

from pathlib import Path

from context_index import Document, language_of


def text_of(path: Path) -> str:
    """The text of a file, its line ends as they are.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return path.read_bytes().decode("utf-8")


def document(path: Path, text: str) -> Document:
    """A document at the path of a file, with this text.

    Raises:
        ValueError: the name is that of no language of ours.
    """
    language = language_of(path.name)
    if language is None:
        raise ValueError(f"{path} is in no language that is known here")
    return Document(path.as_uri(), language, text)

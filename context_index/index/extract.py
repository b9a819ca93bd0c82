"""Reads one file and extracts its facts. The result depends on the file alone, so any process may do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from context_index.index.codec import encode
from context_index.index.facts import content_key, facts_of
from context_index.index.outline import outline_of
from context_index.scan import Exclusion, read_text
from context_index.syntax import parse
from context_index.text import Document, language_of


@dataclass(frozen=True, slots=True)
class Extract:
    """What was read of one file."""

    key: bytes
    """The hash of its content."""
    outline: str
    """The names that it exports, in a few bytes; see the module `outline`."""
    data: bytes
    """Its facts, encoded."""


def extract(path: Path, max_bytes: int, rewrite: Callable[[str], str] | None = None) -> Extract | Exclusion:
    """Read a file, or say why it is not read.

    Args:
        rewrite: what to make of the text before it is parsed, see `stubs`.
    """
    language = language_of(path.name)
    if language is None:
        return Exclusion.UNKNOWN_LANGUAGE
    text = read_text(path, max_bytes)
    if isinstance(text, Exclusion):
        return text
    try:
        if rewrite is not None:
            text = rewrite(text)
        facts = facts_of(parse(Document("", language, text)))
    except RecursionError:
        return Exclusion.TOO_DEEP
    return Extract(content_key(language, text), outline_of(facts, path), encode(facts))

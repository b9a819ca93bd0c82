"""A language as it is served with its parser alone: the record without its checker and its parts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from context_index import symbols, tokens
from context_index.languages import parts
from context_index.languages.record import CheckerTraits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Language
    from context_index.languages.record import Lexis


@contextmanager
def parser_alone(
    language: Language, *, parser: tuple[str, str] | None = None, lexis: Lexis | None = None
) -> Iterator[None]:
    """The record of a language without all that is optional.

    Args:
        parser: Another place of the compiled parser.
        lexis: Another lexis, for the tokens before a place; the decoder may remember that of the language.
    """
    known = symbols._RECORDS
    record = known[language]
    known[language] = replace(
        record,
        parts=frozenset(),
        checker=CheckerTraits(),
        is_experimental=True,
        parser=parser or record.parser,
        lexis=lexis or record.lexis,
    )
    _forget()
    try:
        yield
    finally:
        known[language] = record
        _forget()


def _forget() -> None:
    parts.part.cache_clear()
    tokens.rules_of.cache_clear()

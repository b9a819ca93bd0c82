"""Words of a wish that a text has for names though nobody asked for that: `make total optional` wants no `optional`.

A small model that has learned to rename takes many a sentence for one that wants a name replaced. Where the sentence
does not say so, and the word is not spelled as only a name is, that is held against a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.rewriting.instruction import introduced, may_rename, words
from decoder.rewriting.original import Original

if TYPE_CHECKING:
    from collections.abc import Container


def misread(
    instruction: str, original: str, text: str, *, python: bool, known: Container[str] = frozenset()
) -> tuple[str, str] | None:
    """A name that the instruction mentions, and the word of it that the text has in its place; None for none.

    Args:
        original: The text that was written anew, or its file.
        text: What it became.
        known: Names that mean something there.
    """
    if may_rename(instruction):
        return None
    said = words(instruction)
    before = Original(original, python=python).names()
    mentioned = [name for name in before if name in said]
    if not mentioned:
        return None
    after = Original(text, python=python).names()
    lost = [name for name in mentioned if after[name] < before[name]]
    surely = introduced(instruction)
    new = [name for name in after if name in said and name not in before and name not in surely and name not in known]
    return (lost[0], new[0]) if lost and new else None

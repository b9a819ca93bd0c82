"""Which parts of a file are written anew, and what is known of each beforehand.

Knows texts and wishes, neither models nor tokens but by what is asked of a sentence.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher
from io import StringIO
from typing import TYPE_CHECKING

from decoder import is_left_alone
from lsp_server.rewriting.edits import applied
from lsp_server.rewriting.words import WORD

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from context_index import Edit, Syntax
    from lsp_server.rewriting.broken import Span
    from lsp_server.rewriting.wish import Wish


def due(syntax: Syntax, wish: Wish, known: Container[str], parts: list[Span]) -> list[Span]:
    """The regions in which something is to be changed, as far as the wish tells."""
    text = syntax.document.text
    if wish.edits is not None:
        return [(start, end) for start, end in parts if edited(wish.edits, text, start, end) != text[start:end]]
    whole = "".join(text[start:end] for start, end in parts)
    python = syntax.language.is_python
    return [
        (start, end)
        for start, end in parts
        if len(parts) == 1 or not is_left_alone(wish.instruction, text[start:end], whole, python=python, known=known)
    ]


def new_names(wish: Wish, text: str) -> frozenset[str]:
    """Names that one region may declare and others mean."""
    words = frozenset(WORD.findall(wish.instruction)).difference(WORD.findall(text))
    return words if wish.new is None else words | {wish.new}


def edited(edits: Sequence[Edit], text: str, start: int, end: int) -> str:
    """A region after the edits that are made in it."""
    within = [edit for edit in edits if start <= edit.start and edit.end <= end]
    return applied(text[start:end], [replace(edit, start=edit.start - start, end=edit.end - start) for edit in within])


def part_of(draft: str, text: str, start: int, end: int) -> str:
    """What a draft of the whole file says of a region."""
    if draft == text:
        return text[start:end]
    old, new = StringIO(text).readlines(), StringIO(draft).readlines()  # which end at line feeds, and nowhere else
    first = text.count("\n", 0, start)
    last = first + len(StringIO(text[start:end]).readlines())
    places = {0: 0, len(old): len(new)}
    for _, one, one_end, other, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        places[one], places[one_end] = other, other_end
        if one_end - one == other_end - other:
            places |= {one + step: other + step for step in range(one_end - one)}
    begin = max(place for place in places if place <= first)
    stop = min(place for place in places if place >= last)
    return "".join(new[places[begin] : places[stop]])

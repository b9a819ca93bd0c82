"""The contexts of a word: what comes before it, hashed in several ways. Words that followed a context may follow again.

Each way turns the text before a word into one number; equal numbers are equal contexts. `contexts` reads a whole text
at once, `context_at_end` the place at which a name is to be completed. A test holds them to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.hashing import hashed, hashes, joined, joined_many
from context_index.prior.lexemes import END_OF_LINE, is_word

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.hashing import Hashes

WAYS: Final = ("sign", "two signs", "three signs", "name before", "line", "argument")
"""The last lexeme, the last two, the last three; the last name; the head of the line and the last lexeme; the function
whose call the place is in and the number of the argument."""
KEYWORDS: Final = frozenset({
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "abstract", "catch",
    "const", "debugger", "declare", "default", "delete", "do", "enum", "export", "extends", "false", "function",
    "implements", "instanceof", "interface", "let", "new", "null", "of", "private", "protected", "public", "readonly",
    "static", "super", "switch", "this", "throw", "true", "typeof", "undefined", "var", "void", "type",
})  # fmt: skip
"""Words that stand for no name of anybody's, in one of the languages."""
_NOTHING: Final = 0
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(_OPENING.values())
_BRACKETS: Final = frozenset({*_OPENING, *_CLOSING, ","})
_NO_CALL: Final = KEYWORDS - {"super"}
_SALTS: Final = tuple(hashed(f"way {way}") for way in WAYS)


@dataclass(frozen=True, slots=True)
class TextContexts:
    """A text's names, each with the contexts in which it stands."""

    vocabulary: dict[str, int]
    """Every lexeme, numbered in the order of its first appearance."""
    lexemes: npt.NDArray[np.intp]
    """[lexemes]: the text."""
    places: npt.NDArray[np.intp]
    """[names]: where in `lexemes` the names stand."""
    ways: Hashes
    """uint64 [WAYS, names]: the contexts."""
    hashes: Hashes
    """uint64 [vocabulary]."""

    @property
    def names(self) -> npt.NDArray[np.intp]:
        """[names]: the names themselves, as numbers of the vocabulary."""
        return self.lexemes[self.places]


def contexts(text: Sequence[str], vocabulary: dict[str, int] | None = None) -> TextContexts:
    """Read a text.

    Args:
        text: Its lexemes.
        vocabulary: Grows by what it lacks; a new one where there is none.
    """
    known = {} if vocabulary is None else vocabulary
    ids = np.array([known.setdefault(one, len(known)) for one in text], dtype=np.intp)
    words = list(known)
    numbers = hashes(words)
    named = np.array([is_word(word) and word not in KEYWORDS for word in words], dtype=np.bool_)
    here, count = numbers[ids], len(ids)
    is_name = named[ids] if count else np.zeros(0, dtype=np.bool_)
    places = np.flatnonzero(is_name)
    first, second, third = (_shifted(here, by) for by in (1, 2, 3))
    two = joined_many(second, first)
    heads = _heads(ids, known.get(END_OF_LINE, -1))
    order = np.arange(count)
    head = np.where(heads == order, np.uint64(_NOTHING), here[heads] if count else here)
    rows = (
        first,
        two,
        joined_many(third, two),
        _latest_names(here, is_name),
        joined_many(head, first),
        _calls(text, ids, numbers),
    )
    ways = np.stack([joined_many(np.full(len(places), salt, dtype=np.uint64), row[places])
                     for salt, row in zip(_SALTS, rows, strict=True)])  # fmt: skip
    return TextContexts(known, ids, places, ways, numbers)


def context_at_end(text: Sequence[str], call: tuple[str | None, int] | None = None) -> tuple[int, ...]:
    """The contexts of a name that would come next: one number for each of `WAYS`.

    Args:
        call: What `call_around` says of the place, where that is known.
    """
    first, second, third = (hashed(text[-back]) if len(text) >= back else _NOTHING for back in (1, 2, 3))
    two = joined(second, first)
    name = next((one for one in reversed(text) if is_word(one) and one not in KEYWORDS), None)
    head = line_head(text)
    callee, argument = call_around(text) if call is None else call
    rows = (
        first,
        two,
        joined(third, two),
        _NOTHING if name is None else hashed(name),
        joined(_NOTHING if head is None else hashed(head), first),
        _NOTHING if callee is None else joined(hashed(callee), argument),
    )
    return tuple(joined(salt, row) for salt, row in zip(_SALTS, rows, strict=True))


def line_head(text: Sequence[str]) -> str | None:
    """The first lexeme of the line at whose end the place is; None where there is none yet."""
    for index in range(len(text) - 1, -1, -1):
        if text[index] == END_OF_LINE:
            return text[index + 1] if index + 1 < len(text) else None
    return text[0] if text else None


def call_around(text: Sequence[str]) -> tuple[str | None, int]:
    """The function in the parentheses of whose call the place is, and the arguments before it."""
    depth = commas = 0
    for index in range(len(text) - 1, -1, -1):
        one = text[index]
        if one in _CLOSING:
            depth += 1
        elif one in _OPENING:
            if not depth:
                callee = _called(text, index)
                return (None, 0) if callee is None else (callee, commas)
            depth -= 1
        elif one == "," and not depth:
            commas += 1
    return None, 0


def _called(text: Sequence[str], index: int) -> str | None:
    """What is called by the bracket at a place; None where it opens no arguments."""
    before = text[index - 1] if index and text[index] == "(" else ""
    return before if before and is_word(before) and before not in _NO_CALL else None


def _shifted(row: Hashes, by: int) -> Hashes:
    moved = np.zeros_like(row)
    moved[by:] = row[:-by] if by < len(row) else row[:0]
    return moved


def _latest_names(here: Hashes, is_name: npt.NDArray[np.bool_]) -> Hashes:
    """For each lexeme the last name before it."""
    if not len(here):
        return here
    latest = np.maximum.accumulate(np.where(is_name, np.arange(len(here)), -1))
    before = np.concatenate([[-1], latest[:-1]])
    return np.where(before >= 0, here[before], np.uint64(_NOTHING))


def _heads(ids: npt.NDArray[np.intp], end_of_line: int) -> npt.NDArray[np.intp]:
    """For each lexeme where its line begins; a line's end belongs to the line that it ends."""
    begins = np.zeros(len(ids), dtype=np.intp)
    ends = np.flatnonzero(ids[:-1] == end_of_line) if len(ids) else ids
    begins[ends + 1] = ends + 1
    return np.maximum.accumulate(begins) if len(ids) else begins


def _calls(text: Sequence[str], ids: npt.NDArray[np.intp], numbers: Hashes) -> Hashes:
    """For each lexeme the call that it is in and the number of its argument; brackets belong to what is around them."""
    found = np.zeros(len(text), dtype=np.uint64)
    signs = [index for index, one in enumerate(text) if one in _BRACKETS]
    stack: list[tuple[int, int]] = []
    for index, following in pairwise([*signs, len(text)]):
        one = text[index]
        if one in _OPENING:
            stack.append((_NOTHING if _called(text, index) is None else int(numbers[ids[index - 1]]), 0))
        elif one == ",":
            if stack:
                stack[-1] = (stack[-1][0], stack[-1][1] + 1)
        elif stack:
            stack.pop()
        if stack and stack[-1][0]:
            found[index + 1 : following + 1] = joined(*stack[-1])
    return found

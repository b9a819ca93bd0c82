"""The contexts of a word: what comes before it, hashed in several ways. Words that followed a context may follow again.

Each way turns the text before a word into one number; equal numbers are equal contexts. `contexts` reads a whole text
at once, `context_at_end` the place at which a name is to be completed. A test holds them to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.hashing import hashed, hashes, joined, joined_many
from context_index.prior.lexemes import is_word

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.hashing import Hashes

WAYS: Final = ("sign", "two signs", "three signs", "name before")
"""The last lexeme, the last two, the last three; the last name."""
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

    def counts(
        self, ways: tuple[int, ...], names: Sequence[str]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """How often names are used, at all and in a context.

        Args:
            ways: The context, in each of `WAYS`.

        Returns:
            float32 [1 + WAYS, names], the counts; float32 [WAYS], how often the contexts are there with any name.
        """
        lacking, own = len(self.vocabulary), self.names
        rows = np.array([self.vocabulary.get(name, lacking) for name in names], dtype=np.intp)
        here = [own, *(own[line == np.uint64(way)] for line, way in zip(self.ways, ways, strict=True))]
        found = [np.bincount(some, minlength=lacking + 1)[rows] for some in here]
        return np.array(found, dtype=np.float32), np.array([len(some) for some in here[1:]], dtype=np.float32)


def contexts(text: Sequence[str]) -> TextContexts:
    """Read a text, as lexemes."""
    known: dict[str, int] = {}
    ids = np.array([known.setdefault(one, len(known)) for one in text], dtype=np.intp)
    words = list(known)
    numbers = hashes(words)
    named = np.array([is_word(word) and word not in KEYWORDS for word in words], dtype=np.bool_)
    here = numbers[ids]
    is_name = named[ids] if len(ids) else np.zeros(0, dtype=np.bool_)
    places = np.flatnonzero(is_name)
    first, second, third = (_shifted(here, by) for by in (1, 2, 3))
    two = joined_many(second, first)
    rows = (first, two, joined_many(third, two), _latest_names(here, is_name))
    ways = np.stack([joined_many(np.full(len(places), salt, dtype=np.uint64), row[places])
                     for salt, row in zip(_SALTS, rows, strict=True)])  # fmt: skip
    return TextContexts(known, ids, places, ways, numbers)


def context_at_end(text: Sequence[str]) -> tuple[int, ...]:
    """The contexts of a name that would come next: one number for each of `WAYS`."""
    first, second, third = (hashed(text[-back]) if len(text) >= back else _NOTHING for back in (1, 2, 3))
    two = joined(second, first)
    name = next((one for one in reversed(text) if is_word(one) and one not in KEYWORDS), None)
    rows = (first, two, joined(third, two), _NOTHING if name is None else hashed(name))
    return tuple(joined(salt, row) for salt, row in zip(_SALTS, rows, strict=True))


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

"""The contexts of a word: what comes before it, hashed in several ways. Words that followed a context may follow again.

Each kind of context turns the text before a word into one number; equal numbers are equal contexts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.hashing import hashed, hashes, joined
from context_index.prior.lexemes import is_word

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.hashing import Hashes

CONTEXT_KINDS: Final = ("sign", "two signs", "three signs", "name before")
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
_SALTS: Final = tuple(hashed(f"way {kind}") for kind in CONTEXT_KINDS)
_SOME_NAME: Final = "x"


@dataclass(frozen=True, slots=True)
class TextContexts:
    """A text's names, each with the contexts in which it stands."""

    vocabulary: dict[str, int]
    """Every lexeme, numbered in the order of its first appearance."""
    lexemes: npt.NDArray[np.intp]
    """[lexemes]: the text."""
    places: npt.NDArray[np.intp]
    """[names]: where in `lexemes` the names stand."""
    contexts: Hashes
    """uint64 [CONTEXT_KINDS, names]: the contexts."""
    hashes: Hashes
    """uint64 [vocabulary]."""

    @property
    def names(self) -> npt.NDArray[np.intp]:
        """[names]: the names themselves, as numbers of the vocabulary."""
        return self.lexemes[self.places]

    def counts(self, context: Hashes, names: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """How often names are used, at all and in a context.

        Args:
            context: uint64 [CONTEXT_KINDS]: the context.

        Returns:
            float32 [1 + CONTEXT_KINDS, names], the counts; float32 [CONTEXT_KINDS], how often the contexts are there
            with any name.
        """
        lacking, own = len(self.vocabulary), self.names
        rows = np.array([self.vocabulary.get(name, lacking) for name in names], dtype=np.intp)
        here = [own, *(own[line == one] for line, one in zip(self.contexts, context, strict=True))]
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
    is_name = named[ids]
    places = np.flatnonzero(is_name)
    first, second, third = (_shifted(here, by) for by in (1, 2, 3))
    two = joined(second, first)
    rows = (first, two, joined(third, two), _latest_names(here, is_name))
    stacked = np.stack([joined(np.full(len(places), salt, dtype=np.uint64), row[places])
                     for salt, row in zip(_SALTS, rows, strict=True)])  # fmt: skip
    return TextContexts(known, ids, places, stacked, numbers)


def context_at_end(text: Sequence[str]) -> Hashes:
    """uint64 [CONTEXT_KINDS]: the contexts of a name that would come next."""
    return contexts((*text, _SOME_NAME)).contexts[:, -1]


def _shifted(row: Hashes, by: int) -> Hashes:
    moved = np.zeros_like(row)
    moved[by:] = row[:-by]
    return moved


def _latest_names(here: Hashes, is_name: npt.NDArray[np.bool_]) -> Hashes:
    """For each lexeme the last name before it."""
    latest = np.maximum.accumulate(np.where(is_name, np.arange(len(here)), -1))
    before = np.concatenate([[-1], latest])[:-1]
    return np.where(before >= 0, here[before], np.uint64(_NOTHING))

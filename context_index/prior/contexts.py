"""The contexts of a name: what comes before it, hashed in several ways. Names that followed a context may follow again.

Each kind of context turns the lexemes before a name into one number; equal numbers are equal contexts. For the name
after `total = cart.`, the kinds of `CONTEXT_KINDS` are `.`, `cart .`, `= cart .`, and `cart`.

`uses` and `place_prior` count the contexts of the file itself by this module, `name_counts` those of the workspace.
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
"""The last lexeme, the last two, the last three; the last name, whatever stands between. A lexeme is a word or a sign,
see `lexemes`. The texts are parts of the names of features in the prior's weights."""
KEYWORDS: Final = frozenset({
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "abstract", "catch",
    "const", "debugger", "declare", "default", "delete", "do", "enum", "export", "extends", "false", "function",
    "implements", "instanceof", "interface", "let", "new", "null", "of", "private", "protected", "public", "readonly",
    "static", "super", "switch", "this", "throw", "true", "typeof", "undefined", "var", "void", "type",
})  # fmt: skip
"""The keywords of Python, JavaScript and TypeScript together; none counts as a name, in any language."""
_NOTHING: Final = 0
"""The hash of what is before the first lexeme or name."""
_SALTS: Final = tuple(hashed(f"way {kind}") for kind in CONTEXT_KINDS)
"""They keep equal contexts of different kinds apart."""
_SOME_NAME: Final = "x"
"""Any name would do: a name is no part of its own contexts."""


@dataclass(frozen=True, slots=True)
class TextContexts:
    """A text's names, each with the contexts in which it stands."""

    vocabulary: dict[str, int]
    """Every lexeme's number, counted from 0 in the order of its first appearance."""
    lexemes: npt.NDArray[np.intp]
    """[lexemes]: the text, as numbers of `vocabulary`."""
    places: npt.NDArray[np.intp]
    """[names]: where in `lexemes` the names stand."""
    contexts: Hashes
    """uint64 [CONTEXT_KINDS, names]: the contexts of each of `places`, in its order."""
    hashes: Hashes
    """uint64 [vocabulary]: the hash of each lexeme."""

    @property
    def names(self) -> npt.NDArray[np.intp]:
        """[names]: the names in the text's order, as numbers of the vocabulary."""
        return self.lexemes[self.places]

    def counts(self, context: Hashes, names: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """How often names are used, at all and in a context.

        Args:
            context: uint64 [CONTEXT_KINDS]: the context, once in each kind; they are counted apart.
            names: Any names, also such as the text lacks.

        Returns:
            float32 [1 + CONTEXT_KINDS, names], the counts, anywhere and then in each kind of context; float32
            [CONTEXT_KINDS], how often the text has these contexts with any name.
        """
        unknown, names_in_text = len(self.vocabulary), self.names  # `unknown` is the number of all names it lacks
        rows = np.array([self.vocabulary.get(name, unknown) for name in names], dtype=np.intp)
        in_context = [names_in_text[kind == wanted] for kind, wanted in zip(self.contexts, context, strict=True)]
        counts = [np.bincount(uses, minlength=unknown + 1)[rows] for uses in (names_in_text, *in_context)]
        return np.array(counts, dtype=np.float32), np.array(list(map(len, in_context)), dtype=np.float32)


def contexts(text: Sequence[str]) -> TextContexts:
    """The names of a text and their contexts; the text is given as lexemes.

    Whatever would be before the text counts as `_NOTHING`.
    """
    vocabulary: dict[str, int] = {}
    numbered = np.array([vocabulary.setdefault(lexeme, len(vocabulary)) for lexeme in text], dtype=np.intp)
    words = list(vocabulary)
    word_hashes = hashes(words)
    word_is_name = np.array([is_word(word) and word not in KEYWORDS for word in words], dtype=np.bool_)
    lexeme_hashes = word_hashes[numbered]
    is_name = word_is_name[numbered]
    places = np.flatnonzero(is_name)
    first, second, third = (_shifted(lexeme_hashes, by) for by in (1, 2, 3))
    last_two = joined(second, first)
    # first, second, third: the hashes of the lexemes that are one, two and three places before each lexeme
    kinds = (first, last_two, joined(third, last_two), _latest_names(lexeme_hashes, is_name))
    salted = np.stack([joined(np.full(len(places), salt, dtype=np.uint64), row[places])
                     for salt, row in zip(_SALTS, kinds, strict=True)])  # fmt: skip
    return TextContexts(vocabulary, numbered, places, salted, word_hashes)


def context_at_end(text: Sequence[str]) -> Hashes:
    """uint64 [CONTEXT_KINDS]: the contexts of a name that would come after a text, which is given as lexemes."""
    return contexts((*text, _SOME_NAME)).contexts[:, -1]


def _shifted(hashes_of_lexemes: Hashes, by: int) -> Hashes:
    """For each lexeme the hash of the lexeme `by` places before it; `_NOTHING` for the first `by`."""
    shifted = np.zeros_like(hashes_of_lexemes)
    shifted[by:] = hashes_of_lexemes[:-by]
    return shifted


def _latest_names(lexeme_hashes: Hashes, is_name: npt.NDArray[np.bool_]) -> Hashes:
    """For each lexeme the hash of the last name before it; `_NOTHING` up to the first name."""
    latest = np.maximum.accumulate(np.where(is_name, np.arange(len(lexeme_hashes)), -1))
    before = np.concatenate([[-1], latest])[:-1]
    return np.where(before >= 0, lexeme_hashes[before], np.uint64(_NOTHING))

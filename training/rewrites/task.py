"""The types of a rewrite, and new names that a function does not use; shared by all languages."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from context_index.symbols import Language
from training.rewrites.wordings import InstructionKind, UnseenDraw


@dataclass(frozen=True, slots=True)
class Function:
    """A function as it is in its file, from the start of its first line."""

    language: Language
    text: str
    words: tuple[str, ...] = ()
    """The words that names in its file consist of; new names are made of them, too."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One task with its solution. The result copies everything that the instruction does not mean, byte for byte."""

    kind: InstructionKind
    instruction: str
    original: str
    result: str


Transformation = Callable[[Function, random.Random], Rewrite | None]
"""A kind of rewrite: makes a rewrite of a function, or returns None if it does not apply to it."""


def apply_edits(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with each `[start, stop)` replaced by the edit's new text; edits must not overlap."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


_WORDS = re.findall(
    r"\w+",
    """value item entry node result count index total name key path data options config state buffer target source
    current next previous first last size limit offset text line token message error response request user order
    record row column field group parent child left right start end width height label title kind mode flag cache""",
)
"""Common words of new names."""
_UNSEEN_WORDS = re.findall(
    r"\w+",
    """invoice parcel ticket wallet basket shelf planet engine bridge garden window sensor camera driver patient lesson
    recipe ledger anchor beacon canvas ribbon socket marker pebble falcon harbor lantern meadow orchard""",
)
"""Words of new names that are kept for evaluation; training never sees them in new names."""
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]|_")
"""Where a new word begins in a name."""
_WORD = re.compile(r"[A-Z]?[a-z]{2,12}")
_COMMON = 0.3
"""The share of new names that are made of common words. If all were, a model would know the sixty words by heart and
would not read the instruction. It cannot know all words of which code consists."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text's names and sentences, in lower case, without those that are kept for evaluation."""
    return tuple(sorted({word.lower() for word in _WORD.findall(text)}.difference(_UNSEEN_WORDS)))


def new_name(like: str, function: Function, taken: AbstractSet[str], draw: random.Random, *, camel: bool) -> str:
    """A random name in the style of the name `like` that is not among the `taken` ones.

    Args:
        function: Its file's words may be in the name.
        camel: Whether several words are joined in camel case if `like` is a single word.
    """
    camel = "_" not in like.strip("_") and (camel or bool(_HUMP.search(like)))
    known = _WORDS if len(function.words) < len(_WORDS) or draw.random() < _COMMON else function.words
    while True:
        words = draw.sample(_UNSEEN_WORDS if isinstance(draw, UnseenDraw) else known, draw.choice((1, 1, 2, 2, 3)))
        if like.isupper() and len(like) > 1:
            name = "_".join(words).upper()
        elif like[:1].isupper():
            name = "".join(word.capitalize() for word in words)
        elif camel:
            name = words[0] + "".join(word.capitalize() for word in words[1:])
        else:
            name = "_".join(words)
        if name not in taken:
            return name

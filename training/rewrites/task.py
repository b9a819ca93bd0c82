"""What a rewrite is, and new names that a function does not use."""

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
    """That names in its file are made of; new names are made of them too."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One task with its solution. What is not meant by the instruction is copied, byte for byte."""

    kind: InstructionKind
    instruction: str
    original: str
    result: str


Transformation = Callable[[Function, random.Random], Rewrite | None]
"""A kind of rewrite: None where it does not apply to a function."""


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with `[start, stop)` replaced, for each edit."""
    for start, stop, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


_WORDS = re.findall(
    r"\w+",
    """value item entry node result count index total name key path data options config state buffer target source
    current next previous first last size limit offset text line token message error response request user order
    record row column field group parent child left right start end width height label title kind mode flag cache""",
)
_UNSEEN_WORDS = re.findall(
    r"\w+",
    """invoice parcel ticket wallet basket shelf planet engine bridge garden window sensor camera driver patient lesson
    recipe ledger anchor beacon canvas ribbon socket marker pebble falcon harbor lantern meadow orchard""",
)
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]|_")
_WORD = re.compile(r"[A-Z]?[a-z]{2,12}")
_COMMON = 0.3
"""How often a new name's words are common ones. A model that has seen sixty words as new names knows them by heart and
never looks at the instruction; of all words that code is made of it cannot."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text's names and sentences, in lower case, without those that are kept for evaluation."""
    return tuple(sorted({word.lower() for word in _WORD.findall(text)}.difference(_UNSEEN_WORDS)))


def new_name(like: str, function: Function, taken: AbstractSet[str], draw: random.Random, *, camel: bool) -> str:
    """A name in the style of another that nothing is called yet.

    Args:
        function: Gives words of its file.
        camel: Whether several words are humps where the other name is a single word.
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

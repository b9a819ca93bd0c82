"""The types of the tasks that teach rewriting, and new names for them; shared by all languages."""

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
    """A function of a corpus, from which rewrites are made."""

    language: Language
    text: str
    """As in its file, from the start of its first line."""
    words: tuple[str, ...] = ()
    """The words of the names and sentences of its file (`words_of`), of which new names may consist."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One task with its solution. Both texts have what the instruction does not change, byte for byte."""

    kind: InstructionKind
    instruction: str
    original: str
    result: str


Transformation = Callable[[Function, random.Random], Rewrite | None]
"""Makes one kind of rewrite of a function; returns None for a function to which the kind does not apply."""


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
"""Words that are kept for evaluation: in training no new name has them."""
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")
"""Where a new word begins in a name in camel case."""
_WORD = re.compile(r"[A-Z]?[a-z]{2,12}")
_COMMON = 0.3
"""The share of new names that consist of `_WORDS`. If all did, a model could learn these words by heart and leave the
instruction unread. So the others consist of the words of their file, which no model knows by heart."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text's names and sentences, in lower case, without those that are kept for evaluation."""
    return tuple(sorted({word.lower() for word in _WORD.findall(text)}.difference(_UNSEEN_WORDS)))


def new_name(like: str, function: Function, taken: AbstractSet[str], draw: random.Random, *, camel: bool) -> str:
    """A random name in the style of the name `like` that is not among the `taken` ones.

    The style is: capitals, camel or snake case, and the underscores at the start, which make a name private.

    Args:
        function: The words of its file may be in the name.
        camel: Whether several words are joined in camel case if `like` is a single word, which has no style of its own.
    """
    stem = like.strip("_")
    lead = like[: like.find(stem)]  # none of a name that consists of underscores
    camel = "_" not in stem and (camel or bool(_HUMP.search(stem)))
    known = _WORDS if len(function.words) < len(_WORDS) or draw.random() < _COMMON else function.words
    while True:
        words = draw.sample(_UNSEEN_WORDS if isinstance(draw, UnseenDraw) else known, draw.choice((1, 1, 2, 2, 3)))
        if stem.isupper() and len(stem) > 1:
            name = "_".join(words).upper()
        elif stem[:1].isupper():
            name = "".join(word.capitalize() for word in words)
        elif camel:
            name = words[0] + "".join(word.capitalize() for word in words[1:])
        else:
            name = "_".join(words)
        name = lead + name
        if name not in taken:
            return name

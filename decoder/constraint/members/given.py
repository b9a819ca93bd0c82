"""Members that the language gives to every object: they are listed everywhere, and hardly ever meant.

A small model falls back upon them where it does not know what an object has: `json.__doc__`, `params.valueOf`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from decoder.constraint.members.naming import Target
from decoder.constraint.members.positions import REACH

if TYPE_CHECKING:
    from decoder.constraint.members.naming import Naming
    from decoder.constraint.members.state import TypedNames

_OF_OBJECTS: Final = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "valueOf"),
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__"),
    }
)
"""Of `Object.prototype`; `toString` is called often enough."""
_MEANS_THEM: Final = re.compile(r"(?:\bsuper\([^()]*\)|\bself|\bcls|\bobject|\btype\([^()]*\)|__)\s*\.\s*$")
"""In Python, receivers of which one wants what has two underscores."""


def is_given_to_all(state: TypedNames, naming: Naming, word: str) -> bool:
    """Whether a name that begins with `word` can only be one that every object has, and is not being made."""
    if naming.target is not Target.NO:
        return False
    if state.language.is_python:
        if not word.startswith("__"):
            return False
        before = (state.questions.prefix[-REACH:] + state.written[: naming.start])[-REACH:]
        return _MEANS_THEM.search(before) is None and all(
            name.endswith("__") for name in _going_on(state, naming, word)
        )
    if not any(name.startswith(word) for name in _OF_OBJECTS):
        return False
    listed = _going_on(state, naming, word)
    return bool(word and listed) and _OF_OBJECTS.issuperset(listed)


def _going_on(state: TypedNames, naming: Naming, word: str) -> list[str]:
    """The listed names that begin with a word."""
    ordered = state.listed(naming).ordered
    return [*takewhile(lambda name: name.startswith(word), ordered[bisect_left(ordered, word) :])]

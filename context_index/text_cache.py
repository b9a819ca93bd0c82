"""A cache of results by pieces of text: what stays the same from keystroke to keystroke is read once.

Used by the caches of statements in `scopes` and `exports`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

LONGEST = 8_192
"""Characters of a piece that is worth remembering: a longer one changes at almost every key."""
_USUAL = 1_000_000
"""Characters of one generation: some thousands of statements."""
_MOST = 16_000_000
"""Characters of one generation at most: a tree of as much text takes ten times the memory."""
_Value = TypeVar("_Value")


class TextCache(Generic[_Value]):
    """Values by key, in two generations. When the newer one is full, the older one is dropped.

    An entry that is used moves to the newer generation. Thread-safe: if two threads put at once, an entry may be lost,
    but entries are never mixed up.
    """

    def __init__(self, characters: int = _USUAL) -> None:
        self._characters = characters
        """The characters of a full generation; `make_room` raises it."""
        self._room = characters
        """The characters that the newer generation can still take."""
        self._young: dict[Hashable, tuple[_Value, int]] = {}
        self._old: dict[Hashable, tuple[_Value, int]] = {}

    def get(self, key: Hashable) -> _Value | None:
        """The value under a key; None where it was never put, or was dropped."""
        entry = self._young.get(key)
        if entry is None:
            entry = self._old.get(key)
            if entry is None:
                return None
            self.put(key, *entry)
        return entry[0]

    def put(self, key: Hashable, value: _Value, characters: int) -> None:
        """Store the value of a piece of text that has so many characters."""
        if self._room < characters:
            self._old, self._young = self._young, {}
            self._room = self._characters
        self._room -= characters
        self._young[key] = (value, characters)

    def make_room(self, characters: int) -> None:
        """Let a generation hold a text of so many characters, up to `_MOST`.

        Each keystroke asks for all pieces of a text in order. If the text were longer than two generations, its
        beginning would be dropped before it is asked for again.
        """
        more = min(characters, _MOST) - self._characters
        if more > 0:
            self._characters += more
            self._room += more

    def clear(self) -> None:
        """Forget everything."""
        self._old, self._young = {}, {}
        self._room = self._characters

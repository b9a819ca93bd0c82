"""What was found out a moment ago about pieces of text, so that what stays from key to key is not read again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
LONGEST = 8_192
"""Characters of a piece that is worth remembering: a longer one changes at almost every key."""


class Recent(Generic[_Value]):
    """Two generations: what nobody asks for while one fills goes with the other. Any thread may ask.

    Two threads that put at once may lose an answer, never mix two up.
    """

    def __init__(self, characters: int = 1_000_000) -> None:
        """`characters` is how much text one generation is about: some thousands of statements."""
        self._room = self._characters = characters
        self._young: dict[Hashable, tuple[_Value, int]] = {}
        self._old: dict[Hashable, tuple[_Value, int]] = {}

    def get(self, key: Hashable) -> _Value | None:
        """What was put under a key, if that is not too long ago."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: Hashable, value: _Value, characters: int) -> None:
        """Remember what is known of a piece of so many characters."""
        if self._room < characters:
            self._old, self._young = self._young, {}
            self._room = self._characters
        self._room -= characters
        self._young[key] = (value, characters)

    def clear(self) -> None:
        """Forget everything."""
        self._old, self._young = {}, {}
        self._room = self._characters

"""A cache of results by pieces of text, so that text that stays the same from keystroke to keystroke is read once."""

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


class Recent(Generic[_Value]):
    """Two generations: an entry that is not used while the newer one fills is dropped with the older one. Thread-safe.

    Two threads that put at once may lose an answer, never mix two up.
    """

    def __init__(self, characters: int = _USUAL) -> None:
        self._room = self._characters = characters
        """What is left of the newer generation, and what a generation has; see `make_room`."""
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

    def make_room(self, characters: int) -> None:
        """Let a generation be about so much, as far as is sensible.

        A text all of which is asked about at each key is remembered as a whole, or in vain: of one that is longer than
        two generations the beginning is forgotten before it is asked for again.
        """
        more = min(characters, _MOST) - self._characters
        if more > 0:
            self._characters += more
            self._room += more

    def clear(self) -> None:
        """Forget everything."""
        self._old, self._young = {}, {}
        self._room = self._characters

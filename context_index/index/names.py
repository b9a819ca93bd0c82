"""Names that can be imported: looked up by their prefix, and without those that are taken at a place.

Used for the workspace by `index`, and for installed packages by `libraries`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from context_index.symbols import Importable

_MOST_INSERTED = 200
"""With more new names than this, sorting all again is no slower than inserting each."""

Place = TypeVar("Place", bound=Hashable)


class FreeNames:
    """Importable names, without those that are taken at a place. Thread-safe."""

    def __init__(self, items: tuple[Importable, ...] = ()) -> None:
        self.items = items
        self._names = frozenset(item.text for item in items)
        self._latest: tuple[frozenset[str], tuple[Importable, ...]] = (frozenset(), items)
        """The names that `without` hid the last time, and its answer."""

    def without(self, taken: frozenset[str]) -> tuple[Importable, ...]:
        """The items whose names are not taken; the same tuple as last time if it has the same items."""
        hidden = self._names & taken
        if not hidden:
            return self.items
        latest = self._latest
        if hidden != latest[0]:
            latest = self._latest = (hidden, tuple(item for item in self.items if item.text not in hidden))
        return latest[1]


class NameIndex(Generic[Place]):
    """The places that export each name, looked up by the beginning of the name; a place is a file or a module.

    Case is folded: `read` may be typed for `readFile` or for `ReadStream`.
    """

    def __init__(self) -> None:
        self._places: dict[str, set[Place]] = {}
        self._names: dict[Place, frozenset[str]] = {}
        self._sorted: list[str] = []
        """The folded names in order, perhaps with some that no place exports any more."""
        self._unsorted: list[str] = []
        """New names that `_sorted` may lack."""

    def put(self, place: Place, names: Iterable[str]) -> None:
        """Set the names that a place exports; a place without names is forgotten."""
        names_now = frozenset(name.lower() for name in names)
        names_before = self._names.pop(place, frozenset())
        if names_now:
            self._names[place] = names_now
        for name in names_before - names_now:
            places = self._places[name]
            places.discard(place)
            if not places:
                del self._places[name]  # stays in the sorted list, where `starting_with` passes over it
        for name in names_now - names_before:
            if name not in self._places:
                self._places[name] = set()
                self._unsorted.append(name)
            self._places[name].add(place)

    def starting_with(self, word: str) -> Iterator[tuple[str, set[Place]]]:
        """The folded names that begin with a word, in order, each with the places that export it."""
        self._sort_new()
        word = word.lower()
        for index in range(bisect_left(self._sorted, word), len(self._sorted)):
            name = self._sorted[index]
            if not name.startswith(word):
                return
            if places := self._places.get(name):
                yield name, places

    def _sort_new(self) -> None:
        """Put the new names in order."""
        if len(self._unsorted) > _MOST_INSERTED:
            self._sorted = sorted(self._places)
        else:
            for name in self._unsorted:
                index = bisect_left(self._sorted, name)
                if self._sorted[index : index + 1] != [name]:
                    self._sorted.insert(index, name)
        self._unsorted.clear()

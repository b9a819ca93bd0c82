"""Names that can be imported: looked up by their prefix, and without those that are taken at a place."""

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
        self._names = frozenset(one.text for one in items)
        self._latest: tuple[frozenset[str], tuple[Importable, ...]] = (frozenset(), items)

    def without(self, taken: frozenset[str]) -> tuple[Importable, ...]:
        """The items whose names are not taken; the same tuple as last time if it has the same items."""
        hidden = self._names & taken
        if not hidden:
            return self.items
        latest = self._latest
        if hidden != latest[0]:
            latest = self._latest = (hidden, tuple(one for one in self.items if one.text not in hidden))
        return latest[1]


class NameIndex(Generic[Place]):
    """The places that export each name, found by the beginning of the name; updated name by name.

    Case is folded: `read` may be typed for `readFile` or for `ReadStream`.
    """

    def __init__(self) -> None:
        self._places: dict[str, set[Place]] = {}
        self._names: dict[Place, frozenset[str]] = {}
        self._sorted: list[str] = []
        self._unsorted: list[str] = []

    def put(self, place: Place, names: Iterable[str]) -> None:
        """Set the names that a place exports; a place without names is forgotten."""
        after = frozenset(name.lower() for name in names)
        before = self._names.pop(place, frozenset())
        if after:
            self._names[place] = after
        for name in before - after:
            places = self._places[name]
            places.discard(place)
            if not places:
                del self._places[name]  # stays in the sorted list, where `starting_with` passes over it
        for name in after - before:
            if name not in self._places:
                self._places[name] = set()
                self._unsorted.append(name)
            self._places[name].add(place)

    def starting_with(self, word: str) -> Iterator[tuple[str, set[Place]]]:
        """The folded names that begin with a word, in order, each with the places that export it."""
        self._sort()
        word = word.lower()
        for at in range(bisect_left(self._sorted, word), len(self._sorted)):
            name = self._sorted[at]
            if not name.startswith(word):
                return
            if places := self._places.get(name):
                yield name, places

    def _sort(self) -> None:
        if len(self._unsorted) > _MOST_INSERTED:
            self._sorted = sorted(self._places)
        else:
            for name in self._unsorted:
                at = bisect_left(self._sorted, name)
                if self._sorted[at : at + 1] != [name]:
                    self._sorted.insert(at, name)
        self._unsorted.clear()

"""Names for importers: an index from the prefix of a name to what exports it, and the names that are not taken."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from context_index.symbols import Importable

_RESORTED = 200
"""With more new names than this, sorting all again is no slower than inserting each."""

Place = TypeVar("Place", bound=Hashable)


class FreeNames:
    """Importable names, without those that are taken at a place."""

    def __init__(self, items: tuple[Importable, ...] = ()) -> None:
        self.items = items
        self._names = frozenset(one.text for one in items)
        self._latest: tuple[frozenset[str], tuple[Importable, ...]] = (frozenset(), items)

    def without(self, taken: frozenset[str]) -> tuple[Importable, ...]:
        """The items whose names are not taken; the same tuple as last time if it has the same items."""
        hidden = self._names & taken
        if not hidden:
            return self.items
        if hidden != self._latest[0]:
            self._latest = (hidden, tuple(one for one in self.items if one.text not in hidden))
        return self._latest[1]


class NameIndex(Generic[Place]):
    """A sorted list of names, updated name by name.

    Says which places export a name. Case is folded: `read` may be typed for `readFile` or for `ReadStream`.
    """

    def __init__(self) -> None:
        self._places: dict[str, set[Place]] = {}
        self._names: dict[Place, frozenset[str]] = {}
        self._sorted: list[str] = []
        self._unsorted: list[str] = []

    def put(self, place: Place, names: Iterable[str]) -> None:
        """Set the names that a place exports; none forgets the place."""
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
        if len(self._unsorted) > _RESORTED:
            self._sorted = sorted(self._places)
        else:
            for name in self._unsorted:
                at = bisect_left(self._sorted, name)
                if self._sorted[at : at + 1] != [name]:
                    insort(self._sorted, name)
        self._unsorted.clear()

"""Finds the classes that a class is related to: its bases, its subclasses, and the other bases of its subclasses.

A call of a method may reach the methods of all of these classes, so a rename must rename them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_index.checkers.answers import Target
from context_index.checkers.query import Query

_MOST = 500
"""The most steps, each from one class to its subclasses or to its bases."""
_Class = tuple[Target, object]
"""Where a class has its name, and the checker's item by which its bases and subclasses are asked for."""


class Families:
    """The relations of classes in one state of a program; the checker is asked once for each class and direction."""

    def __init__(self) -> None:
        self._links: dict[tuple[Target, bool], Sequence[_Class]] = {}
        """By class and direction: its direct subclasses (True) or its direct bases (False)."""
        self._around: dict[tuple[str, int], Sequence[Target]] = {}
        """The results of `around`, by URI and offset."""

    def around(self, query: Query, name: int) -> Sequence[Target]:
        """The places, in any file, at which the related classes have their names; empty if there is no class.

        Args:
            query: Asks about the class's document.
            name: The offset of the class's name.
        """
        key = query.uri, name
        if key not in self._around:
            start = query.class_at(name)
            self._around[key] = [] if start is None else list(self._related(query, start))
        return self._around[key]

    def _related(self, query: Query, start: _Class) -> Iterator[Target]:
        """Each class that is reached once. From a subclass the walk goes on in both directions, from a base only up."""
        reached, walked = set[Target](), {(start[0], True), (start[0], False)}
        pending = [(start, True), (start, False)]
        while pending and len(walked) < _MOST:
            of_class, is_down = pending.pop()
            for relative in self._linked(query, of_class, is_down=is_down):
                target, _ = relative
                if target not in reached:
                    reached.add(target)
                    yield target
                for direction in (True, False) if is_down else (False,):
                    if (target, direction) not in walked:
                        walked.add((target, direction))
                        pending.append((relative, direction))

    def _linked(self, query: Query, of_class: _Class, *, is_down: bool) -> Sequence[_Class]:
        """The direct subclasses of a class if `is_down`, else its direct bases."""
        target, item = of_class
        if (target, is_down) not in self._links:
            self._links[target, is_down] = query.subclasses(item) if is_down else query.bases(item)
        return self._links[target, is_down]

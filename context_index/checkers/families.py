"""The classes that a class is related to: its bases, the classes that derive from it, and the other bases of these.

A method of any of them may be called where another's is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_index.checkers.answers import Target
from context_index.checkers.query import Query

_MOST = 500
"""The most classes that are followed."""


class Families:
    """The classes that are related in one state of a program; a checker is asked once for each link."""

    def __init__(self) -> None:
        self._links: dict[tuple[Target, bool], Sequence[tuple[Target, object]]] = {}
        """By class, what derives from it (True), and what it derives from."""
        self._around: dict[tuple[str, int], Sequence[Target]] = {}

    def around(self, query: Query, name: int) -> Sequence[Target]:
        """Where the names of the classes that are related to the one with its name at an offset are, in any file."""
        key = query.uri, name
        if key not in self._around:
            own = query.class_at(name)
            self._around[key] = [] if own is None else list(self._walk(query, own))
        return self._around[key]

    def _walk(self, query: Query, own: tuple[Target, object]) -> Iterator[Target]:
        listed, walked = set[Target](), {(own[0], True), (own[0], False)}
        pending = [(own, True), (own, False)]
        """Classes, and whether those that derive from them are wanted, or those that they derive from."""
        while pending and len(walked) < _MOST:
            of_class, is_down = pending.pop()
            for relative in self._linked(query, of_class, is_down=is_down):
                target, _ = relative
                if target not in listed:
                    listed.add(target)
                    yield target
                for direction in (True, False) if is_down else (False,):
                    if (target, direction) not in walked:
                        walked.add((target, direction))
                        pending.append((relative, direction))

    def _linked(
        self, query: Query, of_class: tuple[Target, object], *, is_down: bool
    ) -> Sequence[tuple[Target, object]]:
        target, item = of_class
        if (target, is_down) not in self._links:
            self._links[target, is_down] = query.subclasses(item) if is_down else query.bases(item)
        return self._links[target, is_down]

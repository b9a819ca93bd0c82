"""Makes the facts of readings, one object for equal ones, so that readings whose facts are the same may be merged."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from decoder.constraint.scope.facts import Bound, Context, Facts, Frame, Linked, Open

if TYPE_CHECKING:
    from decoder.constraint.scope.facts import FrameKind, Kind
    from decoder.grammar.stack import Node


class Store:
    """Makes facts, and gives back the object that it made before for equal ones. Lives as long as one suggestion."""

    def __init__(self) -> None:
        self._bound: dict[tuple[Bound | None, str, Kind, int], Bound] = {}
        self._frames: dict[tuple[Frame | None, FrameKind, Bound | None], Frame] = {}
        self._links: dict[tuple[str, int, Linked | None], Linked] = {}
        self._contexts: dict[tuple[Any, ...], Context] = {}
        self._open: dict[tuple[str, Node, Open | None, bool, bool, bool], Open] = {}
        self._facts: dict[tuple[Context, Open | None], Facts] = {}

    def bound(self, before: Bound | None, name: str, kind: Kind, space: int) -> Bound:
        """One more name of a scope."""
        key = (before, name, kind, space)
        return self._bound.get(key) or self._bound.setdefault(key, Bound(*key))

    def frame(self, outer: Frame | None, kind: FrameKind, bound: Bound | None) -> Frame:
        """A scope."""
        key = (outer, kind, bound)
        return self._frames.get(key) or self._frames.setdefault(key, Frame(*key))

    def link(self, name: str, depth: int, before: Linked | None) -> Linked:
        """One more name of a list."""
        key = (name, depth, before)
        return self._links.get(key) or self._links.setdefault(key, Linked(*key))

    def open(
        self,
        name: str,
        below: Node,
        before: Open | None,
        *,
        is_keyword: bool = False,
        is_dotted: bool = False,
        is_given: bool = False,
    ) -> Open:
        """One more identifier without a use."""
        key = (name, below, before, is_keyword, is_dotted, is_given)
        return self._open.get(key) or self._open.setdefault(key, Open(*key))

    def facts(self, context: Context, open_: Open | None) -> Facts:
        """The value of a cell."""
        key = (context, open_)
        return self._facts.get(key) or self._facts.setdefault(key, Facts(context, open_))

    def context(self, frame: Frame, starting: Linked | None = None) -> Context:
        """What is known in a scope where nothing has been read yet."""
        return self.changed(Context(frame, starting=starting))

    def changed(self, context: Context, **changes: object) -> Context:
        """The context with some of it replaced."""
        values = list(_VALUES(context))
        for name, value in changes.items():
            values[_PLACES[name]] = value
        key = tuple(values)
        known = self._contexts.get(key)
        if known is None:
            known = self._contexts[key] = Context(**dict(zip(_FIELDS, key, strict=True)))
        return known


_FIELDS: Final = Context.__slots__
_PLACES: Final = {name: place for place, name in enumerate(_FIELDS)}
_VALUES: Final = attrgetter(*_FIELDS)

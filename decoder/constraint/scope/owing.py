"""Names that are owed: references that are right only if what follows binds them.

In Python a name within a bracket may be bound by a comprehension that follows it. In JavaScript a rewrite may use a
name above its declaration, as functions and types are there from the start, and code that runs later sees what is
declared below it: each name that is so used, of those that the original declares, must be declared in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.declaring import Declaring
from decoder.constraint.scope.facts import BOTH, TYPE, VALUE, Facts, Frame, Kind, find, frames, linked

if TYPE_CHECKING:
    from decoder.constraint.scope.facts import Linked


class Owing(Declaring):
    """The moves of what is owed, for one suggestion."""

    def met(self, facts: Facts) -> Facts:
        """The innermost bracket ends: what it binds is no longer owed."""
        context = facts.context
        if context.owed is None:
            return facts
        owed: Linked | None = None
        for one in reversed(list(linked(context.owed))):
            if one.depth == context.frame.depth or find(context.frame.names, one.name, VALUE) is None:
                owed = self.store.link(one.name, one.depth, owed)
        return self.store.facts(self.store.changed(context, owed=owed), facts.open)

    def paid(self, facts: Facts) -> Facts | None:
        """The facts where no comprehension can bind any more what is owed: it comes from elsewhere, if it may."""
        context = facts.context
        if context.owed is None:
            return facts
        kept: Linked | None = None
        due: list[str] = []
        for one in reversed(list(linked(context.owed))):
            if self.may_bind(context, one.depth):
                kept = self.store.link(one.name, one.depth, kept)
            else:
                due.append(one.name)
        result: Facts | None = self.store.facts(self.store.changed(context, owed=kept), facts.open) if due else facts
        for name in due:
            result = None if result is None else self._from_elsewhere(result, name)
        return result

    def promise(self, facts: Facts, name: str, space: int, *, anywhere: bool) -> Facts | None:
        """The facts with a reference to a name that must be declared below; None where that would not help."""
        frame = facts.context.frame
        if name not in self._around.promised or any(find(one.names, name, space) for one in frames(frame)):
            return None
        later = next((one.depth for one in frames(frame) if one.kind in self._later), 0)
        context = facts.context
        later = _AS_TYPE if space == TYPE else _ANYWHERE if anywhere else later
        link = self.store.link(name, frame.depth, context.promised, later)
        return self.store.facts(self.store.changed(context, promised=link), facts.open)

    def kept(self, facts: Facts, name: str, space: int, *, from_start: bool) -> Facts:
        """The facts where the innermost scope has got a name: what was promised of it there, and within it, is kept.

        Args:
            from_start: It is there from the start of the scope; else for code only that runs later, and as a type.
        """
        context = facts.context
        if context.promised is None:
            return facts
        depth, left = context.frame.depth, None
        for one in reversed(list(linked(context.promised))):
            needed = _NEEDED.get(one.later, VALUE)
            in_time = from_start or one.later > depth
            if one.name != name or one.depth < depth or not (in_time and space & needed):
                left = self.store.link(one.name, one.depth, left, one.later)
        return self.store.facts(self.store.changed(context, promised=left), facts.open)

    def within(self, facts: Facts, frame: Frame) -> Facts:
        """The facts where scopes are complete but for one and those around it: what they were promised, it is."""
        context = facts.context
        promised: Linked | None = None
        for one in reversed(list(linked(context.promised))):
            promised = self.store.link(one.name, min(one.depth, frame.depth), promised, one.later)
        return self.store.facts(self.store.changed(context, promised=promised), facts.open)

    def _bind(self, facts: Facts, name: str, kind: Kind, space: int) -> Facts | None:
        bound = super()._bind(facts, name, kind, space)
        if bound is None or bound.context.promised is None or kind in _OF_OTHERS:
            return bound
        return self.kept(bound, name, space, from_start=kind is not Kind.LEXICAL)

    def _from_elsewhere(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds: imported with it, or of an unknown list."""
        if name in self._around.importable:
            return self._noted(facts, "imported", name)
        if not self._around.complete:
            return self._noted(facts, "outside", name)
        self.refused = name
        return None


_AS_TYPE: Final = 1 << 30
"""Deeper than any scope: a type is there wherever in a scope it is declared."""
_ANYWHERE: Final = _AS_TYPE + 1
"""Likewise, of a type or a value: what is exported."""
_NEEDED: Final = {_AS_TYPE: TYPE, _ANYWHERE: BOTH}
_OF_OTHERS: Final = frozenset({Kind.PARAMETER, Kind.OWN, Kind.WALRUS, Kind.LABEL})
"""What is no declaration of a scope's own."""

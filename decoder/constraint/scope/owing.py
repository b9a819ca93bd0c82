"""Names that are owed: references that are right only if what follows binds them.

In Python a name within a bracket may be bound by a comprehension that follows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.scope.declaring import Declaring
from decoder.constraint.scope.facts import VALUE, Facts, find, linked

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

    def _from_elsewhere(self, facts: Facts, name: str) -> Facts | None:
        """The facts with a reference to a name that nothing here binds: imported with it, or of an unknown list."""
        if name in self._around.importable:
            return self._noted(facts, "imported", name)
        if not self._around.complete:
            return self._noted(facts, "outside", name)
        self.refused = name
        return None

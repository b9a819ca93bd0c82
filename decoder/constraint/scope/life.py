"""The life of scopes: opened, turned into another kind, complete. Each move takes facts and gives facts.

None stands for a reading that cannot be right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.scope.facts import TYPE, VALUE, Facts, Frame, FrameKind, Kind, chain, frames
from decoder.constraint.scope.owing import Owing

if TYPE_CHECKING:
    from decoder.constraint.scope.facts import Bound


class Life(Owing):
    """The moves of scopes, for one suggestion."""

    def opened(self, facts: Facts, kind: FrameKind) -> Facts:
        """Within a new scope."""
        context = facts.context
        return self._with_frame(facts, self.store.frame(context.frame, kind, None))

    def turned(self, facts: Facts, kind: FrameKind) -> Facts:
        """The innermost scope is another kind from here on."""
        frame = facts.context.frame
        return self._with_frame(facts, self.store.frame(frame.outer, kind, frame.names))

    def closed(self, facts: Facts, depth: int, dying: frozenset[Kind] | None, *, declares: bool) -> Facts | None:
        """The scopes deeper than `depth` are complete.

        Args:
            dying: What does not outlive them; None where they were no scopes.
            declares: The outermost of them leaves its own name around.
        """
        context = facts.context
        surviving: list[tuple[str, Kind, int]] = []
        frame: Frame = context.frame
        while frame.depth > depth and frame.outer is not None:
            last = frame.outer.depth <= depth
            for bound in chain(frame.names):
                if bound.kind is Kind.OWN and declares and last:
                    function = Kind.LEXICAL if self._is_top_of_module(facts, frame.outer) else Kind.FUNCTION
                    kind = function if bound.space == VALUE else Kind.TYPE if bound.space == TYPE else Kind.LEXICAL
                    surviving.append((bound.name, kind, bound.space))
                elif dying is None or bound.kind not in dying:
                    surviving.append((bound.name, bound.kind, bound.space))
            frame = frame.outer
        result: Facts | None = self._without_arrows(self._with_frame(facts, frame), context.frame, frame)
        for name, kind, space in reversed(surviving):
            if result is None:
                return None
            result = self._bind(result, name, kind, space)
        return result if result is None or context.owed is None else self.paid(result)

    def _without_arrows(self, facts: Facts, inner: Frame, outer: Frame) -> Facts:
        """The facts behind arrow functions that the cursor stood in: what they bind is closed, if it is told for sure.

        Args:
            inner: The innermost scope that is complete.
            outer: The one around them all.
        """
        if not self.entered:
            return facts
        closed = [frame for frame in frames(inner) if frame.depth > outer.depth and frame in self.entered]
        bound = frozenset(one.name for frame in closed for one in chain(frame.names))
        level = facts.context.level
        if not bound or not self._around.is_scope(bound, level):
            return facts
        return self.store.facts(self.store.changed(facts.context, level=level + 1), facts.open)

    def _is_top_of_module(self, facts: Facts, frame: Frame) -> bool:
        """Whether functions are declared in `frame` once, like classes (ECMA-262 §16.2.1.6, LexicallyDeclaredNames)."""
        return self._around.is_top_of_module and frame.kind is FrameKind.ROOT and not facts.context.level

    def left(self, facts: Facts, count: int, dying: frozenset[Kind]) -> Facts:
        """A scope that the cursor stood in is complete, with what has been declared in it."""
        context = facts.context
        bound: Bound | None = None
        for one in [*chain(context.frame.names)][::-1]:
            if one.kind not in dying:
                bound = self.store.bound(bound, one.name, one.kind, one.space)
        frame = self.store.frame(None, FrameKind.ROOT, bound)
        changed = self.store.changed(context, frame=frame, level=context.level + count)
        return self.store.facts(changed, facts.open)

    def initialised(self, facts: Facts) -> Facts:
        """What was being declared in the innermost scope has its value."""
        starting = facts.context.starting
        while starting is not None and starting.depth >= facts.context.frame.depth:
            starting = starting.before
        return self.store.facts(self.store.changed(facts.context, starting=starting), facts.open)

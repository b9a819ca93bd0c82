"""The rule that what is written parses, together with what stands around it.

The grammar's automaton does the work; this module says it in the words of `Constraint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.grammar import State

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SyntaxConstraint:
    """The text fed so far is the beginning of one that parses.

    Args:
        state: After the text before the cursor, and what has been fed since.
        rest_follows: Whether the text after the cursor still parses from a state, no worse than it did before.
    """

    state: State
    rest_follows: Callable[[State], bool]

    def feed(self, text: str) -> SyntaxConstraint | Refusal:
        """The state after `text`, or that no continuation of it parses."""
        state = self.state.feed(text)
        if state is None:
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return SyntaxConstraint(state, self.rest_follows)

    def may_stop(self) -> Refusal | None:
        """None where the text after the cursor can follow."""
        return None if self.rest_follows(self.state) else Refusal(Rule.SYNTAX, "the text after the cursor")

    def report(self) -> Report:
        """Nothing stays unproven: a text parses or it does not."""
        return Report()

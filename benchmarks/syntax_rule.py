"""The rule that what is written parses, and nothing more: what the rule of scope is measured against.

The grammar's automaton says what may come next; this module says it in the words of `Constraint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal, Report, Rule

if TYPE_CHECKING:
    from decoder.grammar import Entry, State

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SyntaxConstraint:
    """The text written so far is the beginning of one that parses."""

    state: State
    """After the text above the cursor, and what has been written since."""

    @classmethod
    def of(cls, entry: Entry) -> SyntaxConstraint | None:
        """The constraint at an entry; None where there is no state to start from."""
        return None if entry.state is None else cls(entry.state)

    def advance(self, text: str) -> SyntaxConstraint | Refusal:
        """The state after `text`, or that no continuation of it parses."""
        state = self.state.advance(text)
        if state is None:
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return SyntaxConstraint(state)

    def may_stop(self) -> None:
        """Anywhere, as with the product's rules."""

    def report(self) -> Report:
        """Nothing stays unproven: a text parses or it does not."""
        return Report()

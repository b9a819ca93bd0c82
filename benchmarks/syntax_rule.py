"""The rule that the text parses, and nothing more; benchmarks compare the rule of syntax and scope with it.

The grammar's automaton decides what may come next. This module gives it the interface of a `Constraint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal, Report, Rule

if TYPE_CHECKING:
    from decoder.grammar import Entry, State

_SHOWN = 20
"""Characters of a refused text that the refusal has."""


@dataclass(frozen=True, slots=True)
class SyntaxConstraint:
    """The text written so far is the beginning of one that parses."""

    state: State
    """The automaton's state after the text above the cursor and what has been written since."""

    @classmethod
    def of(cls, entry: Entry) -> SyntaxConstraint | None:
        """The constraint at an entry; None if the text above does not parse, so that there is no state."""
        return None if entry.state is None else cls(entry.state)

    def advance(self, text: str) -> SyntaxConstraint | Refusal:
        """The constraint after `text`; a refusal if no continuation of it parses."""
        state = self.state.advance(text)
        if state is None:
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return SyntaxConstraint(state)

    def may_stop(self) -> None:
        """A text may stop anywhere, as it may for the product's rule of scope."""

    def report(self) -> Report:
        """An empty report: a text parses or it does not, so nothing is left unverified."""
        return Report()

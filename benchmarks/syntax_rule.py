"""The rule that what is written parses, and nothing more: what the rule of scope is measured against.

The grammar's automaton says what may come next, and tree-sitter itself whether the finished file is no worse than
before; this module says it in the words of `Constraint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal, Report, Rule

if TYPE_CHECKING:
    from decoder.grammar import Entry, State, Surroundings

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SyntaxConstraint:
    """The text written so far is the beginning of one that parses.

    Args:
        state: After the text above the cursor, and what has been written since.
        surroundings: What the finished text must fit into.
        written: What has been read.
    """

    state: State
    surroundings: Surroundings
    written: str = ""

    @classmethod
    def of(cls, entry: Entry) -> SyntaxConstraint | None:
        """The constraint at an entry; None where there is no state to start from."""
        return None if entry.state is None else cls(entry.state, entry.surroundings)

    def advance(self, text: str) -> SyntaxConstraint | Refusal:
        """The state after `text`, or that no continuation of it parses."""
        state = self.state.advance(text)
        if state is None:
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return SyntaxConstraint(state, self.surroundings, self.written + text)

    def may_stop(self) -> Refusal | None:
        """None where the text after the cursor can follow, and the file has no more syntax errors than before."""
        fits = self.surroundings.accept(self.written, self.state)
        return None if fits else Refusal(Rule.SYNTAX, "the text after the cursor")

    def report(self) -> Report:
        """Nothing stays unproven: a text parses or it does not."""
        return Report()

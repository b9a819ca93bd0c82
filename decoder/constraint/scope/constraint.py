"""The rule that a text parses and refers only to visible names; one state, as both use the same automaton."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.constraint.scope.reading import Reading

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry, Surroundings

_SHOWN: Final = 20
_GOES_ON_WITH_WORD: Final = re.compile(r"[\w$]")


@dataclass(frozen=True, slots=True)
class ScopeConstraint:
    """One state of the rule.

    Args:
        reading: The automaton's state, with the facts about names.
        surroundings: What the finished text must fit into.
        suffix: The text below.
        written: The text so far.
    """

    reading: Reading
    surroundings: Surroundings
    suffix: str
    written: str = ""

    @classmethod
    def of(
        cls,
        entry: Entry,
        symbols: SymbolContext,
        *,
        suffix: str = "",
        imports: bool = False,
    ) -> ScopeConstraint:
        """The rule at an entry that has a state.

        Args:
            suffix: The text below.
            imports: Whether a reference may also be one of `symbols.importable`.

        Raises:
            ValueError: the automaton could not be entered.
        """
        reading = Reading.at(entry, symbols, imports=imports)
        if reading is None:
            raise ValueError("the automaton could not be entered; no rule holds there")
        return cls(reading, entry.surroundings, suffix)

    def advance(self, text: str) -> ScopeConstraint | Refusal:
        """The state after `text`, or why there is none."""
        reading = self.reading.advance(text)
        if reading is None:
            culprit = self.reading.culprit(text)
            if culprit is not None:
                return Refusal(Rule.SCOPE, culprit)
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return replace(self, reading=reading, written=self.written + text)

    def may_stop(self) -> Refusal | None:
        """None where the text so far may be the whole suggestion."""
        word = self.reading.word()
        if word and _GOES_ON_WITH_WORD.match(self.suffix):
            return Refusal(Rule.SCOPE, word + self.suffix[:1])
        if (unresolved := self.reading.unresolved(self.suffix)) is not None:
            return Refusal(Rule.SCOPE, unresolved)
        fits = self.surroundings.accept(self.written, self.reading.plain())
        return None if fits else Refusal(Rule.SYNTAX, "the text after the cursor")

    def report(self) -> Report:
        """The names that are not proven to be visible so far."""
        return self.reading.report()

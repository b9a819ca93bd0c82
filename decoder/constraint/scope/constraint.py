"""The rule that a text parses and refers only to visible names; one state, as both use the same automaton."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.constraint.scope.reading import Reading

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry

_SHOWN: Final = 20
"""The most characters of a refused text that a refusal shows."""
_KNOWN: Final = 8
"""A state caches what follows after so many texts. More are tried only where the vocabulary is walked."""


@dataclass(frozen=True, slots=True)
class ScopeConstraint:
    """One state of the rule.

    Args:
        reading: The automaton's state, with the facts about names.
    """

    reading: Reading
    _known: dict[str, ScopeConstraint | Refusal] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The answers of `advance` by text: while a word is typed, the same tokens are asked about again."""

    @classmethod
    def of(cls, entry: Entry, symbols: SymbolContext, *, imports: bool = False) -> ScopeConstraint:
        """The rule at an entry.

        Args:
            symbols: The names that are visible there.
            imports: Whether a reference may also be one of `symbols.importable`.

        Raises:
            ValueError: The entry has no state: the text above does not parse, and no rule holds there.
        """
        return cls(Reading.at(entry, symbols, imports=imports))

    def advance(self, text: str) -> ScopeConstraint | Refusal:
        """The state after `text`, or why there is none."""
        known = self._known.get(text) or self._advance(text)
        if len(self._known) < _KNOWN:
            self._known[text] = known
        return known

    def _advance(self, text: str) -> ScopeConstraint | Refusal:
        reading = self.reading.advance(text)
        if reading is None:
            culprit = self.reading.culprit(text)
            if culprit is not None:
                return Refusal(Rule.SCOPE, culprit)
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return ScopeConstraint(reading)

    def may_stop(self) -> Refusal | None:
        """None unless the text ends after a name that is not visible. Whether it is complete, the verifier decides."""
        unknown = self.reading.unknown_at_end()
        return None if unknown is None else Refusal(Rule.SCOPE, unknown)

    def report(self) -> Report:
        """The names so far that are not proven to be visible."""
        return self.reading.report()

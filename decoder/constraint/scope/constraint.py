"""The rule that what is written parses and refers only to visible names: one state, as both ride on one automaton."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from decoder.constraint.names import NamesInScope
from decoder.constraint.protocol import Parses, Refusal, Report, Rule
from decoder.constraint.scope.decorating import fits_above_definition
from decoder.constraint.scope.expected import Expected, expected
from decoder.constraint.scope.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index.symbols import SymbolContext
    from decoder.grammar import Entry, State, Surroundings

_SHOWN: Final = 20
_GOES_ON_WITH_WORD: Final = re.compile(r"[\w$]")


@dataclass(frozen=True, slots=True)
class ScopeConstraint(Parses):
    """One state of the rule.

    Args:
        reading: The automaton's state with what it knows of names; None where the automaton could not be entered.
        names: The lexical look that judges names instead, where there is no reading.
        surroundings: What the finished text must fit into.
        suffix: The text below.
        written: What has been fed.
    """

    reading: Reading | None
    names: NamesInScope | None
    surroundings: Surroundings
    prefix: str
    suffix: str
    written: str = ""

    @classmethod
    def of(
        cls,
        entry: Entry,
        symbols: SymbolContext,
        *,
        prefix: str,
        suffix: str = "",
        imports: bool = False,
        promised: frozenset[str] = frozenset(),
        exported: Callable[[], frozenset[str]] = frozenset,
    ) -> ScopeConstraint:
        """The rule at an entry.

        Args:
            prefix: The text above, up to where `entry` stands.
            suffix: The text below.
            imports: Whether a reference may also be one of `symbols.importable`.
            promised: JavaScript: names that may be used above their declaration, if what is written has it in the end.
            exported: JavaScript: tells under which names the module exports something; asked where it exports more.
        """
        reading = Reading.at(entry, symbols, prefix, imports=imports, promised=promised, exported=exported)
        names = NamesInScope.at(prefix, symbols, suffix) if reading is None else None
        return cls(reading, names, entry.surroundings, prefix, suffix)

    def feed(self, text: str) -> ScopeConstraint | Refusal:
        """The state after `text`, or why there is none."""
        written = self.written + text
        if self.names is not None:
            names = self.names.feed(text)
            return names if isinstance(names, Refusal) else replace(self, names=names, written=written)
        assert self.reading is not None  # noqa: S101 - one of the two is there
        reading = self.reading.feed(text)
        if reading is None:
            culprit = self.reading.culprit(text)
            if culprit is not None:
                return Refusal(Rule.SCOPE, culprit)
            return Refusal(Rule.SYNTAX, text.strip()[:_SHOWN] or repr(text[:_SHOWN]))
        return ScopeConstraint(reading, None, self.surroundings, self.prefix, self.suffix, written)

    def may_stop(self) -> Refusal | None:
        """None where the text fed so far may be the whole suggestion."""
        if self.names is not None:
            return self.names.may_stop()
        assert self.reading is not None  # noqa: S101 - one of the two is there
        word = self.reading.word()
        if word and _GOES_ON_WITH_WORD.match(self.suffix):
            return Refusal(Rule.SCOPE, word + self.suffix[:1])
        unmet = self.reading.promised() or self.reading.unmet(self.suffix) or self.reading.redeclared(self.suffix)
        unmet = unmet or self.reading.exported(self.suffix)
        if unmet is not None:
            return Refusal(Rule.SCOPE, unmet)
        plain, around = self.reading.plain(), self.surroundings
        fits = around.accept(self.written, plain) or fits_above_definition(around, self.prefix, self.written, plain)
        return None if fits else Refusal(Rule.SYNTAX, "the text after the cursor")

    def report(self) -> Report:
        """What could not be proven so far, and which importable names were used."""
        return self.names.report() if self.reading is None and self.names is not None else self._read().report()

    def syntax(self) -> State | None:
        """The automaton's state, names included; None where it could not be entered."""
        return None if self.reading is None else self.reading.state

    def expects(self) -> Expected:
        """What kinds of identifier may stand at the end of the text so far, or go on there."""
        if self.reading is None:
            return Expected()
        reading = self.reading
        return expected(reading.plain(), reading.roles, self.prefix + self.written, len(self.prefix))

    def due(self) -> tuple[str, frozenset[str]] | None:
        """What has been written of a name, and the names and keywords of which it must be one; None where not."""
        return None if self.reading is None else self.reading.due()

    def candidates(self) -> tuple[str, ...]:
        """The names that a reference at the end of the text may be, sorted; importable ones too where allowed."""
        if self.names is not None:
            return tuple(sorted({*self.names.known, *self.names.bound}))
        return self._read().candidates()

    def _read(self) -> Reading:
        assert self.reading is not None  # noqa: S101 - one of the two is there
        return self.reading

"""A grammar that is ready to run: its parser, lexer and scanner, loaded together."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import platformdirs

from context_index.processes import DEVNULL, Process, start_python
from decoder.grammar import native_lexer, pinned
from decoder.grammar.automaton import Automaton
from decoder.grammar.closing import Closings
from decoder.grammar.consumers import Consumers
from decoder.grammar.dfa import load
from decoder.grammar.lr import Semantics, Stepper
from decoder.grammar.portable_lexer import PortableLexer, ScannerInput
from decoder.grammar.reader import Reader
from decoder.grammar.scanner import Scanner
from decoder.grammar.stack import Node
from decoder.grammar.state import State, start
from decoder.grammar.tables import END_OF_INPUT, START_STATE, Tables
from decoder.grammar.unlearned import unlearned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index.symbols import Language
    from decoder.grammar.dfa import Lexer

_learners: list[Process] = []
"""Kept alive: a process ends when its end of the pipe is collected."""


class Grammar:
    """One language's automaton. Its states may be used by several threads at once."""

    def __init__(self, tables: Tables, lexer: Lexer, *, portable: bool = False) -> None:
        self.tables = tables
        self.lexer = lexer
        source: ScannerInput = PortableLexer() if portable or not _native_works() else native_lexer.NativeLexer()
        self._reader = Reader(tables, lexer, Scanner(tables, source))
        self.automaton = self.automaton_with(None)

    @classmethod
    def load(cls, language: Language, *, portable: bool = False) -> Grammar:
        """The grammar of one of our languages; the same arguments give the same object.

        Args:
            portable: Whether the lexer is the one written in Python.
        """
        return _load(language, portable)

    @classmethod
    def of_parser(cls, capsule: object, *, portable: bool = False) -> Grammar:
        """The grammar of any compiled tree-sitter parser, with a lexer that has not been learned."""
        tables = Tables(capsule)
        return cls(tables, unlearned(tables), portable=portable)

    def automaton_with(self, semantics: Semantics | None) -> Automaton:
        """An automaton of the same language with caches of its own, and with semantics, if any."""
        return Automaton(self.tables, self._reader, Stepper(self.tables, semantics))

    @cached_property
    def consumers(self) -> Consumers:
        """Which rules take which cells, by this grammar's tables."""
        return Consumers(self.tables)

    def closings(self, costs: Mapping[str, float]) -> Closings:
        """Proposes closings; see `Closings`. Punctuation and keywords cost their length and one more.

        Args:
            costs: By name, those of the other tokens that a closing may have.
        """
        tables = self.tables
        tokens = range(END_OF_INPUT + 1, tables.token_count)
        own = {one: costs[name] for one in tokens if (name := tables.names[one]) in costs}
        literals = {one: 1.0 + len(tables.names[one]) for one in tokens if tables.is_literal(one)}
        return Closings(tables, self.consumers, literals | own)

    def start(self) -> State:
        """The state before the first character of a file."""
        return start(self.automaton, Node(START_STATE, None))


@cache
def _native_works() -> bool:
    return native_lexer.works()


@cache
def _load(language: Language, portable: bool) -> Grammar:  # noqa: FBT001 - a key of the cache
    tables = Tables(pinned.capsule(language))
    return Grammar(tables, _learned(tables, language), portable=portable)


def _learned(tables: Tables, language: Language) -> Lexer:
    """The lexer of this version of the grammar: shipped, or learned on this machine before.

    Else another process begins to learn it for the next start, which takes minutes; until then the unlearned lexer
    serves.
    """
    fingerprint = tables.fingerprint()
    kept = platformdirs.user_cache_path("inscope") / "grammar" / f"{language}-{fingerprint}.json.gz"
    for path in (pinned.shipped_path(language), kept):
        lexer = load(path, fingerprint)
        if lexer is not None:
            return lexer
    _learners.append(
        start_python("decoder.grammar.learn", str(language), "-o", str(kept), "--end-with-input", stdout=DEVNULL)
    )
    return unlearned(tables)

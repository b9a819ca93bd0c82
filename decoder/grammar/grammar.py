"""A grammar that is ready to run: its parser, lexer and scanner, loaded together.

A compiled parser has its lexer as a function, which reads whole tokens only. A lexer is learned by running this
function on short words (`learn`): then it is a table, which can stop within a token and knows what the token may still
become (`dfa`). Until it is learned, `unlearned` stands in for it: it runs the function itself.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

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
            portable: Whether compiled scanners read the text through `PortableLexer`, which is written in Python, even
                where the faster native one works. Tests compare the two.
        """
        return _load(language, portable)

    @classmethod
    def of_parser(cls, capsule: object, *, portable: bool = False) -> Grammar:
        """The grammar of any compiled tree-sitter parser, with a lexer that has not been learned."""
        tables = Tables(capsule)
        return cls(tables, unlearned(tables), portable=portable)

    def automaton_with(self, semantics: Semantics | None) -> Automaton:
        """An automaton of the same language with caches of its own.

        Args:
            semantics: What watches its steps and may drop a reading because of them: that a name is not visible, say
                (`decoder.constraint.scope`). None: syntax alone decides.
        """
        return Automaton(self.tables, self._reader, Stepper(self.tables, semantics))

    @cached_property
    def consumers(self) -> Consumers:
        """By which rules what is on an unfinished stack may still be taken as a child; see `Consumers`."""
        return Consumers(self.tables)

    def closings(self, costs: Mapping[str, float]) -> Closings:
        """Proposes closings; see `Closings`. Punctuation and keywords cost their length and one more.

        Args:
            costs: What a token that is neither punctuation nor a keyword costs, by its name; one that is not named here
                is never proposed. A sign that is named here, too, has this cost instead of its own.
        """
        tables = self.tables
        tokens = range(END_OF_INPUT + 1, tables.token_count)
        named = {one: costs[name] for one in tokens if (name := tables.names[one]) in costs}
        literals = {
            one: 1.0 + len(name) for one in tokens if tables.is_literal(one) and (name := tables.names[one])
        }  # the NUL that ends a file in some grammars has no name, and is no text that could be written
        return Closings(tables, self.consumers, literals | named)

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
    kept = pinned.kept_path(language, fingerprint)
    for path in (pinned.shipped_path(language), kept):
        lexer = load(path, fingerprint)
        if lexer is not None:
            return lexer
    _learners.append(
        start_python("decoder.grammar.learn", str(language), "-o", str(kept), "--end-with-input", stdout=DEVNULL)
    )
    return unlearned(tables)

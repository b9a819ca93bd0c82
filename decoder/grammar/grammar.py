"""A grammar that is ready to run: its parser, lexer and scanner, loaded together.

A compiled parser has its lexer as a function, which reads whole tokens only. `learn` turns the function into a table by
running it on short words. The table can stop within a token and knows what the token may still become (`dfa`). Until
it is learned, `unlearned` serves in its place, which runs the function itself.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from context_index.processes import DEVNULL, Process, start_python
from decoder.grammar import native_lexer, pinned
from decoder.grammar.automaton import Automaton
from decoder.grammar.closing import Closings
from decoder.grammar.consumers import Consumers
from decoder.grammar.lexer import load
from decoder.grammar.lr import Semantics, Stepper
from decoder.grammar.portable_lexer import PortableLexer, ScannerInput
from decoder.grammar.reader import Reader
from decoder.grammar.scanner import Scanner
from decoder.grammar.stack import StackNode
from decoder.grammar.state import State, start
from decoder.grammar.tables import END_OF_INPUT, START_STATE, Tables
from decoder.grammar.unlearned import unlearned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index.symbols import Language
    from decoder.grammar.lexer import Lexer

_learners: list[Process] = []
"""The processes that learn lexers. A learner ends when our end of its pipe is closed, so they are kept referenced."""


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
        """The grammar of any compiled tree-sitter parser, with a lexer that has not been learned.

        Args:
            capsule: The parser as its package returns it.
            portable: As for `load`.

        Raises:
            GrammarError: The parser has an ABI that we do not read, or this is a 32-bit Python.
        """
        tables = Tables(capsule)
        return cls(tables, unlearned(tables), portable=portable)

    def automaton_with(self, semantics: Semantics | None) -> Automaton:
        """An automaton of the same language with caches of its own.

        Args:
            semantics: Watches the automaton's steps and may drop a reading, for example because a name is not visible
                (`decoder.constraint.scope`). With None, syntax alone decides.
        """
        return Automaton(self.tables, self._reader, Stepper(self.tables, semantics))

    @cached_property
    def consumers(self) -> Consumers:
        """The rules that may still take a node of an unfinished stack as a child; see `Consumers`."""
        return Consumers(self.tables)

    def closings(self, costs: Mapping[str, float]) -> Closings:
        """What proposes closings; see `Closings`. Punctuation and keywords cost one more than their length.

        Args:
            costs: By name, the cost of each other token that may be proposed. For punctuation and keywords, a cost
                here replaces the usual one.
        """
        tables = self.tables
        tokens = range(END_OF_INPUT + 1, tables.token_count)
        named = {token: costs[name] for token in tokens if (name := tables.names[token]) in costs}
        literals = {
            token: 1.0 + len(name) for token in tokens if tables.is_literal(token) and (name := tables.names[token])
        }  # a token without a name is the NUL that ends a file in some grammars: it cannot be written
        return Closings(tables, self.consumers, literals | named)

    def start(self) -> State:
        """The state before the first character of a file."""
        return start(self.automaton, StackNode(START_STATE, None))


@cache
def _native_works() -> bool:
    return native_lexer.works()


@cache
def _load(language: Language, portable: bool) -> Grammar:  # noqa: FBT001 - a key of the cache
    tables = Tables(pinned.capsule(language))
    return Grammar(tables, _learned(tables, language), portable=portable)


def _learned(tables: Tables, language: Language) -> Lexer:
    """The lexer of this version of the grammar: shipped, or learned on this machine before.

    If there is neither, another process begins to learn it, which takes minutes, and the unlearned lexer serves until
    the next start.
    """
    fingerprint = tables.fingerprint()
    cached = pinned.kept_path(language, fingerprint)
    for path in (pinned.shipped_path(language), cached):
        lexer = load(path, fingerprint)
        if lexer is not None:
            return lexer
    _learners.append(
        start_python("decoder.grammar.learn", str(language), "-o", str(cached), "--end-with-input", stdout=DEVNULL)
    )
    return unlearned(tables)

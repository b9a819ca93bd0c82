"""The lexer of a grammar version whose automaton has not been learned yet: slower, as sound, less strict.

Each state is the beginning of a token, run through the compiled lex function. Which tokens it can still become is not
known, so every token counts as reachable, and some half-typed words are allowed that nothing completes.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar, overload

from decoder.grammar.dfa import NO_TOKEN, CharacterMove, Lexer
from decoder.grammar.lex_function import MARK, SKIP, LexFunction
from decoder.grammar.tables import NO_LEXING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.lex_function import Trace, Word
    from decoder.grammar.tables import Tables

_T = TypeVar("_T")

_LONG: Final = 32
"""In tokens longer than this, a state that answers all probes like the one before is taken for the same."""
_LETTERS: Final = string.ascii_letters + string.digits + "_$#@!-"
"""The characters of keywords."""
_PROBES: Final = (*tuple((ord(c),) for c in string.printable), (233,), (ord("*"), ord("/")), (ord("-"), ord(">")))
"""Continuations by which two states are compared: single characters, and the ends of comments."""


class UnlearnedDfa:
    """The automaton as far as it has been walked."""

    def __init__(self, function: LexFunction, roots: Iterable[int], token_count: int) -> None:
        self._trace = function.trace
        self._paths: list[tuple[int, Word]] = []
        self.accepts: list[int] = []
        self.moves: list[_Transitions] = []
        self.roots = {root: self._state(root, ()) for root in roots}
        self.reachable: Sequence[int] = _Always((1 << token_count) - 1)
        self.is_final: Sequence[bool] = _Always(value=False)

    def walk(self, state: int, character: str) -> CharacterMove | None:
        """Where a character leads."""
        root, word = self._paths[state]
        longer = (*word, ord(character))
        moves = [event for event in self._trace(root, longer) if event < MARK]
        if len(moves) < len(longer):
            return None
        if len(word) > _LONG and all(self._after(root, word, p) == self._after(root, longer, p) for p in _PROBES):
            target = state
        else:
            target = self._state(root, longer)
        return CharacterMove(target, moves[len(word)] == SKIP, self.accepts[target])

    def _after(self, root: int, word: Word, probe: Word) -> Trace:
        """What is done from the end of `word` on."""
        events = self._trace(root, word + probe)
        return events[_end(events, len(word)) :]

    def _state(self, root: int, word: Word) -> int:
        events = self._trace(root, word)
        self._paths.append((root, word))
        rest = events[_end(events, len(word)) :]
        self.accepts.append(rest[0] - MARK if rest and rest[0] >= MARK else NO_TOKEN)
        self.moves.append(_Transitions(self, len(self._paths) - 1))
        return len(self._paths) - 1


def _end(events: Trace, length: int) -> int:
    """The index after the event of the last of `length` characters."""
    read = 0
    for index, event in enumerate(events):
        if read == length:
            return index
        read += event < MARK
    return len(events)


class _Transitions(dict[str, "CharacterMove | None"]):
    def __init__(self, dfa: UnlearnedDfa, state: int) -> None:
        super().__init__()
        self._dfa = dfa
        self._state = state

    def __missing__(self, character: str) -> CharacterMove | None:
        move = self[character] = self._dfa.walk(self._state, character)
        return move


class _Always(Sequence[_T]):
    """The same value for every state, however many there will be."""

    def __init__(self, value: _T) -> None:
        self._value = value

    def __len__(self) -> int:
        return sys.maxsize

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T]: ...
    def __getitem__(self, index: int | slice) -> _T | Sequence[_T]:
        return self if isinstance(index, slice) else self._value


def unlearned(tables: Tables) -> Lexer:
    """A lexer that is ready at once."""
    roots = sorted({mode.lex_state for mode in tables.modes if mode.lex_state != NO_LEXING})
    tokens = UnlearnedDfa(LexFunction(tables.raw.lex_function), roots, tables.token_count)
    return Lexer(tokens, _keywords(tables))


def _keywords(tables: Tables) -> dict[str, int]:
    """All words that the compiled keyword lexer accepts, found by adding each letter to each text that it reads."""
    if not tables.raw.keyword_lex_function:
        return {}
    trace = LexFunction(tables.raw.keyword_lex_function).trace
    found: dict[str, int] = {}
    work: list[Word] = [()]
    while work:
        word = work.pop()
        events = trace(0, word)
        if sum(event < MARK for event in events) < len(word):
            continue
        if word and events[-1] >= MARK:
            found["".join(map(chr, word))] = events[-1] - MARK
        work += [(*word, ord(letter)) for letter in _LETTERS]
    return found

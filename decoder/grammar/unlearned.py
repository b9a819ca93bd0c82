"""The lexer of a grammar version whose automaton has not been learned yet (`learn`): slower and less strict.

A state of its automaton is the beginning of a token, which is run through the compiled lex function. It is not known
which tokens such a beginning can still become, so every token counts as reachable. Therefore some half-typed words are
allowed that nothing completes. As with a learned lexer, no valid text is refused.
"""

from __future__ import annotations

import string
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar, overload

from decoder.grammar.dfa import NO_TOKEN, CharacterMove
from decoder.grammar.lex_function import MARK, SKIP, LexFunction
from decoder.grammar.lexer import Lexer
from decoder.grammar.tables import NO_LEXING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.lex_function import Trace, Word
    from decoder.grammar.tables import Tables

_T = TypeVar("_T")

_LONG: Final = 32
"""In longer tokens, a state that answers all probes like the one before it is taken for the same, so none is added."""
_LETTERS: Final = string.ascii_letters + string.digits + "_$#@!-"
"""The characters of keywords."""
_PROBES: Final = (
    *((ord(character),) for character in string.printable),
    (233,),
    (ord("*"), ord("/")),
    (ord("-"), ord(">")),
)
"""Continuations with which two states are compared: single characters (233 is `é`), and the ends of comments."""


class UnlearnedDfa:
    """The automaton as far as it has been walked. See `dfa.Walkable` for its attributes."""

    def __init__(self, function: LexFunction, roots: Iterable[int], token_count: int) -> None:
        self._trace = function.trace
        self._paths: list[tuple[int, Word]] = []
        """By state, the start state of the function and the text read since."""
        self.accepts: list[int] = []
        self.moves: list[_Transitions] = []
        self.roots = {root: self._add_state(root, ()) for root in roots}
        self.reachable: Sequence[int] = _Always((1 << token_count) - 1)
        self.is_final: Sequence[bool] = _Always(value=False)

    def walk(self, state: int, character: str) -> CharacterMove | None:
        """The move from a state by a character; None where the token ends before it. May add a state."""
        root, word = self._paths[state]
        longer = (*word, ord(character))
        reads = [event for event in self._trace(root, longer) if event < MARK]
        if len(reads) < len(longer):
            return None
        target = state if len(word) > _LONG and self._are_alike(root, word, longer) else self._add_state(root, longer)
        return CharacterMove(target, reads[len(word)] == SKIP, self.accepts[target])

    def _are_alike(self, root: int, word: Word, longer: Word) -> bool:
        """Whether the function does the same with each probe after both words."""
        return all(self._after(root, word, probe) == self._after(root, longer, probe) for probe in _PROBES)

    def _after(self, root: int, word: Word, probe: Word) -> Trace:
        """What the function does from the end of `word` on, if `probe` follows."""
        events = self._trace(root, word + probe)
        return events[_end(events, len(word)) :]

    def _add_state(self, root: int, word: Word) -> int:
        """The new state after `word`, read from the start state `root` of the function."""
        events = self._trace(root, word)
        self._paths.append((root, word))
        rest = events[_end(events, len(word)) :]
        self.accepts.append(rest[0] - MARK if rest and rest[0] >= MARK else NO_TOKEN)
        self.moves.append(_Transitions(self, len(self._paths) - 1))
        return len(self._paths) - 1


def _end(events: Trace, length: int) -> int:
    """The index in a trace after the event that reads the last of `length` characters."""
    read_count = 0
    for index, event in enumerate(events):
        if read_count == length:
            return index
        read_count += event < MARK
    return len(events)


class _Transitions(dict[str, "CharacterMove | None"]):
    """One state's moves by character; each is found when it is first asked for."""

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
    """A lexer that is ready at once, from the compiled functions of a grammar."""
    roots = sorted({mode.lex_state for mode in tables.modes if mode.lex_state != NO_LEXING})
    tokens = UnlearnedDfa(LexFunction(tables.raw.lex_function), roots, tables.token_count)
    return Lexer(tokens, _keywords(tables))


def _keywords(tables: Tables) -> dict[str, int]:
    """By keyword, its token: all words that the compiled keyword lexer accepts.

    They are found by adding each letter to each text that the lexer reads.
    """
    if not tables.raw.keyword_lex_function:
        return {}
    trace = LexFunction(tables.raw.keyword_lex_function).trace
    keywords: dict[str, int] = {}
    work: list[Word] = [()]
    while work:
        word = work.pop()
        events = trace(0, word)
        if sum(event < MARK for event in events) < len(word):
            continue
        if word and events[-1] >= MARK:
            keywords["".join(map(chr, word))] = events[-1] - MARK
        work += [(*word, ord(letter)) for letter in _LETTERS]
    return keywords

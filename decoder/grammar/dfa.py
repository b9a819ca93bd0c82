"""The automaton of a compiled lex function as a table: transitions, accepted tokens, and the tokens still reachable.

A generated parser contains its lexer as machine code, which can only be run to the end of a token. A table can stop
after any character and say which tokens are still possible. `learn` makes it, `lexer` keeps it in a file, and `reader`
reads tokens by it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ASCII: Final = 128
"""The first code point that is not ASCII."""
NO_TOKEN: Final = -1

Row = list["CharacterMove | None"]
"""The moves of one state, by column (`Dfa`); None where the token ends before the character."""

_CHARACTERS_KEPT = 4096
"""A state remembers its moves for so many characters, ASCII included: texts of many alphabets must not fill memory."""


class CharacterMove(NamedTuple):
    """What reading one character does."""

    target: int
    """The state after the character."""
    skips: bool
    """Whether the character is white space before the token, not part of it."""
    token: int = NO_TOKEN
    """The token that ends in the target; NO_TOKEN where none does."""


class Walkable(Protocol):
    """An automaton that can be stopped after any character: `Dfa`, or `unlearned.UnlearnedDfa`."""

    @property
    def accepts(self) -> Sequence[int]:
        """The token that ends in each state; NO_TOKEN where none does."""

    @property
    def roots(self) -> Mapping[int, int]:
        """By start state of the compiled lex function (`LexMode.lex_state`), the state here."""

    @property
    def moves(self) -> Sequence[Mapping[str, CharacterMove | None]]:
        """For each state its move by character; None where the token ends before the character."""

    @property
    def reachable(self) -> Sequence[int]:
        """The tokens that can end after one more character or later, as a bit set for each state."""

    @property
    def is_final(self) -> Sequence[bool]:
        """For each state whether no character leads on from it."""


@dataclass(frozen=True)
class Dfa:
    """A deterministic automaton over code points.

    The columns of a row below 128 are the ASCII characters; that of NUL is always None. Each column after them is a
    class of other characters. Neighbouring characters of one class are a run: `class_starts` has the first code point
    of each run, in order, and `class_of_run` its class.
    """

    rows: Sequence[Row]
    accepts: Sequence[int]
    """The token that ends in each state; NO_TOKEN where none does."""
    roots: Mapping[int, int]
    """By start state of the compiled lex function, the state here."""
    class_starts: Sequence[int]
    class_of_run: Sequence[int]

    def move(self, state: int, code: int) -> CharacterMove | None:
        """The move from `state` by a code point; None where the token ends before it."""
        if code < ASCII:
            return self.rows[state][code]
        return self.rows[state][ASCII + self.class_of_run[bisect_right(self.class_starts, code) - 1]]

    @cached_property
    def moves(self) -> Sequence[Mapping[str, CharacterMove | None]]:
        """For each state its move by character, as `move` returns it, in one look-up."""
        return [_Moves(self, state) for state in range(len(self.rows))]

    @cached_property
    def reachable(self) -> Sequence[int]:
        """The tokens that can end after one more character or later, as a bit set for each state."""
        sets = [0] * len(self.rows)
        targets = [{move.target for move in row if move} for row in self.rows]
        accepted = [1 << token if token != NO_TOKEN else 0 for token in self.accepts]
        changed = True
        while changed:
            changed = False
            for state, successors in enumerate(targets):
                union = sets[state]
                for target in successors:
                    union |= sets[target] | accepted[target]
                if union != sets[state]:
                    sets[state] = union
                    changed = True
        return sets

    @cached_property
    def is_final(self) -> Sequence[bool]:
        """For each state whether no character leads on from it."""
        return [not any(row) for row in self.rows]

    def words(self) -> dict[str, int]:
        """All texts that the automaton accepts, with their tokens. For keyword lexers, whose language is finite."""
        words: dict[str, int] = {}
        work = [("", self.roots[0])]
        while work:
            text, state = work.pop()
            if self.accepts[state] != NO_TOKEN:
                words[text] = self.accepts[state]
            letters = enumerate(self.rows[state][:ASCII])
            work += [(text + chr(code), move.target) for code, move in letters if move and not move.skips]
        return words


class _Moves(dict[str, "CharacterMove | None"]):
    """One state's moves: ASCII from the start, other characters as they occur."""

    def __init__(self, dfa: Dfa, state: int) -> None:
        super().__init__((chr(code), dfa.rows[state][code]) for code in range(ASCII))
        self._dfa = dfa
        self._state = state

    def __missing__(self, character: str) -> CharacterMove | None:
        move = self._dfa.move(self._state, ord(character))
        if len(self) < _CHARACTERS_KEPT:
            self[character] = move
        return move

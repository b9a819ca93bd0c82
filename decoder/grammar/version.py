"""One way to parse an unfinished text, and the end of the text that it still needs; "version" as in tree-sitter.

Plain data; `reader` and `automaton` advance it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoder.grammar.scanner import PLAIN, Place

if TYPE_CHECKING:
    from decoder.grammar.stack import Node

NOT_CALM: Final = -1
_PLAIN: Final = frozenset(PLAIN)


@dataclass(slots=True, eq=False)  # frozen, or a named tuple, would be right, and twice as slow to make: none is changed
class Lexeme:
    """How far the table lexer is into an unfinished token. Positions are offsets into the window's text."""

    state: int
    position: int
    """The first character not read."""
    start: int
    """Where the token begins, white space left out."""
    token: int
    """The longest token found so far; NO_TOKEN for none."""
    token_start: int
    token_end: int

    def moved(self, distance: int) -> Lexeme:
        """The same after the text lost its first `distance` characters."""
        return Lexeme(
            self.state,
            self.position - distance,
            self.start - distance,
            self.token,
            self.token_start - distance,
            self.token_end - distance,
        )


@dataclass(slots=True, eq=False)  # see Lexeme
class StandIn:
    """A short text that an external scanner takes like the whole beginning of a long token."""

    text: str
    upto: int
    """The end, in the window's text, of what it stands for."""
    plain: frozenset[str]
    """Characters that leave the scanner where it is: with them added, the text still stands for the whole beginning."""


@dataclass(slots=True, eq=False)  # see Lexeme
class Version:
    """One reading of the text so far."""

    node: Node
    position: int
    """Where the next token's text begins in the window's text; everything before it is on the stack."""
    saved: bytes
    """State of the external scanner."""
    lexeme: Lexeme | None = None
    """Set within a token."""
    declined: bool = False
    """The external scanner has said that the token is none of its own."""
    stand_in: StandIn | None = None
    calm: int = NOT_CALM
    """The end, in the window's text, of a short token that plain characters leave undecided and viable."""

    def moved(self, distance: int) -> Version:
        """The same after the text lost its first `distance` characters."""
        stand_in = self.stand_in
        return Version(
            self.node,
            self.position - distance,
            self.saved,
            self.lexeme and self.lexeme.moved(distance),
            self.declined,
            stand_in and StandIn(stand_in.text, stand_in.upto - distance, stand_in.plain),
            NOT_CALM if self.calm == NOT_CALM else self.calm - distance,
        )

    def past(self, text: str, upto: int) -> Version | None:
        """The same after `text`, which ends at `upto`, if that leaves the token just where it is; else None."""
        stand_in = self.stand_in
        if stand_in is None:
            if self.calm + len(text) != upto or not _PLAIN.issuperset(text):
                return None
            return Version(self.node, self.position, self.saved, self.lexeme, calm=upto)
        if self.declined or stand_in.upto + len(text) != upto or not stand_in.plain.issuperset(text):
            return None
        stretched = StandIn(stand_in.text, upto, stand_in.plain)
        return Version(self.node, self.position, self.saved, self.lexeme, stand_in=stretched)


@dataclass(slots=True)  # see Lexeme
class Window:
    """The end of a text: what some version has made no token of yet."""

    text: str
    column: int
    """Code points between the start of the line and the window."""
    at_start: bool
    """The window begins where the file does."""

    def place(self, position: int) -> Place:
        """Where in the file a position is, as far as a scanner can see."""
        if position == 0:
            return Place(self.column, self.at_start)
        line = self.text.rfind("\n", 0, position)
        return Place(position - line - 1 if line >= 0 else self.column + position, at_start=False)


@dataclass(slots=True, eq=False)  # see Lexeme
class Token:
    """A token read at a version's position."""

    symbol: int
    start: int
    end: int
    saved: bytes
    is_keyword: bool = False

"""One way to parse an unfinished text, and the end of the text that it still needs; "version" as in tree-sitter.

Plain data; `reader` and `automaton` advance it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.grammar.scanner import ScanStart

if TYPE_CHECKING:
    from decoder.grammar.stack import Node


@dataclass(slots=True, eq=False)  # frozen, it would be twice as slow to make; `Version.lexeme`, `.stand_in` change
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
    """A short text after which an external scanner goes on as after the beginning of a long token."""

    text: str
    upto: int
    """Where, in the window's text, the beginning that it stands for ends."""


@dataclass(slots=True, eq=False)  # see Lexeme
class Version:
    """One reading of the text so far."""

    node: Node
    position: int
    """Where the next token's text begins in the window's text; everything before it is on the stack."""
    saved: bytes
    """State of the external scanner after the last token."""
    lexeme: Lexeme | None = None
    """Set within a token."""
    declined: bool = False
    """The external scanner has said that the token is none of its own."""
    stand_in: StandIn | None = None

    def restarted(self) -> Version:
        """The same before its unfinished token, whose text is read again: as if more comes, or as if the text ends."""
        return Version(self.node, self.position, self.saved)

    def moved(self, distance: int) -> Version:
        """The same after the text lost its first `distance` characters."""
        stand_in = self.stand_in
        return Version(
            self.node,
            self.position - distance,
            self.saved,
            self.lexeme and self.lexeme.moved(distance),
            self.declined,
            stand_in and StandIn(stand_in.text, stand_in.upto - distance),
        )


@dataclass(slots=True)  # see Lexeme
class Window:
    """The end of a text, with at least all that some version has not read as tokens yet."""

    text: str
    column: int
    """Code points between the start of the line and the window."""
    at_start: bool
    """The window begins where the file does."""

    def place(self, position: int) -> ScanStart:
        """Where in the file a position is, as far as a scanner can see."""
        if position == 0:
            return ScanStart(self.column, self.at_start)
        line = self.text.rfind("\n", 0, position)
        return ScanStart(position - line - 1 if line >= 0 else self.column + position, at_start=False)


@dataclass(slots=True, eq=False)  # see Lexeme
class GrammarToken:
    """A token read at a version's position; offsets into the window's text."""

    symbol: int
    start: int
    end: int
    saved: bytes
    """State of the external scanner after it."""
    is_keyword: bool = False

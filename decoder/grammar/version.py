"""One way to parse an unfinished text, and the end of the text that it still needs.

"Version" is tree-sitter's word for it. Plain data; `reader` and `automaton` advance it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.grammar.scanner import ScanStart

if TYPE_CHECKING:
    from decoder.grammar.stack import StackNode


@dataclass(slots=True, eq=False)  # not frozen, which would double the time to make one
class Lexeme:
    """How far the lexer's automaton has read an unfinished token. Positions are offsets into the window's text."""

    state: int
    """The automaton's state."""
    position: int
    """The first character that has not been read."""
    start: int
    """Where the token begins, after white space."""
    token: int
    """The longest token so far; NO_TOKEN for none."""
    token_start: int
    """Where the longest token so far begins."""
    token_end: int
    """Where the longest token so far ends."""

    def moved(self, distance: int) -> Lexeme:
        """The same after the window lost its first `distance` characters."""
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
    """A short text that replaces the beginning of a long token: after both, the external scanner does the same."""

    text: str
    upto: int
    """Where the replaced beginning ends, as an offset into the window's text."""


@dataclass(slots=True, eq=False)  # see Lexeme; `reader` and `automaton` set `lexeme` and `stand_in` later
class Version:
    """One reading of the text so far."""

    node: StackNode
    """The top of the stack."""
    position: int
    """Where the next token's text begins in the window's text; everything before it is on the stack."""
    saved: bytes
    """The external scanner's state after the last token."""
    lexeme: Lexeme | None = None
    """How far the unfinished token has been read; None where the lexer has not begun."""
    declined: bool = False
    """Whether the external scanner has decided that the unfinished token is none of its own."""
    stand_in: StandIn | None = None
    """What the external scanner may be asked about instead of a long token."""

    def restarted(self) -> Version:
        """The same without what is known of its unfinished token, so that this is read again."""
        return Version(self.node, self.position, self.saved)

    def moved(self, distance: int) -> Version:
        """The same after the window lost its first `distance` characters."""
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
    """The end of a text. It has at least all that some version has not read as tokens yet."""

    text: str
    column: int
    """Code points between the start of the line and the window."""
    at_start: bool
    """Whether the window begins where the file does."""

    def place(self, position: int) -> ScanStart:
        """Where in the file a position of the window is, as far as a scanner can see."""
        if position == 0:
            return ScanStart(self.column, self.at_start)
        line = self.text.rfind("\n", 0, position)
        return ScanStart(position - line - 1 if line >= 0 else self.column + position, at_start=False)


@dataclass(slots=True, eq=False)  # see Lexeme
class GrammarToken:
    """A token read at a version's position. Start and end are offsets into the window's text."""

    symbol: int
    start: int
    end: int
    saved: bytes
    """The external scanner's state after the token."""
    is_keyword: bool = False
    """Whether it is a word that is read as a keyword."""

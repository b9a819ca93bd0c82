"""Reads tokens: the scanner of the grammar first, then its automaton of characters, as tree-sitter does.

A token is undecided while another character could still change it; then the reading comes back, further on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.scanner import LONG_TOKEN, Answer
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme, StandIn, Token, Version

if TYPE_CHECKING:
    from decoder.grammar.dfa import Lexer
    from decoder.grammar.scanner import Scanner
    from decoder.grammar.stack import Node
    from decoder.grammar.stricter import Strictness
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Window


class Reader:
    """The lexing half of a grammar."""

    def __init__(self, tables: Tables, lexer: Lexer, scanner: Scanner, strictness: Strictness | None = None) -> None:
        self._tables = tables
        self._scanner = scanner
        self._dfa = lexer.tokens
        self._moves = lexer.tokens.moves
        self._keywords = lexer.keywords
        self._keywords_from = lexer.keywords_from
        self._strictness = strictness
        self.initial = scanner.initial

    def read(  # noqa: C901 - one decision after another, as tree-sitter takes them
        self, version: Version, window: Window, mode: LexMode, *, ended: bool
    ) -> Token | Version | None:
        """The token at a version's position, the version itself (further on) while undecided, or None for no token."""
        text, position = window.text, version.position
        if mode.lex_state == NO_LEXING:
            return Token(END_OF_EXTRA, position, position, version.saved)
        if position >= len(text) and not ended:
            return version
        if mode.external_state and not version.declined:
            answer = self._scan(version, window, mode, ended=ended)
            if answer is Answer.UNDECIDED:
                return self._undecided(version, window, mode)
            if isinstance(answer, Token) and not self._is_idle(version, answer, mode):
                return answer if self._is_good_line(answer, text[position:], version.saved) else None
        lexeme, goes_on = self._lex(version.lexeme, mode, position, text)
        if lexeme.start > position and "\n" in text[position : lexeme.start] and not self._may_skip_lines(version.node):
            return None
        if goes_on:
            if ended:
                lexeme = self._at_end(lexeme, position, window, mode)
            elif not self._dfa.is_final[lexeme.state]:
                return Version(version.node, position, version.saved, lexeme, declined=True)
        if lexeme.token > END_OF_INPUT:
            return self.token(version.node, lexeme, text, version.saved)
        if ended and (lexeme.token == END_OF_INPUT or lexeme.start >= len(text) or position >= len(text)):
            return Token(END_OF_INPUT, len(text), len(text), version.saved)
        return None

    def _is_good_line(self, token: Token, rest: str, saved: bytes) -> bool:
        strictness = self._strictness
        return strictness is None or token.symbol != strictness.line_end or strictness.line_fits(rest, saved)

    def _may_skip_lines(self, node: Node) -> bool:
        return self._strictness is None or self._strictness.may_skip_lines(node.state)

    def _scan(self, version: Version, window: Window, mode: LexMode, *, ended: bool) -> Token | Answer:
        position, external_state, saved = version.position, mode.external_state, version.saved
        text = window.text[position:]
        repeatable = not ended and (position > 0 or not window.at_start)
        answer = self._scanner.known(external_state, saved, text) if repeatable else None
        if answer is None:
            place = window.place(position)
            stand_in = version.stand_in
            if stand_in is not None:
                brief = stand_in.text + window.text[stand_in.upto :]
                answer = self._scanner.scan(external_state, saved, brief, place, ended=ended)
            if stand_in is None or answer is not Answer.UNDECIDED:
                answer = self._scanner.scan(external_state, saved, text, place, ended=ended)
        if isinstance(answer, Answer):
            return answer
        return Token(answer.symbol, position + answer.start, position + answer.end, answer.saved)

    def _undecided(self, version: Version, window: Window, mode: LexMode) -> Version:
        """Go on with the table lexer beside the undecided scanner, and keep what the scanner must read short."""
        lexeme, _ = self._lex(version.lexeme, mode, version.position, window.text)
        stand_in = version.stand_in
        head = stand_in.text if stand_in else ""
        rest = stand_in.upto if stand_in else version.position
        if len(head) + len(window.text) - rest > LONG_TOKEN:
            place = window.place(version.position)
            short = self._scanner.shorten(mode.external_state, version.saved, head + window.text[rest:], place)
            if short is not None:
                stand_in = StandIn(short, len(window.text))
        return Version(version.node, version.position, version.saved, lexeme, declined=False, stand_in=stand_in)

    def _is_idle(self, version: Version, token: Token, mode: LexMode) -> bool:
        """Whether an empty external token would change nothing: tree-sitter ignores those."""
        if token.end > version.position or token.saved != version.saved:
            return False
        cell = self._tables.cell(version.node.state, token.symbol)
        is_extra = cell.shift is not None and (cell.is_extra or cell.shift == version.node.state)
        return is_extra or mode is self._tables.modes[0]

    def _lex(self, lexeme: Lexeme | None, mode: LexMode, position: int, text: str) -> tuple[Lexeme, bool]:
        """Read on, or from `position`, to the end of the token or of the text; whether it was the text that ended."""
        if lexeme is None:
            state = self._dfa.roots[mode.lex_state]
            token, start, token_start, token_end = self._dfa.accepts[state], position, position, position
        else:
            state, position, start = lexeme.state, lexeme.position, lexeme.start
            token, token_start, token_end = lexeme.token, lexeme.token_start, lexeme.token_end
        all_moves = self._moves
        for at in range(position, len(text)):
            move = all_moves[state][text[at]]
            if move is None:
                return Lexeme(state, at, start, token, token_start, token_end), False
            state, skips, found = move
            if skips:
                start = at + 1
            if found >= 0:
                token, token_start, token_end = found, start, at + 1
        return Lexeme(state, len(text), start, token, token_start, token_end), True

    def _at_end(self, lexeme: Lexeme, position: int, window: Window, mode: LexMode) -> Lexeme:
        """Let the compiled lexer have the last word where the text ends within a token."""
        reading = self._scanner.last_token(mode.lex_state, window.text[position:])
        if reading is None:
            return lexeme
        return replace(
            lexeme,
            token=reading.symbol,
            token_start=position + reading.start,
            token_end=position + reading.end,
        )

    def token(self, node: Node, lexeme: Lexeme, text: str, saved: bytes) -> Token:
        """The token that a lexeme has found; a keyword where one can stand."""
        symbol = lexeme.token
        if symbol == END_OF_INPUT:
            return Token(symbol, len(text), len(text), saved)
        if symbol == self._tables.word:
            keyword = self._keywords.get(text[lexeme.token_start : lexeme.token_end])
            state = node.state
            if keyword and (keyword in self._tables.cells(state) or self._tables.is_reserved(state, keyword)):
                return Token(keyword, lexeme.token_start, lexeme.token_end, saved, is_keyword=True)
        return Token(symbol, lexeme.token_start, lexeme.token_end, saved)

    def may_go_on(self, lexeme: Lexeme, text: str) -> bool:
        """Whether one more character could still belong to the token."""
        return lexeme.position >= len(text) and not self._dfa.is_final[lexeme.state]

    def grows_into(self, lexeme: Lexeme, text: str) -> int:
        """The tokens that at least one more character can make, as a bit set."""
        tokens = self._dfa.reachable[lexeme.state]
        if tokens >> self._tables.word & 1:
            tokens |= self._keywords_from.get(text[lexeme.start :], 0)
        return tokens

    def becomes(self, lexeme: Lexeme, text: str) -> int:
        """The tokens that the unfinished one is, or can grow into, as a bit set."""
        tokens = self.grows_into(lexeme, text)
        if lexeme.token != NO_TOKEN:
            tokens |= 1 << lexeme.token
            keyword = self._keywords.get(text[lexeme.start :]) if lexeme.token == self._tables.word else None
            if keyword:
                tokens |= 1 << keyword
        return tokens

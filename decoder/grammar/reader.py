"""Reads tokens: the scanner of the grammar first, then its automaton of characters, as tree-sitter does.

A token is undecided while another character could still change it; then the reading comes back, further on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.scanner import DECLINED, UNDECIDED, Answer, Place
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, NO_LEXING
from decoder.grammar.version import Lexeme, Token, Version

if TYPE_CHECKING:
    from decoder.grammar.dfa import Lexer
    from decoder.grammar.scanner import Scanned, Scanner
    from decoder.grammar.stack import Node
    from decoder.grammar.stricter import Strictness
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Window


_LAG: Final = 4
"""Characters behind the token found so far after which it counts as forgotten: the lexer is within a longer one."""


def has_line_end(text: str) -> bool:
    """Whether a line ends within white space, as within a quoted string none may."""
    return "\n" in text or "\r" in text


class Reader:
    """The lexing half of a grammar."""

    def __init__(self, tables: Tables, lexer: Lexer, scanner: Scanner, strictness: Strictness | None = None) -> None:
        self._tables = tables
        self._scanner = scanner
        self._told = scanner.told
        self.lexer = lexer.tokens
        self._moves = lexer.tokens.moves
        self.reachable = lexer.tokens.reachable
        """By lexer state the tokens that at least one more character can make, keywords aside, as a bit set."""
        self._skips_lines: dict[int, bool] = {}
        self.keywords = lexer.keywords
        self.keyword_beginnings = lexer.keywords_from
        self._beginnings = frozenset([*lexer.keywords, *lexer.keywords_from]) - {""}
        self._words = sum(1 << token for token in {tables.word, *lexer.keywords.values()})
        self._strictness = strictness
        self.words = frozenset(lexer.keywords) | (frozenset() if strictness is None else strictness.words)
        """Words that are more than a word somewhere."""
        self.initial = scanner.initial

    @property
    def scanner(self) -> Scanner:
        """Who is asked first."""
        return self._scanner

    def read(  # noqa: C901 - one decision after another, as tree-sitter takes them
        self, version: Version, window: Window, mode: LexMode, *, ended: bool
    ) -> Token | Version | None:
        """The token at a version's position, the version itself (further on) while undecided, or None for no token."""
        text, position = window.text, version.position
        if mode.lex_state == NO_LEXING:
            return Token(END_OF_EXTRA, position, position, version.saved)
        if position >= len(text) and not ended:
            return version
        if not (
            version.declined
            or not mode.external_state
            or (  # what the first character tells, mostly
                (position or not window.at_start)
                and not ended
                and self._told.get((mode.external_state, version.saved, text[position])) is DECLINED
            )
        ):
            answer = self._scan(version, window, mode, ended=ended)
            if answer is UNDECIDED:
                return Version(version.node, position, version.saved, version.lexeme, stand_in=version.stand_in)
            if answer is not DECLINED and not self.is_idle(version, answer, mode):
                return answer if self.is_good_line(answer, text[position:], version.saved) else None
        lexeme, goes_on = self._lex(version.lexeme, mode, position, text)
        if (
            lexeme.start > position
            and has_line_end(text[position : lexeme.start])
            and not self.may_skip_lines(version.node.like)
        ):
            return None
        if goes_on:
            if ended:
                lexeme = self._at_end(lexeme, position, window, mode)
            elif not self.lexer.is_final[lexeme.state]:
                return Version(version.node, position, version.saved, lexeme, declined=True)
        if lexeme.token > END_OF_INPUT:
            return self.token(version.node, lexeme, text, version.saved)
        if ended and (lexeme.token == END_OF_INPUT or lexeme.start >= len(text) or position >= len(text)):
            return Token(END_OF_INPUT, len(text), len(text), version.saved)
        return None

    def is_good_line(self, token: Token, rest: str, saved: bytes) -> bool:
        """Whether the line after a token, where it is a line end, is indented like an open block."""
        strictness = self._strictness
        return strictness is None or token.symbol != strictness.line_end or strictness.line_fits(rest, saved)

    def within_line(self, saved: bytes) -> bytes:
        """What the scanner knows that matters before the next line end."""
        return saved if self._strictness is None else self._strictness.within_line(saved)

    def may_skip_lines(self, state: int) -> bool:
        """Whether line ends are white space before the next token of a stack in `state`."""
        skips = self._skips_lines.get(state)
        if skips is None:
            skips = self._strictness is None or self._strictness.may_skip_lines(state)
            self._skips_lines[state] = skips
        return skips

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
            if stand_in is None or answer is not UNDECIDED:
                answer = self._scanner.scan(external_state, saved, text, place, ended=ended)
        if isinstance(answer, Answer):
            return answer
        return Token(answer.symbol, position + answer.start, position + answer.end, answer.saved)

    def if_declined(self, version: Version, window: Window, mode: LexMode) -> Lexeme:
        """How far the table lexer is into the token if the undecided scanner leaves it to it.

        The version keeps it, so that the next question about a long token does not read it from its start.
        """
        version.lexeme = self._lex(version.lexeme, mode, version.position, window.text)[0]
        return version.lexeme

    def last(self, lexeme: Lexeme, mode: LexMode, text: str) -> Lexeme:
        """How far the table lexer is into what a text ends with, which an undecided scanner may take for one token."""
        while lexeme.position < len(text) and lexeme.token > END_OF_INPUT and lexeme.token_end > lexeme.token_start:
            lexeme, _ = self._lex(None, mode, lexeme.token_end, text)
        return lexeme

    def going_on(self, state: int, saved: bytes, text: str) -> tuple[object, ...] | None:
        """What tells `text`, an undecided beginning of a token, from others that do not go on like it.

        Evidence, not proof: see `Scanner.going_on`. None where its spelling or its indentation matters. How far the
        table lexer is into the text is nobody's concern where it can find no token that has a place on `state`; where
        it has found a comment, what follows that goes on.
        """
        mode, valid = self._tables.modes[state], self._tables.valid_tokens(state)
        lexeme = self._lex(None, mode, 0, text)[0]
        last_line = text[text.rfind("\n") + 1 :]
        if text.isspace() or (valid & self._words and text[lexeme.start :] in self._beginnings):
            return None
        here = self._scanner.going_on(mode.external_state, saved, text)
        if last_line.isspace() and self._scanner.going_on(mode.external_state, saved, text + "x") != here:
            return None  # within a string, white space is as good as letters
        places: tuple[object, ...] = ()
        goes_on = lexeme.position == len(text)
        if goes_on and valid & self.becomes(lexeme, text):
            lag = 0 if lexeme.token == NO_TOKEN else len(text) - lexeme.token_end
            places = (lexeme.state, lexeme.token, min(lag, _LAG))
        elif not goes_on and valid & self._found(lexeme, text):
            cell = self._tables.rows[state][lexeme.token]
            if cell is not None and cell.is_extra:
                rest = self.going_on(state, saved, text[lexeme.token_end :])
                if rest is None:
                    return None
                places = (lexeme.token, rest)
            else:
                places = (lexeme.token, len(text) - lexeme.position, len(text) - lexeme.token_end)
        blank = (lexeme.start == len(text), has_line_end(text[: lexeme.start]), last_line == "")
        return places, blank, here

    def _found(self, lexeme: Lexeme, text: str) -> int:
        """The tokens that the one that a lexeme has found may be read as, as a bit set."""
        if lexeme.token <= END_OF_INPUT:
            return 0
        keyword = self.keywords.get(text[lexeme.token_start : lexeme.token_end], lexeme.token)
        return 1 << lexeme.token | 1 << keyword

    def scan(self, external_state: int, saved: bytes, text: str, *, at_start: bool) -> Scanned | Answer:
        """What the scanner makes of a text at the start of a file, or somewhere within it."""
        if not external_state:
            return DECLINED  # it is not asked
        known = None if at_start else self._scanner.known(external_state, saved, text)
        if known is not None:
            return known
        return self._scanner.scan(external_state, saved, text, Place(0 if at_start else 1, at_start))

    def look(self, external_state: int, saved: bytes, text: str, *, at_start: bool) -> tuple[Scanned | Answer, int]:
        """The same, and the index of the last character that the scanner has looked at."""
        if not external_state:
            return DECLINED, -1
        return self.scanner.look(external_state, saved, text, Place(0 if at_start else 1, at_start))

    def stays(self, external_state: int, saved: bytes, text: str, longer: str) -> bool:
        """Whether a longer text, both not at the start of a file, leaves the scanner as undecided as `text` does.

        Evidence, not proof: see `Scanner.going_on`.
        """
        scanner = self.scanner
        return self.scan(external_state, saved, longer, at_start=False) is UNDECIDED and scanner.going_on(
            external_state, saved, longer
        ) == scanner.going_on(external_state, saved, text)

    def is_idle(self, version: Version, token: Token, mode: LexMode) -> bool:
        """Whether an empty external token would change nothing: tree-sitter ignores those."""
        if token.end > version.position or token.saved != version.saved:
            return False
        cell = self._tables.rows[version.node.like][token.symbol]
        if cell is not None and cell.shift is not None and (cell.is_extra or cell.shift == version.node.like):
            return True
        return mode is self._tables.modes[0]

    def _lex(self, lexeme: Lexeme | None, mode: LexMode, position: int, text: str) -> tuple[Lexeme, bool]:
        """Read on, or from `position`, to the end of the token or of the text; whether it was the text that ended."""
        if lexeme is None:
            state = self.lexer.roots[mode.lex_state]
            token, start, token_start, token_end = self.lexer.accepts[state], position, position, position
        else:
            state, position, start = lexeme.state, lexeme.position, lexeme.start
            token, token_start, token_end = lexeme.token, lexeme.token_start, lexeme.token_end
        moves = self._moves
        for character in text[position:]:
            move = moves[state][character]
            if move is None:
                return Lexeme(state, position, start, token, token_start, token_end), False
            position += 1
            state, skips, found = move
            if skips:
                start = position
            if found >= 0:
                token, token_start, token_end = found, start, position
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
            keyword = self.keywords.get(text[lexeme.token_start : lexeme.token_end])
            state = node.like
            if keyword and (self._tables.rows[state][keyword] is not None or self._tables.is_reserved(state, keyword)):
                return Token(keyword, lexeme.token_start, lexeme.token_end, saved, is_keyword=True)
        return Token(symbol, lexeme.token_start, lexeme.token_end, saved)

    def may_go_on(self, lexeme: Lexeme, text: str) -> bool:
        """Whether one more character could still belong to the token."""
        return lexeme.position >= len(text) and not self.lexer.is_final[lexeme.state]

    def keywords_from(self, lexeme: Lexeme, text: str) -> int:
        """The keywords that at least one more character can make, as a bit set."""
        if self.reachable[lexeme.state] >> self._tables.word & 1:
            return self.keyword_beginnings.get(text[lexeme.start :], 0)
        return 0

    def becomes(self, lexeme: Lexeme, text: str) -> int:
        """The tokens that the unfinished one is, or can grow into, as a bit set."""
        tokens = self.reachable[lexeme.state] | self.keywords_from(lexeme, text)
        if lexeme.token != NO_TOKEN:
            tokens |= 1 << lexeme.token
            keyword = self.keywords.get(text[lexeme.start :]) if lexeme.token == self._tables.word else None
            if keyword:
                tokens |= 1 << keyword
        return tokens

"""Reads tokens as tree-sitter does: with the grammar's external scanner first, then with its lexer.

A token is undecided while another character could still change it. Then `read` returns a version that knows how far
the token has been read. If only the lexer is still reading, this version has `declined` set. Otherwise the scanner is
asked again when there is more text.

`automaton` calls `Reader.read` for each token. It also asks the other methods about an unfinished token.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from decoder.grammar.dfa import NO_TOKEN
from decoder.grammar.scanner import DECLINED, UNDECIDED, ScannerResult
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, ERROR_STATE, NO_LEXING
from decoder.grammar.version import GrammarToken, Lexeme, Version

if TYPE_CHECKING:
    from decoder.grammar.lexer import Lexer
    from decoder.grammar.scanner import Scanner
    from decoder.grammar.stack import StackNode
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Window


class Reader:
    """Reads the tokens of one grammar."""

    def __init__(self, tables: Tables, lexer: Lexer, scanner: Scanner) -> None:
        self._tables = tables
        self.scanner = scanner
        """The external scanner, which is asked first."""
        self._scanner_answers = scanner.answers
        """The scanner's cached answers: `Scanner.answers`."""
        self.lexer = lexer.tokens
        """The lexer's automaton, which reads a token character by character."""
        self._moves = lexer.tokens.moves
        """By lexer state, where a character leads."""
        self.reachable = lexer.tokens.reachable
        """By lexer state, the tokens that at least one more character can complete, without keywords, as a bit set."""
        self.keywords = lexer.keywords
        """By word, the token that it is where a keyword may follow."""
        self.keyword_beginnings = lexer.keyword_beginnings
        """By proper beginning of a keyword, the keywords that begin like it, as a bit set."""
        self.initial = scanner.initial
        """The scanner's state at the start of a file."""

    def read(  # noqa: C901 - one decision after another, as tree-sitter takes them
        self, version: Version, window: Window, mode: LexMode, *, ended: bool
    ) -> GrammarToken | Version | None:
        """Read the token at a version's position: by the scanner, and by the lexer if the scanner declines.

        Args:
            mode: How the version's LR state reads (`Tables.modes`), or the mode of the error state.
            ended: Whether the text ends with the window.

        Returns:
            The token; while it is undecided, the version with how far the token has been read; None where no token of
            this mode is.
        """
        text, position = window.text, version.position
        if mode.lex_state == NO_LEXING:
            return GrammarToken(END_OF_EXTRA, position, position, version.saved)
        if position >= len(text) and not ended:
            return version
        if (
            not version.declined
            and mode.external_state  # some tokens of the scanner may come here
            and (
                # Usually it is known that the scanner declines whatever begins with this character. Such answers are of
                # texts that go on, and not of the start of a file: there it is asked.
                ended
                or (not position and window.at_start)
                or self._scanner_answers.get((mode.external_state, version.saved, text[position])) is not DECLINED
            )
        ):
            answer = self._scan(version, window, mode, ended=ended)
            if answer is UNDECIDED:
                return Version(version.node, position, version.saved, version.lexeme, stand_in=version.stand_in)
            if answer is not DECLINED and not self._is_idle(version, answer, mode):
                return answer
        lexeme, goes_on = self._lex(version.lexeme, mode, position, text)
        if goes_on:
            if ended:
                lexeme = self._at_end(lexeme, position, window, mode)
            elif not self.lexer.is_final[lexeme.state]:
                return Version(version.node, position, version.saved, lexeme, declined=True)
        if lexeme.token > END_OF_INPUT:
            return self.token(version.node, lexeme, text, version.saved)
        # the end: the lexer says so, or only white space is left, or nothing
        if ended and (lexeme.token == END_OF_INPUT or lexeme.start >= len(text) or position >= len(text)):
            return GrammarToken(END_OF_INPUT, len(text), len(text), version.saved)
        return None

    def _scan(self, version: Version, window: Window, mode: LexMode, *, ended: bool) -> GrammarToken | ScannerResult:
        """What the external scanner makes of the text at a version's position: a token, UNDECIDED or DECLINED."""
        position, external_state, saved = version.position, mode.external_state, version.saved
        text = window.text[position:]
        may_be_known = not ended and (position > 0 or not window.at_start)  # see `read`
        answer = self.scanner.known(external_state, saved, text) if may_be_known else None
        if answer is None:
            place = window.place(position)
            stand_in = version.stand_in
            if stand_in is not None:  # a long token: ask first about a short one for which the answer is the same
                short = stand_in.text + window.text[stand_in.upto :]
                answer = self.scanner.scan(external_state, saved, short, place, ended=ended)
            if stand_in is None or answer is not UNDECIDED:
                answer = self.scanner.scan(external_state, saved, text, place, ended=ended)
        if isinstance(answer, ScannerResult):
            return answer
        return GrammarToken(answer.symbol, position + answer.start, position + answer.end, answer.saved)

    def read_on_by_lexer(self, version: Version, window: Window, mode: LexMode) -> Lexeme:
        """Read the unfinished token of a version by the lexer, in case the scanner, which is undecided, declines it.

        The result is stored in the version, so that the next question about a long token goes on from there.
        """
        version.lexeme = self._lex(version.lexeme, mode, version.position, window.text)[0]
        return version.lexeme

    def _is_idle(self, version: Version, token: GrammarToken, mode: LexMode) -> bool:
        """Whether a token of the external scanner is ignored, as tree-sitter does, since reading it leads nowhere.

        It is empty, the scanner's state is the same after it, and either so is the stack's or the error state reads.
        """
        if token.end > version.position or token.saved != version.saved:
            return False
        cell = self._tables.rows[version.node.state][token.symbol]
        if cell is not None and cell.shift is not None and (cell.is_extra or cell.shift == version.node.state):
            return True
        return mode is self._tables.modes[ERROR_STATE]  # error recovery must not stand still: it needs text to skip

    def _lex(self, lexeme: Lexeme | None, mode: LexMode, position: int, text: str) -> tuple[Lexeme, bool]:
        """Read by the lexer to the end of the token or of the text.

        Args:
            lexeme: How far the token has been read; None to begin at `position`.

        Returns:
            How far the token has been read now, and whether the text ended before the token did.
        """
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
            state, skips, ended_token = move
            if skips:
                start = position
            if ended_token >= 0:
                token, token_start, token_end = ended_token, start, position
        return Lexeme(state, len(text), start, token, token_start, token_end), True

    def _at_end(self, lexeme: Lexeme, position: int, window: Window, mode: LexMode) -> Lexeme:
        """The lexeme with the token that the compiled lexer finds at `position`, where the text ends within a token."""
        reading = self.scanner.last_token(mode.lex_state, window.text[position:])
        if reading is None:
            return lexeme
        return replace(
            lexeme,
            token=reading.symbol,
            token_start=position + reading.start,
            token_end=position + reading.end,
        )

    def token(self, node: StackNode, lexeme: Lexeme, text: str, saved: bytes) -> GrammarToken:
        """The token of a lexeme: a keyword if the word is one and the stack `node` takes it, or reserves it.

        Otherwise a keyword is an identifier, such as `get` in `x = get`.
        """
        symbol = lexeme.token
        if symbol == END_OF_INPUT:
            return GrammarToken(symbol, len(text), len(text), saved)
        if symbol == self._tables.word:
            keyword = self.keywords.get(text[lexeme.token_start : lexeme.token_end])
            state = node.state
            if keyword and (self._tables.rows[state][keyword] is not None or self._tables.is_reserved(state, keyword)):
                return GrammarToken(keyword, lexeme.token_start, lexeme.token_end, saved, is_keyword=True)
        return GrammarToken(symbol, lexeme.token_start, lexeme.token_end, saved)

    def keywords_from(self, lexeme: Lexeme, text: str) -> int:
        """The keywords that the unfinished token becomes with at least one more character, as a bit set."""
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

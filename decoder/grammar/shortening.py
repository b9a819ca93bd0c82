"""Shortens an undecided token to the parts that must be read again; this changes only the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.grammar.scanner import LONG_TOKEN, PLAIN
from decoder.grammar.version import StandIn

if TYPE_CHECKING:
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import LexMode, Tables
    from decoder.grammar.version import Lexeme, Version, Window

_REMEMBERED: Final = 1 << 12


class Shortening:
    """Replaces long texts by short ones with the same scanner result."""

    def __init__(self, tables: Tables, reader: Reader) -> None:
        self._tables = tables
        self._reader = reader
        self._scanner = reader.scanner
        self._calm: dict[tuple[object, ...], bool] = {}

    def of(self, version: Version, window: Window) -> Version:
        """A version within a token that the scanner has not decided, with a short stand-in for the token's text.

        This changes only the cost, and pays only for versions that will be read further. Short tokens stay as they are,
        and are read by the table lexer, too, so that the word that they may be is known.
        """
        stand_in, mode = version.stand_in, self._tables.modes[version.node.state]
        if version.declined or version.position >= len(window.text) or not mode.external_state:
            return version
        if len(window.text) - version.position <= LONG_TOKEN:
            lexeme = self._reader.if_declined(version, window, mode)
            if self._is_calm(version, lexeme, window, mode):
                version.calm = len(window.text)
            return version
        head = stand_in.text if stand_in else ""
        rest = window.text[stand_in.upto if stand_in else version.position :]
        if stand_in and stand_in.plain and self._scanner.ignores(mode.external_state, version.saved, head, rest):
            version.stand_in = StandIn(head, len(window.text), stand_in.plain)
        elif len(rest) > LONG_TOKEN:
            place = window.place(version.position)
            short, plain = self._scanner.shorten(mode.external_state, version.saved, head + rest, place)
            version.stand_in = StandIn(short, len(window.text), plain)
        return version

    def _is_calm(self, version: Version, lexeme: Lexeme, window: Window, mode: LexMode) -> bool:
        """Whether plain characters do not change the scanner's state in a short token, as in a string or a comment.

        Tried once for all tokens that end in the same state of the table lexer. If the answer were wrong, a text would
        be refused only at the next character that is not plain: then the whole token is read again.
        """
        text = window.text
        if text[-1] not in PLAIN or (window.at_start and version.position == 0):
            return False
        lexeme = self._reader.last(lexeme, mode, text)
        if lexeme.start >= len(text):
            return False
        within = (lexeme.state, lexeme.token) if lexeme.position >= len(text) else None
        key = (mode.external_state, version.saved, within)
        calm = self._calm.get(key)
        if calm is None:
            if len(self._calm) >= _REMEMBERED:
                self._calm.clear()
            token = text[version.position :]
            calm = self._calm[key] = self._scanner.is_calm(mode.external_state, version.saved, token)
        return calm

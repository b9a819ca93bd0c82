"""Shortens an undecided token to the parts that must be read again; this changes only the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.scanner import LONG_TOKEN
from decoder.grammar.version import StandIn

if TYPE_CHECKING:
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables
    from decoder.grammar.version import Version, Window


class Shortening:
    """Replaces long texts by short ones with the same scanner result."""

    def __init__(self, tables: Tables, reader: Reader) -> None:
        self._tables = tables
        self._reader = reader
        self._scanner = reader.scanner

    def of(self, version: Version, window: Window) -> Version:
        """A version within a token that the scanner has not decided, with a short stand-in for the token's text.

        This changes only the cost, and pays only for versions that will be read further. Short tokens stay as they are,
        and are read by the table lexer, too, so that the word that they may be is known.
        """
        stand_in, mode = version.stand_in, self._tables.modes[version.node.state]
        if version.declined or version.position >= len(window.text) or not mode.external_state:
            return version
        if len(window.text) - version.position <= LONG_TOKEN:
            self._reader.if_declined(version, window, mode)
            return version
        head = stand_in.text if stand_in else ""
        rest = window.text[stand_in.upto if stand_in else version.position :]
        if len(rest) > LONG_TOKEN:
            place = window.place(version.position)
            short = self._scanner.shorten(mode.external_state, version.saved, head + rest, place)
            version.stand_in = StandIn(short, len(window.text))
        return version

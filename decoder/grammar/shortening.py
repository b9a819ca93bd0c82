"""Makes an undecided token cheap to read further: a long one gets a short stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.scanner import LONG_TOKEN
from decoder.grammar.version import StandIn

if TYPE_CHECKING:
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import LexMode
    from decoder.grammar.version import Version, Window


def shorten(version: Version, window: Window, mode: LexMode, reader: Reader) -> None:
    """Note in a version within a token that the external scanner has not decided what makes reading on cheap.

    A long token gets a stand-in with the same scanner result: only the cost changes. A short one is read by the table
    lexer, too, so that the word that it may be is known. Both pay only for versions that will be read further.
    """
    if version.declined or version.position >= len(window.text) or not mode.external_state:
        return
    if len(window.text) - version.position <= LONG_TOKEN:
        reader.read_on_by_lexer(version, window, mode)
        return
    stand_in = version.stand_in
    head = stand_in.text if stand_in else ""
    rest = window.text[stand_in.upto if stand_in else version.position :]
    if len(rest) > LONG_TOKEN:
        place = window.place(version.position)
        short = reader.scanner.shorten(mode.external_state, version.saved, head + rest, place)
        version.stand_in = StandIn(short, len(window.text))

"""Makes an undecided token cheap to read on with: a long one gets a short stand-in. `automaton` calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.scanner import LONG_TOKEN
from decoder.grammar.version import StandIn

if TYPE_CHECKING:
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import LexMode
    from decoder.grammar.version import Version, Window


def shorten(version: Version, window: Window, mode: LexMode, reader: Reader) -> None:
    """Prepare a version for reading on, if its token is one that the external scanner has not decided.

    A long token gets a stand-in on which the scanner does the same: only the cost changes. A short token is read by the
    lexer as well, so that it is known which word it may be. Both are worth their time only for versions that will be
    read on with.
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

"""Where brackets end, strings left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

CLOSES: Final[Mapping[str, str]] = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = "'\""


def closed(text: str, start: int, literal: re.Pattern[str]) -> int | None:
    """Behind the bracket that closes the one at `start`; None where none does, or a string is none of `literal`."""
    open_, place = list[str](), start
    while place < len(text):
        sign = text[place]
        if sign in _QUOTES:
            string = literal.match(text, place)
            if string is None:
                return None
            place = string.end()
            continue
        if sign in CLOSES:
            open_.append(CLOSES[sign])
        elif sign in CLOSES.values():
            if open_.pop() != sign:
                return None
            if not open_:
                return place + 1
        place += 1
    return None

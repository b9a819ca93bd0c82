"""What a text lacks at its end, by its tokens alone: ends of strings, comments and brackets, and a body after a header.

A notebook's cells are joined by it: each cell ends before the next one begins, even while it does not parse.
"""

from __future__ import annotations

from context_index.symbols import CLOSES, Language
from decoder.closing.spelling import end_of_token
from decoder.lexical import at_cursor

_PARTNERS = {opening: closing for closing, opening in CLOSES.items()}


def ending(text: str, *, language: Language) -> str:
    """What to put on new lines after a text, so that the text below is not taken for a part of it; mostly nothing."""
    place = at_cursor(f"{text}\n", language=language)
    signs = ""
    while place.frames:
        signs += _PARTNERS.get(place.innermost[-1], "") if place.in_code else end_of_token(place)
        place = place._replace(frames=place.frames[:-1])
    ended = f"\n{signs}" if signs else ""
    if language.record.is_indented and at_cursor(f"{text}{ended}\n", language=language).finished().last == ":":
        *_, line = (text + ended).rstrip().rsplit("\n", 1)
        ended += f"\n{line[: len(line) - len(line.lstrip())]} pass"
    return ended

"""What strings of JavaScript read like that are joined to values with `+`: the template literal that they equal.

Only where that is sure from the text alone: a string comes first, so that nothing is added up as numbers, and all that
follows are strings, names, and their members, calls and items. Knows nothing of who asks.
"""

from __future__ import annotations

import re
from typing import Final

from context_index.symbols import Language
from decoder.constraint.keywords import keywords
from decoder.rewriting.brackets import closed
from decoder.rewriting.formatted import LONGEST, Formatted

_STRING: Final = re.compile(r"""(["'])((?:\\[^\d\n]|(?!\1)[^\\\n`])*)\1""")
_PLUS: Final = re.compile(r"\s*\+(?![+=])\s*")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_MEMBER: Final = re.compile(r"\??\.[A-Za-z_$][\w$]*")
_ENDS: Final = re.compile(
    r"\s*(?:[;,)\]}:=>&|]|\?(?!\.)|!=|<(?=[\s=<])|$)|[ \t]*(?://[^\n]*)?(?:$|\n\s*+(?![-+*/%.?\[(`]))"
)
"""What may follow: nothing that binds closer than `+`, or goes on with the last value (`b!.c`, `b<T>()`)."""
_KEYWORDS: Final = keywords(Language.TYPESCRIPT) - {"this"}
_NOT_PUT_IN: Final = frozenset("`{}\n")
"""What a value in braces is not written with here."""
_OPENS: Final = frozenset("([")
_BEGINS: Final = re.compile(r"""(?<![\w'"\\])(["'])(?:\\.|(?!\1)[^\\\n])*\1\s*\+(?![+=])""")


def joined(text: str) -> Formatted | None:
    """The template which what `text` begins with equals, without its first backtick.

    Returns:
        None where it is no string that a value is joined to, or that is not sure.
    """
    pieces, place, has_value = list[str](), 0, False
    while True:
        if literal := _STRING.match(text, place):
            pieces.append(literal[2])
            if "${" in literal[2] or (literal[2].startswith("{") and "".join(pieces[:-1]).endswith("$")):
                return None
            place = literal.end()
        else:
            end = _value(text, place) if pieces else None
            if end is None:
                return None
            pieces.append("${" + text[place:end] + "}")
            place, has_value = end, True
        plus = _PLUS.match(text, place)
        if plus is None:
            break
        place = plus.end()
    return Formatted(place, "".join(pieces) + "`") if has_value and _ENDS.match(text, place) else None


def count(text: str) -> int:
    """Strings in a text of code that values are joined to."""
    found, place = 0, 0
    while begins := _BEGINS.search(text, place):
        place = begins.end()
        instead = joined(text[begins.start() : begins.start() + LONGEST])
        if instead is not None:
            found, place = found + 1, begins.start() + instead.length
    return found


def _value(text: str, start: int) -> int | None:
    """Where a name, its members, calls and items end; None where that may not stand in braces."""
    name = _NAME.match(text, start)
    if name is None or name[0] in _KEYWORDS:
        return None
    end = name.end()
    while True:
        if member := _MEMBER.match(text, end):
            end = member.end()
        elif text[end : end + 1] in _OPENS:
            behind = closed(text, end, _STRING)
            if behind is None:
                return None
            end = behind
        else:
            break
    return end if _NOT_PUT_IN.isdisjoint(text[start:end]) else None

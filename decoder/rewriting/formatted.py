"""What a string of Python reads like with the values put in that `%` or `.format` put into it: the f-string it equals.

Only where that is sure from the text alone: one literal on one line, as many values as marks, none of which a string
may not hold. What the text does not tell is who a name stands for: one behind `%s` is taken for no tuple, unless it is
called `args`, and one behind `%d`, which would cut a float off, for a whole number; `:d` refuses another. Knows nothing
of who asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword
from typing import Final

from decoder.rewriting.brackets import CLOSES, closed

_LITERAL: Final = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n])*)\1(?!\1)""")
_PERCENT: Final = re.compile(r"%(?:(%)|(\.\d+(?=[fge]))?([sdrafgexX]))")
_BRACES: Final = re.compile(r"\{\{|\}\}|\{(\w*)(![rsa])?(:[^{}]*)?\}")
_INTEGER: Final = re.compile(r"-?\d+|(?:len|int|ord|id|hash)\([^()]*\)|[\w.]+\.(?:count|index|find)\([^()]*\)")
"""What is surely a whole number, which says by itself what `%d` makes of it."""
_FRACTION: Final = re.compile(r"(?<!/)/(?!/)|\d\.|\.\d")
"""What makes a value a float."""
_TUPLE: Final = re.compile(r"(?:[\w.]+\.)?args")
"""A name that nearly always is one, of which `%` takes each value by itself."""
_REPRESENTED: Final = frozenset("ra")
_OPERAND: Final = re.compile(r"[A-Za-z_][\w.]*")
_NAMED: Final = re.compile(r"(\w+)\s*=(?!=)\s*(.*)", re.DOTALL)
_BEGINS: Final = re.compile(r"""(?<![\w'"\\])(["'])(?:\\.|(?!\1)[^\\\n])+\1\s*(?:\\\n\s*)?(?:%|\.format\()""")
LONGEST: Final = 1_000
"""Characters in which one must end."""
_NOT_PUT_IN: Final = frozenset("\\\n{}:!")
"""What a value in braces is not written with, or means something else there."""
_CHARACTER: Final = "\\N{"
"""Behind it stands the name of a character, whose braces are none of a format."""


@dataclass(frozen=True, slots=True)
class Formatted:
    """What stands there instead."""

    length: int
    """Characters of the formatted string: the literal, what formats it, and its values."""
    text: str
    """With its quotes, without the `f`."""


def formatted(text: str) -> Formatted | None:
    """The f-string which what `text` begins with equals; None where it is no formatted string, or that is not sure."""
    literal = _LITERAL.match(text)
    if literal is None or _CHARACTER in literal[2]:
        return None
    quote, written = literal.groups()
    found = _percent(text, literal.end(), written) or _braces(text, literal.end(), written)
    if found is None:
        return None
    end, pieces = found
    if any(isinstance(piece, _Put) and quote in piece.value for piece in pieces):
        return None
    return Formatted(end, quote + "".join(map(str, pieces)) + quote)


@dataclass(frozen=True, slots=True)
class _Put:
    """A value, and how it is written."""

    value: str
    form: str

    def __str__(self) -> str:
        return "{" + self.value + self.form + "}"


_Found = tuple[int, "list[str | _Put]"]


def _percent(text: str, at: int, written: str) -> _Found | None:
    """A literal before `%`."""
    operator = re.compile(r"[ \t]*(?:\\\n[ \t]*)?%[ \t]*(?=[\w(])").match(text, at)
    if operator is None:
        return None
    start = operator.end()
    if text[start] == "(":
        end = closed(text, start, _LITERAL)
        values = None if end is None else _split(text[start + 1 : end - 1])
    else:
        end = _operand(text, start)
        values = [] if end is None or _TUPLE.fullmatch(text, start, end) else [text[start:end]]
    if end is None or not values or _NAMED.match(values[0]) or _goes_on(text, end):
        return None
    given, pieces, last = iter(values), list[str | _Put](), 0
    for mark in _PERCENT.finditer(written):
        pieces.append(_braced(written[last : mark.start()]))
        last = mark.end()
        if mark[1]:
            pieces.append("%")
        elif (value := _value(next(given, ""))) is None or (mark[3] == "d" and _FRACTION.search(value)):
            return None
        else:
            pieces.append(_Put(value, _form(mark[2] or "", mark[3], value)))
    rest = written[last:]
    return None if "%" in rest or next(given, None) is not None else (end, [*pieces, _braced(rest)])


def _braces(text: str, at: int, written: str) -> _Found | None:
    """A literal before `.format`."""
    if not text.startswith(".format(", at):
        return None
    end = closed(text, at + len(".format"), _LITERAL)
    if end is None:
        return None
    values = dict(_keyed(_split(text[at + len(".format(") : end - 1])))
    pieces, last, number, used = list[str | _Put](), 0, 0, set[str]()
    for mark in _BRACES.finditer(written):
        before = written[last : mark.start()]
        pieces.append(before)
        last = mark.end()
        if _has_braces(before):  # of a mark that asks for a member, or whose width is a value
            return None
        if mark[1] is None:
            pieces.append(mark[0])
            continue
        key, number = mark[1] or str(number), number + (not mark[1])
        value = _value(values.get(key, ""))
        if value is None or (key in used and "(" in value):  # it would be called twice
            return None
        used.add(key)
        pieces.append(_Put(value, (mark[2] or "") + (mark[3] or "")))
    rest = written[last:]
    return None if _has_braces(rest) or used != set(values) else (end, [*pieces, rest])


def _has_braces(text: str) -> bool:
    return not {"{", "}"}.isdisjoint(text)


def _keyed(values: list[str]) -> Iterator[tuple[str, str]]:
    for number, value in enumerate(values):
        named = _NAMED.fullmatch(value)
        yield (named[1], named[2]) if named else (str(number), value)


def _braced(text: str) -> str:
    """As it is written in an f-string."""
    return text.replace("{", "{{").replace("}", "}}")


def _form(precision: str, conversion: str, value: str) -> str:
    if conversion in _REPRESENTED:
        return f"!{conversion}"
    is_plain = conversion == "s" or (conversion == "d" and _INTEGER.fullmatch(value) is not None)
    return "" if is_plain else f":{precision}{conversion}"


def _value(value: str) -> str | None:
    """A value, if it may stand in braces."""
    value = value.strip()
    return None if not value or value[0] == "*" or not _NOT_PUT_IN.isdisjoint(value) else value


def _goes_on(text: str, end: int) -> bool:
    """Whether what was taken for the values is but the beginning of them: these bind closer than `%`.

    Before a quote it was the prefix of a string.
    """
    return text.startswith((".", "[", "(", "**", " **", "'", '"'), end)


def _operand(text: str, start: int) -> int | None:
    """Where a name, its members, calls and items end."""
    name = _OPERAND.match(text, start)
    end = name.end() if name and not iskeyword(name[0]) else None
    while end is not None and text[end : end + 1] and text[end] in "([.":
        if text[end] == ".":
            name = _OPERAND.match(text, end + 1)
            end = name.end() if name else None
        else:
            end = closed(text, end, _LITERAL)
    return end


def _split(text: str) -> list[str]:
    """At its commas outside of brackets and strings; a last one that is empty is none."""
    parts, start, place = list[str](), 0, 0
    while place < len(text):
        if text[place] in "'\"" and (literal := _LITERAL.match(text, place)):
            place = literal.end()
            continue
        if text[place] in CLOSES and (end := closed(text, place, _LITERAL)) is not None:
            place = end
            continue
        if text[place] == ",":
            parts.append(text[start:place])
            start = place + 1
        place += 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def count(text: str) -> int:
    """Formatted strings in a text of code."""
    places = (found.start() for found in _BEGINS.finditer(text))
    return sum(formatted(text[place : place + LONGEST]) is not None for place in places)

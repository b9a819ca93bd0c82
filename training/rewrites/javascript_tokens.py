"""JavaScript and TypeScript as tokens with their places, as far as rewrites need them.

A slash after a value is a division; elsewhere it begins a regular expression. Two kinds of texts are refused, as there
are enough others: those with a slash after `}`, where only a parser could decide, and those with braces or templates in
a template's `${}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from context_index.symbols import CLOSES

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    |(?P<template>`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^{}`]*\})*`)
    |(?P<number>\d[\w.]*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<mark>=>|\.\.\.|\?\.|={1,3}|!={1,2}|\*\*|<<|>>>?|[<>]=?|&&|\|\||\?\?|\+\+|--|[-+*%&|^]=?|[{}()\[\];,:?.~!@\#])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_REGEX = frozenset(["return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do"])
"""Words after which a slash begins a regular expression. They are fewer than the language's record has
(`before_operand`), as with more the rows that the built-in model was trained on could change."""


class JavaScriptToken(NamedTuple):
    """A token; white space and comments are left out."""

    kind: str
    """A group of `_TOKEN`, or `regex`."""
    text: str
    start: int
    stop: int


def tokens(text: str) -> Sequence[JavaScriptToken] | None:
    """The tokens of a text; None if one of them is not certain."""
    read: list[JavaScriptToken] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        kind = match.lastgroup if match else None
        if match is None and text[place] == "/":
            divides = _divides(read)
            match = re.compile("/=?").match(text, place) if divides else _REGEX.match(text, place)
            kind = "mark" if divides else "regex"
            if divides is None:
                return None
        if match is None or kind is None:
            return None
        if kind not in ("space", "comment"):
            read.append(JavaScriptToken(kind, match.group(), match.start(), match.end()))
        place = match.end()
    return read


def _divides(before: Sequence[JavaScriptToken]) -> bool | None:
    """Whether a slash after these tokens is a division; None if that is not certain."""
    if not before or before[-1].text == "}":
        return None if before else False
    kind, text, _, _ = before[-1]
    if kind == "mark":
        return text in (")", "]")
    return text not in _BEFORE_REGEX


def closing(found: Sequence[JavaScriptToken], opening: int) -> int | None:
    """The index of the bracket that closes the one at index `opening`; None if the brackets do not match."""
    stack: list[str] = []
    for index in range(opening, len(found)):
        text = found[index].text
        if found[index].kind != "mark":
            continue
        if text in "([{":
            stack.append(text)
        elif text in CLOSES:
            if not stack or stack.pop() != CLOSES[text]:
                return None
            if not stack:
                return index
    return None

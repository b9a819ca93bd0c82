"""The parameter that the argument at the cursor is for, from the tokens before it and the text of a signature."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_index.syntax import Syntax
from context_index.tokens import LAYOUT, tokens_before

_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_SKIPPED = frozenset({"self", "cls", "/"})
_SIGN = re.compile(r"""=>|->|"[^"]*"|'[^']*'|[()\[\]{}<>,]""")


@dataclass(frozen=True, slots=True)
class Argument:
    """The argument that is being written."""

    index: int
    """How many stand before it."""
    keyword: str = ""
    """The parameter that it names, in Python."""


def argument_at(syntax: Syntax, offset: int) -> Argument | None:
    """The argument of the innermost call around an offset; None where no parenthesis is open right around it."""
    tokens = tokens_before(syntax, offset)
    if not tokens.open or tokens.items[tokens.open[-1]].text != "(":
        return None
    index, begins = 0, tokens.open[-1] + 1
    at = len(tokens.items) - 1
    while at > tokens.open[-1]:
        if tokens.items[at].text == ",":
            index, begins = index + 1, max(begins, at + 1)
        at = tokens.partner.get(at, at) - 1
    words = [token for token in tokens.items[begins:] if token.kind not in LAYOUT]
    named = syntax.language.is_python and len(words) > 1 and words[1].text == "="
    return Argument(index, words[0].text if named else "")


def parameter_for(argument: Argument, signature: str) -> str | None:
    """The parameter of a signature that takes an argument; None where it has none, or has been cut."""
    parameters = [text for text in _parameters(signature) if text not in _SKIPPED]
    if argument.keyword:
        return next((text for text in parameters if _name(text) == argument.keyword), None)
    return _positional(parameters, argument.index)


def _positional(parameters: Sequence[str], index: int) -> str | None:
    for at, text in enumerate(parameters):
        rest = text.startswith(("...", "*"))
        if text == "*" or text.startswith("**"):
            return None
        if at == index or rest:
            return text
    return None


def _name(parameter: str) -> str:
    """`tax` of `tax: float = 0`."""
    return parameter.partition(":")[0].partition("=")[0].strip()


def _parameters(signature: str) -> Iterator[str]:
    """What is between the commas of the first parentheses; nothing where they do not close."""
    depth = angles = 0
    found: list[str] = []
    start = -1
    for match in _SIGN.finditer(signature):
        sign, at = match[0], match.start()
        if sign in _CLOSING:
            depth -= 1
            if depth == 0 and start >= 0:
                yield from (one for one in [*found, signature[start:at].strip()] if one)
                return
        elif sign in _OPENING:
            depth += 1
            if depth == 1 and sign == "(" and not angles and start < 0:
                start = at + 1
        elif sign == "<":
            angles += 1
        elif sign == ">":
            angles = max(angles - 1, 0)
        elif sign == "," and depth == 1 and not angles and start >= 0:
            found.append(signature[start:at].strip())
            start = at + 1

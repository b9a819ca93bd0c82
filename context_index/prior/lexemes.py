"""A text as the prior reads it: words and signs, without comments, the insides of strings and the digits of numbers.

Regular expressions read it, not the grammar: half-typed text must be read at each keystroke, in a millisecond or two.
Where a quote inside a regular-expression literal is taken for a string, at most one line is read wrongly.
"""

from __future__ import annotations

import re

from context_index.languages.record import Lexis

TEXT = '"'
"""Stands for any string."""
NUMBER = "0"
"""Stands for any number."""
END_OF_LINE = "\n"
"""The end of a line after which a statement may begin; left out where a sign before or after it shows otherwise."""

_STRING = r"[a-zA-Z]{0,2}\""
"""A string, as `_shortened` leaves it: a sign, and before it letters that belong to it (`f"`)."""
_WORD = r"[^\W\d][\w$]*|\$[\w$]*"
_SIGN = r"=>|\?\.|\.\.\.|->|:=|===|!==|[=!<>+\-*/|&]=|&&|\|\||\?\?|\*\*|[^\s\w]"
_LEXEME = re.compile(rf"{_STRING}|{_WORD}|\d[\w.]*|\n|{_SIGN}")
_JOINS_NEXT = frozenset("([{,.=") | {"?.", "=>", "&&", "||", END_OF_LINE}
"""Lexemes whose statement goes on in the next line."""
_JOINS_LAST = frozenset(")]},.") | {"?."}
"""Lexemes whose statement began before their line."""


def lexemes(text: str, lexis: Lexis) -> list[str]:
    """The words and signs of a text, in order, and the ends of lines after which a statement may begin."""
    cleaned = lexis.aside.sub(_shortened, text)
    result: list[str] = []
    last = END_OF_LINE  # so that blank lines before all are left out, too
    for token in _LEXEME.findall(cleaned):
        if token[0].isdigit():
            token = NUMBER  # noqa: PLW2901 -- as the prior sees it
        elif token[-1] == TEXT:
            token = TEXT  # noqa: PLW2901 -- without the letters before it
        elif token in _JOINS_LAST and last == END_OF_LINE and result:
            result.pop()
        elif token == END_OF_LINE and last in _JOINS_NEXT:
            continue
        result.append(token)
        last = token
    return result


def is_word(lexeme: str) -> bool:
    """Whether a lexeme is a name or a keyword."""
    return lexeme[0].isalpha() or lexeme[0] in "_$"


def _shortened(match: re.Match[str]) -> str:
    """What replaces a match of `Lexis.aside`: of a string, which has a group, a sign; of a comment, white space."""
    return f"{TEXT} " if match.lastindex else " "

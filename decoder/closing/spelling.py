"""How the tokens of a closing are written: what a language's tables do not say.

Punctuation and keywords are named in the tables as they are written. For other tokens the tables have names only: for
an identifier, for the end of a string that only an external scanner knows, and for white space with a meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from context_index.languages.record import quote_of
from context_index.symbols import Language, continues_identifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoder.lexical import Lexical

PLACEHOLDER: Final = "inscope_any"
"""A name that nothing defines: to a checker it is a value, or a type, of which nothing is known."""
IDENTIFIER: Final = "identifier"
"""The token of a name."""
_DIRECTIVE: Final = "#"
"""Begins the names of a preprocessor's directives among the tokens."""
_LINE_COMMENTS: Final = ("//", "#")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one language writes closings."""

    costs: Mapping[str, float]
    """Tokens that a closing may have although their names are not their text, by name, each with its cost.

    `Grammar.closings` finds the closing that costs least.
    """

    def spelled(self, before: str, place: Lexical, tokens: Sequence[str]) -> str:  # noqa: ARG002 - Python looks at it
        """The text of tokens.

        Args:
            before: The text that they follow.
            place: What is open at the end of `before`.
            tokens: Their names in the grammar.
        """
        written = ""
        for token in tokens:
            written += _apart(written or before, PLACEHOLDER if token == IDENTIFIER else token)
        return written


@dataclass(frozen=True, slots=True)
class _PythonSpelling(Spelling):
    """Python writes the ends of lines and blocks as white space. The fields are names of its tokens."""

    newline: str = "_newline"
    dedent: str = "_dedent"
    string_end: str = "string_end"

    def spelled(self, before: str, place: Lexical, tokens: Sequence[str]) -> str:
        """The text of tokens, with the indentation of the lines in `before`; see `Spelling.spelled`."""
        levels = _levels(before)
        quotes = [quote_of(frame) for frame in place.frames if frame in place.lexis.strings]
        written, last = "", ""
        for token in tokens:
            if token == self.newline:
                last = "\n"
            elif token == self.dedent:
                levels = levels[:-1] or levels
            else:
                text = PLACEHOLDER if token == IDENTIFIER else token
                if token == self.string_end:
                    text = quotes.pop() if quotes else ""
                written += f"\n{levels[-1]}{text}" if last == "\n" else _apart(written or before, text)
                last = text
        return written


@cache
def spelling_of(language: Language) -> Spelling:
    """How a language writes closings."""
    if language.record.is_indented:
        return _PythonSpelling({IDENTIFIER: 1.0, "_newline": 0.5, "_dedent": 0.25, "string_end": 1.0})
    return Spelling({IDENTIFIER: 1.0, ",": 2.25})  # a quarter more than `;`, so that a type's member ends with `;`


def end_of_token(place: Lexical) -> str:
    """What ends the comment, string or regular expression that a place is in; empty in code."""
    if place.in_code:
        return ""
    frame = place.innermost
    if frame in _LINE_COMMENTS:
        return "\n"
    return quote_of(frame) if place.string else {"/*": "*/", "/[": "]/"}.get(frame, frame)


def _apart(before: str, text: str) -> str:
    """A token's text, with a blank before it where it would be one word with the text before.

    A directive gets a line of its own.
    """
    if len(text) > 1 and text.startswith(_DIRECTIVE):
        return f"\n{text}\n"
    would_join = all(map(continues_identifier, (before[-1:] or " ", text[:1] or " ")))
    return f" {text}" if would_join else text


def _levels(text: str) -> list[str]:
    """The indentations of the lines around the end of a text, outermost first, read from the layout."""
    levels: list[str] = []
    lines = (line for line in reversed(text.split("\n")) if line.strip())
    for line in lines:
        indentation = line[: len(line) - len(line.lstrip())]
        if not levels or len(indentation) < len(levels[-1]):
            levels.append(indentation)
        if not indentation:
            break
    return levels[::-1] or [""]

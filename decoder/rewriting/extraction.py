"""What an instruction may want to have a name: a literal of the text that it mentions, by a word that the text lacks.

As with `substitution`, nobody understands the sentence: it is a guess with which a text is written, and whether that
is a better one than others is for the model to say. The name is bound on a line of its own before the statement of the
function's body that the literal stands in; which line that is, indentation tells, as texts that are being rewritten
need not parse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from decoder.rewriting.differing import differing
from decoder.rewriting.instruction import introduced, new_names
from decoder.rewriting.original import LEXEME, Original

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_NUMBER: Final = r"(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?!\.?\w)"
_STRING: Final = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
_LITERAL: Final = re.compile(f"{_NUMBER}|{_STRING}")
_SAID: Final = re.compile(f"{_NUMBER}|{_STRING}|`[^`\\\\\n]+`")
_QUOTES: Final = "'\"`"
_USED: Final = 2
"""A name that is bound and used stands so often at least."""
_GOES_ON: Final = re.compile(r"[)\]}]|(?:else|elif|except|finally|catch)\b")
"""Begins a line that belongs to the statement which a line above of the same indentation begins."""
_PYTHON_FUNCTION: Final = re.compile(r"(?:async\s+)?def\b")
_FUNCTION: Final = re.compile(
    r".*\bfunction\b|.*=>\s*[{(]?\s*$|(?!(?:if|for|while|switch|catch|with)\b)[^=;]*\(.*\{\s*$"
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """One guess."""

    name: str
    value: str
    """The literal."""
    definition: str
    """The line that binds the name, without indentation and line end."""
    text: str
    """The original with the name bound and used."""

    def is_made_in(self, text: str) -> bool:
        """Whether that is what it says, but for white space."""
        return text.split() == self.text.split()

    def astray(self, text: str, most: int) -> int:
        """The places, so many at most, at which a text that binds the name so is another than this one.

        A name that nobody uses is all astray. Without it one place is, and where it stands for another value; where it
        has this one in another way, as a parameter's default, something else was asked for.
        """
        if self.definition not in text:
            return 0 if re.search(rf"(?<![\w$]){re.escape(self.name)}\b[^\n=]*=\s*{re.escape(self.value)}", text) else 1
        used = LEXEME.findall(text).count(self.name)
        return most if used < _USED else differing(text, self.text, most)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line whose beginning is code."""

    start: int
    """Its first character but white space."""
    indent: int
    text: str


def extraction(
    instruction: str, original: str, *, python: bool, known: Container[str] = frozenset()
) -> Extraction | None:
    """The guess; None where there would be several, or where no new name or no literal is mentioned.

    Args:
        original: The text that is written anew.
        known: Names that mean something there.
    """
    read = Original(original, python=python)
    new = [word for word in new_names(instruction, original) if word not in read.keywords and word not in known]
    if not introduced(instruction).issuperset(new):
        return None
    found = list(_mentioned(instruction, original, read))
    if len(new) != 1 or len(found) != 1:
        return None
    (literal,) = found
    line = _statement(list(_lines(original, read)), literal.start(), python=python)
    if line is None:
        return None
    (name,) = new
    semicolon = ";" if not python and re.search(r";\s*$", original, re.MULTILINE) else ""
    definition = f"{name} = {literal[0]}" if python else f"const {name} = {literal[0]}{semicolon}"
    blank = original[line.start - line.indent : line.start]
    before, between = original[: line.start], original[line.start : literal.start()]
    text = f"{before}{definition}\n{blank}{between}{name}{original[literal.end() :]}"
    return Extraction(name, literal[0], definition, text)


def _mentioned(instruction: str, original: str, read: Original) -> Iterator[re.Match[str]]:
    """The literals of the code that the instruction mentions."""
    said = {one.strip(_QUOTES) for one in _SAID.findall(instruction)}
    starts, place = set[int](), 0
    for lexeme, in_code in zip(read.lexemes, read.in_code, strict=True):
        if in_code:
            starts.add(place)
        place += len(lexeme)
    found = (one for one in _LITERAL.finditer(original) if one.start() in starts)
    return (one for one in found if one[0].strip(_QUOTES) in said)


def _lines(original: str, read: Original) -> Iterator[_Line]:
    """The lines that begin in code; those amid a string or a comment do not."""
    place, begins = 0, True
    for lexeme, in_code in zip(read.lexemes, read.in_code, strict=True):
        if lexeme.isspace():
            begins = begins or "\n" in lexeme
        elif begins:
            begins = False
            if in_code:
                indent = place - (original.rfind("\n", 0, place) + 1)
                end = original.find("\n", place)
                yield _Line(place, indent, original[place:] if end < 0 else original[place:end])
        place += len(lexeme)


def _statement(lines: list[_Line], place: int, *, python: bool) -> _Line | None:
    """The line that begins the statement around a place: of the innermost function's body, else of the file."""
    above = [line for line in lines if line.start <= place]
    is_function = _PYTHON_FUNCTION if python else _FUNCTION
    inner: _Line | None = None
    while above:
        line = above.pop()
        if inner is not None and line.indent >= inner.indent:
            continue
        while _GOES_ON.match(line.text) and any(one.indent <= line.indent for one in above):
            before = above.pop()
            if before.indent <= line.indent:
                line = replace(before, text=f"{before.text} {line.text}")
        if inner is not None and is_function.match(line.text):
            break
        inner = line
    return inner

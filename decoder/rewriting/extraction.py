"""What an instruction may want to have a name: a literal of the text that it mentions, by a word that the text lacks.

As with `substitution`, nobody understands the sentence: it is a guess with which a text is written, and whether that
is a better one than others is for the model to say. The name is bound on a line of its own before the statement of the
function's body that the literal stands in; which line that is, indentation and brackets tell, as texts that are being
rewritten need not parse. Where a name would mean something else than the literal (`case 50:`, `{ 50: a }`), nothing is
guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.keywords import keywords
from decoder.lexical import Lexical
from decoder.rewriting.differing import differing
from decoder.rewriting.guess import Guess
from decoder.rewriting.instruction import introduced, new_names
from decoder.rewriting.original import LEXEME, Original

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_NUMBER: Final = r"(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?!\.?\w)"
_STRING: Final = r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
_LITERAL: Final = re.compile(rf"{_NUMBER}(?!\.)|{_STRING}")
_SAID: Final = re.compile(rf"(?<!(?<!\w)-){_NUMBER}|{_STRING}|`[^`\\\n]+`")
"""What an instruction says; `-50` is no 50."""
_QUOTES: Final = "'\"`"
_USED: Final = 2
"""A name that is bound and used stands so often at least."""
_ANOTHER_WISH: Final = re.compile(
    r"\b(?:param(?:eter)?|arg(?:ument)?|option|attribute|propert(?:y|ie)|field)s?\b|\b(?:raise|throw|catch|import)\b",
    re.IGNORECASE,
)
"""Tells that the new name is to be another thing than a constant of its own."""
_NO_VALUE: Final = {
    True: (
        (r"(?:[\w'\"]|['\"]\s+|->\s*|\bLiteral\[)", r""),
        (r"(?:^|\n)\s*case\b[^\n]*", r""),
        (r"", r"\s*[rRbBuUfFtT]{0,2}['\"]"),
    ),
    False: (
        (r"(?:[\w'\"`/]|\w=|(?<!\|)\|\s*|\b(?:as|extends|from|import|satisfies|type\s+\w+\s*=)\s*)", r""),
        (r"", r"\s*(?:['\"`(]|\?:|=(?![=>])|\|(?!\|)|as\s+const\b)"),
        (r"[<>]\s*", r"\s*[<>]"),
        (r"(?:^|[{,;])\s*", r"\s*:"),
    ),
}
"""Whether it is Python, and what stands before and behind a literal that is part of a string, a pattern, a type, a
regular expression or an element, or the key of a property."""
_PROSE: Final = re.compile(r"([A-Za-z]+)[ \t]+\Z"), re.compile(r"[ \t]+([A-Za-z]+)")
"""Words on the same line, which are keywords beside a value."""
_AROUND: Final = 100
"""Characters on either side of a literal that are looked at."""
_GOES_ON: Final = re.compile(r"[)\]}{.?:&|,]|(?:else|elif|except|finally|catch|case)\b|default\s*:")
"""Begins a line that belongs to the statement which a line above of the same indentation begins."""
_GOES_ON_WITH: Final = frozenset("([`+-/")
"""Begins a line with which JavaScript goes on with the one above that no semicolon ends."""
_COMMENTS: Final = {True: ("#",), False: ("//", "/*")}
_TAKE: Final = {True: frozenset({""}), False: frozenset({"", "{", "object{"})}
"""Within what statements stand; `object{` may be the body of a function whose type is told."""
_PROPERTY: Final = re.compile(r"(?:[\w$]+|'[^']*'|\"[^\"]*\"|\[[^\]]*\])\s*(?:[:,]|$)|\.\.\.")
_PYTHON_FUNCTION: Final = re.compile(r"(?:async\s+)?def\b")
_FUNCTION: Final = re.compile(r".*\bfunction\b|.*=>\s*\{\s*$|(?!(?:if|for|while|switch|catch|with)\b)[^=;]*\(.*\{\s*$")


@dataclass(frozen=True, slots=True)
class Extraction(Guess):
    """The original with a name bound to a literal and used."""

    name: str
    value: str
    """The literal."""
    definition: str
    """The line that binds the name, without indentation and line end."""

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
    takes: bool
    """Whether a statement may stand before it: not within brackets, or among the members of a class."""


def extraction(
    instruction: str, original: str, *, python: bool, known: Container[str] = frozenset()
) -> Extraction | None:
    """The guess; None where there would be several, or where no new name or no literal is mentioned.

    Args:
        original: The text that is written anew.
        known: Names that mean something there.
    """
    if _ANOTHER_WISH.search(instruction):
        return None
    read = Original(original, python=python)
    new = [word for word in new_names(instruction, original) if word not in read.keywords and word not in known]
    if len(new) != 1 or not introduced(instruction).issuperset(new):
        return None
    (name,) = new
    if re.search(rf"\.{re.escape(name)}\b|(?<![\w$]){re.escape(name)}(?:\(|\.\w)", instruction):
        return None  # a member, or called
    found = list(_mentioned(instruction, original, read))
    if len(found) != 1:
        return None
    (literal,) = found
    lines = list(_lines(original, read, python=python))
    is_statement = any(line.takes and line.start == literal.start() for line in lines)  # a docstring, a directive
    if is_statement or not _is_value(original, literal, python=python):
        return None
    line = _statement(lines, literal.start(), python=python)
    if line is None:
        return None
    ends = not python and (line.text[0] in _GOES_ON_WITH or re.search(r";\s*\}?\s*$", original, re.MULTILINE))
    semicolon = ";" if ends else ""
    definition = f"{name} = {literal[0]}" if python else f"const {name} = {literal[0]}{semicolon}"
    blank = original[line.start - line.indent : line.start]
    before, between = original[: line.start], original[line.start : literal.start()]
    text = f"{before}{definition}\n{blank}{between}{name}{original[literal.end() :]}"
    return Extraction(text, name, literal[0], definition)


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


def _is_value(original: str, literal: re.Match[str], *, python: bool) -> bool:
    """Whether a name in the place of a literal would mean the same, as far as what stands beside it tells."""
    before = original[max(0, literal.start() - _AROUND) : literal.start()]
    behind = original[literal.end() : literal.end() + _AROUND]
    if any(re.search(rf"{one}\Z", before) and re.match(other, behind) for one, other in _NO_VALUE[python]):
        return False
    beside = [found[1] for found in (_PROSE[0].search(before), _PROSE[1].match(behind)) if found]
    return keywords(Language.PYTHON if python else Language.TYPESCRIPT).issuperset(beside)


def _lines(original: str, read: Original, *, python: bool) -> Iterator[_Line]:
    """The lines that begin in code; those amid a string or a comment do not."""
    at, place, begins = Lexical(python), 0, True
    for lexeme in read.lexemes:
        if lexeme.isspace():
            begins = begins or "\n" in lexeme
        elif begins:
            begins = False
            indent = place - (original.rfind("\n", 0, place) + 1)
            end = original.find("\n", place)
            text = original[place:] if end < 0 else original[place:end]
            if at.in_code and not text.startswith(_COMMENTS[python]):
                takes = at.innermost in _TAKE[python] and (at.innermost != "object{" or not _PROPERTY.match(text))
                yield _Line(place, indent, text, takes)
        at = at.feed(lexeme)
        place += len(lexeme)


def _statement(lines: list[_Line], place: int, *, python: bool) -> _Line | None:
    """The line that begins the statement around a place: of the innermost function's body, else of the file."""
    above = [line for line in lines if line.start <= place]
    is_function = _PYTHON_FUNCTION if python else _FUNCTION
    inner: _Line | None = None
    is_next = False
    """Whether no other statement stands between."""
    while above:
        line = above.pop()
        while _GOES_ON.match(line.text) and any(one.indent <= line.indent for one in above):
            before = above.pop()
            if before.indent <= line.indent:
                line = replace(before, text=f"{before.text} {line.text}")
        if inner is not None and line.indent >= inner.indent:
            is_next = is_next and (line.indent > inner.indent or line.text.startswith("@"))
            if is_next and line.indent == inner.indent:
                inner = line  # a decorator
            continue
        if inner is not None and is_function.match(line.text):
            break
        if line.takes:
            inner, is_next = line, True
    return inner

"""Closes the brackets that half-typed JavaScript or TypeScript leaves open above the next statement.

To the parser an unclosed `{` contains everything after it. Where there are errors, the layout decides instead: a
statement at the left edge, or a declaration that is indented no more than the line with the `{`, is not inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from context_index.recent import LONGEST, Recent
from context_index.syntax import Syntax
from context_index.text import Edit

_WORDS = (
    r"(?:export|import|function|class|const|let|var|interface|enum|namespace|abstract|declare)\b"
    r"|(?:async\s+function|type\s+\w)"
)
_TOP_LEVEL = re.compile(r"^(?!(?:else|catch|finally|case|default|while)\b)[A-Za-z_$@]", re.MULTILINE)
_MEMBER = re.compile(
    rf"(?:{_WORDS}|(?:public|private|protected|static|readonly|async|get|set)\s+[\w$#]"
    r"|(?!(?:if|for|while|switch|catch|with|return)\b)[\w$#]+\s*\([^()\n]*\)[^;{}\n]*\{)"
)
_SIGN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?"
    r"|(?:(?<=[=(,:\[!&|?])|(?<=[=(,:\[!&|?] ))/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
    r"|\n[ \t]*(?=[^\s])|[{}()\[\]]",
    re.DOTALL,
)
_MOST_READ = 40_000
"""Characters of pieces not seen before that are read for one text, some 3 ms; others are taken to be complete."""
_CLOSING = {"{": "}", "(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class _Missing:
    """What a piece of text does not close; insertions count from its start."""

    insertions: tuple[tuple[int, str], ...]
    left: str
    """What is still open at the end, as the signs that would close it."""
    surplus: bool
    """Whether it closes more than it opens."""


_recent: Recent[_Missing] = Recent()


def recovered(syntax: Syntax, offset: int) -> tuple[Syntax, int]:
    """The syntax with the signs put in that are missing above later declarations, and where the offset is in it.

    No line is added. The syntax as it is, if none is missing or the parser makes no more sense of it then.
    """
    known = syntax.memo.get((0, "recovered"))
    if not isinstance(known, _Recovered):
        known = _mend(syntax)
        syntax.memo[0, "recovered"] = known
    moved = sum(len(edit.text) for edit in known.edits if edit.start < offset)
    return known.syntax, offset + moved


@dataclass(frozen=True, slots=True)
class _Recovered:
    syntax: Syntax
    edits: tuple[Edit, ...]


def _mend(syntax: Syntax) -> _Recovered:
    document = syntax.document
    edits, surplus = _edits(document.text)
    if not edits:
        return _Recovered(syntax, ())
    backwards = edits[::-1]
    tried = syntax.edited(document.edited(backwards, document.revision), backwards)
    if tried.errors < syntax.errors or (tried.errors == syntax.errors and not surplus):
        return _Recovered(tried, tuple(edits))
    return _Recovered(syntax, ())


def _edits(text: str) -> tuple[list[Edit], bool]:
    """The insertions in order, and whether anything is closed that was not opened."""
    found: list[Edit] = []
    surplus, room = False, _MOST_READ
    starts = [0, *(match.start() for match in _TOP_LEVEL.finditer(text) if match.start())]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        missing = _recent.get(piece) if len(piece) <= LONGEST else None
        if missing is None:
            if len(piece) > room:
                continue
            room -= len(piece)
            missing = _read(piece)
        found += [Edit(start + place, start + place, closing) for place, closing in missing.insertions]
        surplus = surplus or missing.surplus
        if missing.left and end < len(text):
            place = _before_line(text, end)
            found.append(Edit(place, place, missing.left))
    return found, surplus


def _before_line(text: str, start: int) -> int:
    """The end of the line before one, or its own start where that line may end in a comment."""
    before = text.rfind("\n", 0, start - 1) + 1
    return start if "//" in text[before : start - 1] else start - 1


def _read(piece: str) -> _Missing:
    found = _balance(piece)
    if found.left:
        found = _balance(piece, by_layout=True)
    if len(piece) <= LONGEST:
        _recent.put(piece, found, len(piece))
    return found


def _balance(piece: str, *, by_layout: bool = False) -> _Missing:
    """Match the brackets of a piece; by layout, also where the next member or a `}` says that one is missing."""
    stack: list[tuple[str, int]] = []
    insertions: list[tuple[int, str]] = []
    surplus, indentation = False, 0
    for match in _SIGN.finditer(piece):
        sign = match[0]
        if sign[0] == "\n":
            indentation = len(sign) - 1
            if by_layout and (closing := "".join(_ended(stack, piece, match.end(), indentation))):
                insertions.append((_before_line(piece, match.start() + 1), closing))
        elif sign in _CLOSING:
            stack.append((_CLOSING[sign], indentation))
        elif sign in {"}", ")", "]"}:
            if stack and stack[-1][0] == sign:
                stack.pop()
            else:
                surplus = surplus or not stack
    return _Missing(tuple(insertions), "".join(sign for sign, _ in reversed(stack)), surplus)


def _ended(stack: list[tuple[str, int]], piece: str, place: int, indentation: int) -> Iterator[str]:
    """Take off the stack what was opened on lines that are too far right to still be open in a new line."""
    closes = piece[place] in "})]"
    if not closes and not _MEMBER.match(piece, place):
        return
    while stack and (stack[-1][1] > indentation or (stack[-1][1] == indentation and not closes)):
        yield stack.pop()[0]

"""The lines that declare what a file imports: signatures, and the members of classes and interfaces in short.

Reads lines, not trees: indentation tells where a declaration ends in code that is laid out as usual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MEMBER = re.compile(
    r"(?:(?:async|public|protected|static|readonly|abstract|get|set|declare|export)\s+)*"
    r"(?:def\s+\w|@property|class\s|[\w$]+\s*[?!]?\s*[(:<=]|\[|constructor\b|[A-Z][A-Z0-9_]*\b|\|)",
)
_PRIVATE = re.compile(
    r"(?:private\s|#|(?:async\s+)?(?:def\s+)?_[a-z]|return\b|if\b|for\b|while\b|switch\b|super\b|this\b)"
)
_MOST_MEMBERS = 12
_MOST_HEADER_LINES = 8
_LONGEST = 160
_HAS_MEMBERS = re.compile(r"\b(?:class|interface|enum|type|namespace)\b")


def declaration(lines: Sequence[str], line: int) -> list[str]:
    """The declaration that begins at a 0-based line: its header, and the members that others may use."""
    if not 0 <= line < len(lines):
        return []
    header, after = _header(lines, line)
    if not _HAS_MEMBERS.search(lines[line]):
        return header
    return header + _members(lines, line, after)


def _header(lines: Sequence[str], line: int) -> tuple[list[str], int]:
    """The lines until the parentheses of a signature are closed, and the line after them."""
    found: list[str] = []
    depth = 0
    for index in range(line, min(line + _MOST_HEADER_LINES, len(lines))):
        text = lines[index]
        depth += sum(text.count(one) for one in "([") - sum(text.count(one) for one in ")]")
        found.append(text)
        if depth <= 0:
            break
    found[-1] = found[-1].rstrip(" {:")
    return [text[:_LONGEST] for text in found], line + len(found)


def _members(lines: Sequence[str], line: int, after: int) -> list[str]:
    outer, inner = _indentation(lines[line]), -1
    found: list[str] = []
    for text in lines[after:]:
        stripped = text.strip()
        if not stripped:
            continue
        column = _indentation(text)
        if column <= outer or len(found) == _MOST_MEMBERS:
            break
        inner = column if inner < 0 else inner
        if column == inner and _MEMBER.match(stripped) and not _PRIVATE.match(stripped):
            found.append(text.rstrip(" {:")[:_LONGEST])
    return found


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())

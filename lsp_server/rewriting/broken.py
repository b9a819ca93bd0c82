"""Statements of a file that do not parse: a rewrite that must parse could only make something else of them.

They stay as they are, and what stands around them is rewritten. Knows trees and the words of an instruction.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from context_index import whole_lines
from lsp_server.rewriting.verdict import Failed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_index import Syntax
    from lsp_server.rewriting.wish import Wish

_MENDS: Final = re.compile(
    r"\b(?:fix|repair|mend|correct|complet|finish|clos(?:e|ing)\b|syntax|pars(?:e|es|ing)\b|missing|broken|errors?\b"
    r"|brackets?\b|parenthes|braces?\b|colons?\b|commas?\b|quotes?\b|indent)",
    re.IGNORECASE,
)
"""Wants what does not parse to be changed."""

Span = tuple[int, int]


def is_to_mend(instruction: str) -> bool:
    """Whether a sentence may ask for what does not parse to be made to."""
    return _MENDS.search(instruction) is not None


def broken(syntax: Syntax, start: int, end: int) -> list[Span]:
    """The lines between two places whose statements do not parse, as spans that lie apart, in order."""
    found: list[Span] = []
    if not syntax.errors:
        return found
    text = syntax.document.text
    for node in syntax.root.children:
        if not (node.has_error or node.is_error or node.is_missing):
            continue
        first, last = whole_lines(text, *syntax.span(node))
        first, last = max(first, start), min(last, end)
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        elif first < last:
            found.append((first, last))
    return found


def around(spans: Iterable[Span], start: int, end: int, text: str) -> list[Span]:
    """What lies between spans, from one place to another; nothing that is blank."""
    left: list[Span] = []
    for first, last in (*spans, (end, end)):
        if text[start:first].strip():
            left.append((start, first))
        start = last
    return left


def told(syntax: Syntax, spans: Sequence[Span]) -> str:
    """The lines of spans, for people."""
    lines = [
        (syntax.document.position(first).line + 1, syntax.document.position(max(first, last - 1)).line + 1)
        for first, last in spans
    ]
    ranges = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in lines)
    is_one = len(lines) == 1 and lines[0][0] == lines[0][1]
    return f"Line {ranges} does not parse" if is_one else f"Lines {ranges} do not parse"


def spared(wish: Wish, syntax: Syntax, stays: list[Span], spans: list[Span]) -> Wish:
    """The wish where lines do not parse: they stay as they are, unless it is about them."""
    lines, text = told(syntax, stays), syntax.document.text
    if not spans or any(wish.is_about(text[start:end]) for start, end in stays):
        reason = f"{lines}; mend that first, or ask for it to be mended."
        return replace(wish, failed=Failed.SYNTAX_ERROR, reason=reason)
    return replace(wish, notes=(*wish.notes, f"{lines} and stayed as before."))

"""Spans of a document (`Span`): the nodes and tokens within them, and the diagnostics that are about them."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from context_index import STATEMENTS, ancestors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Diagnostic, Node, Syntax


Span = tuple[int, int]
"""Start and end offset."""


def touches(error: Diagnostic, part: Span) -> bool:
    """Whether an error and a part of the text have a character in common; an empty one counts as one character."""
    start, end = part
    return error.start < max(end, start + 1) and max(error.end, error.start + 1) > start


def is_about_code(diagnostic: Diagnostic, syntax: Syntax, span: Span) -> bool:
    """Whether a diagnostic is about code within a span of the text: a statement, or more than one token."""
    node = syntax.node_at(diagnostic.start, diagnostic.end)
    same_span = takewhile(lambda around: syntax.span(around) == syntax.span(node), ancestors(node))
    is_code = node.child_count or any(around.type.endswith(STATEMENTS) for around in same_span)
    return diagnostic.start < span[1] and span[0] < diagnostic.end and bool(is_code)


def within(syntax: Syntax, start: int, end: int) -> Iterator[Node]:
    """The nodes that share a character with a part of the text; each comes before its children, in order.

    The first is the innermost node around the whole part.
    """
    first, last = syntax.byte(start), syntax.byte(end)
    pending = [syntax.node_at(start, end)]
    while pending:
        node = pending.pop()
        if node.end_byte > first and node.start_byte < last:
            yield node
            pending += reversed(node.children)


def tokens(syntax: Syntax, start: int, end: int) -> Iterator[Span]:
    """The spans of the tokens inside a part of the text, in order, without those that an error swallowed."""
    return (span for span in leaves(syntax, start, end) if start <= span[0] and span[1] <= end)


def leaves(syntax: Syntax, start: int, end: int) -> Iterator[Span]:
    """The spans of the tokens that share a character with a part of the text, in order."""
    for node in within(syntax, start, end):
        if not node.child_count and node.start_byte < node.end_byte:
            yield syntax.span(node)


def is_amid(syntax: Syntax, offset: int) -> bool:
    """Whether a place is inside of a token."""
    node = syntax.node_at(offset)
    first, last = syntax.span(node)
    return not node.child_count and first < offset < last

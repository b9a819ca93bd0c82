"""The document that a checker is shown: without the comments in some parts of it, as a comment may silence errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Edit
from lsp_server.engine.verification.spans import within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_index import Document, Syntax
    from lsp_server.engine.verification.spans import Span


COMMENT = "comment"
"""A part of the type of each node that is a comment."""
JSDOC = "/**"
"""Begins JSDoc, which holds types, so that it is no mere comment."""
_DIRECTIVE = "@ts-"
"""Begins TypeScript's directives in comments, such as `@ts-ignore`, which silence errors."""


def without_comments(syntax: Syntax, parts: Iterable[Span]) -> Document:
    """A document with blanks for its comments in some parts; JSDoc, which holds types, loses only its directives.

    The signs that begin and end a comment stay: the comment's other end may be outside of the part.
    """
    document = syntax.document
    blank = []
    for start, end in parts:
        for node in within(syntax, start, end):
            if COMMENT not in node.type:
                continue
            first, last = syntax.span(node)
            is_jsdoc = document.text.startswith(JSDOC, first)
            if not is_jsdoc:
                opening, closing = _delimiters(document.text[first:last])
                first, last = first + opening, last - closing
            first, last = max(first, start), max(first, start, min(last, end))
            text = document.text[first:last]
            if is_jsdoc:
                text = text.replace(_DIRECTIVE, " " * len(_DIRECTIVE))
            else:
                text = "".join(char if char in "\r\n" else " " for char in text)
            blank.append(Edit(first, last, text))
    return document.edited(blank, document.revision) if blank else document


def _delimiters(comment: str) -> tuple[int, int]:
    """How many characters begin a comment, and how many end it."""
    if comment.startswith("#"):
        return 1, 0
    return 2, 2 if comment.startswith("/*") else 0

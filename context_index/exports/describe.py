"""One line about a declaration: its signature and the first sentence of its documentation."""

from __future__ import annotations

import inspect
import re

from context_index.exports.first import first_named
from context_index.syntax import Node, Syntax

_LONGEST = 160
_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n")
_JSDOC_TAG = re.compile(r"^@", re.MULTILINE)
_STAR = re.compile(r"^[ \t]*\*?[ \t]?", re.MULTILINE)


def one_line(text: str) -> str:
    """Text with its white space folded, cut where it gets too long to be read at a glance."""
    folded = _SPACE.sub(" ", text).strip()
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"


def between(syntax: Syntax, first: Node | None, last: Node | None) -> str:
    """The source from the start of one node to the end of another; "" where the first is missing."""
    if first is None:
        return ""
    return one_line(syntax.document.text[syntax.start(first) : syntax.end(last or first)])


def callable_detail(syntax: Syntax, node: Node) -> str:
    """What follows the name of a function: type parameters, parameters, result."""
    parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    first = node.child_by_field_name("type_parameters") or parameters
    result = node.child_by_field_name("return_type")
    if syntax.language.is_python and result is not None:
        return f"{between(syntax, first, parameters)} -> {one_line(syntax.text(result))}"
    return between(syntax, first, result or parameters)


def script_doc(syntax: Syntax, node: Node) -> str:
    """The first sentence of the JSDoc comment that is right above a declaration."""
    comment = node.prev_sibling
    if comment is None or comment.type != "comment":
        return ""
    text = syntax.text(comment)
    if not text.startswith("/**") or node.start_point.row - comment.end_point.row > 1:
        return ""
    body = _STAR.sub("", text[3:-2]).strip()
    return first_sentence(_JSDOC_TAG.split(body)[0])


def docstring(syntax: Syntax, body: Node | None) -> str:
    """The first sentence of the docstring that opens a block."""
    first = first_named(body)
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    literal = first_named(first) if first is not None and first.type == "expression_statement" else None
    if literal is None or literal.type != "string":
        return ""
    content = next((child for child in literal.children if child.type == "string_content"), None)
    return first_sentence(inspect.cleandoc(syntax.text(content))) if content is not None else ""


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, or the first empty line."""
    return one_line(_SENTENCE_END.split(text.strip())[0])

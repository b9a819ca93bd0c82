"""One line about a declaration: its signature."""

from __future__ import annotations

import re

from context_index.syntax import Node, Syntax

_LONGEST = 160
_SPACE = re.compile(r"\s+")


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

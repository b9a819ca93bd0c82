"""Where a number or a string stands in the code of a file.

Reads the tree alone: text between the parts of a template or an f-string is none, nor is a docstring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index.syntax import Node, Syntax

_NUMBERS: Final = frozenset({"number", "integer", "float"})
_QUOTES: Final = "'\""


def literals(syntax: Syntax, value: str) -> list[tuple[int, int]]:
    """The spans of a number as it is spelled, or of what stands between the quotes of a string in either quotes."""
    is_string = value[:1] in _QUOTES and value[-1:] == value[:1]
    found = []
    for node in _leaves(syntax.root, "string" if is_string else None):
        start, end = syntax.span(node)
        said = syntax.document.text[start:end]
        if is_string and said[:1] in _QUOTES and said[1:-1] == value[1:-1]:
            found.append((start + 1, end - 1))
        elif not is_string and said == value:
            found.append((start, end))
    return sorted(found)


def _leaves(root: Node, kind: str | None) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == kind or (kind is None and node.type in _NUMBERS):
            if node.parent is None or node.parent.type != "expression_statement":
                yield node
        else:
            pending += node.children

"""The identifiers of a file, and the declarations that have given names, from its syntax tree alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from context_index.syntax import Node, Syntax, ancestors

_IDENTIFIER, _STRING = ("identifier", "identifier_pattern"), "string"
"""The types of identifiers end with one of the first; the second is in those of strings and of their contents."""
_DECLARED = ("_definition", "_declaration", "_declarator", "_signature")
"""Suffixes of the types of nodes that bind their field `name`."""
_AROUND = frozenset({
    "export_statement", "decorated_definition", "lexical_declaration", "variable_declaration", "assignment",
    "expression_statement",
})  # fmt: skip
"""What a declaration may be wrapped in."""


def identifiers(syntax: Syntax, within: tuple[int, int] | None = None) -> Iterator[Node]:
    """The identifiers of a text, or of a part of it, in order, without those in strings and comments."""
    return (node for node in _leaves(syntax, within) if node.type.endswith(_IDENTIFIER))


def all_strings(syntax: Syntax) -> Iterator[Node]:
    """The contents of strings without anything in them that is evaluated, in order."""
    return (node for node in _leaves(syntax) if _STRING in node.type)


def _leaves(syntax: Syntax, within: tuple[int, int] | None = None) -> Iterator[Node]:
    """The named nodes without children, in order."""
    first, last = (0, syntax.root.end_byte) if within is None else (syntax.byte(within[0]), syntax.byte(within[1]))
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if node.end_byte <= first or node.start_byte >= last:
            continue
        if node.child_count:
            pending += reversed(node.children)
        elif node.is_named:
            yield node


def declarations(syntax: Syntax, names: Collection[str]) -> list[tuple[int, int]]:
    """The ranges of the functions, classes, methods and variables outside functions that have one of some names.

    If one at the top level is among them, those elsewhere count only within a named one: `Cart` and `total` mean the
    method of that class; `area` and `add` the function `area`, though some class has a method `add`. Where named ones
    are within each other, the innermost counts.
    """
    found = {syntax.span(node): _is_outermost(node) for node in _named(syntax, names)}
    any_outermost = any(found.values())
    chosen = [
        one
        for one, is_outermost in found.items()
        if is_outermost or not any_outermost or any(_holds(other, one) for other in found)
    ]
    return sorted(one for one in chosen if not any(_holds(one, other) for other in chosen))


def _is_outermost(node: Node) -> bool:
    return node.parent is None or node.parent.parent is None


def _named(syntax: Syntax, names: Collection[str]) -> Iterator[Node]:
    """Declarations, each with what is wrapped around it."""
    for name in identifiers(syntax):
        parent = name.parent
        if parent is None or syntax.text(name) not in names:
            continue
        is_named = parent.type.endswith(_DECLARED) and parent.child_by_field_name("name") == name
        is_assigned = parent.type == "assignment" and parent.child_by_field_name("left") == name
        if (is_named or is_assigned) and not (_is_variable(parent) and _is_local(parent)):
            yield _wrapped(parent)


def _is_variable(node: Node) -> bool:
    value = node.child_by_field_name("value")
    return node.type in {"assignment", "variable_declarator"} and not (value is not None and "function" in value.type)


def _is_local(node: Node) -> bool:
    return any(around.type in {"block", "statement_block"} for around in ancestors(node))


def _wrapped(node: Node) -> Node:
    while node.parent is not None and node.parent.type in _AROUND:
        node = node.parent
    return node


def _holds(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and one[0] <= other[0] and other[1] <= one[1]


def lines_around(syntax: Syntax, span: tuple[int, int]) -> tuple[int, int]:
    """The whole lines of a declaration, with the comments directly above it."""
    node = syntax.node_at(*span, named=True)
    first = node
    while (before := first.prev_named_sibling) is not None and before.type == "comment":
        if before.end_point[0] + 1 < first.start_point[0]:
            break
        first = before
    return whole_lines(syntax.document.text, syntax.start(first), span[1])


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines that hold the characters from `start` to `end`, the last line break included."""
    first = text.rfind("\n", 0, start) + 1
    if end > first and text[end - 1 : end] == "\n":
        return first, end
    following = text.find("\n", end)
    return first, len(text) if following < 0 else following + 1

"""One declaration of a file as a model is shown it: without the bodies of functions and without private members."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.syntax import Node, Syntax

_MOST_LINES = 24
_LONGEST = 160
"""The most characters of a line."""
_MEMBERS = ("_definition", "_signature")
"""Suffixes of the types of nodes that are members."""


def excerpt(syntax: Syntax, line: int) -> str:
    """The declaration that begins in a 0-based line; empty where the text has no such line."""
    document = syntax.document
    if not 0 <= line < len(document.lines):
        return ""
    text = document.line_text(line)
    node = syntax.node_at(document.lines[line] + len(text) - len(text.lstrip()))
    # the widest node that begins there: the whole statement
    while (around := node.parent) is not None and around.start_byte == node.start_byte:
        if around == syntax.root or around.type == "block":
            break
        node = around
    shown, copied_to = "", syntax.start(node)
    for start, end, replacement in _left_out(syntax, node):
        shown += document.text[copied_to:start] + replacement
        copied_to = end
    shown += document.text[copied_to : syntax.end(node)]
    lines = [shown_line.rstrip()[:_LONGEST] for shown_line in shown.splitlines() if shown_line.strip()]
    return "".join(f"{shown_line}\n" for shown_line in lines[:_MOST_LINES])


def _left_out(syntax: Syntax, node: Node) -> Iterator[tuple[int, int, str]]:
    """The parts of a declaration that are not shown, in order: start, end, and the text in their place."""
    parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
    body = node.child_by_field_name("body")
    for child in node.children:
        before, after = child.prev_sibling, child.next_sibling
        start = syntax.start(child) if before is None else syntax.end(before)
        if parameters is not None and child == body:
            yield start, syntax.end(child), " ..."
        elif child.type.endswith(_MEMBERS) and _is_private(syntax, child):
            yield start, syntax.end(after if after is not None and after.type == ";" else child), ""
        elif child != parameters:
            yield from _left_out(syntax, child)


def _is_private(syntax: Syntax, member: Node) -> bool:
    """Whether a member is declared `private`, or its name says so; `__init__` and the like are not."""
    member = member.child_by_field_name("definition") or member
    name = member.child_by_field_name("name") or member.child_by_field_name("property")
    text = "" if name is None else syntax.text(name)
    if any(child.type == "accessibility_modifier" and syntax.text(child) == "private" for child in member.children):
        return True
    return text.startswith(("_", "#")) and not text.endswith("__")

"""Elements of JSX: where nobody reads them, tags that are not each other's, and attributes without a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules

if TYPE_CHECKING:
    from context_index import Node, Syntax

_KNOWS_ELEMENTS: Final = re.compile(r"</|/>|react|jsx|solid|vue|inferno|hyperscript", re.IGNORECASE)
_TAGS: Final = frozenset({"jsx_opening_element", "jsx_self_closing_element"})


def _is_no_element(syntax: Syntax, node: Node) -> bool:
    """An element in a file that has no other one, and whose text knows nobody who would read it."""
    start, end = syntax.span(node)
    text = syntax.document.text
    return _KNOWS_ELEMENTS.search(text[:start] + text[end:]) is None


def _closes_another(syntax: Syntax, node: Node) -> bool:
    """`<a></b>`: either tag is asked, as either may be the one that was written."""
    element = node.parent
    tags = [element.child_by_field_name(field) for field in ("open_tag", "close_tag")] if element is not None else []
    names = [tag.child_by_field_name("name") for tag in tags if tag is not None]
    return len({"" if name is None else syntax.text(name) for name in names}) > 1


def _is_misread(_: Syntax, node: Node) -> bool:
    """`<a {b}>` and `<a b={...c}>`: among attributes what stands in braces is spread, and as a value it is not."""
    spreads = [child.type for child in node.named_children] == ["spread_element"]
    parent = node.parent
    return parent is not None and (spreads if parent.type == "jsx_attribute" else parent.type in _TAGS and not spreads)


RULES: Final[Rules] = {
    "jsx_expression": _is_misread,
    "jsx_element": _is_no_element,
    "jsx_self_closing_element": _is_no_element,
    "jsx_opening_element": _closes_another,
    "jsx_closing_element": _closes_another,
}

"""TypeScript's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.refusals.rule import Rules, is_field

if TYPE_CHECKING:
    from context_index import Node, Syntax

_JOINED = frozenset({"union_type", "intersection_type"})
_REACHING = _JOINED | {"conditional_type"}
"""What tree-sitter takes in behind `readonly`, which compilers do not."""
_LISTS = frozenset({"array_type", "tuple_type"})
_CLAUSES = frozenset({"extends_clause", "extends_type_clause", "implements_clause"})


def _joins_function(_: Syntax, node: Node) -> bool:
    """`A | () => B`. What stands first reaches to the end, though tree-sitter sees it otherwise."""
    return node.parent is not None and node.parent.type in _JOINED and node.prev_sibling is not None


def _is_read_only(_: Syntax, node: Node) -> bool:
    """`readonly A` of what is no list."""
    found = node.named_children[0] if node.named_children else node
    while found.type in _REACHING and found.named_children:
        found = found.named_children[0]
    return found.type not in _LISTS and not found.has_error


def _has_plus(_: Syntax, node: Node) -> bool:
    """`+1`."""
    inner = node.named_children[0] if node.named_children else node
    return inner.type == "unary_expression" and inner.children[0].type == "+"


def _asks_for_call(_: Syntax, node: Node) -> bool:
    """`typeof a()`."""
    asked = node.named_children[0] if node.named_children else node
    if asked.type != "call_expression":
        return False
    function = asked.child_by_field_name("function")
    return function is not None and function.type != "import"


def _infers_nowhere(_: Syntax, node: Node) -> bool:
    """`infer A` where nothing is compared."""
    found = node
    while found.parent is not None and not (found.parent.type == "conditional_type" and is_field(found, "right")):
        if found.type == "ERROR":
            return False
        found = found.parent
    return found.parent is None


def _ends_with_comma(_: Syntax, node: Node) -> bool:
    """`A<B,>`."""
    last = node.children[-1].prev_sibling if node.children else None
    return last is not None and last.type == ","


def _begins_below(_: Syntax, node: Node) -> bool:
    """`A⏎<B>` as a type: to compilers the type is over. Not in a clause of a class or an interface, nor in a call."""
    around = node.parent
    if around is None or around.type not in ("generic_type", "instantiation_expression"):
        return False
    outer, before = around.parent, node.prev_sibling
    if outer is None or before is None or outer.type in _CLAUSES:
        return False
    is_type = around.type == "generic_type" or outer.type == "type_query"
    return is_type and node.start_point.row > before.end_point.row


def _is_wrong_list(syntax: Syntax, node: Node) -> bool:
    return _ends_with_comma(syntax, node) or _begins_below(syntax, node)


RULES: Final[Rules] = {
    "function_type": _joins_function,
    "constructor_type": _joins_function,
    "type_arguments": _is_wrong_list,
    "readonly_type": _is_read_only,
    "literal_type": _has_plus,
    "type_query": _asks_for_call,
    "infer_type": _infers_nowhere,
}

"""TypeScript's types."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, is_field, named, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_JOINED = frozenset({"union_type", "intersection_type"})
_REACHING = _JOINED | {"conditional_type"}
"""What tree-sitter takes in behind `readonly`, which compilers do not."""
_LISTS = frozenset({"array_type", "tuple_type"})
_HOLD_TYPES = _JOINED | {
    *(
        "type_annotation",
        "type_arguments",
        "tuple_type",
        "array_type",
        "rest_type",
        "optional_type",
        "index_type_query",
    ),
    *("constraint", "default_type", "readonly_type", "lookup_type", "parenthesized_type", "conditional_type"),
    "type_query",
}
"""What has nothing but types in it."""
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


def _asks_for_optional(_: Syntax, node: Node) -> bool:
    """`typeof a?.b`."""
    asked = node.named_children[0] if node.named_children else None
    while asked is not None and asked.type in ("member_expression", "subscript_expression"):
        if "?." in words(asked):
            return True
        asked = asked.child_by_field_name("object")
    return False


def _imports_no_type(_: Syntax, node: Node) -> bool:
    """`import(a)` as a type, without a string."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or function.type != "import" or arguments is None or not _is_type(node):
        return False
    given = named(arguments)
    is_known = bool(given) and given[0].type == "string"
    return not is_known or any(one.type != "object" for one in given[1:])


def _is_type(node: Node) -> bool:
    """Whether what the grammar has for both is a type."""
    parent = node.parent
    while parent is not None and parent.type in ("member_expression", "generic_type", "nested_type_identifier"):
        node, parent = parent, parent.parent
    if parent is None:
        return False
    is_alias = parent.type == "type_alias_declaration" and is_field(node, "value")
    is_cast = parent.type in ("as_expression", "satisfies_expression") and parent.children[0] != node
    return is_alias or is_cast or parent.type in _HOLD_TYPES


def _takes_meta(_: Syntax, node: Node) -> bool:
    """`import.meta` as a type."""
    receiver = node.child_by_field_name("object")
    return receiver is not None and receiver.type == "import" and _is_type(node)


def _begins_with_comma(_: Syntax, node: Node) -> bool:
    """`[, A]`."""
    kinds = [child.type for child in node.children if child.type != "comment"]
    return any(kind == "," and before in ("[", ",") for before, kind in pairwise(kinds))


def _is_bounded_wrongly(_: Syntax, node: Node) -> bool:
    """`<T: A>`."""
    return ":" in words(node)


def _is_const_elsewhere(_: Syntax, node: Node) -> bool:
    """`const T` of what is neither called nor made."""
    owner = node.parent.parent if node.parent is not None else None
    is_type = owner is not None and owner.type in ("interface_declaration", "type_alias_declaration")
    return is_type and "const" in words(node)


def _is_sure_type(_: Syntax, node: Node) -> bool:
    """`a as B!`, and `a<B>!`."""
    return node.children[0].type in ("as_expression", "satisfies_expression", "instantiation_expression")


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


def _is_its_own_type(_: Syntax, node: Node) -> bool:
    """`type A = A | B`."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    return name is not None and value is not None and any(one.text == name.text for one in _joined_names(value))


def _joined_names(node: Node) -> Iterator[Node]:
    """The names of the types that a type is made of as a whole."""
    work = [node]
    while work:
        node = work.pop()
        if node.type in _JOINED or node.type == "parenthesized_type":
            work += node.named_children
        elif node.type == "type_identifier":
            yield node
        elif node.type == "generic_type":
            yield from node.children_by_field_name("name")


def _is_wrong_list(syntax: Syntax, node: Node) -> bool:
    return _ends_with_comma(syntax, node) or _begins_below(syntax, node)


RULES: Final[Rules] = {
    "function_type": _joins_function,
    "constructor_type": _joins_function,
    "type_arguments": _is_wrong_list,
    "readonly_type": _is_read_only,
    "literal_type": _has_plus,
    "type_alias_declaration": _is_its_own_type,
    "type_query": lambda syntax, node: _asks_for_call(syntax, node) or _asks_for_optional(syntax, node),
    "call_expression": _imports_no_type,
    "member_expression": _takes_meta,
    "tuple_type": _begins_with_comma,
    "constraint": _is_bounded_wrongly,
    "type_parameter": _is_const_elsewhere,
    "non_null_expression": _is_sure_type,
    "flow_maybe_type": lambda _syntax, _node: True,  # `?A` is of another language
    "infer_type": _infers_nowhere,
}

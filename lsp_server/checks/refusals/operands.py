"""What calls, chains, `new`, `super`, `delete` and `in` cannot be put on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.refusals.rule import (
    FUNCTIONS,
    RECEIVERS,
    Rules,
    is_field,
    is_module,
    is_optional,
    is_typed,
    joined,
    words,
)

if TYPE_CHECKING:
    from context_index import Node, Syntax

_BIND_LOOSER_THAN_IN: Final = frozenset({"&&", "||", "??", "==", "!=", "===", "!==", "&", "|", "^"})
_CASTS: Final = ("as_expression", "satisfies_expression")
_MADE: Final = (FUNCTIONS - {"arrow_function"}) | {"class_body"}
_TYPE_NAMES: Final = frozenset({"type_identifier", "nested_type_identifier"})
_OF_OBJECTS: Final = frozenset({"pair", "pair_pattern"})


def _is_wrong_super(_: Syntax, node: Node) -> bool:
    """`super?.a`, super with a template or with types."""
    use = node.parent
    if use is None or use.type not in RECEIVERS:
        return False
    arguments = use.child_by_field_name("arguments") if use.type == "call_expression" else None
    has_types = use.child_by_field_name("type_arguments") is not None
    is_template = arguments is not None and arguments.type == "template_string"
    return has_types or is_template or is_optional(use)


def _calls_wrongly(_: Syntax, node: Node) -> bool:
    """`a?.b`c``, and `a as b()`, in which the grammar sees a call of the cast."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return False
    is_template = arguments is not None and arguments.type == "template_string"
    is_cast = function.type in _CASTS and arguments is not None
    return (is_cast and _is_on_line(function, arguments)) or (is_template and is_optional(node))


def _is_on_line(before: Node, node: Node | None) -> bool:
    return node is not None and node.start_point.row == before.end_point.row


def _imports_spread(_: Syntax, node: Node) -> bool:
    """`import(...a)`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    is_import = function is not None and function.type == "import"
    return is_import and arguments is not None and any(one.type == "spread_element" for one in arguments.children)


def _makes_wrongly(syntax: Syntax, node: Node) -> bool:
    """`new import('a')`, `new a?.()`; and in TypeScript `new import.meta.a()`."""
    made = node.child_by_field_name("constructor")
    if made is None:
        return False
    if made.type == "call_expression":
        function = made.child_by_field_name("function")
        return is_optional(made) or (function is not None and function.type == "import")
    while made is not None and made.type == "member_expression":
        made = made.child_by_field_name("object")
    return made is not None and made.type == "meta_property" and is_typed(syntax) and made.children[0].type == "import"


def _has_no_target(syntax: Syntax, node: Node) -> bool:
    """`new.target` in a module, outside of what may be made."""
    if node.children[0].type != "new" or not is_module(syntax):
        return False
    return all(around.type not in _MADE for around in ancestors(node))


def _is_of_instance(_: Syntax, node: Node) -> bool:
    """`new a<B>.c`."""
    made = node.child_by_field_name("object")
    is_made = made is not None and made.type == "new_expression"
    return is_made and made is not None and made.children[-1].type == "type_arguments"


def _is_of_cast(_: Syntax, node: Node) -> bool:
    """`a as 'b'.c`: a member of the cast; of the names in `a as B.C.d` the grammar sees some so."""
    receiver = node.child_by_field_name("object")
    if receiver is None or receiver.type not in _CASTS:
        return False
    if node.child_by_field_name("optional_chain") is None and receiver.children[-1].type in _TYPE_NAMES:
        return False
    return _is_on_line(receiver, node.children[1])


def _is_twice(_: Syntax, node: Node) -> bool:
    """`a<B><C>`, and `a as B <C>`."""
    return node.children[0].type == "instantiation_expression" or node.children[0].type in _CASTS


def _is_less_than(syntax: Syntax, node: Node) -> bool:
    """`a<B> < c`, `a<B> > c`, and `a < B >⏎c`, which compilers take for `a<B>` and a line that lacks something."""
    left, operator, right = (node.child_by_field_name(field) for field in ("left", "operator", "right"))
    if left is None or operator is None or right is None or operator.type not in ("<", ">"):
        return False
    inner = left.child_by_field_name("operator") if left.type == "binary_expression" else None
    is_list = operator.type == ">" and inner is not None and inner.type == "<" and is_typed(syntax)
    is_below = right.start_point.row > operator.end_point.row
    return left.type == "instantiation_expression" or (is_list and is_below)


def _goes_on_below(_: Syntax, node: Node) -> bool:
    """`a⏎!` and `a⏎as B`, where the sign or the word begins a line."""
    before, sign = node.children[:2]
    return sign.start_point.row > before.end_point.row


def _asserts_wrongly(_: Syntax, node: Node) -> bool:
    """`<A, B>c`, and `<A>b => c`, in which the parameter lacks its brackets."""
    arrow = node.children[-1]
    is_function = arrow.type == "arrow_function" and arrow.child_by_field_name("parameter") is not None
    return is_function or (node.children[0].type == "type_arguments" and "," in words(node.children[0]))


def _deletes_private(_: Syntax, node: Node) -> bool:
    """`delete this.#a`."""
    argument = node.child_by_field_name("argument")
    while argument is not None and argument.type == "parenthesized_expression" and argument.named_children:
        argument = argument.named_children[0]
    name = argument.child_by_field_name("property") if argument is not None else None
    return node.children[0].type == "delete" and name is not None and name.type == "private_property_identifier"


def _is_private_operand(syntax: Syntax, node: Node) -> bool:
    """`!#a in b`, `{ #a: 1 }`, `#constructor`."""
    parent = node.parent
    if parent is None or syntax.text(node) == "#constructor":
        return parent is not None
    if parent.type in _OF_OBJECTS or (parent.parent is not None and parent.parent.type == "object"):
        return True
    if parent.type != "binary_expression" or parent.parent is None:
        return False
    around = parent.parent
    operator = around.child_by_field_name("operator")
    is_loose = operator is not None and operator.type in _BIND_LOOSER_THAN_IN
    is_right = around.type == "binary_expression" and is_field(parent, "right")
    return around.type in ("unary_expression", "await_expression") or (is_right and not is_loose)


def _is_split(_: Syntax, node: Node) -> bool:
    """`async⏎() => a`."""
    word = node.children[0]
    following = word.next_sibling
    return word.type == "async" and following is not None and following.start_point.row > word.end_point.row


def _yields_below(_: Syntax, node: Node) -> bool:
    """`yield⏎*a`."""
    return any(child.type == "*" and child.start_point.row > node.start_point.row for child in node.children)


def _assigns_chain(_: Syntax, node: Node) -> bool:
    """`[a?.b] = c`."""
    around = next((one.type for one in ancestors(node)), "")
    is_target = around in ("array_pattern", "rest_pattern") or (
        around in ("pair_pattern", "assignment_pattern", "object_assignment_pattern")
        and is_field(node, "value", "left")
        and not (around != "pair_pattern" and not is_field(node, "left"))
    )
    return is_target and is_optional(node)


def _rests_in_object(_: Syntax, node: Node) -> bool:
    """`({ ...{ a } } = b)`."""
    is_of_object = node.parent is not None and node.parent.type == "object_pattern"
    return (
        is_of_object
        and bool(node.named_children)
        and node.named_children[0].type in ("object_pattern", "array_pattern")
    )


RULES: Final[Rules] = joined(
    {
        "super": _is_wrong_super,
        "call_expression": lambda syntax, node: _calls_wrongly(syntax, node) or _imports_spread(syntax, node),
        "new_expression": _makes_wrongly,
        "instantiation_expression": _is_twice,
        "binary_expression": _is_less_than,
        "type_assertion": _asserts_wrongly,
        **dict.fromkeys(("non_null_expression", *_CASTS), _goes_on_below),
        "unary_expression": _deletes_private,
        "private_property_identifier": _is_private_operand,
        "arrow_function": _is_split,
        "yield_expression": _yields_below,
        "meta_property": _has_no_target,
        "rest_pattern": _rests_in_object,
    },
    {"member_expression": _is_of_instance},
    dict.fromkeys(("member_expression", "subscript_expression"), _assigns_chain),
    dict.fromkeys(("member_expression", "subscript_expression"), _is_of_cast),
)

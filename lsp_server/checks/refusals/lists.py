"""Lists in which the order counts: what may stand behind a rest, or behind what need not be given; patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, is_ambient, is_field, named, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_PLAIN, _OPTIONAL, _REST, _VARIADIC = range(4)
"""Elements of a tuple; the last stands for as many as its type says."""
_PATTERNS = frozenset({"object_pattern", "array_pattern"})
_WITHIN_PATTERN: Final = {
    "object_pattern": "",
    "array_pattern": "",
    "rest_pattern": "",
    "pair_pattern": "value",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
}
"""What a pattern is made of, and in which field of it the pattern goes on."""


def _rest_is_not_last(_: Syntax, node: Node) -> bool:
    """What stands behind the rest of a list of parameters or of a pattern, a comma too."""
    parts = [child for child in node.children if child.type not in ("comment", "(", ")", "[", "]", "{", "}")]
    places = [number for number, part in enumerate(parts) if _is_rest(part)]
    return bool(places) and places[0] != len(parts) - 1


def _is_rest(node: Node) -> bool:
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")  # of a tuple
    return node.type == "rest_pattern" or (pattern is not None and pattern.type == "rest_pattern")


def _is_optional_twice(_: Syntax, node: Node) -> bool:
    """`a? = 1`, `...a?`, and `...a = b`."""
    has_value = node.child_by_field_name("value") is not None
    is_optional = node.type == "optional_parameter"
    return (is_optional and has_value) or (_is_rest(node) and (is_optional or has_value))


def _is_out_of_order(_: Syntax, node: Node) -> bool:
    """Elements of a tuple: one that must be there behind one that need not, that one or a rest behind the rest."""
    kinds = [_element(child) for child in named(node)]
    wrong_behind = {_PLAIN: _OPTIONAL, _OPTIONAL: _REST, _REST: _REST}
    return any(wrong_behind.get(kind) in kinds[:number] for number, kind in enumerate(kinds))


def _element(node: Node) -> int:
    if node.type in ("optional_type", "optional_parameter"):
        return _OPTIONAL
    if node.type != "rest_type" and not _is_rest(node):
        return _PLAIN
    kind = node.child_by_field_name("type") or node
    return _REST if kind.named_children and kind.named_children[-1].type == "array_type" else _VARIADIC


def _declares_member(_: Syntax, node: Node) -> bool:
    """`const { a: b.c } = d`."""
    return node.parent is not None and node.parent.type in _WITHIN_PATTERN and _is_declared(node)


def _rests_in_pattern(_: Syntax, node: Node) -> bool:
    """`const { ...{ a } } = b`."""
    is_of_object = node.parent is not None and node.parent.type == "object_pattern"
    return is_of_object and node.named_children[0].type in _PATTERNS and _is_declared(node)


def _is_declared(node: Node) -> bool:
    """Whether what stands in a pattern there is declared, not assigned to."""
    found = node
    while found.parent is not None and found.parent.type in _WITHIN_PATTERN:
        field = _WITHIN_PATTERN[found.parent.type]
        if field and not is_field(found, field):
            return False
        found = found.parent
    parent = found.parent
    if parent is None:
        return False
    if parent.type == "for_in_statement":
        return parent.child_by_field_name("kind") is not None and is_field(found, "left")
    if parent.type in ("variable_declarator", "catch_clause"):
        return is_field(found, "name", "parameter")
    return parent.type == "formal_parameters" or is_field(found, "pattern")


def _has_no_key(_: Syntax, node: Node) -> bool:
    """`{ [a] = b }`: a part of an object that is taken apart further, without the key that it has."""
    left = node.child_by_field_name("left")
    return left is not None and left.type in _PATTERNS


def _has_no_value(_: Syntax, node: Node) -> bool:
    """`let { a };`."""
    name = node.child_by_field_name("name")
    is_taken_apart = name is not None and name.type in _PATTERNS
    return is_taken_apart and node.child_by_field_name("value") is None and not is_ambient(node)


def _takes_wrongly(syntax: Syntax, node: Node) -> bool:
    """A getter with parameters, or a setter without its one."""
    kinds = words(node) & {"get", "set"}
    parameters = node.child_by_field_name("parameters")
    if not kinds or parameters is None:
        return False
    given = [child for child in named(parameters) if not syntax.text(child).startswith("this")]
    return bool(given) if "get" in kinds else len(given) != 1 or _is_rest(given[0])


def _is_strict_late(syntax: Syntax, node: Node) -> bool:
    """`'use strict'` in a function whose parameters are more than names."""
    function = node.parent.parent if node.parent is not None and node.parent.type == "statement_block" else None
    parameters = None if function is None else function.child_by_field_name("parameters")
    if parameters is None or syntax.text(node).strip("\"'; \n") != "use strict" or node.prev_named_sibling is not None:
        return False
    return any(_is_more_than_name(parameter) for parameter in named(parameters))


def _is_more_than_name(parameter: Node) -> bool:
    pattern = parameter.child_by_field_name("pattern") or parameter
    return pattern.type not in ("identifier", "this") or parameter.child_by_field_name("value") is not None


RULES: Final[Rules] = {
    "formal_parameters": lambda syntax, node: (
        _rest_is_not_last(syntax, node) or (node.parent is not None and _takes_wrongly(syntax, node.parent))
    ),
    "object_pattern": _rest_is_not_last,
    "object_assignment_pattern": _has_no_key,
    "array_pattern": _rest_is_not_last,
    "required_parameter": _is_optional_twice,
    "optional_parameter": _is_optional_twice,
    "tuple_type": _is_out_of_order,
    "member_expression": _declares_member,
    "subscript_expression": _declares_member,
    "rest_pattern": _rests_in_pattern,
    "expression_statement": _is_strict_late,
    "variable_declarator": _has_no_value,
    "method_definition": _takes_wrongly,
    "method_signature": _takes_wrongly,
}

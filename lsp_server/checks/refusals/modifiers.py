"""Words and signs before and behind the names of members and parameters: which of them go with which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, is_ambient, is_constructor, is_typed, joined, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_DECORATES: Final = re.compile(r"^\s*@[\w$(]", re.MULTILINE)
_ACCESSORS: Final = frozenset({"get", "set"})
_NO_CONSTRUCTOR: Final = frozenset({"static", "abstract", "?"})
_NOT_DECLARED: Final = frozenset({"override_modifier", "accessor"})
"""What goes with no field that is declared only."""
_PROPERTIES: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly", "decorator"})
_LITERALS: Final = frozenset(
    {"string", "number", "true", "false", "unary_expression", "template_string", "member_expression"}
)
_ON_ONE_LINE: Final = frozenset({"async", "accessor", "declare", "abstract"})
_HAVE_DECORATED: Final = frozenset({"method_definition", "method_signature", "abstract_method_signature"})


def _kinds(node: Node) -> frozenset[str]:
    """All that a member has beside its name, signs and words too."""
    return frozenset(child.type for child in node.children)


def _is_wrong_method(syntax: Syntax, node: Node) -> bool:
    kinds = words(node)
    is_accessor = bool(kinds & _ACCESSORS)
    return (
        (is_accessor and bool(kinds & {"async", "*", "?"}))
        or _is_wrong_constructor(syntax, node)
        or _is_private_to_others(node)
        or ("set" in kinds and node.child_by_field_name("return_type") is not None)
        or (is_accessor and node.child_by_field_name("type_parameters") is not None)
        or ("set" in kinds and is_typed(syntax) and _need_not_be_given(node))
    )


def _need_not_be_given(node: Node) -> bool:
    """Whether the parameter of a setter may be missing."""
    parameters = node.child_by_field_name("parameters")
    return parameters is not None and any(
        child.type == "optional_parameter" or child.child_by_field_name("value") is not None
        for child in parameters.named_children
    )


def _is_wrong_constructor(syntax: Syntax, node: Node) -> bool:
    """`constructor?() {}`, and in TypeScript one that is `static` or has a decorator."""
    name = node.child_by_field_name("name")
    if name is None or syntax.text(name) != "constructor" or node.parent is None or node.parent.type != "class_body":
        return False
    if is_constructor(syntax, node):
        before = node.prev_sibling
        is_decorated = before is not None and before.type == "decorator"
        return is_decorated or bool(_kinds(node) & (_NO_CONSTRUCTOR | {"override_modifier"}))
    return is_typed(syntax)


def _is_private_to_others(node: Node) -> bool:
    """`private #a`: the sign says it, and nobody else can declare it."""
    name = node.child_by_field_name("name")
    is_private = name is not None and name.type == "private_property_identifier"
    return is_private and bool(_kinds(node) & {"accessibility_modifier", "declare", "abstract"})


def _yields_without_body(_: Syntax, node: Node) -> bool:
    """`*a(): B;`."""
    return "*" in words(node)


def _is_private_and_abstract(syntax: Syntax, node: Node) -> bool:
    """`private abstract`: no class could have it."""
    is_private = any(
        child.type == "accessibility_modifier" and syntax.text(child) == "private" for child in node.children
    )
    return is_private and "abstract" in words(node)


def _waits_without_body(_: Syntax, node: Node) -> bool:
    return "async" in words(node) and (is_ambient(node) or "abstract" in words(node))


def _is_wrong_field(syntax: Syntax, node: Node) -> bool:
    kinds = _kinds(node)
    has_value = node.child_by_field_name("value") is not None
    return (
        ("!" in kinds and bool(kinds & {"static", "abstract", "declare"}))
        or ("abstract" in kinds and has_value)
        or ("accessor" in kinds and "?" in kinds)
        or ("declare" in kinds and bool(kinds & (_NOT_DECLARED | {"decorator"})))
        or ("abstract" in kinds and "decorator" in kinds)
        or _is_private_to_others(node)
        or _is_private_and_abstract(syntax, node)
        or ("declare" in kinds and has_value and not _is_known(node))
        or (is_ambient(node) and ("!" in kinds or (has_value and not _is_known(node))))
    )


def _is_known(node: Node) -> bool:
    """`readonly a = 1`, which may be declared only."""
    value = node.child_by_field_name("value")
    is_literal = value is not None and value.type in _LITERALS
    return is_literal and "readonly" in words(node) and node.child_by_field_name("type") is None


def _is_wrong_this(_: Syntax, node: Node) -> bool:
    """`this?: A`, `this = a` and `private this`: it is no parameter."""
    pattern = node.child_by_field_name("pattern")
    if pattern is None or pattern.type != "this":
        return False
    has_value = node.child_by_field_name("value") is not None
    return has_value or node.type == "optional_parameter" or bool(_kinds(node) & _PROPERTIES)


def _is_this_behind(_: Syntax, node: Node) -> bool:
    """`(a, this: B)`."""
    pattern = node.child_by_field_name("pattern")
    before = node.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return pattern is not None and pattern.type == "this" and before is not None


def _is_decorated(_: Syntax, node: Node) -> bool:
    """`@a` on a parameter of what is no member of a class."""
    has_decorator = any(child.type == "decorator" for child in node.children)
    function = node.parent.parent if node.parent is not None else None
    if not has_decorator or function is None:
        return False
    of_class = function.parent is not None and function.parent.type == "class_body"
    return function.type != "ERROR" and not (of_class and function.type in _HAVE_DECORATED)


def _is_prototype(syntax: Syntax, node: Node) -> bool:
    """`static prototype`, which a class has already."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    return "static" in words(node) and name is not None and syntax.text(name) == "prototype"


def _is_decorator_of_javascript(syntax: Syntax, node: Node) -> bool:
    """A decorator where the file has no other one: engines know none yet."""
    start, end = syntax.span(node)
    text = syntax.document.text
    return not is_typed(syntax) and _DECORATES.search(text[:start] + text[end:]) is None


def _is_word_below(_: Syntax, node: Node) -> bool:
    """`async⏎a() {}` in an object, where the word is a member that lacks a comma."""
    word = next((child for child in node.children if child.type in _ON_ONE_LINE), None)
    following = None if word is None else word.next_sibling
    is_split = word is not None and following is not None and word.end_point.row < following.start_point.row
    return is_split and node.parent is not None and node.parent.type == "object"


RULES: Final[Rules] = joined(
    dict.fromkeys(("method_definition", "method_signature", "abstract_method_signature"), _is_wrong_method),
    dict.fromkeys(("method_signature", "abstract_method_signature"), _yields_without_body),
    dict.fromkeys(("method_signature", "abstract_method_signature"), _waits_without_body),
    {"abstract_method_signature": _is_private_and_abstract, "public_field_definition": _is_wrong_field},
    dict.fromkeys(("required_parameter", "optional_parameter"), _is_wrong_this),
    dict.fromkeys(("required_parameter", "optional_parameter"), _is_this_behind),
    dict.fromkeys(("required_parameter", "optional_parameter"), _is_decorated),
    {"method_definition": _is_word_below, "decorator": _is_decorator_of_javascript},
    dict.fromkeys(("method_definition", "field_definition", "public_field_definition"), _is_prototype),
)

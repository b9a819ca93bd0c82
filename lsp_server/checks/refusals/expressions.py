"""Expressions: arrow functions as operands, operators that are not mixed, `as const`, regular expressions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from context_index import continues_identifier
from lsp_server.checks.refusals.regular_expressions import is_no_pattern
from lsp_server.checks.refusals.rule import Rules, is_strict, is_typed, joined, named, own_function, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_OPERATIONS = frozenset({"binary_expression", "unary_expression", "update_expression", "await_expression"})
_OPERAND_OF: Final = {
    "ternary_expression": "condition",
    "call_expression": "function",
    "member_expression": "object",
    "subscript_expression": "object",
    "new_expression": "constructor",
}
"""Where an operand stands that is no whole expression."""
_OPERATORS: Final = frozenset(
    {
        *("!", "~", "+", "-", "*", "/", "%", "**", "&&", "||", "??", "&", "|", "^", "==", "===", "!=", "!==", "<", ">"),
        *("<=", ">=", "<<", ">>", ">>>", "typeof", "void", "delete", "await", "in", "instanceof", "new"),
    }
)
_CASTS = frozenset({"as_expression", "satisfies_expression", "non_null_expression"})
_OF_IMPORT: Final = frozenset({"meta", "defer", "source"})
_LOGICAL = frozenset({"||", "&&"})
_MOST_IMPORTED = 2
_CONSTANT = frozenset(
    {
        *("string", "template_string", "number", "true", "false", "array", "object", "unary_expression"),
        *("member_expression", "subscript_expression"),
    }
)
_LEADING_ZERO = re.compile(r"0\d+$")


def _has_arrow(_: Syntax, node: Node) -> bool:
    """An arrow function or `yield` without parentheses as an operand; as a template's it is only read wrongly."""
    if node.type in _OPERAND_OF:
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and arguments.type == "template_string":
            return False
        operand = node.child_by_field_name(_OPERAND_OF[node.type])
        return operand is not None and operand.type == "arrow_function"
    operands = node.children if node.type in _OPERATIONS else node.children[:1]
    return any(child.type in ("arrow_function", "yield_expression") for child in operands)


def _is_operand_in_error(_: Syntax, node: Node) -> bool:
    """The same where the text around is broken, and no tree has the function: `if (!(a) => {`."""
    found = node.prev_sibling
    while found is not None and found.type not in ("formal_parameters", "identifier"):
        found = found.prev_sibling
    before = None if found is None else found.prev_sibling
    is_broken = node.parent is not None and node.parent.type == "ERROR"
    return is_broken and before is not None and before.type in _OPERATORS


def _has_arrow_below(_: Syntax, node: Node) -> bool:
    """An arrow on another line than what it takes."""
    arrow = next((child for child in node.children if child.type == "=>"), None)
    before = arrow.prev_sibling if arrow is not None else None
    return arrow is not None and before is not None and before.end_point[0] < arrow.start_point[0]


def _mixes(_: Syntax, node: Node) -> bool:
    """`a ?? b || c`, and `-a ** b`."""
    own = _operator(node)
    sides = [node.child_by_field_name(field) for field in ("left", "right")]
    if own == "**":
        return sides[0] is not None and sides[0].type in ("unary_expression", "await_expression")
    others = {_operator(side) for side in sides if side is not None and side.type == "binary_expression"}
    return bool(others & _LOGICAL) if own == "??" else own in _LOGICAL and "??" in others


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return "" if operator is None else operator.type


def _makes_optional(_: Syntax, node: Node) -> bool:
    """`new a?.b()`."""
    found = node.child_by_field_name("constructor")
    while found is not None and found.type in ("member_expression", "subscript_expression"):
        if found.child_by_field_name("optional_chain") is not None:
            return True
        found = found.child_by_field_name("object")
    return False


def _imports_member(syntax: Syntax, node: Node) -> bool:
    """`import?.a`, and `import.a` but for what there is."""
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if receiver is None or receiver.type != "import" or name is None:
        return False
    return node.child_by_field_name("optional_chain") is not None or syntax.text(name) not in _OF_IMPORT


def _imports_nothing(_: Syntax, node: Node) -> bool:
    """`import()`, and with more than a module and its attributes."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "import":
        return False
    return not 0 < len(named(arguments)) <= _MOST_IMPORTED


def _is_not_constant(_: Syntax, node: Node) -> bool:
    """`a as const` of what is no literal."""
    return node.children[-1].type == "const" and not _is_constant(node.children[0])


def _asserts_no_constant(syntax: Syntax, node: Node) -> bool:
    """`<const>a` of what is no literal."""
    return syntax.text(node.children[0]) == "<const>" and not _is_constant(node.children[-1])


def _is_constant(node: Node) -> bool:
    while node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node.type in _CONSTANT


def _is_of_instance(_: Syntax, node: Node) -> bool:
    """`a<T>.b`."""
    receiver = node.child_by_field_name("object")
    return receiver is not None and receiver.type == "instantiation_expression"


def _is_no_number(syntax: Syntax, node: Node) -> bool:
    """`010`, which only scripts that are not strict have, and `0in`, where a word follows at once."""
    end = syntax.span(node)[1]
    following = syntax.document.text[end : end + 1]
    if following and continues_identifier(following):
        return True
    return _LEADING_ZERO.match(syntax.text(node)) is not None and is_strict(syntax, node)


def _yields_nowhere(_: Syntax, node: Node) -> bool:
    """`yield` outside of a generator."""
    found = own_function(node)
    return found is None or (found.type != "ERROR" and "*" not in words(found))


def _is_no_regex(syntax: Syntax, node: Node) -> bool:
    pattern, flags = node.child_by_field_name("pattern"), node.child_by_field_name("flags")
    said = "" if flags is None else syntax.text(flags)
    return pattern is not None and is_no_pattern(syntax.text(pattern), said, typed=is_typed(syntax))


RULES_AROUND: Final[Rules] = {
    "as_expression": _is_not_constant,
    "type_assertion": _asserts_no_constant,
    "member_expression": _is_of_instance,
}
"""Of what may begin before the text, which makes something else of it."""
RULES: Final[Rules] = joined(
    RULES_AROUND,
    dict.fromkeys((*_OPERATIONS, *_CASTS, *_OPERAND_OF), _has_arrow),
    {
        "arrow_function": _has_arrow_below,
        "binary_expression": _mixes,
        "new_expression": _makes_optional,
        "call_expression": _imports_nothing,
        "member_expression": _imports_member,
        "number": _is_no_number,
        "regex": _is_no_regex,
        "html_comment": lambda _syntax, _node: True,  # `<!--` begins a comment in scripts alone, and nobody means it
        "=>": _is_operand_in_error,
        "yield_expression": _yields_nowhere,
    },
)

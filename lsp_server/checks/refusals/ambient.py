"""What is declared only, and what a namespace exports: no code, no values that are not known, no default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import FUNCTIONS, Rules, is_ambient, is_declared_only, joined, nearest, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_STATEMENTS: Final = (
    *("expression_statement", "if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"),
    *("switch_statement", "try_statement", "throw_statement", "return_statement", "break_statement"),
    *("continue_statement", "labeled_statement", "debugger_statement"),
)
_NAMESPACES: Final = ("internal_module", "module")
_LITERALS: Final = frozenset(
    {"string", "number", "unary_expression", "template_string", "true", "false", "member_expression"}
)
_AROUND: Final = frozenset({"internal_module", "module", "program", "class_body"}) | FUNCTIONS


def _is_code(_: Syntax, node: Node) -> bool:
    """A statement among declarations."""
    inner = node.named_children[0] if node.named_children else None
    is_namespace = node.type == "expression_statement" and inner is not None and inner.type in _NAMESPACES
    return not is_namespace and _is_declared(node)


def _has_body(_: Syntax, node: Node) -> bool:
    return _is_declared(node)


def _is_declared(node: Node) -> bool:
    """Whether a node is part of a declaration, and no function around has code that it is part of."""
    return is_ambient(node) and nearest(node, FUNCTIONS) is None


def _has_value(_: Syntax, node: Node) -> bool:
    """`declare const a = b()`."""
    value, declaration = node.child_by_field_name("value"), node.parent
    if value is None or declaration is None or not _is_declared(node):
        return False
    is_known = value.type in _LITERALS and node.child_by_field_name("type") is None
    return not (is_known and "const" in words(declaration))


def _exports_from_namespace(syntax: Syntax, node: Node) -> bool:
    """`export { a }`, `export default a` and `export = a` in a namespace."""
    around = nearest(node, _AROUND)
    name = None if around is None or around.type not in _NAMESPACES else around.child_by_field_name("name")
    if name is None or name.type == "string":
        return False
    kinds = frozenset(child.type for child in node.children)
    has_list = bool(kinds & {"export_clause", "*", "namespace_export"})
    return bool(kinds & {"default", "="}) or (has_list and (not is_declared_only(syntax, node) or "from" in kinds))


def _requires(_: Syntax, node: Node) -> bool:
    """`import a = require('b')` in a namespace."""
    around = nearest(node, _AROUND)
    is_required = any(child.type == "import_require_clause" for child in node.children)
    name = None if around is None or around.type not in _NAMESPACES else around.child_by_field_name("name")
    return is_required and name is not None and name.type != "string"


def _is_named_by_text(_: Syntax, node: Node) -> bool:
    """`namespace 'a' {}`."""
    name = node.child_by_field_name("name")
    return name is not None and name.type == "string"


def _waits_in_namespace(_: Syntax, node: Node) -> bool:
    around = nearest(node, _AROUND)
    return around is not None and around.type in _NAMESPACES


RULES: Final[Rules] = joined(
    dict.fromkeys(_STATEMENTS, _is_code),
    dict.fromkeys(("function_declaration", "generator_function_declaration", "method_definition"), _has_body),
    {
        "ambient_declaration": lambda _, node: is_ambient(node),
        "variable_declarator": _has_value,
        "export_statement": _exports_from_namespace,
        "import_statement": _requires,
        "internal_module": _is_named_by_text,
        "await_expression": _waits_in_namespace,
    },
)

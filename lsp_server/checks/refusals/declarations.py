"""Statements where only some may stand: bodies, exports, imports, what is declared only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import BODIES, LOOPS, Rules, is_body, is_typed, named, nearest, words

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from context_index import Node, Syntax

_DEFAULTS = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "class_declaration", "interface_declaration"),
        *("abstract_class_declaration", "function_signature"),
    }
)
"""Declarations that may be a default."""
_MERGED = frozenset({"interface_declaration", "function_signature"})
"""Those of which there may be more than one."""
_AROUND_NAMESPACES = frozenset({"expression_statement", "export_statement", "ambient_declaration"})
_HOLD_NAMESPACES = _AROUND_NAMESPACES | {"program", "ERROR"}
_CAUGHT = frozenset({"any", "unknown"})


def _is_body_of_loop(syntax: Syntax, node: Node) -> bool:
    """A function there: conditions and labels may have plain ones."""
    parent = node.parent
    is_plain = "async" not in words(node)
    return parent is not None and (parent.type in LOOPS or not is_plain) and is_body(syntax, node)


def _is_no_default(_: Syntax, node: Node) -> bool:
    """`export default const a`."""
    declared = node.child_by_field_name("declaration")
    return "default" in words(node) and declared is not None and declared.type not in _DEFAULTS


def _is_second_default(_: Syntax, node: Node) -> bool:
    parent = node.parent
    if parent is None or not _is_default(node):
        return False
    return [_is_default(child) for child in parent.children].count(True) > 1


def _is_default(node: Node) -> bool:
    if node.type != "export_statement" or "default" not in words(node):
        return False
    declared = node.child_by_field_name("declaration")
    return declared is None or declared.type not in _MERGED


def _goes_wrongly(syntax: Syntax, node: Node) -> bool:
    """`for await (a in b)`, and `for (var a = 1 of b)`."""
    operator = node.child_by_field_name("operator")
    is_in = operator is not None and operator.type == "in"
    if node.child_by_field_name("value") is not None:
        return not is_in or is_typed(syntax)
    return is_in and "await" in words(node)


def _imports_types_twice(_: Syntax, node: Node) -> bool:
    """`import type a, { b } from 'c'`."""
    clause = next((child for child in node.children if child.type == "import_clause"), None)
    return clause is not None and "type" in words(node) and len(named(clause)) > 1


def _catches_type(syntax: Syntax, node: Node) -> bool:
    """`catch (error: Error)`."""
    caught = node.child_by_field_name("type")
    return caught is not None and syntax.text(caught).removeprefix(":").strip() not in _CAUGHT


def _has_code(_: Syntax, node: Node) -> bool:
    """`declare` before what is executed."""
    for child in node.children:
        if child.type in ("function_declaration", "generator_function_declaration"):
            return True
        if child.type == "function_signature" and "async" in words(child):
            return True
        if child.type in ("class_declaration", "abstract_class_declaration"):
            body = child.child_by_field_name("body")
            return body is not None and any(part.type == "method_definition" for part in body.children)
        if child.type in ("lexical_declaration", "variable_declaration") and "const" not in words(child):
            return any(part.child_by_field_name("value") is not None for part in named(child))
    return False


def _imports_in_namespace(_: Syntax, node: Node) -> bool:
    """`import a from 'b'` in a namespace that is no module."""
    around = nearest(node, {"internal_module", "module"})
    name = None if around is None else around.child_by_field_name("name")
    return node.child_by_field_name("source") is not None and name is not None and name.type != "string"


def _is_in_code(_: Syntax, node: Node) -> bool:
    """A namespace or a `declare` within a function, a loop or a condition."""
    found = _outermost(node, _AROUND_NAMESPACES).parent
    if found is None or found.type != "statement_block" or found.parent is None:
        return found is not None and found.type in BODIES
    return found.parent.type not in ("internal_module", "module", "ambient_declaration", "ERROR")


def _outermost(node: Node, kinds: AbstractSet[str]) -> Node:
    """The node, or the farthest around it that only such nodes lead to."""
    while node.parent is not None and node.parent.type in kinds:
        node = node.parent
    return node


def _is_operand(_: Syntax, node: Node) -> bool:
    """A namespace that is part of an expression, as the grammar has it."""
    return node.parent is not None and node.parent.type not in _HOLD_NAMESPACES


def _has_no_body(_: Syntax, node: Node) -> bool:
    """`namespace a` and nothing else; a brace on the next line is a block to the grammar."""
    following = _outermost(node, _AROUND_NAMESPACES | {"ERROR"}).next_named_sibling
    has_block = following is not None and following.type == "statement_block"
    return node.child_by_field_name("body") is None and not has_block


RULES: Final[Rules] = {
    "lexical_declaration": is_body,
    "class_declaration": is_body,
    "generator_function_declaration": is_body,
    "function_declaration": _is_body_of_loop,
    "export_statement": lambda syntax, node: _is_no_default(syntax, node) or _is_second_default(syntax, node),
    "for_in_statement": _goes_wrongly,
    "import_statement": lambda syntax, node: _imports_types_twice(syntax, node) or _imports_in_namespace(syntax, node),
    "catch_clause": _catches_type,
    "ambient_declaration": lambda syntax, node: _has_code(syntax, node) or _is_in_code(syntax, node),
    "internal_module": lambda syntax, node: (
        _is_in_code(syntax, node) or _is_operand(syntax, node) or _has_no_body(syntax, node)
    ),
    "module": _is_in_code,
    "import_alias": _is_in_code,
}

"""The declarations of a JavaScript or TypeScript statement: names, kinds, signatures."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.exports.describe import between, callable_detail, one_line
from context_index.exports.model import Export
from context_index.scopes.javascript_declarations import KINDS
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax

VARIABLES = frozenset({"variable_declaration", "lexical_declaration"})
_NAMED = {**KINDS, "type_alias_declaration": NameKind.TYPE, "internal_module": NameKind.NAMESPACE}
_WRAPPERS = frozenset({"ambient_declaration", "expression_statement"})
"""`declare ...`; and where the grammar puts a namespace that is not exported."""
_TYPES_ONLY = frozenset({NameKind.INTERFACE, NameKind.TYPE})
FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function", "method_definition"})
CLASSES = frozenset({"class"})
_SHORT_VALUES = frozenset({"number", "string", "true", "false", "null", "regex", "new_expression", "unary_expression"})


def declared(syntax: Syntax, node: Node) -> Iterator[Export]:
    """What one statement declares, as if each name were exported."""
    if node.type == "export_statement" and (inner := node.child_by_field_name("declaration")) is not None:
        yield from declared(syntax, inner)
    elif node.type in VARIABLES:
        constant = node.children[0].type == "const"
        for declarator in node.named_children:
            yield from _declarator(syntax, declarator, constant=constant)
    elif node.type in _WRAPPERS:
        for child in node.named_children:
            if node.type == "ambient_declaration" or child.type in _NAMED:
                yield from declared(syntax, child)
    elif node.type == "import_alias":
        alias = node.named_children[0]
        yield Export(syntax.text(alias), NameKind.NAMESPACE, syntax.line(node))
    elif node.type in _NAMED:
        yield from _named(syntax, node, _NAMED[node.type])


def described_value(syntax: Syntax, node: Node, *, constant: bool = True) -> tuple[NameKind, str]:
    """What an expression makes of the name that it is given, and a few words on it."""
    if node.type in FUNCTIONS:
        return NameKind.FUNCTION, callable_detail(syntax, node)
    if node.type in CLASSES:
        return NameKind.CLASS, _heritage(syntax, node)
    kind = NameKind.CONSTANT if constant else NameKind.VARIABLE
    text = one_line(syntax.text(node)) if node.type in _SHORT_VALUES else ""
    return kind, f"= {text}" if text not in {"", "void 0"} else ""


def bound_names(syntax: Syntax, pattern: Node) -> Iterator[Node]:
    """The identifiers that a destructuring pattern binds."""
    if pattern.type in {"identifier", "shorthand_property_identifier_pattern"}:
        yield pattern
    elif pattern.type == "pair_pattern":
        yield from bound_names(syntax, pattern.child_by_field_name("value") or pattern.children[-1])
    elif pattern.type in {"assignment_pattern", "object_assignment_pattern"}:
        yield from bound_names(syntax, pattern.child_by_field_name("left") or pattern.children[0])
    elif pattern.type in {"object_pattern", "array_pattern", "rest_pattern"}:
        for child in pattern.named_children:
            yield from bound_names(syntax, child)


def _named(syntax: Syntax, node: Node, kind: NameKind) -> Iterator[Export]:
    name = node.child_by_field_name("name")
    if name is not None:
        is_type = kind in _TYPES_ONLY
        yield Export(syntax.text(name), kind, syntax.line(name), _detail(syntax, node, kind), is_type=is_type)


def _declarator(syntax: Syntax, declarator: Node, *, constant: bool) -> Iterator[Export]:
    pattern = declarator.child_by_field_name("name")
    if pattern is None:
        return
    kind, detail = NameKind.CONSTANT if constant else NameKind.VARIABLE, ""
    if pattern.type == "identifier":
        value, annotation = declarator.child_by_field_name("value"), declarator.child_by_field_name("type")
        if value is not None:
            kind, detail = described_value(syntax, value, constant=constant)
        if annotation is not None:
            detail = one_line(syntax.text(annotation))
    for name in bound_names(syntax, pattern):
        yield Export(syntax.text(name), kind, syntax.line(name), detail)


def _detail(syntax: Syntax, node: Node, kind: NameKind) -> str:
    if kind is NameKind.FUNCTION:
        return callable_detail(syntax, node)
    if kind is NameKind.TYPE:
        return f"= {between(syntax, node.child_by_field_name('value'), None)}"
    if kind in {NameKind.CLASS, NameKind.INTERFACE}:
        return _heritage(syntax, node)
    return ""


def _heritage(syntax: Syntax, node: Node) -> str:
    """Type parameters and what a class or an interface is made from."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        return ""
    start = syntax.end(name) if name is not None else syntax.start(node) + len("class")
    return one_line(syntax.document.text[start : syntax.start(body)])

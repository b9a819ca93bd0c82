"""The names that a statement of JavaScript or TypeScript declares, with their kinds, as exports."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.exports.model import Export
from context_index.exports.nodes import VARIABLES
from context_index.languages.ecmascript.declarations import KINDS, VALUE_FUNCTIONS
from context_index.languages.ecmascript.patterns import pattern_names
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax

_KIND_BY_TYPE = {**KINDS, "type_alias_declaration": NameKind.TYPE, "internal_module": NameKind.NAMESPACE}
_WRAPPERS = frozenset({"ambient_declaration", "expression_statement"})
"""Nodes around declarations: `declare ...`, and the statement that the grammar puts around a namespace."""
_TYPE_KINDS = frozenset({NameKind.INTERFACE, NameKind.TYPE})
_FUNCTIONS = VALUE_FUNCTIONS | {"method_definition"}


def declarations_of(syntax: Syntax, node: Node) -> Iterator[Export]:
    """The names that one statement declares, in order, as if each were exported."""
    if node.type == "export_statement" and (inner := node.child_by_field_name("declaration")) is not None:
        yield from declarations_of(syntax, inner)
    elif node.type in VARIABLES:
        is_constant = node.children[0].type == "const"
        for declarator in node.named_children:
            yield from _declarator(syntax, declarator, constant=is_constant)
    elif node.type in _WRAPPERS:
        for child in node.named_children:
            if node.type == "ambient_declaration" or child.type in _KIND_BY_TYPE:
                yield from declarations_of(syntax, child)
    elif node.type == "import_alias":  # `import Alias = Some.Namespace`
        alias = node.named_children[0]
        yield Export(syntax.text(alias), NameKind.NAMESPACE, syntax.line(node))
    elif node.type in _KIND_BY_TYPE:
        yield from _named_declaration(syntax, node, _KIND_BY_TYPE[node.type])


def kind_of_value(node: Node, *, constant: bool = True) -> NameKind:
    """The kind of a name whose value is an expression.

    Args:
        constant: Whether the name can be given no other value.
    """
    if node.type in _FUNCTIONS:
        return NameKind.FUNCTION
    if node.type == "class":
        return NameKind.CLASS
    return NameKind.CONSTANT if constant else NameKind.VARIABLE


def has_own_name(value: Node) -> bool:
    """Whether an expression may contain its own name: `function f() {}`, `class A {}`."""
    return value.type in _FUNCTIONS or value.type == "class"


def _named_declaration(syntax: Syntax, node: Node, kind: NameKind) -> Iterator[Export]:
    """The one name of a declaration with a field `name`."""
    name = node.child_by_field_name("name")
    if name is not None:
        yield Export(syntax.text(name), kind, syntax.line(name), is_type=kind in _TYPE_KINDS)


def _declarator(syntax: Syntax, declarator: Node, *, constant: bool) -> Iterator[Export]:
    """The names that one declarator of a `const`, `let` or `var` declares."""
    pattern, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
    if pattern is None:
        return
    kind = NameKind.CONSTANT if constant else NameKind.VARIABLE
    if pattern.type == "identifier" and value is not None:
        kind = kind_of_value(value, constant=constant)
    for name in pattern_names(pattern):
        yield Export(syntax.text(name), kind, syntax.line(name))

"""Which declarations and assignments a name may stand for in a JavaScript or TypeScript file."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.oracles.builtin.shapes import Place
from context_index.syntax import Node

_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function",
    "generator_function_declaration",
})  # fmt: skip
_OWN_SCOPE = _FUNCTIONS | {"class_body"}
_SCOPES = _FUNCTIONS | {"program", "statement_block", "for_statement", "for_in_statement", "switch_body"}
_DECLARATIONS = frozenset({
    "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration",
    "enum_declaration", "function_declaration",
})  # fmt: skip


def bound(use: Place) -> list[Place]:
    """The bindings of the nearest scope that has the name, and all assignments to it within that scope."""
    name = use.text
    for node in use.syntax.path(use.node)[1:]:
        if node.type in _SCOPES:
            scope = Place(use.syntax, node)
            found = [place for text, place in _bindings(scope) if text == name]
            if found:
                is_constant = all(_is_constant(one.node) for one in found)
                return found if is_constant else [*_with_values(found), *_assigned(scope, name)]
    return []


def exported(top: Place, name: str) -> list[Place]:
    """What a file declares under a name at its top; "default" is what it exports as such."""
    if name != "default":
        return [place for text, place in _bindings(top) if text == name]
    for node in top.node.named_children:
        if node.type == "export_statement" and any(child.type == "default" for child in node.children):
            inner = node.child_by_field_name("declaration") or node.child_by_field_name("value")
            if inner is not None and inner.type == "identifier":
                return exported(top, top.syntax.text(inner))
            return [] if inner is None else [Place(top.syntax, inner)]
    return []


def own_nodes(scope: Node) -> Iterator[Node]:
    """Nodes below a node in order, those within functions and classes left out; arrows see the same `this`."""
    body = scope.child_by_field_name("body") or scope
    pending = list(reversed(body.named_children))
    while pending:
        node = pending.pop()
        yield node
        if node.type not in _OWN_SCOPE:
            pending.extend(reversed(node.named_children))


def enclosing_class(place: Place) -> Place | None:
    """The class that `this` is an object of."""
    for node in place.syntax.path(place.node)[1:]:
        if node.type == "class_body" and node.parent is not None:
            return Place(place.syntax, node.parent)
        if node.type in {"function_declaration", "function_expression"}:
            return None
    return None


def _bindings(scope: Place) -> Iterator[tuple[str, Place]]:
    """The names that one scope binds itself."""
    text = scope.syntax.text
    for field in ("parameters", "parameter"):
        listed = scope.node.child_by_field_name(field)
        for node in (listed.named_children if field == "parameters" else [listed]) if listed is not None else ():
            pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
            if pattern.type == "identifier":
                yield text(pattern), Place(scope.syntax, node)
    for statement in scope.node.named_children:
        node = statement.child_by_field_name("declaration") or statement
        name = node.child_by_field_name("name")
        if node.type in _DECLARATIONS and name is not None:
            yield text(name), Place(scope.syntax, node)
        elif node.type in {"lexical_declaration", "variable_declaration"}:
            for declarator in node.named_children:
                for one in _names(declarator.child_by_field_name("name")):
                    is_plain = one == declarator.child_by_field_name("name")
                    yield text(one), Place(scope.syntax, declarator if is_plain else one)
        elif node.type == "import_statement":
            yield from _imported(Place(scope.syntax, node))


def _imported(statement: Place) -> Iterator[tuple[str, Place]]:
    text = statement.syntax.text
    for clause in statement.node.named_children:
        for one in clause.named_children if clause.type == "import_clause" else ():
            if one.type == "identifier":
                yield text(one), Place(statement.syntax, clause)
            if one.type == "namespace_import":
                yield text(one.named_children[0]), Place(statement.syntax, one)
            for specifier in one.named_children if one.type == "named_imports" else ():
                name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
                if name is not None:
                    yield text(name), Place(statement.syntax, specifier)


def _names(pattern: Node | None) -> Iterator[Node]:
    """The names that a pattern binds."""
    if pattern is None:
        return
    if pattern.type in {"identifier", "shorthand_property_identifier_pattern"}:
        yield pattern
    for child in pattern.named_children:
        yield from _names(child)


def _is_constant(node: Node) -> bool:
    """Whether nothing can be assigned to what a node declares."""
    parent = node.parent
    return node.type not in {"variable_declarator", "identifier"} or (
        parent is not None and bool(parent.children) and parent.children[0].type == "const"
    )


def _with_values(found: list[Place]) -> list[Place]:
    """A declaration without value and type says nothing yet."""
    return [
        one
        for one in found
        if one.node.type != "variable_declarator" or one.child("value") is not None or one.child("type") is not None
    ]


def _assigned(scope: Place, name: str) -> Iterator[Place]:
    pending = [scope.node]
    while pending:
        node = pending.pop()
        pending.extend(node.named_children)
        left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        if left is not None and left.type == "identifier" and scope.syntax.text(left) == name:
            yield Place(scope.syntax, node)

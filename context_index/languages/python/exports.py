"""What a Python module exports: its top-level names, according to `__all__` and leading underscores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from context_index.exports.model import Export, Exports, ExportSource, Import
from context_index.exports.nodes import first_named, literal
from context_index.exports.statement_cache import statements_of
from context_index.languages.python.imports import run_on_import
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax

_GROUPS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "parenthesized_expression"})
_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
_LISTS = frozenset({"list", "tuple"})


def exports_of(syntax: Syntax, imports: Iterable[Import]) -> Exports:
    """The names that importing the module makes available; the last definition of a name counts."""
    statements = tuple(run_on_import(syntax.top_level))
    listed, complete = _dunder_all(syntax, statements)
    found: dict[str, Export] = {}
    stars: list[str] = []
    for imported in imports:
        if imported.star:
            stars.append(imported.module)
        for name in imported.names:
            is_module = name.name == "*"
            if not is_module or imported.module == name.local:
                kind = NameKind.MODULE if is_module else NameKind.VARIABLE
                source = ExportSource(imported.module, name.name)
                found[name.local] = Export(name.local, kind, imported.line, source=source, public=False)
    for statement in statements_of(syntax, statements, _defined, _DEFINITIONS):
        for export in statement.exports:
            found[export.name] = export
    if listed is not None:
        for text in listed:
            found.setdefault(text, Export(text, NameKind.VARIABLE, 0))
        public = frozenset(listed)
        found = {text: replace(export, public=text in public) for text, export in found.items()}
    return Exports(tuple(found.values()), tuple(dict.fromkeys(stars)), complete=complete)


def _defined(syntax: Syntax, node: Node) -> Iterator[Export]:
    """The names that one statement defines."""
    if node.type == "decorated_definition":
        definition = node.child_by_field_name("definition")
        node = node if definition is None else definition
    if node.type == "function_definition" and (name := node.child_by_field_name("name")) is not None:
        yield _export(syntax, name, NameKind.FUNCTION)
    elif node.type == "class_definition" and (name := node.child_by_field_name("name")) is not None:
        yield _export(syntax, name, NameKind.CLASS)
    elif node.type == "type_alias_statement" and (left := node.child_by_field_name("left")) is not None:
        while left.named_child_count:  # `type Pair[T] = ...`
            left = left.named_children[0]
        yield _export(syntax, left, NameKind.TYPE)
    elif node.type == "expression_statement" and (assignment := first_named(node)) is not None:
        yield from _assigned(syntax, assignment)
    elif node.type in {"for_statement", "with_statement"}:
        for target in _targets(node):
            yield _export(syntax, target, NameKind.VARIABLE)


def _assigned(syntax: Syntax, node: Node) -> Iterator[Export]:
    """`a = b = value`, `a, b = value`, `a: T = value`."""
    while node.type == "assignment":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        for target in _identifiers(left):
            text = syntax.text(target)
            kind = NameKind.CONSTANT if text.isupper() else NameKind.VARIABLE
            yield _export(syntax, target, kind)
        if right is None:
            return
        node = right


def _targets(node: Node) -> Iterator[Node]:
    """The names that a top-level loop or `with` binds."""
    if node.type == "for_statement":
        yield from _identifiers(node.child_by_field_name("left"))
        return
    clause = next((child for child in node.children if child.type == "with_clause"), None)
    for item in clause.named_children if clause is not None else ():
        value = item.child_by_field_name("value")
        alias = value.child_by_field_name("alias") if value is not None else None
        yield from _identifiers(first_named(alias))


def _identifiers(node: Node | None) -> Iterator[Node]:
    if node is None:
        return
    if node.type == "identifier":
        yield node
    elif node.type in _GROUPS:
        for child in node.named_children:
            yield from _identifiers(child)


def _export(syntax: Syntax, name: Node, kind: NameKind) -> Export:
    text = syntax.text(name)
    return Export(text, kind, syntax.line(name), public=not text.startswith("_"))


def _dunder_all(syntax: Syntax, statements: tuple[Node, ...]) -> tuple[list[str] | None, bool]:
    """The names in `__all__`, None where the module has none; and whether all of them are written out."""
    names: list[str] | None = None
    complete = True
    for statement in statements:
        node = first_named(statement) if statement.type == "expression_statement" else None
        if node is None:
            continue
        value = _all_value(syntax, node)
        if value is None:
            continue
        texts = [literal(syntax, item) for item in (value.named_children if value.type in _LISTS else [value])]
        if node.type == "assignment":
            names = []
        names = [*(names or []), *(text for text in texts if text is not None)]
        complete = complete and None not in texts
    return names if names or complete else None, complete


def _all_value(syntax: Syntax, node: Node) -> Node | None:
    """What a statement sets `__all__` to, or adds to it."""
    if node.type in {"assignment", "augmented_assignment"}:
        left = node.child_by_field_name("left")
        if left is not None and syntax.text(left) == "__all__":
            return node.child_by_field_name("right")
    elif node.type == "call":
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and syntax.text(function) in {"__all__.extend", "__all__.append"}:
            return first_named(arguments)
    return None

"""What a Python module exports: its top-level names. `__all__`, else a leading underscore, says which are public."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from context_index.exports.model import Export, Exports, ExportSource, Import
from context_index.exports.nodes import literal
from context_index.exports.statement_cache import statements_of
from context_index.languages.python.bindings import TARGET_GROUPS
from context_index.languages.python.imports import run_on_import
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax, first_part, parts_of

_DEFINITIONS = frozenset({"function_definition", "class_definition", "decorated_definition"})
"""The statements that are long enough to be worth caching (`statements_of`)."""
_LISTS = frozenset({"list", "tuple"})
"""The values of `__all__` that are read item by item."""


def exports_of(syntax: Syntax, imports: Sequence[Import]) -> Exports:
    """The names that importing the module makes available, each as its last definition has it.

    Imported names are among them and not public, unless `__all__` lists them.

    Args:
        imports: The imports that `imports_of` finds in the same text.
    """
    statements = tuple(run_on_import(syntax.top_level))
    listed, complete = _dunder_all(syntax, statements)  # what `__all__` says
    stars = dict.fromkeys(statement.module for statement in imports if statement.star)
    exports = {export.name: export for export in _imported(imports)}
    for statement in statements_of(syntax, statements, _defined, _DEFINITIONS):
        exports |= {export.name: export for export in statement.exports}
    if listed is not None:
        for name in listed:
            exports.setdefault(name, Export(name, NameKind.VARIABLE, 0))
        public = frozenset(listed)
        exports = {name: replace(export, public=name in public) for name, export in exports.items()}
    return Exports(tuple(exports.values()), tuple(stars), complete=complete)


def _imported(imports: Iterable[Import]) -> Iterator[Export]:
    """The names that import statements bind, except the `a` that `import a.b` binds: nobody imports it from here."""
    for statement in imports:
        for imported in statement.names:
            is_module = imported.name == "*"
            if not is_module or statement.module == imported.local:
                kind = NameKind.MODULE if is_module else NameKind.VARIABLE
                source = ExportSource(statement.module, imported.name)
                yield Export(imported.local, kind, statement.line, source=source, public=False)


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
    elif node.type == "expression_statement" and (assignment := first_part(node)) is not None:
        yield from _assigned(syntax, assignment)
    elif node.type in {"for_statement", "with_statement"}:
        for target in _block_targets(node):
            yield _export(syntax, target, NameKind.VARIABLE)


def _assigned(syntax: Syntax, node: Node) -> Iterator[Export]:
    """The names in `a = b = value`, `a, b = value` and `a: T = value`; nothing for a node that is no assignment."""
    while node.type == "assignment":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        for target in _identifiers(left):
            text = syntax.text(target)
            kind = NameKind.CONSTANT if text.isupper() else NameKind.VARIABLE
            yield _export(syntax, target, kind)
        if right is None:
            return
        node = right


def _block_targets(node: Node) -> Iterator[Node]:
    """The names in the header of a `for` or `with`."""
    if node.type == "for_statement":
        yield from _identifiers(node.child_by_field_name("left"))
        return
    clause = next((child for child in node.children if child.type == "with_clause"), None)
    for item in clause.named_children if clause is not None else ():
        value = item.child_by_field_name("value")
        alias = value.child_by_field_name("alias") if value is not None else None
        yield from _identifiers(first_part(alias))


def _identifiers(node: Node | None) -> Iterator[Node]:
    """The names that an assignment target binds; attributes and subscripts bind none."""
    if node is None:
        return
    if node.type == "identifier":
        yield node
    elif node.type in TARGET_GROUPS:
        for child in node.named_children:
            yield from _identifiers(child)


def _export(syntax: Syntax, name: Node, kind: NameKind) -> Export:
    text = syntax.text(name)
    return Export(text, kind, syntax.line(name), public=not text.startswith("_"))


def _dunder_all(syntax: Syntax, statements: tuple[Node, ...]) -> tuple[list[str] | None, bool]:
    """The names that the module's statements put into `__all__`, and whether these are all of its names.

    The names are None if the module has no `__all__`. They are also None if all are computed: then nothing is known of
    them, and the leading underscores decide.
    """
    names: list[str] | None = None
    complete = True
    for statement in statements:
        node = first_part(statement) if statement.type == "expression_statement" else None
        value = None if node is None else _all_value(syntax, node)
        if node is None or value is None:
            continue
        texts = [literal(syntax, item) for item in (parts_of(value) if value.type in _LISTS else [value])]
        if names is None or node.type == "assignment":  # what was in it before is gone
            names, complete = [], True
        names += [text for text in texts if text is not None]
        complete = complete and None not in texts
    are_all_computed = not names and not complete
    return None if are_all_computed else names, complete


def _all_value(syntax: Syntax, node: Node) -> Node | None:
    """The value that a statement assigns to `__all__` or adds to it; None for other statements."""
    if node.type in {"assignment", "augmented_assignment"}:
        left = node.child_by_field_name("left")
        if left is not None and syntax.text(left) == "__all__":
            return node.child_by_field_name("right")
    elif node.type == "call":
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is not None and syntax.text(function) in {"__all__.extend", "__all__.append"}:
            return first_part(arguments)
    return None

"""Finds what a JavaScript or TypeScript file exports, as an ES module or CommonJS, and what it declares for all files.

`commonjs` beside this module reads CommonJS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from context_index.exports.model import Export, Exports, ExportSource, Import
from context_index.exports.nodes import literal, unquoted
from context_index.exports.statement_cache import Statement, statements_of
from context_index.languages.ecmascript.commonjs import commonjs_exports
from context_index.languages.ecmascript.exported_names import declarations_of, kind_of_value
from context_index.languages.ecmascript.module_kind import MODULE_STATEMENTS
from context_index.symbols import NameKind
from context_index.syntax import Node, Syntax, first_part

_DEFAULT = frozenset({"default", "="})
"""The tokens of a statement that exports one value without a name of its own."""
_DECLARATIONS = frozenset({
    "export_statement", "lexical_declaration", "variable_declaration", "ambient_declaration", "function_declaration",
    "generator_function_declaration", "function_signature", "class_declaration", "abstract_class_declaration",
    "interface_declaration", "type_alias_declaration", "enum_declaration",
})  # fmt: skip
"""Statements whose declarations are cached between edits."""
_AMBIENT = frozenset({"ambient_declaration", "interface_declaration", "type_alias_declaration"})
"""Declarations that are visible in every file if they are in a file that is no module."""


def exports_of(syntax: Syntax, imports: Iterable[Import]) -> Exports:
    """The exports of one file, whichever module system it is written for."""
    nodes = syntax.top_level
    statements = statements_of(syntax, nodes, declarations_of, _DECLARATIONS)
    local_names = _local_names(statements, imports)
    es = _EsModule(syntax, local_names)
    export_statements = (statement for statement in statements if statement.node.type == "export_statement")
    exports = [export for statement in export_statements for export in es.exports(statement)]
    exports += _namespace_members(syntax, nodes, _assigned_name(syntax, statements))
    common = commonjs_exports(syntax, nodes, local_names)
    is_module = any(node.type in MODULE_STATEMENTS for node in nodes)
    return Exports(
        own=tuple(_merged(chain(exports, common.own))),
        stars=tuple(dict.fromkeys([*es.stars, *common.stars])),
        ambient=tuple(_merged(_ambient(syntax, statements, is_module=is_module))),
        complete=common.complete,
    )


def _local_names(statements: Iterable[Statement], imports: Iterable[Import]) -> Mapping[str, Export]:
    """The names that a file imports or declares at its top level, each as it would be exported."""
    names: dict[str, Export] = {}
    for statement in imports:
        for imported in statement.names:
            source = ExportSource(statement.module, imported.name)
            kind = NameKind.NAMESPACE if imported.name == "*" else NameKind.VARIABLE
            names[imported.local] = Export(
                imported.local, kind, statement.line, source=source, is_type=statement.is_type
            )
    for export in (export for statement in statements for export in statement.exports):
        names.setdefault(export.name, export)
    return names


class _EsModule:
    """Reads the export statements of one file.

    Args:
        local_names: The names of the file's top level.
    """

    def __init__(self, syntax: Syntax, local_names: Mapping[str, Export]) -> None:
        self._syntax = syntax
        self._local_names = local_names
        self.stars: list[str] = []
        """The modules of the `export * from` that were read so far."""

    def exports(self, statement: Statement) -> Iterator[Export]:
        """The names that one export statement exports; the module of an `export *` is added to `stars`."""
        node = statement.node
        if statement.exports and not statement.tokens & _DEFAULT:
            yield from statement.exports
            return
        module = literal(self._syntax, node.child_by_field_name("source"))
        is_type = "type" in statement.tokens
        if statement.tokens & _DEFAULT:
            yield self._default(statement)
        elif module is not None and "*" in statement.tokens:
            self.stars.append(module)
        for child in node.named_children:
            if child.type == "namespace_export" and module is not None and first_part(child) is not None:
                name = self._syntax.text(child.named_children[0])
                yield Export(name, NameKind.NAMESPACE, self._syntax.line(child), source=ExportSource(module, "*"))
            elif child.type == "export_clause":
                yield from self._clause(child, module, is_type=is_type)

    def _default(self, statement: Statement) -> Export:
        """The export of `export default ...` or TypeScript's `export = ...`; importers write both the same way."""
        syntax, node = self._syntax, statement.node
        declaration = node.child_by_field_name("declaration")
        if declaration is not None:
            for export in statement.exports:
                return replace(export, name="default", local=export.name)
            return Export("default", kind_of_value(declaration), syntax.line(node))
        value = _identifier(node) or node.child_by_field_name("value") or node.children[-1]
        if value.type == "identifier":
            name = syntax.text(value)
            declared = self._local_names.get(name, Export(name, NameKind.VARIABLE, syntax.line(node)))
            return replace(declared, name="default", local=name)
        return Export("default", kind_of_value(value), syntax.line(node))

    def _clause(self, clause: Node, module: str | None, *, is_type: bool) -> Iterator[Export]:
        """The exports of `{ a, b as c }`; `module` is None without a `from`."""
        syntax = self._syntax
        for specifier in clause.named_children:
            name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
            words = [node for node in specifier.children if node.type != "type"]
            if not words:
                continue
            local = unquoted(syntax, name or words[0])
            exported = unquoted(syntax, alias) if alias is not None else local
            is_type_name = is_type or any(child.type == "type" for child in specifier.children)
            line = syntax.line(specifier)
            if module is not None:
                source = ExportSource(module, local)
                yield Export(exported, NameKind.VARIABLE, line, source=source, is_type=is_type_name)
            else:
                declared = self._local_names.get(local, Export(local, NameKind.VARIABLE, line))
                other_name = local if exported != local else ""
                yield replace(declared, name=exported, local=other_name, is_type=is_type_name or declared.is_type)


def _identifier(export: Node) -> Node | None:
    """The identifier `name` of `export default name` or `export = name`; None for any other value."""
    return next((child for child in export.named_children if child.type == "identifier"), None)


def _assigned_name(syntax: Syntax, statements: Iterable[Statement]) -> str | None:
    """The name `React` of `export = React`; None without such a statement, or if it exports no name."""
    for statement in statements:
        if statement.node.type == "export_statement" and "=" in statement.tokens:
            value = _identifier(statement.node)
            return syntax.text(value) if value is not None else None
    return None


def _namespace_members(syntax: Syntax, statements: Iterable[Node], name: str | None) -> Iterator[Export]:
    """The members of the namespaces called `name`, the value of `export = name`: others may import them by name."""
    for node in statements if name is not None else ():
        inner = first_part(node) if node.type in {"ambient_declaration", "expression_statement"} else node
        title = inner.child_by_field_name("name") if inner is not None and inner.type == "internal_module" else None
        if inner is None or title is None or syntax.text(title) != name:
            continue
        body = inner.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            yield from declarations_of(syntax, member)


def _ambient(syntax: Syntax, statements: Iterable[Statement], *, is_module: bool) -> Iterator[Export]:
    """The names that a file declares for all files: in `declare global`, or anywhere in a file that is no module."""
    for statement in statements:
        node = statement.node
        if node.type == "ambient_declaration" and any(child.type == "global" for child in node.children):
            block = next((child for child in node.named_children if child.type == "statement_block"), None)
            for inner in block.named_children if block is not None else ():
                yield from declarations_of(syntax, inner)
        elif not is_module and node.type in _AMBIENT:
            yield from statement.exports


def _merged(exports: Iterable[Export]) -> Iterator[Export]:
    """The first export of each name, as overloads are one function; a value takes precedence over a type."""
    by_name: dict[str, Export] = {}
    for export in exports:
        earlier = by_name.get(export.name)
        if earlier is None or (earlier.is_type and not export.is_type):
            by_name[export.name] = export
    yield from by_name.values()

"""Reads the import statements of JavaScript and TypeScript, and calls of `require`.

Specifiers stay as they are written: `modules` resolves them.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.exports.imports import imports_of_statement
from context_index.exports.model import Import, Imported
from context_index.exports.nodes import VARIABLES, literal, required, unquoted
from context_index.symbols import Importable
from context_index.syntax import Node, Syntax, first_part

GROUPS_ARE_PARTED = False
"""See Python's: here nothing demands an empty line between groups."""
_MAY_REQUIRE = VARIABLES | {"expression_statement"}


def imports_of(syntax: Syntax) -> Iterator[Import]:
    """Every import at the top level of a file, in order."""
    for node in syntax.top_level:
        if _may_import(syntax, node):
            yield from imports_of_statement(syntax, node, _read)


def _may_import(syntax: Syntax, node: Node) -> bool:
    return node.type == "import_statement" or (node.type in _MAY_REQUIRE and "require" in syntax.text(node))


def _read(syntax: Syntax, node: Node) -> Iterator[Import]:
    """The imports of one statement; a declaration with `require` may have several."""
    if node.type == "import_statement":
        yield from _import_statement(syntax, node)
    elif node.type in VARIABLES:
        for declarator in node.named_children:
            value = declarator.child_by_field_name("value")
            module = required(syntax, value)
            name = declarator.child_by_field_name("name")
            if module is not None and value is not None and name is not None:
                names = tuple(_required_names(syntax, name, value))
                yield Import(module, names, syntax.line(node), is_require=True)
    elif node.type == "expression_statement":
        module = required(syntax, first_part(node))
        if module is not None:
            yield Import(module, (), syntax.line(node), is_require=True)


def _import_statement(syntax: Syntax, node: Node) -> Iterator[Import]:
    """The import of a statement with `import`; none if its specifier is missing.

    Its forms: `import d, { a as b } from "x"`, `import * as m from "x"`, `import m = require("x")`, `import "x"`.
    """
    children = {child.type: child for child in node.children}
    require_clause = children.get("import_require_clause")
    module = literal(syntax, (require_clause or node).child_by_field_name("source"))
    if module is None:
        return
    names: list[Imported] = []
    if require_clause is not None and (name := first_part(require_clause)) is not None:
        names.append(Imported("*", syntax.text(name)))
    clause = children.get("import_clause")
    for child in clause.named_children if clause is not None else ():
        if child.type == "identifier":
            names.append(Imported("default", syntax.text(child)))
        elif child.type == "namespace_import" and (name := first_part(child)) is not None:
            names.append(Imported("*", syntax.text(name)))
        elif child.type == "named_imports":
            names.extend(_named_imports(syntax, child))
    is_type, is_require = "type" in children, require_clause is not None
    yield Import(module, tuple(names), syntax.line(node), is_type=is_type, is_require=is_require)


def _named_imports(syntax: Syntax, clause: Node) -> Iterator[Imported]:
    """The names of `{ a, b as c }`."""
    for specifier in clause.named_children:
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        if name is not None:
            text = unquoted(syntax, name)
            yield Imported(text, syntax.text(alias) if alias is not None else text)


def _required_names(syntax: Syntax, target: Node, value: Node) -> Iterator[Imported]:
    """The names that a declaration with `require` binds.

    Its forms: `const { a, b: c } = require("x")`, `const m = require("x")`, `const a = require("x").a`.

    Args:
        target: What is declared.
        value: The call, or a member of it.
    """
    if target.type == "identifier":
        member = value.child_by_field_name("property") if value.type == "member_expression" else None
        yield Imported("*" if member is None else syntax.text(member), syntax.text(target))
    elif target.type == "object_pattern":
        for child in target.named_children:
            if child.type == "shorthand_property_identifier_pattern":
                yield Imported(syntax.text(child), syntax.text(child))
            elif child.type == "pair_pattern":
                key, local = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and local is not None and local.type == "identifier":
                    yield Imported(syntax.text(key), syntax.text(local))


def group(module: str) -> int:
    """The group in which a module is imported: packages, relative imports."""
    return int(module.startswith("."))


def statement(_wanted: Importable) -> str:
    """The statement that imports a name: always empty, as `import_edits` writes it like the file's other imports."""
    return ""

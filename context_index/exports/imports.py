"""The import statements of a file, as written; `modules` resolves them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from context_index.exports.declarations import VARIABLES
from context_index.exports.model import Import, Imported
from context_index.exports.nodes import first_named, literal, required, unquoted
from context_index.recent import Recent
from context_index.scopes.python_flow import BLOCKS
from context_index.syntax import Node, Syntax

_PYTHON_IMPORTS = frozenset({"import_statement", "import_from_statement"})
_MAY_REQUIRE = VARIABLES | {"expression_statement"}
_recent: Recent[tuple[Import, ...]] = Recent()
"""Statements by language, text and line. Nothing else decides what they import, so all threads may share it."""


def imports_of(syntax: Syntax) -> tuple[Import, ...]:
    """Every import at the top level of a file; in Python also those under a top-level `if`, `try` and the like."""
    if syntax.language.is_python:
        statements = (node for node in syntax.top_level if node.type in _PYTHON_IMPORTS or node.type in BLOCKS)
        nodes = (node for node in python_statements(statements) if node.type in _PYTHON_IMPORTS)
        return tuple(found for node in nodes for found in _cached(syntax, node, _python))
    nodes = (node for node in syntax.top_level if _may_import(syntax, node))
    return tuple(found for node in nodes for found in _cached(syntax, node, _script))


def python_statements(nodes: Iterable[Node]) -> Iterator[Node]:
    """Those of some nodes, and in them, that run when a module is imported, in their order."""
    for node in nodes:
        if node.type in BLOCKS:
            yield node
            yield from python_statements(node.children)
        elif node.is_named and node.type != "comment":
            yield node


def _cached(syntax: Syntax, node: Node, read: Callable[[Syntax, Node], Iterator[Import]]) -> tuple[Import, ...]:
    """The imports of a statement, cached: most statements are the same from keystroke to keystroke."""
    if node.has_error:  # what the parser made of it depends on the text around it
        return tuple(read(syntax, node))
    key = (syntax.language, syntax.text(node), syntax.line(node))
    known = _recent.get(key)
    if known is None:
        known = tuple(read(syntax, node))
        _recent.put(key, known, len(key[1]))
    return known


def _may_import(syntax: Syntax, node: Node) -> bool:
    return node.type == "import_statement" or (node.type in _MAY_REQUIRE and "require" in syntax.text(node))


def _script(syntax: Syntax, node: Node) -> Iterator[Import]:
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
        module = required(syntax, first_named(node))
        if module is not None:
            yield Import(module, (), syntax.line(node), is_require=True)


def _import_statement(syntax: Syntax, node: Node) -> Iterator[Import]:
    """`import d, { a as b } from "x"`, `import * as m from "x"`, `import m = require("x")`, `import "x"`."""
    by_type = {child.type: child for child in node.children}
    by_require = by_type.get("import_require_clause")
    module = literal(syntax, (by_require or node).child_by_field_name("source"))
    if module is None:
        return
    names: list[Imported] = []
    if by_require is not None and (name := first_named(by_require)) is not None:
        names.append(Imported("*", syntax.text(name)))
    clause = by_type.get("import_clause")
    for part in clause.named_children if clause is not None else ():
        if part.type == "identifier":
            names.append(Imported("default", syntax.text(part)))
        elif part.type == "namespace_import" and (name := first_named(part)) is not None:
            names.append(Imported("*", syntax.text(name)))
        elif part.type == "named_imports":
            names.extend(_specifiers(syntax, part))
    yield Import(
        module,
        tuple(names),
        syntax.line(node),
        is_type="type" in by_type,
        is_require=by_require is not None,
    )


def _specifiers(syntax: Syntax, clause: Node) -> Iterator[Imported]:
    for specifier in clause.named_children:
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        if name is not None:
            text = unquoted(syntax, name)
            yield Imported(text, syntax.text(alias) if alias is not None else text)


def _required_names(syntax: Syntax, target: Node, value: Node) -> Iterator[Imported]:
    """The names of `const { a, b: c } = require("x")`, `const m = require("x")`, `const a = require("x").a`."""
    if target.type == "identifier":
        member = value.child_by_field_name("property") if value.type == "member_expression" else None
        yield Imported("*" if member is None else syntax.text(member), syntax.text(target))
    elif target.type == "object_pattern":
        for part in target.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                yield Imported(syntax.text(part), syntax.text(part))
            elif part.type == "pair_pattern":
                key, local = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and local is not None and local.type == "identifier":
                    yield Imported(syntax.text(key), syntax.text(local))


def _python(syntax: Syntax, node: Node) -> Iterator[Import]:
    line = syntax.line(node)
    if node.type == "import_statement":
        for name in node.children_by_field_name("name"):
            dotted, alias = _dotted(syntax, name)
            yield Import(dotted, (Imported("*", alias or dotted.partition(".")[0]),), line)
    elif node.type == "import_from_statement" and (module := node.child_by_field_name("module_name")) is not None:
        names = [_dotted(syntax, name) for name in node.children_by_field_name("name")]
        star = any(child.type == "wildcard_import" for child in node.children)
        imported = tuple(Imported(name, alias or name) for name, alias in names)
        yield Import(_unspaced(syntax.text(module)), imported, line, star=star)


def _dotted(syntax: Syntax, node: Node) -> tuple[str, str]:
    """A dotted name, and its alias if it has one."""
    if node.type != "aliased_import":
        return _unspaced(syntax.text(node)), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (
        _unspaced(syntax.text(name)) if name is not None else "",
        syntax.text(alias) if alias is not None else "",
    )


def _unspaced(dotted: str) -> str:
    """Python allows `from . models import x`."""
    return "".join(dotted.split())

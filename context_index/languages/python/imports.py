"""Reads and writes the import statements of Python. `modules` finds the modules that they name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from context_index.exports.imports import imports_of_statement
from context_index.exports.model import Import, Imported
from context_index.languages.python.flow import BLOCKS
from context_index.symbols import Importable
from context_index.syntax import Node, Syntax

GROUPS_ARE_PARTED = True
"""Whether an empty line is between two groups of imports, in a file that has one group so far; see `group`."""
_IMPORTS = frozenset({"import_statement", "import_from_statement"})


def imports_of(syntax: Syntax) -> Iterator[Import]:
    """Every import at the top level of a file, and under a top-level `if`, `try` and the like."""
    statements = (node for node in syntax.top_level if node.type in _IMPORTS or node.type in BLOCKS)
    for node in run_on_import(statements):
        if node.type in _IMPORTS:
            yield from imports_of_statement(syntax, node, _read)


def run_on_import(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes that run when the module is imported: the given ones and all inside of blocks, in order.

    Conditions are among them; comments, brackets and the like are not.
    """
    for node in nodes:
        if node.type in BLOCKS:
            yield node
            yield from run_on_import(node.children)
        elif node.is_named and node.type != "comment":
            yield node


def _read(syntax: Syntax, node: Node) -> Iterator[Import]:
    """The imports of one statement: one for each module."""
    line = syntax.line(node)
    if node.type == "import_statement":
        for name in node.children_by_field_name("name"):
            dotted, alias = _dotted(syntax, name)
            # "*" is the module itself; without an alias, `import a.b` binds `a`
            yield Import(dotted, (Imported("*", alias or dotted.partition(".")[0]),), line)
    elif node.type == "import_from_statement" and (module := node.child_by_field_name("module_name")) is not None:
        names = [_dotted(syntax, name) for name in node.children_by_field_name("name")]
        star = any(child.type == "wildcard_import" for child in node.children)
        imported = tuple(Imported(name, alias or name) for name, alias in names)
        yield Import(_unspaced(syntax, module), imported, line, star=star)


def _dotted(syntax: Syntax, node: Node) -> tuple[str, str]:
    """A dotted name, and its alias; the alias is empty if it has none."""
    if node.type != "aliased_import":
        return _unspaced(syntax, node), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (
        _unspaced(syntax, name) if name is not None else "",
        syntax.text(alias) if alias is not None else "",
    )


def _unspaced(syntax: Syntax, dotted: Node) -> str:
    """A dotted name without the white space and the line breaks that Python allows in it: `from . models import x`."""
    if dotted.is_extra:  # a backslash with the end of its line
        return ""
    parts = (_unspaced(syntax, part) for part in dotted.children)
    return "".join(parts) if dotted.child_count else syntax.text(dotted)


def group(module: str) -> int:
    """The group in which a module is imported, in PEP 8's order: the standard library, packages, relative imports."""
    if module.startswith("."):
        return 2
    return 0 if module.partition(".")[0] in sys.stdlib_module_names else 1


def statement(wanted: Importable) -> str:
    """The statement that makes a name visible under its `text`, without a line end."""
    if not wanted.is_module:
        return f"from {wanted.module} import {wanted.text}"
    return f"import {wanted.module}" + (f" as {wanted.text}" if wanted.text != wanted.module else "")

"""What CPython's own compiler says of the names that may be used at each place of a Python file.

Follows the order in which the compiler opens its symbol tables, so that each AST node finds its table.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

MANGLED = re.compile(r"_+[A-Za-z]\w*?__\w*?[^_]_?$|__\w*[^_]_?$")
"""Names as the compiler writes private ones of a class, and those that it would write so."""


@dataclass(frozen=True)
class Reference:
    """A use of a name, and the names that the compiler would resolve there."""

    name: str
    line: int
    end_byte_column: int
    visible: frozenset[str]
    is_load: bool = True
    """False for the target of an assignment or of a `del`."""


class _Walk(ast.NodeVisitor):
    def __init__(self, text: str) -> None:
        self.references: list[Reference] = []
        module = symtable.symtable(text, "judged", "exec")
        self._stack: list[tuple[symtable.SymbolTable, Iterator[symtable.SymbolTable]]] = []
        self._visible: list[frozenset[str]] = []
        self._globals = frozenset(_explicit_globals(module)) | _bound(module)
        self._push(module)
        self.visit(ast.parse(text))

    def _push(self, table: symtable.SymbolTable) -> None:
        self._stack.append((table, iter(table.get_children())))
        visible: set[str] = set()
        for depth, (around, _) in enumerate(self._stack):
            if around.get_type() != "class" or depth == len(self._stack) - 1:
                visible |= _bound(around) if depth else self._globals
        self._visible.append(frozenset(visible))

    def _inside(self, *parts: ast.AST) -> None:
        self._push(next(self._stack[-1][1]))
        for part in parts:
            self.visit(part)
        self._stack.pop()
        self._visible.pop()

    def visit_Name(self, node: ast.Name) -> None:
        end = node.end_col_offset or 0
        is_load = isinstance(node.ctx, ast.Load)
        self.references.append(Reference(node.id, node.lineno, end, self._visible[-1], is_load))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        spec = node.args
        outside: list[ast.AST | None] = [*spec.defaults, *spec.kw_defaults]
        ordered = [*spec.posonlyargs, *spec.args, spec.vararg, spec.kwarg, *spec.kwonlyargs]
        outside += [parameter.annotation for parameter in ordered if parameter is not None]
        outside += [node.returns, *node.decorator_list]
        for part in outside:
            if part is not None:
                self.visit(part)
        self._inside(*node.body)

    visit_FunctionDef = _function  # noqa: N815 - named by ast
    visit_AsyncFunctionDef = _function  # noqa: N815 - named by ast

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.bases, *node.keywords, *node.decorator_list):
            self.visit(part)
        self._inside(*node.body)

    def visit_Try(self, node: ast.Try) -> None:
        for part in (*node.body, *node.orelse, *node.handlers, *node.finalbody):
            self.visit(part)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in (*node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)
        self._inside(node.body)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        first, *rest = node.generators
        self.visit(first.iter)
        results = [node.value, node.key] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(first.target, *first.ifs, *rest, *results)

    visit_ListComp = _comprehension  # noqa: N815 - named by ast
    visit_SetComp = _comprehension  # noqa: N815 - named by ast
    visit_GeneratorExp = _comprehension  # noqa: N815 - named by ast
    visit_DictComp = _comprehension  # noqa: N815 - named by ast


def references(text: str) -> list[Reference]:
    """Every name that a file uses, in the compiler's order."""
    return _Walk(text).references


def _bound(table: symtable.SymbolTable) -> frozenset[str]:
    """The names that a table itself gives a value; mangled and invented ones left out."""
    return frozenset(
        symbol.get_name()
        for symbol in table.get_symbols()
        if (symbol.is_assigned() or symbol.is_parameter() or symbol.is_imported() or symbol.is_annotated())
        and not (symbol.is_nonlocal() or (symbol.is_declared_global() and table.get_type() != "module"))
        and symbol.get_name().isidentifier()
        and not MANGLED.match(symbol.get_name())
    )


def _explicit_globals(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_declared_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _explicit_globals(child)

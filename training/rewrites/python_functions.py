"""Finds functions in Python files, and parses them with `ast` into trees whose places in the text are known."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from context_index.symbols import Language
from training.rewrites.task import Function, Rewrite
from training.rewrites.wordings import InstructionKind

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))
"""Keywords and builtins, which a new name must not be."""


@dataclass(frozen=True, slots=True)
class ParsedFunction:
    """A function and its tree. The text may be indented; the tree's columns count from after that indentation."""

    text: str
    margin: str
    """The indentation of the whole text."""
    tree: ast.FunctionDef | ast.AsyncFunctionDef
    starts: tuple[int, ...]
    """The offset of each line in the text."""

    def span(self, node: ast.expr | ast.arg | ast.stmt) -> tuple[int, int]:
        """The offsets in the text at which a node begins and ends."""
        assert node.end_lineno is not None  # noqa: S101 - what the parser made has ends
        assert node.end_col_offset is not None  # noqa: S101
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.expr) -> str:
        """The text of a node."""
        return self.text[slice(*self.span(node))]

    def names(self) -> set[str]:
        """Every word of the function that may be a name, with `RESERVED`; a new name must not be among them."""
        return {word for word in re.findall(r"\w+", self.text) if word.isidentifier()} | RESERVED

    @property
    def has_lines(self) -> bool:
        """Whether the body begins on a line of its own, before which others can be inserted."""
        return self.tree.body[0].lineno != self.tree.lineno

    def statements(self) -> list[ast.stmt]:
        """The statements of the body, without the docstring."""
        return self.tree.body[1:] if ast.get_docstring(self.tree) else self.tree.body

    def line_start(self, statement: ast.stmt) -> int:
        """The offset of the line on which a statement begins."""
        return self.starts[statement.lineno - 1]

    def indent(self) -> str:
        """White space before the statements of the body."""
        first = self.line_start(self.tree.body[0])
        return self.text[first : first + len(self.text[first:]) - len(self.text[first:].lstrip(" \t"))]

    def _place(self, line: int, column: int) -> int:
        """The offset of a place of `ast`, whose columns are bytes."""
        start = self.starts[line - 1] + len(self.margin)
        text = self.text[start : start + column]  # as many bytes as characters in nearly every line
        return start + (column if text.isascii() else len(self.text[start:].encode()[:column].decode()))


def functions(text: str) -> Iterator[Function]:
    """The functions and methods of a module that have no decorators; none if the module does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = _lines(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list and node.end_lineno:
            yield Function(Language.PYTHON, "".join(lines[node.lineno - 1 : node.end_lineno]))


def parse(text: str) -> ParsedFunction | None:
    """Parse a function; None if the text is not one function all of whose lines have its indentation."""
    margin = text[: len(text) - len(text.lstrip(" \t"))]
    try:
        tree = ast.parse(textwrap.dedent(text)).body
    except (SyntaxError, ValueError):
        return None
    if len(tree) != 1 or not isinstance(tree[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    lines = _lines(text)
    if any(line.strip() and not line.startswith(margin) for line in lines):
        return None
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return ParsedFunction(text, margin, tree[0], tuple(starts))


def _lines(text: str) -> list[str]:
    """The lines of a text as `ast` counts them; `splitlines` would also split at form feeds."""
    return StringIO(text).readlines()


def make_rewrite(kind: InstructionKind, instruction: str, original: str, result: str) -> Rewrite | None:
    """The rewrite; None if the two functions are equal, or one of them does not parse."""
    if original == result or parse(original) is None or parse(result) is None:
        return None
    return Rewrite(kind, instruction, original, result)


def arguments(tree: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """The parameters of a function, without `*args` and `**kwargs`."""
    parameters = tree.args
    return [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]

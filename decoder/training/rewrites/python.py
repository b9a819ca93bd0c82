"""Rewrites of Python functions, on `ast`, whose places are exact. Each result is parsed once more before it counts."""

from __future__ import annotations

import ast
import builtins
import keyword
import random
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from context_index.symbols import Language
from decoder.training.rewrites.task import Function, Rewrite, Transformation, edited, new_name
from decoder.training.rewrites.wordings import Kind, worded

_PERCENT = re.compile(r"%([sd])")
_BRACES = re.compile(r"\{\}")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_DEFAULTS = ("None", "True", "False", "0", "1", '""', "()")
_DEBUGGING = ('print("here")', "print({0})", 'print("{0}", {0})', 'print(f"{{{0}=}}")', "breakpoint()")
_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A function with its tree; the text may be indented, the tree's columns count from its own margin."""

    text: str
    margin: str
    tree: ast.FunctionDef | ast.AsyncFunctionDef
    starts: tuple[int, ...]
    """Offset of each line."""

    def span(self, node: ast.expr | ast.arg | ast.stmt) -> tuple[int, int]:
        """Where a node stands in the text."""
        assert node.end_lineno is not None  # noqa: S101 - what the parser made has ends
        assert node.end_col_offset is not None  # noqa: S101
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def names(self) -> set[str]:
        """Every name that the function mentions."""
        return {word for word in re.findall(r"\w+", self.text) if word.isidentifier()} | _RESERVED

    def indent(self) -> str:
        """White space before the statements of the body."""
        first = self.starts[self.tree.body[0].lineno - 1]
        return self.text[first : first + len(self.text[first:]) - len(self.text[first:].lstrip(" \t"))]

    def _place(self, line: int, column: int) -> int:
        start = self.starts[line - 1] + len(self.margin)
        text = self.text[start : start + column]  # as many bytes as characters in nearly every line
        return start + (column if text.isascii() else len(self.text[start:].encode()[:column].decode()))


def functions(text: str) -> Iterator[Function]:
    """The functions of a module, methods among them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list and node.end_lineno:
            yield Function(Language.PYTHON, "".join(lines[node.lineno - 1 : node.end_lineno]))


def rename(function: Function, draw: random.Random) -> Rewrite | None:
    """A local variable or parameter gets another name, wherever it stands."""
    parsed = _parse(function.text)
    if parsed is None or any(isinstance(node, _SCOPES) for node in ast.walk(parsed.tree) if node is not parsed.tree):
        return None
    nodes = list(ast.walk(parsed.tree))
    arguments = [a.arg for a in _arguments(parsed.tree)]
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    inner = [n.target for n in nodes if isinstance(n, ast.comprehension)]  # scopes of their own
    fixed = {n.id for target in inner for n in ast.walk(target) if isinstance(n, ast.Name)}
    for node in nodes:  # in f-strings `ast` of Python 3.11 gives wrong places
        if isinstance(node, ast.JoinedStr):
            fixed |= set(re.findall(r"\w+", parsed.text[slice(*parsed.span(node))]))
    candidates = sorted({*arguments, *stored} - fixed - {"self", "cls", "_"})
    if not candidates or _has_hidden_names(parsed.tree):
        return None
    old = draw.choice(candidates)
    new = new_name(old, function, parsed.names(), draw, camel=False)
    edits = [(*parsed.span(n), new) for n in nodes if isinstance(n, ast.Name) and n.id == old]
    for argument in _arguments(parsed.tree):
        if argument.arg == old:
            start = parsed.span(argument)[0]
            edits.append((start, start + len(old), new))
    if len(edits) < 2:  # noqa: PLR2004 - a name that is used nowhere teaches nothing
        return None
    return _checked(
        Kind.RENAME, worded(Kind.RENAME, draw, old=old, new=new), function.text, edited(function.text, edits)
    )


def f_string(function: Function, draw: random.Random) -> Rewrite | None:
    """`%` and `.format` with plain names become f-strings, all of them."""
    parsed = _parse(function.text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        found = _formatting(node)
        if found is None:
            continue
        template, values, pattern = found
        literal = parsed.text[slice(*parsed.span(template))]
        if (made := _as_f_string(literal, [parsed.text[slice(*parsed.span(v))] for v in values], pattern)) is None:
            return None
        assert isinstance(node, ast.expr)  # noqa: S101 - both kinds are
        edits.append((*parsed.span(node), made))
    if not edits:
        return None
    return _checked(Kind.F_STRING, worded(Kind.F_STRING, draw), function.text, edited(function.text, edits))


def f_string_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """As `f_string`, from a function that has f-strings: the original is made from the result."""
    parsed = _parse(function.text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.JoinedStr) and node.lineno == node.end_lineno:
            start, stop = parsed.span(node)
            if (made := _as_format(parsed.text[start:stop], draw)) is None:
                return None
            edits.append((start, stop, made))
    if not edits:
        return None
    return _checked(Kind.F_STRING, worded(Kind.F_STRING, draw), edited(function.text, edits), function.text)


def parameter(function: Function, draw: random.Random) -> Rewrite | None:
    """One more parameter at the end, with a default."""
    parsed = _parse(function.text)
    if parsed is None:
        return None
    arguments = parsed.tree.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or not arguments.args:
        return None
    last: ast.expr | ast.arg = arguments.defaults[-1] if arguments.defaults else arguments.args[-1]
    place = parsed.span(last)[1]
    if parsed.text[place : place + 1] not in (")", ","):
        return None
    new, value = new_name("snake_case", function, parsed.names(), draw, camel=False), draw.choice(_DEFAULTS)
    result = edited(function.text, [(place, place, f", {new}={value}")])
    wish = worded(Kind.PARAMETER, draw, new=new, value=value, name=parsed.tree.name)
    return _checked(Kind.PARAMETER, wish, function.text, result)


def guard(function: Function, draw: random.Random) -> Rewrite | None:
    """The function returns at once where a parameter is None."""
    parsed = _parse(function.text)
    if parsed is None or parsed.tree.body[0].lineno == parsed.tree.lineno:
        return None
    arguments = [a.arg for a in _arguments(parsed.tree) if a.arg not in ("self", "cls")]
    body = parsed.tree.body[1:] if ast.get_docstring(parsed.tree) else parsed.tree.body
    if not arguments or not body:
        return None
    old, indent = draw.choice(arguments), parsed.indent()
    start = parsed.starts[body[0].lineno - 1]
    lines = f"{indent}if {old} is None:\n{indent}{'    '}return\n"
    if any(isinstance(n, ast.Return) and n.value for n in ast.walk(parsed.tree)):
        lines = lines.replace("return\n", "return None\n")
    wish = worded(Kind.GUARD, draw, old=old, value="None")
    return _checked(Kind.GUARD, wish, function.text, edited(function.text, [(start, start, lines)]))


def annotation(function: Function, draw: random.Random) -> Rewrite | None:
    """`-> None` where nothing is returned: the one annotation that is certain from the function alone."""
    parsed = _parse(function.text)
    if parsed is None or parsed.tree.returns is not None or parsed.tree.name != "__init__":
        return None
    nodes = list(ast.walk(parsed.tree))
    if any(isinstance(n, ast.Yield | ast.YieldFrom) or (isinstance(n, ast.Return) and n.value) for n in nodes):
        return None
    body = parsed.starts[parsed.tree.body[0].lineno - 1]
    head = function.text[:body]
    colon = head.rfind("):")
    if colon < 0 or head[colon + 2 :].strip():
        return None
    result = edited(function.text, [(colon + 1, colon + 1, " -> None")])
    return _checked(Kind.ANNOTATION, worded(Kind.ANNOTATION, draw, name=parsed.tree.name), function.text, result)


def clean(function: Function, draw: random.Random) -> Rewrite | None:
    """Debugging output that someone left behind goes: here it is put into the original first."""
    parsed = _parse(function.text)
    if (
        parsed is None
        or parsed.tree.body[0].lineno == parsed.tree.lineno
        or re.search(r"\bprint\(|breakpoint", parsed.text)
    ):
        return None
    names = [a.arg for a in _arguments(parsed.tree)] or ["locals()"]
    indent = parsed.indent()
    statements = parsed.tree.body[1:] if ast.get_docstring(parsed.tree) else parsed.tree.body
    chosen = draw.sample(statements, min(len(statements), draw.choice((1, 1, 2))))
    edits = []
    for statement in chosen:
        start = parsed.starts[statement.lineno - 1]
        edits.append((start, start, f"{indent}{draw.choice(_DEBUGGING).format(draw.choice(names))}\n"))
    if not edits:
        return None
    return _checked(Kind.CLEAN, worded(Kind.CLEAN, draw), edited(function.text, edits), function.text)


def constant(function: Function, draw: random.Random) -> Rewrite | None:
    """A number gets a name, on a line of its own before the statement that used it."""
    parsed = _parse(function.text)
    if parsed is None or parsed.tree.body[0].lineno == parsed.tree.lineno:
        return None
    for statement in parsed.tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in (0, 1):
                start, stop = parsed.span(node)
                value, new = (
                    parsed.text[start:stop],
                    new_name("snake_case", function, parsed.names(), draw, camel=False),
                )
                line = parsed.starts[statement.lineno - 1]
                edits = [(line, line, f"{parsed.indent()}{new} = {value}\n"), (start, stop, new)]
                wish = worded(Kind.CONSTANT, draw, value=value, new=new)
                return _checked(Kind.CONSTANT, wish, function.text, edited(function.text, edits))
    return None


KINDS: tuple[tuple[Transformation, ...], ...] = (
    (f_string, f_string, f_string_undone, f_string_undone),
    (rename, rename, rename, rename, parameter, guard, clean, constant, annotation),
)
"""Those that seldom apply, and those that often do; a rename four times, for it is asked for most."""


def _parse(text: str) -> _Parsed | None:
    margin = text[: len(text) - len(text.lstrip(" \t"))]
    try:
        tree = ast.parse(textwrap.dedent(text)).body
    except (SyntaxError, ValueError):
        return None
    if len(tree) != 1 or not isinstance(tree[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    lines = text.splitlines(keepends=True)
    if any(line.strip() and not line.startswith(margin) for line in lines):
        return None
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return _Parsed(text, margin, tree[0], tuple(starts))


def _checked(kind: Kind, wish: str, original: str, result: str) -> Rewrite | None:
    """The rewrite, if both sides parse and differ."""
    if original == result or _parse(original) is None or _parse(result) is None:
        return None
    return Rewrite(kind, wish, original, result)


def _arguments(tree: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    every = tree.args
    return [*every.posonlyargs, *every.args, *every.kwonlyargs]


def _has_hidden_names(tree: ast.AST) -> bool:
    """Whether names stand where `ast` gives no place for them: imports, `except ... as`, match patterns."""
    hidden = (ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.Match, ast.Global, ast.Nonlocal)
    return any(isinstance(node, hidden) for node in ast.walk(tree))


def _formatting(node: ast.AST) -> tuple[ast.Constant, list[ast.expr], re.Pattern[str]] | None:
    """The literal and the values of a `%` or `.format` expression."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return node.left, values, _PERCENT  # type: ignore[return-value] # `_is_text` says so
    if (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
        and _is_text(node.func.value) and not node.keywords
    ):  # fmt: skip
        return node.func.value, node.args, _BRACES  # type: ignore[return-value]
    return None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno


def _as_f_string(literal: str, values: list[str], pattern: re.Pattern[str]) -> str | None:
    simple = all(re.fullmatch(r"[\w.]+", value) for value in values)
    marks = pattern.findall(literal)
    if literal[0] not in "'\"" or not simple or len(marks) != len(values):
        return None
    rest = pattern.sub("", literal)
    if "%" in rest or "{" in rest or "}" in rest:
        return None
    inserted = iter(values)
    return "f" + pattern.sub(lambda _: "{" + next(inserted) + "}", literal)


def _as_format(literal: str, draw: random.Random) -> str | None:
    """An f-string whose values are plain names, with `%` or `.format`."""
    found = re.fullmatch(r"""f(["'])([^\\%{}]*(?:\{[a-zA-Z_][\w.]*\}[^\\%{}]*)+)\1""", literal)
    if found is None:
        return None
    values = re.findall(r"\{([\w.]+)\}", found[2])
    percent = draw.random() < 0.5  # noqa: PLR2004 - either is as good
    template = found[1] + re.sub(r"\{[\w.]+\}", "%s" if percent else "{}", found[2]) + found[1]
    if percent:
        return f"{template} % {values[0]}" if len(values) == 1 else f"{template} % ({', '.join(values)})"
    return f"{template}.format({', '.join(values)})"

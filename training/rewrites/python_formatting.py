"""Rewrites of Python functions that replace `%` and `.format` by f-strings."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Sequence
from dataclasses import replace

from training.rewrites.python_functions import ParsedFunction, arguments, checked, parse
from training.rewrites.task import Function, Rewrite, edited
from training.rewrites.wordings import InstructionKind, worded

_PERCENT = re.compile(r"%([sd])")
_BRACES = re.compile(r"\{\}")
_VALUE = re.compile(r"[\w.]+")
"""A name or a member of a name."""
_PLAIN = re.compile(r"""(["'])[^\\%{}"'\n]{4,60}\1""")
"""A string into which values can be put."""
_AROUND = ("*", "*", "*", "*:", "*,", "(*)", "[*]", "<*>", "*.", "=*")
"""What may be around a value, `*`, in a text."""
_STATEMENTS = ("message = *", "print(*)", "label = *", "log.debug(*)", "self.title = *", "yield *")
"""Statements that are inserted with a formatted string, `*`."""
_PERCENT_SHARE = 0.5
"""The share of originals with `%`; the others have `.format`."""
_NUMBER_SHARE = 0.25
"""The share of values that are formatted as numbers, in originals with `%`."""


def use_f_strings(function: Function, draw: random.Random) -> Rewrite | None:
    """Replace all `%` and `.format` by f-strings; the values must be plain names."""
    result = _with_f_strings(function.text)
    if result is None:
        return None
    return checked(InstructionKind.F_STRING, worded(InstructionKind.F_STRING, draw), function.text, result)


def use_f_strings_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite of `use_f_strings` whose result is this function; the original has `%` or `.format` in its place."""
    parsed = parse(function.text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.JoinedStr) and node.lineno == node.end_lineno:
            start, stop = parsed.span(node)
            if (formatted := _as_format(parsed.text[start:stop], draw)) is None:
                return None
            edits.append((start, stop, formatted))
    original = edited(function.text, edits)
    if _with_f_strings(original) != function.text:  # `f"{a}".strip()` is not `"%s" % a.strip()`
        return None
    return checked(InstructionKind.F_STRING, worded(InstructionKind.F_STRING, draw), original, function.text)


def use_f_strings_in_made_up(function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite of `use_f_strings` for this function after one or two of its strings were made to format its names.

    Real code formats plain names too seldom for a model to learn it. A function without strings first gets a statement
    with one.
    """
    parsed = parse(function.text)
    values = _values(parsed) if parsed is not None else []
    if parsed is None or not values:
        return None
    if literals := _literals(parsed):
        chosen = draw.sample(literals, min(len(literals), draw.choice((1, 1, 2))))
        edits = [(start, stop, _with_marks(parsed.text[start:stop], values, draw)) for start, stop in chosen]
    else:
        edits = _inserted_statement(parsed, values, function.words or ("no", "words"), draw)
    return use_f_strings(replace(function, text=edited(function.text, edits)), draw)


def _with_f_strings(text: str) -> str | None:
    """A function with f-strings in place of all `%` and `.format`; None if it has none, or one cannot be replaced."""
    parsed = parse(text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        formatting = _formatting(node)
        if formatting is None:
            continue
        template, values, pattern = formatting
        f_string = _as_f_string(parsed.source(template), [parsed.source(value) for value in values], pattern)
        if f_string is None:
            return None
        assert isinstance(node, ast.expr)  # noqa: S101 - `%` and a call are
        edits.append((*parsed.span(node), f_string))
    return edited(text, edits) if edits else None


def _formatting(node: ast.AST) -> tuple[ast.Constant, list[ast.expr], re.Pattern[str]] | None:
    """The literal and the values of a `%` or `.format` expression, and the pattern of a mark; None for other nodes."""
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
    """Whether a node is a string on one line."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno


def _as_f_string(literal: str, values: list[str], pattern: re.Pattern[str]) -> str | None:
    """The f-string for a literal with marks and its values.

    None if the literal has a prefix, a value is no plain name, or the literal has other marks or braces.
    """
    is_simple = all(_VALUE.fullmatch(value) for value in values)
    marks = pattern.findall(literal)
    if literal[0] not in "'\"" or not is_simple or len(marks) != len(values):
        return None
    rest = pattern.sub("", literal)
    if "%" in rest or "{" in rest or "}" in rest:
        return None
    inserted = iter(values)
    return "f" + pattern.sub(lambda mark: "{" + next(inserted) + (":d}" if mark[0] == "%d" else "}"), literal)


def _as_format(literal: str, draw: random.Random) -> str | None:
    """The same as an f-string, with `%` or `.format`; None if its values are not plain names."""
    match = re.fullmatch(r"""f(["'])([^\\%{}]*(?:\{[a-zA-Z_][\w.]*\}[^\\%{}]*)+)\1""", literal)
    if match is None:
        return None
    quote, content = match[1], match[2]
    values = re.findall(r"\{([\w.]+)\}", content)
    has_percent = draw.random() < _PERCENT_SHARE
    template = quote + re.sub(r"\{[\w.]+\}", "%s" if has_percent else "{}", content) + quote
    return _formatted(template, values, has_percent=has_percent)


def _formatted(template: str, values: Sequence[str], *, has_percent: bool) -> str:
    """The expression that formats a template with values, by `%` or by `.format`."""
    if has_percent:
        return f"{template} % {values[0]}" if len(values) == 1 else f"{template} % ({', '.join(values)})"
    return f"{template}.format({', '.join(values)})"


def _values(parsed: ParsedFunction) -> list[str]:
    """The function's own names, and members of them that it reads, sorted."""
    values = {argument.arg for argument in arguments(parsed.tree)}
    nodes = list(ast.walk(parsed.tree))
    values |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    receivers = values | {"self"}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            member = ast.unparse(node)
            if _VALUE.fullmatch(member) and member.partition(".")[0] in receivers:
                values.add(member)
    return sorted(values - {"self", "cls", "_"})


def _literals(parsed: ParsedFunction) -> list[tuple[int, int]]:
    """The spans of strings that may be formatted: plain ones on one line, without docstrings."""
    nodes = list(ast.walk(parsed.tree))
    in_f_strings = {id(child) for node in nodes if isinstance(node, ast.JoinedStr) for child in ast.walk(node)}
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    spans = []
    for node in nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in in_f_strings | statements:
            start, stop = parsed.span(node)
            if _PLAIN.fullmatch(parsed.text, start, stop):
                spans.append((start, stop))
    return sorted(spans)


def _inserted_statement(
    parsed: ParsedFunction, values: list[str], words: Sequence[str], draw: random.Random
) -> list[tuple[int, int, str]]:
    """The edit that inserts a line with a formatted string of some words into the body; none if it has no lines."""
    body = parsed.statements()
    if not body or not parsed.has_lines:
        return []
    quote = draw.choice("'\"")
    literal = f"{quote}{' '.join(draw.choices(words, k=draw.randint(1, 4)))}{quote}"
    line = draw.choice(_STATEMENTS).replace("*", _with_marks(literal, values, draw))
    start = parsed.line_start(draw.choice(body))
    return [(start, start, f"{parsed.indent()}{line}\n")]


def _with_marks(literal: str, values: list[str], draw: random.Random) -> str:
    """An expression that formats a literal with some of the values, whose marks are put between its words."""
    quote, has_percent = literal[0], draw.random() < _PERCENT_SHARE
    words = literal[1:-1].split(" ")
    chosen = draw.sample(values, min(len(values), draw.choice((1, 1, 2, 2, 3))))
    for _ in chosen:
        mark = ("%d" if draw.random() < _NUMBER_SHARE else "%s") if has_percent else "{}"
        words.insert(draw.randint(0, len(words)), draw.choice(_AROUND).replace("*", mark))
    return _formatted(quote + " ".join(words) + quote, chosen, has_percent=has_percent)

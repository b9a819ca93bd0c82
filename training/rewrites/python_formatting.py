"""Rewrites of Python functions that replace `%` and `.format` by f-strings.

`"%s: %d" % (a, b)` becomes `f"{a}: {b:d}"`. A placeholder is where a value is put: `%s`, `%d` or `{}`. A literal is a
string as it is spelled in the code, with its quotes.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from training.rewrites.python_functions import ParsedFunction, arguments, make_rewrite, parse
from training.rewrites.task import Function, Rewrite, apply_edits
from training.rewrites.wordings import InstructionKind, draw_wording

_PERCENT = re.compile(r"%[sd]")
"""A placeholder of `%`; other forms, such as `%5.2f`, are not rewritten."""
_BRACES = re.compile(r"\{\}")
"""A placeholder of `.format`."""
_VALUE = re.compile(r"[\w.]+")
"""A name, a member of a name or a number: what an f-string may hold as it is spelled."""
_PLAIN = re.compile(r"""(["'])[^\\%{}"'\n]{4,60}\1""")
"""A string into which values can be put."""
_AROUND = ("*", "*", "*", "*:", "*,", "(*)", "[*]", "<*>", "*.", "=*")
"""The signs that may be around a placeholder, `*`, in a text. One form is drawn; three of ten have no sign."""
_PLANTED_STRINGS = (1, 1, 2)
"""The numbers of strings of a function to draw from; a guess at real code, where one is usual."""
_PLANTED_VALUES = (1, 1, 2, 2, 3)
"""The numbers of values of a string to draw from; a guess at real code, where three are rare."""
_WORDS = ("no", "words")
"""The words of an inserted string, where those of the function's file are not known (`Function.words`)."""
_STATEMENTS = ("message = *", "print(*)", "label = *", "log.debug(*)", "self.title = *", "yield *")
"""Statements that are inserted with a formatted string, `*`."""
_PERCENT_SHARE = 0.5
"""The share of originals with `%`; the others have `.format`."""
_NUMBER_SHARE = 0.25
"""The share of values that are formatted as numbers, in originals with `%`."""


def use_f_strings(function: Function, draw: random.Random) -> Rewrite | None:
    """Replace all `%` and `.format` by f-strings; the values must be plain names."""
    result = _replace_formatting(function.text)
    if result is None:
        return None
    return make_rewrite(InstructionKind.F_STRING, draw_wording(InstructionKind.F_STRING, draw), function.text, result)


def make_original_for_f_strings(function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite of `use_f_strings` whose result is this function.

    The original is made: each f-string of the function is written with `%` or `.format` in it.
    """
    parsed = parse(function.text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.JoinedStr) and node.lineno == node.end_lineno:
            start, stop = parsed.span(node)
            if (formatting := _without_f_string(parsed.text[start:stop], draw)) is None:
                return None
            edits.append((start, stop, formatting))
    original = apply_edits(function.text, edits)
    if _replace_formatting(original) != function.text:  # `f"{a}".strip()` is not `"%s" % a.strip()`
        return None
    return make_rewrite(InstructionKind.F_STRING, draw_wording(InstructionKind.F_STRING, draw), original, function.text)


def plant_and_use_f_strings(function: Function, draw: random.Random) -> Rewrite | None:
    """Let one or two strings of the function format its names; the rewrite of the result by `use_f_strings`.

    Real code formats plain names too seldom for a model to learn it. A function without strings gets a statement with
    one.
    """
    parsed = parse(function.text)
    values = _values(parsed) if parsed is not None else []
    if parsed is None or not values:
        return None
    if literals := _literals(parsed):
        chosen = draw.sample(literals, min(len(literals), draw.choice(_PLANTED_STRINGS)))
        edits = [(start, stop, _format_literal(parsed.text[start:stop], values, draw)) for start, stop in chosen]
    else:
        edits = _insert_statement(parsed, values, function.words or _WORDS, draw)
    return use_f_strings(replace(function, text=apply_edits(function.text, edits)), draw)


def _replace_formatting(text: str) -> str | None:
    """A function with f-strings in place of all `%` and `.format`; None if it has none, or one cannot be replaced."""
    parsed = parse(text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        formatting = _find_formatting(node)
        if formatting is None:
            continue
        template, values, pattern = formatting
        f_string = _as_f_string(parsed.source(template), [parsed.source(value) for value in values], pattern)
        if f_string is None:
            return None
        assert isinstance(node, ast.expr)  # noqa: S101 - an operator or a call, which are expressions
        edits.append((*parsed.span(node), f_string))
    return apply_edits(text, edits) if edits else None


def _find_formatting(node: ast.AST) -> tuple[ast.Constant, list[ast.expr], re.Pattern[str]] | None:
    """The literal, the values and the pattern of the placeholders of a `%` or `.format`; None for other nodes."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return node.left, values, _PERCENT
    if (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
        and _is_text(node.func.value) and not node.keywords
    ):  # fmt: skip
        return node.func.value, node.args, _BRACES
    return None


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    """Whether a node is a string on one line."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno


def _as_f_string(literal: str, values: list[str], pattern: re.Pattern[str]) -> str | None:
    """The f-string for a literal with placeholders and its values.

    None if the literal has a prefix such as `r`, a value does not fit `_VALUE`, or the literal has other
    placeholders or braces.
    """
    is_simple = all(_VALUE.fullmatch(value) for value in values)
    placeholders = pattern.findall(literal)
    if literal[0] not in "'\"" or not is_simple or len(placeholders) != len(values):
        return None
    rest = pattern.sub("", literal)
    if "%" in rest or "{" in rest or "}" in rest:
        return None
    inserted = iter(values)
    return "f" + pattern.sub(lambda match: "{" + next(inserted) + (":d}" if match[0] == "%d" else "}"), literal)


def _without_f_string(literal: str, draw: random.Random) -> str | None:
    """What an f-string does, written with `%` or `.format`; None if its values are not plain names."""
    match = re.fullmatch(r"""f(["'])([^\\%{}]*(?:\{[a-zA-Z_][\w.]*\}[^\\%{}]*)+)\1""", literal)
    if match is None:
        return None
    quote, content = match[1], match[2]
    values = re.findall(r"\{([\w.]+)\}", content)
    has_percent = draw.random() < _PERCENT_SHARE
    template = quote + re.sub(r"\{[\w.]+\}", "%s" if has_percent else "{}", content) + quote
    return _write_formatting(template, values, has_percent=has_percent)


def _write_formatting(template: str, values: Sequence[str], *, has_percent: bool) -> str:
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
    """The spans of strings into which values can be put (`_PLAIN`); docstrings are left out."""
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


def _insert_statement(
    parsed: ParsedFunction, values: list[str], words: Sequence[str], draw: random.Random
) -> list[tuple[int, int, str]]:
    """The edit that inserts a line with a formatted string of some words into the body.

    No edit if the body is on the line of the `def`, or is only a docstring.
    """
    body = parsed.statements()
    if not body or not parsed.has_lines:
        return []
    quote = draw.choice("'\"")
    literal = f"{quote}{' '.join(draw.choices(words, k=draw.randint(1, 4)))}{quote}"
    line = draw.choice(_STATEMENTS).replace("*", _format_literal(literal, values, draw))
    start = parsed.line_start(draw.choice(body))
    return [(start, start, f"{parsed.indent()}{line}\n")]


def _format_literal(literal: str, values: list[str], draw: random.Random) -> str:
    """An expression that formats a literal with some of the values; their placeholders are put between its words."""
    quote, has_percent = literal[0], draw.random() < _PERCENT_SHARE
    words = literal[1:-1].split(" ")
    chosen = draw.sample(values, min(len(values), draw.choice(_PLANTED_VALUES)))
    for _ in chosen:
        placeholder = ("%d" if draw.random() < _NUMBER_SHARE else "%s") if has_percent else "{}"
        words.insert(draw.randint(0, len(words)), draw.choice(_AROUND).replace("*", placeholder))
    return _write_formatting(quote + " ".join(words) + quote, chosen, has_percent=has_percent)

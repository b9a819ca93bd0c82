"""`%` and `.format` in Python, and f-strings in their place."""

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
_PLAIN = re.compile(r"""(["'])[^\\%{}"'\n]{4,60}\1""")
_AROUND = ("*", "*", "*", "*:", "*,", "(*)", "[*]", "<*>", "*.", "=*")
"""What may be around a value in a text."""
_STATEMENTS = ("message = *", "print(*)", "label = *", "log.debug(*)", "self.title = *", "yield *")
_PERCENT_SHARE = 0.5
"""The share of `%`; the others are `.format`."""
_NUMBER_SHARE = 0.25
"""The share of values that are formatted as numbers."""


def use_f_strings(function: Function, draw: random.Random) -> Rewrite | None:
    """`%` and `.format` with plain names become f-strings, all of them."""
    result = _with_f_strings(function.text)
    if result is None:
        return None
    return checked(InstructionKind.F_STRING, worded(InstructionKind.F_STRING, draw), function.text, result)


def use_f_strings_undone(function: Function, draw: random.Random) -> Rewrite | None:
    """As `use_f_strings`, from a function that has f-strings: the original is made from the result."""
    parsed = parse(function.text)
    if parsed is None:
        return None
    edits = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.JoinedStr) and node.lineno == node.end_lineno:
            start, stop = parsed.span(node)
            if (made := _as_format(parsed.text[start:stop], draw)) is None:
                return None
            edits.append((start, stop, made))
    original = edited(function.text, edits)
    if _with_f_strings(original) != function.text:  # `f"{a}".strip()` is not `"%s" % a.strip()`
        return None
    return checked(InstructionKind.F_STRING, worded(InstructionKind.F_STRING, draw), original, function.text)


def use_f_strings_in_made_up(function: Function, draw: random.Random) -> Rewrite | None:
    """As `use_f_strings`, from a function in which one or two strings were first made to format its names.

    Real code seldom formats plain names, too seldom for a model to learn it. A function without strings gets a
    statement with one.
    """
    parsed = parse(function.text)
    values = _values(parsed) if parsed is not None else []
    if parsed is None or not values:
        return None
    if literals := _literals(parsed):
        chosen = draw.sample(literals, min(len(literals), draw.choice((1, 1, 2))))
        edits = [(start, stop, _with_marks(parsed.text[start:stop], values, draw)) for start, stop in chosen]
    else:
        edits = _statement(parsed, values, function.words or ("no", "words"), draw)
    return use_f_strings(replace(function, text=edited(function.text, edits)), draw)


def _with_f_strings(text: str) -> str | None:
    """A function in which nothing is formatted another way any more; None where it does not apply."""
    parsed = parse(text)
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
    return edited(text, edits) if edits else None


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
    simple = all(_VALUE.fullmatch(value) for value in values)
    marks = pattern.findall(literal)
    if literal[0] not in "'\"" or not simple or len(marks) != len(values):
        return None
    rest = pattern.sub("", literal)
    if "%" in rest or "{" in rest or "}" in rest:
        return None
    inserted = iter(values)
    return "f" + pattern.sub(lambda mark: "{" + next(inserted) + (":d}" if mark[0] == "%d" else "}"), literal)


def _as_format(literal: str, draw: random.Random) -> str | None:
    """An f-string whose values are plain names, with `%` or `.format`."""
    found = re.fullmatch(r"""f(["'])([^\\%{}]*(?:\{[a-zA-Z_][\w.]*\}[^\\%{}]*)+)\1""", literal)
    if found is None:
        return None
    values = re.findall(r"\{([\w.]+)\}", found[2])
    percent = draw.random() < _PERCENT_SHARE
    template = found[1] + re.sub(r"\{[\w.]+\}", "%s" if percent else "{}", found[2]) + found[1]
    return _formatted(template, values, percent=percent)


def _formatted(template: str, values: Sequence[str], *, percent: bool) -> str:
    """A template with its values, by `%` or `.format`."""
    if percent:
        return f"{template} % {values[0]}" if len(values) == 1 else f"{template} % ({', '.join(values)})"
    return f"{template}.format({', '.join(values)})"


def _values(parsed: ParsedFunction) -> list[str]:
    """The function's own names, and members of them that it reads."""
    found = {argument.arg for argument in arguments(parsed.tree)}
    nodes = list(ast.walk(parsed.tree))
    found |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    own = found | {"self"}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            spelled = ast.unparse(node)
            if _VALUE.fullmatch(spelled) and spelled.partition(".")[0] in own:
                found.add(spelled)
    return sorted(found - {"self", "cls", "_"})


def _literals(parsed: ParsedFunction) -> list[tuple[int, int]]:
    """The places of strings that may be formatted: plain ones on one line, without docstrings."""
    nodes = list(ast.walk(parsed.tree))
    joined = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in joined | alone:
            start, stop = parsed.span(node)
            if _PLAIN.fullmatch(parsed.text, start, stop):
                found.append((start, stop))
    return sorted(found)


def _statement(
    parsed: ParsedFunction, values: list[str], words: Sequence[str], draw: random.Random
) -> list[tuple[int, int, str]]:
    """The insertion of a line that formats some words, before one of the body's statements."""
    body = parsed.statements()
    if not body or not parsed.has_lines:
        return []
    quote = draw.choice("'\"")
    literal = f"{quote}{' '.join(draw.choices(words, k=draw.randint(1, 4)))}{quote}"
    line = draw.choice(_STATEMENTS).replace("*", _with_marks(literal, values, draw))
    start = parsed.line_start(draw.choice(body))
    return [(start, start, f"{parsed.indent()}{line}\n")]


def _with_marks(literal: str, values: list[str], draw: random.Random) -> str:
    """A literal with marks for some values between its words, and the values after it."""
    quote, percent = literal[0], draw.random() < _PERCENT_SHARE
    words = literal[1:-1].split(" ")
    chosen = draw.sample(values, min(len(values), draw.choice((1, 1, 2, 2, 3))))
    for _ in chosen:
        mark = ("%d" if draw.random() < _NUMBER_SHARE else "%s") if percent else "{}"
        words.insert(draw.randint(0, len(words)), draw.choice(_AROUND).replace("*", mark))
    return _formatted(quote + " ".join(words) + quote, chosen, percent=percent)

"""Rewrites of Python functions, at the exact positions that `ast` gives.

Each public function is a `Transformation`: it returns None if it does not apply, or if its result does not parse.
`KINDS` has all of them.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter

from training.rewrites.python_formatting import make_original_for_f_strings, plant_and_use_f_strings, use_f_strings
from training.rewrites.python_functions import arguments, functions, make_rewrite, parse
from training.rewrites.task import Function, Rewrite, Transformation, apply_edits, new_name
from training.rewrites.wordings import InstructionKind, draw_wording

__all__ = ["KINDS", "PLANTED", "annotate_return", "functions", "rename"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""Nodes in which a name may be another variable."""
_DEFAULTS = ("None", "True", "False", "0", "1", '""', "()")
_DEBUGGING = ('print("here")', "print({0})", 'print("{0}", {0})', 'print(f"{{{0}=}}")', "breakpoint()")


def rename(function: Function, draw: random.Random) -> Rewrite | None:
    """Give a local variable or parameter another name everywhere."""
    parsed = parse(function.text)
    if parsed is None or any(isinstance(node, _SCOPES) for node in ast.walk(parsed.tree) if node is not parsed.tree):
        return None
    nodes = list(ast.walk(parsed.tree))
    names = [a.arg for a in arguments(parsed.tree)]
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    not_local = [n.target for n in nodes if isinstance(n, ast.comprehension)]  # scopes of their own
    not_local += [n.annotation for n in nodes if isinstance(n, ast.AnnAssign)]
    signature = [parsed.tree.args, *filter(None, [parsed.tree.returns])]  # its names are read outside
    fixed = {n.id for part in (*not_local, *signature) for n in ast.walk(part) if isinstance(n, ast.Name)}
    collecting = (parsed.tree.args.vararg, parsed.tree.args.kwarg)  # `arguments` has neither
    fixed |= {argument.arg for argument in collecting if argument is not None}
    for node in nodes:  # in f-strings `ast` of Python 3.11 gives wrong places
        if isinstance(node, ast.JoinedStr):
            fixed |= set(re.findall(r"\w+", parsed.text[slice(*parsed.span(node))]))
    candidates = sorted({*names, *stored} - fixed - {"self", "cls", "_"})
    if not candidates or _has_hidden_names(parsed.tree):
        return None
    old = draw.choice(candidates)
    new = new_name(old, function, parsed.names(), draw, camel=False)
    edits = [(*parsed.span(n), new) for n in nodes if isinstance(n, ast.Name) and n.id == old]
    for argument in arguments(parsed.tree):
        if argument.arg == old:
            start = parsed.span(argument)[0]
            edits.append((start, start + len(old), new))
    if len(edits) < 2:  # noqa: PLR2004 - there is nothing to learn from a name that is never used
        return None
    return make_rewrite(
        InstructionKind.RENAME,
        draw_wording(InstructionKind.RENAME, draw, old=old, new=new),
        function.text,
        apply_edits(function.text, edits),
    )


def add_parameter(function: Function, draw: random.Random) -> Rewrite | None:
    """Add a parameter with a default value at the end."""
    parsed = parse(function.text)
    if parsed is None:
        return None
    parameters = parsed.tree.args
    if parameters.vararg or parameters.kwarg or parameters.kwonlyargs or not parameters.args:
        return None
    last: ast.expr | ast.arg = parameters.defaults[-1] if parameters.defaults else parameters.args[-1]
    place = parsed.span(last)[1]
    if parsed.text[place : place + 1] not in (")", ","):
        return None
    new, value = new_name("snake_case", function, parsed.names(), draw, camel=False), draw.choice(_DEFAULTS)
    result = apply_edits(function.text, [(place, place, f", {new}={value}")])
    instruction = draw_wording(InstructionKind.PARAMETER, draw, new=new, value=value, name=parsed.tree.name)
    return make_rewrite(InstructionKind.PARAMETER, instruction, function.text, result)


def add_guard(function: Function, draw: random.Random) -> Rewrite | None:
    """Let the function return at once if a parameter is None."""
    parsed = parse(function.text)
    if parsed is None or not parsed.has_lines:
        return None
    names = [a.arg for a in arguments(parsed.tree) if a.arg not in ("self", "cls")]
    body = parsed.statements()
    if not names or not body:
        return None
    old, indent = draw.choice(names), parsed.indent()
    start = parsed.line_start(body[0])
    has_value = any(isinstance(n, ast.Return) and n.value for n in ast.walk(parsed.tree))
    lines = f"{indent}if {old} is None:\n{indent}    return{' None' if has_value else ''}\n"
    instruction = draw_wording(InstructionKind.GUARD, draw, old=old, value="None")
    return make_rewrite(
        InstructionKind.GUARD, instruction, function.text, apply_edits(function.text, [(start, start, lines)])
    )


def annotate_return(function: Function, draw: random.Random) -> Rewrite | None:
    """Annotate an `__init__` with `-> None`, the only annotation that follows from the function alone."""
    parsed = parse(function.text)
    if parsed is None or parsed.tree.returns is not None or parsed.tree.name != "__init__":
        return None
    nodes = list(ast.walk(parsed.tree))
    if any(isinstance(n, ast.Yield | ast.YieldFrom) or (isinstance(n, ast.Return) and n.value) for n in nodes):
        return None
    head = function.text[: parsed.line_start(parsed.tree.body[0])]
    colon = head.rfind("):")
    if colon < 0 or head[colon + 2 :].strip():
        return None
    result = apply_edits(function.text, [(colon + 1, colon + 1, " -> None")])
    return make_rewrite(
        InstructionKind.ANNOTATION,
        draw_wording(InstructionKind.ANNOTATION, draw, name=parsed.tree.name),
        function.text,
        result,
    )


def remove_debugging(function: Function, draw: random.Random) -> Rewrite | None:
    """Remove debugging output; the original is made by putting it into the function."""
    parsed = parse(function.text)
    if parsed is None or not parsed.has_lines or re.search(r"\bprint\(|breakpoint", parsed.text):
        return None
    names = [a.arg for a in arguments(parsed.tree)] or ["locals()"]
    indent = parsed.indent()
    statements = parsed.statements()
    chosen = draw.sample(statements, min(len(statements), draw.choice((1, 1, 2))))
    edits = []
    for statement in chosen:
        start = parsed.line_start(statement)
        edits.append((start, start, f"{indent}{draw.choice(_DEBUGGING).format(draw.choice(names))}\n"))
    if not edits:
        return None
    return make_rewrite(
        InstructionKind.CLEAN,
        draw_wording(InstructionKind.CLEAN, draw),
        apply_edits(function.text, edits),
        function.text,
    )


def extract_constant(function: Function, draw: random.Random) -> Rewrite | None:
    """Give a number a name, on a new line before the statement that uses it.

    Only a number that occurs once is taken, as the instruction would not say which of several is meant.
    """
    parsed = parse(function.text)
    if parsed is None or not parsed.has_lines:
        return None
    spellings = Counter(parsed.source(node) for node in _numbers(parsed.tree))
    for statement in parsed.tree.body:
        for node in _numbers(statement):
            value = parsed.source(node)
            if node.value in (0, 1) or spellings[value] > 1:
                continue
            start, stop = parsed.span(node)
            new = new_name("snake_case", function, parsed.names(), draw, camel=False)
            line = parsed.line_start(statement)
            edits = [(line, line, f"{parsed.indent()}{new} = {value}\n"), (start, stop, new)]
            instruction = draw_wording(InstructionKind.CONSTANT, draw, value=value, new=new)
            return make_rewrite(InstructionKind.CONSTANT, instruction, function.text, apply_edits(function.text, edits))
    return None


def _numbers(tree: ast.AST) -> list[ast.Constant]:
    """The numbers in a tree that a name can replace.

    Those in patterns are left out, as a name matches anything there, and those in f-strings, as their places are wrong
    in Python 3.11.
    """
    nodes = list(ast.walk(tree))
    inner = {id(child) for node in nodes if isinstance(node, ast.JoinedStr | ast.pattern) for child in ast.walk(node)}
    constants = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in inner)
    return [node for node in constants if type(node.value) in (int, float)]


KINDS: tuple[tuple[Transformation, ...], ...] = (
    (use_f_strings, use_f_strings, make_original_for_f_strings, make_original_for_f_strings),
    (rename, rename, rename, rename, add_parameter, add_guard, remove_debugging, extract_constant, annotate_return),
)
"""Transformations that seldom apply, and those that often do. One that is named twice is tried twice; `rename` is
named four times, as it is asked for most."""
PLANTED = plant_and_use_f_strings
"""The transformation that plants the code that it changes. For training only: real code has too little of it."""


def _has_hidden_names(tree: ast.AST) -> bool:
    """Whether there are names for which `ast` gives no place: in imports, `except ... as`, match patterns."""
    hidden = (ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.Match, ast.Global, ast.Nonlocal)
    return any(isinstance(node, hidden) for node in ast.walk(tree))

"""Stubs of Python without the declarations for other versions and systems.

Stubs describe all versions at once, with conditions such as `if sys.version_info >= (3, 13)` and `if sys.platform ==
"win32"`. `pruned` leaves out the branches that do not hold for one version of Python on one system. Conditions inside
of classes and functions stay as they are.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from context_index.text import lines_of

_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.GtE: operator.ge,  # type: ignore[dict-item]  # only tuples of numbers are compared so
    ast.Lt: operator.lt,  # type: ignore[dict-item]  # likewise
}


@dataclass(frozen=True, slots=True)
class StubTarget:
    """The version of Python and the system that a stub is read for."""

    version: tuple[int, int]
    platform: str
    """As in `sys.platform`."""


def pruner(target: str) -> Callable[[str], str]:
    """`pruned` for one target, which is a text such as "3.11 linux"."""
    version, _, platform = target.partition(" ")
    major, _, minor = version.partition(".")
    return partial(pruned, target=StubTarget((int(major), int(minor)), platform))


def pruned(text: str, target: StubTarget) -> str:
    """The text with `pass` in place of each branch for other targets; unchanged if it cannot be parsed.

    The number of lines stays the same. A branch on the line of its condition stays, too.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    lines = lines_of(text)
    for branch in _dropped_branches(tree.body, target):
        first, last = _first_line(branch[0]) - 1, branch[-1].end_lineno or branch[-1].lineno
        indentation = lines[first][: branch[0].col_offset]
        if not indentation.strip():  # else the branch is on the line of its condition
            lines[first:last] = [f"{indentation}pass", *[""] * (last - first - 1)]
    return "".join(f"{line}\n" for line in lines)


def _first_line(statement: ast.stmt) -> int:
    """The 1-based line at which a statement begins, with its decorators."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and statement.decorator_list:
        return statement.decorator_list[0].lineno
    return statement.lineno


def _dropped_branches(body: list[ast.stmt], target: StubTarget) -> Iterator[list[ast.stmt]]:
    """The branches of a body's `if` statements that do not hold for the target, each as its statements."""
    for statement in body:
        if not isinstance(statement, ast.If):
            continue
        holds = _holds(statement.test, target)
        if holds is None:
            yield from _dropped_branches([*statement.body, *statement.orelse], target)
            continue
        kept, dropped = (statement.body, statement.orelse) if holds else (statement.orelse, statement.body)
        yield from _dropped_branches(kept, target)
        if holds and _is_elif(statement, dropped):  # an `elif` stays, with `pass` in each branch
            yield from _all_branches(dropped[0])
        elif dropped:
            yield dropped


def _all_branches(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The branches of an `if` statement, with those of its `elif` and `else`."""
    while isinstance(statement, ast.If):
        yield statement.body
        if not _is_elif(statement, statement.orelse):
            if statement.orelse:
                yield statement.orelse
            return
        statement = statement.orelse[0]


def _is_elif(statement: ast.If, orelse: list[ast.stmt]) -> bool:
    """Whether the `else` of an `if` statement is written as an `elif`."""
    return len(orelse) == 1 and isinstance(orelse[0], ast.If) and orelse[0].col_offset == statement.col_offset


def _holds(test: ast.expr, target: StubTarget) -> bool | None:
    """Whether a condition is true for the target; None if it does not depend on the target alone."""
    if isinstance(test, ast.BoolOp):
        values = [_holds(value, target) for value in test.values]
        deciding = isinstance(test.op, ast.Or)  # one true part decides an `or`, one false part an `and`
        if deciding in values:
            return deciding
        return None if None in values else not deciding
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _COMPARISONS:
        return None
    left = {"sys.version_info": target.version, "sys.platform": target.platform}.get(ast.unparse(test.left))
    try:
        right = ast.literal_eval(test.comparators[0])
    except ValueError:
        return None
    if left is None or type(left) is not type(right):
        return None
    right = right[:2] if isinstance(right, tuple) else right  # `StubTarget.version` has two numbers
    return _COMPARISONS[type(test.ops[0])](left, right)

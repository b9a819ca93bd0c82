"""Checks that no part of a program in Python can write what does not parse; `combinators` calls them.

When a part is built, its pieces are parsed, with samples in place of blanks. Free text (`text`, `gen`) is checked when
it becomes a piece of another part. `inscope.js` does the same for JavaScript. `who` is always the combinator whose part
is built, for the error.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable
from functools import lru_cache
from itertools import product

from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.nodes import ProgramNode, ValueType
from decoder.program.roles import Role, role_of


def check_expression(who: str, node: ProgramNode) -> ProgramNode:
    """The node, if it is an expression in every context.

    Raises:
        ProgramError: it may write something that is no expression.
    """
    for option in nodes.alternatives(node):
        match option:
            case nodes.Sequence() | nodes.Generated(options=tuple()):
                check(who, option, is_expression, "an expression")
            case nodes.Generated():
                raise ProgramError(f"{who}: free text need not be an expression; gen takes options or a node there")
            case nodes.Property() | nodes.Argument() | nodes.Context():
                raise ProgramError(f"{who} takes values, such as str_(), not a part of one")
            case nodes.Variable() | nodes.Return() | nodes.ManyOf():
                raise ProgramError(f"{who}: a statement cannot stand within an expression")
    return node


def check_statement(who: str, node: ProgramNode) -> ProgramNode:
    """The node, if it is a statement, or an expression that can be one.

    Raises:
        ProgramError: it may write something else.
    """
    for option in nodes.alternatives(node):
        if role_of(option) is not Role.STATEMENT:  # statements were checked when they were built
            check_expression(who, option)
    return node


def check(
    who: str, node: ProgramNode, is_right: Callable[[str], bool], what: str, *, apart: bool = True
) -> ProgramNode:
    """The node, if all its samples are of one syntactic category.

    Args:
        is_right: Whether a text is of the category.
        what: The category, for the error.
        apart: Whether samples of blanks are also tried with spaces around them. Not in a variable's name, where other
            letters may touch a blank.

    Raises:
        ProgramError: a sample is of another category.
    """
    for sample in _samples(node, apart=apart):
        if not is_right(sample):
            raise ProgramError(f"{who}: '{sample.strip()}' is not {what}")
    return node


_ENDS = "\"'''{}]\""
"""A string literal with all that could end a string, a bracket or a replacement field around it."""
_SAMPLES: dict[ValueType, tuple[str, ...]] = {
    ValueType.STRING: ('"s"', _ENDS, "a.b"),
    ValueType.NUMBER: ("1", "-1.5", "a.b"),
    ValueType.BOOLEAN: ("True", "a.b"),
}
"""By type of a blank, texts that it may be filled with."""
_FIXED: dict[type[ProgramNode], tuple[str, ...]] = {
    nodes.StringOf: ('"s"', _ENDS, "f\"'''{a}\""),
    nodes.Identifier: ("a",),
    nodes.Members: ("a.b", f"a[{_ENDS}]"),
    nodes.Call: ("a.b()", f"a.b({_ENDS})"),
    nodes.Object: ("{}", f'{{"a": {_ENDS}}}'),
}
"""By kind of node, texts that stand for all that it may write: its pieces were checked when it was built."""
_MOST_SAMPLES = 256
"""The most combinations of samples that are all tried; of more, each sample is tried once."""


def _samples(node: ProgramNode, *, apart: bool) -> list[str]:
    """Texts that a node may write, at least one of each kind; with `apart`, also with spaces around blanks."""
    return [sample for option in nodes.alternatives(node) for sample in _samples_of(option, apart=apart)]


def _samples_of(node: ProgramNode, *, apart: bool) -> list[str]:
    """The samples of a node that is no choice."""
    match node:
        case nodes.Text(text):
            return [text]
        case nodes.Sequence(parts):
            joined = _joined_samples([_samples(part, apart=apart) for part in parts])
            if parts and isinstance(parts[0], nodes.Text):
                return joined
            return [sample.lstrip() for sample in joined]  # `ast.parse` would take a space at its start for indentation
        case nodes.Generated(options=tuple(options)):
            return [*options] or [""]
        case nodes.Generated():
            raise ProgramError("free text cannot be a part of syntax; gen takes options or a node there")
        case nodes.Blank(kind):
            samples = _SAMPLES[kind]
        case nodes.Literal(value):
            samples = (json.dumps(value) if isinstance(value, str) else repr(value),)
        case _:
            samples = _FIXED.get(type(node), ())
    if not samples:
        raise ProgramError("a template holds text and expressions, nothing else")
    return [*samples, *(f" {sample} " for sample in samples if apart)]


def _joined_samples(by_part: list[list[str]]) -> list[str]:
    """The samples of parts one after another: all combinations, or, where these are too many, each sample once."""
    most = max(map(len, by_part), default=1)
    is_short = most ** len(by_part) <= _MOST_SAMPLES or not all(by_part)  # a part without samples leaves none
    if is_short:
        return list(map("".join, product(*by_part)))
    return ["".join(samples[index % len(samples)] for samples in by_part) for index in range(most)]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr | None:
    """An expression's tree; None for a text that is no expression. Cached, as a program is run again for each step."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(f"lambda: ({text})", "<part>", "eval")  # which also knows where `await` may stand
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_reference(text: str) -> bool:
    """Whether a text is an expression that can have members and be called."""
    return _parsed(text) is not None and isinstance(_parsed(f"{text}.a"), ast.Attribute)


def is_expression(text: str) -> bool:
    """Whether a text is one expression in every context: also as an argument between others."""
    call = _parsed(f"f(0, {text}, 0)")
    return _parsed(text) is not None and isinstance(call, ast.Call) and len(call.args) == 3  # noqa: PLR2004 - of the call


def is_member_name(text: str) -> bool:
    """Whether a text can be the name of a member after the dot."""
    member = _parsed(f"a.{text}")
    return isinstance(member, ast.Attribute) and isinstance(member.value, ast.Name)


def is_name(text: str) -> bool:
    """Whether a text is a name that can be declared."""
    return isinstance(_parsed(text), ast.Name) and text.isidentifier()

"""Checks of the parts of a program in Python: no part can write what does not parse.

What a part is made of is parsed when it is built, with samples in place of its blanks. Free text (`text`, `gen`) is
checked where it is a part of others. `inscope.js` does the same for JavaScript.
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
from decoder.program.nodes import Node, Type


def check_expression(who: str, node: Node) -> Node:
    """The node, which must be an expression wherever it stands."""
    for one in nodes.alternatives(node):
        match one:
            case nodes.Sequence() | nodes.Generated(options=tuple()):
                check(who, one, is_expression, "an expression")
            case nodes.Generated():
                raise ProgramError(f"{who}: free text need not be an expression; gen takes options or a node there")
            case nodes.Property() | nodes.Argument() | nodes.Context():
                raise ProgramError(f"{who} takes values, such as str_(), not a part of one")
            case nodes.Variable() | nodes.Return() | nodes.ManyOf():
                raise ProgramError(f"{who}: a statement cannot stand within an expression")
    return node


def check_statement(who: str, node: Node) -> Node:
    """The node, which must be a statement, or an expression that can be one."""
    for one in nodes.alternatives(node):
        if nodes.role_of(one) is not nodes.Role.STATEMENT:  # others were checked when they were built
            check_expression(who, one)
    return node


def check(who: str, node: Node, is_right: Callable[[str], bool], what: str, *, apart: bool = True) -> Node:
    """The node, if all its samples are of a syntactic category; an error with the first that is not.

    Args:
        apart: Whether samples of blanks are also tried with spaces around them. Not in a variable's name, where other
            letters may touch a blank.
    """
    for sample in _samples(node, apart=apart):
        if not is_right(sample):
            raise ProgramError(f"{who}: '{sample.strip()}' is not {what}")
    return node


_ENDS = "\"'''{}]\""
"""A string literal that holds whatever could end a string, a bracket or a replacement field around it."""
_SAMPLES: dict[Type, tuple[str, ...]] = {
    Type.STRING: ('"s"', _ENDS, "a.b"),
    Type.NUMBER: ("1", "-1.5", "a.b"),
    Type.BOOLEAN: ("True", "a.b"),
}
_FIXED: dict[type[Node], tuple[str, ...]] = {
    nodes.StringOf: ('"s"', _ENDS, "f\"'''{a}\""),
    nodes.Identifier: ("a",),
    nodes.Members: ("a.b", f"a[{_ENDS}]"),
    nodes.Call: ("a.b()", f"a.b({_ENDS})"),
    nodes.Object: ("{}", f'{{"a": {_ENDS}}}'),
}
_MOST_SAMPLES = 256


def _samples(node: Node, *, apart: bool) -> list[str]:
    """A text for each kind of text that a node may write; those of blanks alone, and with spaces around them."""
    return [sample for one in nodes.alternatives(node) for sample in _samples_of(one, apart=apart)]


def _samples_of(node: Node, *, apart: bool) -> list[str]:
    match node:
        case nodes.Text(text):
            return [text]
        case nodes.Sequence(parts):
            each = [_samples(part, apart=apart) for part in parts]
            most = max(map(len, each), default=1)
            is_short = most ** len(each) <= _MOST_SAMPLES or not all(each)  # a part without texts leaves none
            rows = product(*each) if is_short else ([one[i % len(one)] for one in each] for i in range(most))
            joined = ["".join(row) for row in rows]
            if parts and isinstance(parts[0], nodes.Text):
                return joined
            return [sample.lstrip() for sample in joined]  # before it, `ast.parse` takes a space for indentation
        case nodes.Generated(options=tuple(options)):
            return [*options] or [""]
        case nodes.Generated():
            raise ProgramError("free text cannot be a part of syntax; gen takes options or a node there")
        case nodes.Blank(kind):
            found = _SAMPLES[kind]
        case nodes.Literal(value):
            found = (json.dumps(value) if isinstance(value, str) else repr(value),)
        case _:
            found = _FIXED.get(type(node), ())
    if not found:
        raise ProgramError("a template holds text and expressions, nothing else")
    return [*found, *(f" {one} " for one in found if apart)]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr | None:
    """An expression's tree; None for what is none. Kept, as a program is run again for each step."""
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
    """Whether a text is one expression wherever it stands."""
    call = _parsed(f"f(0, {text}, 0)")
    return _parsed(text) is not None and isinstance(call, ast.Call) and len(call.args) == 3  # noqa: PLR2004 - of the call


def is_member_name(text: str) -> bool:
    """Whether a text is the name of a member, after the dot."""
    member = _parsed(f"a.{text}")
    return isinstance(member, ast.Attribute) and isinstance(member.value, ast.Name)


def is_name(text: str) -> bool:
    """Whether a text is a name that can be declared."""
    return isinstance(_parsed(text), ast.Name) and text.isidentifier()

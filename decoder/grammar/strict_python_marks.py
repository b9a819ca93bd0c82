"""What the stricter rules of Python remember of cells: of arguments, targets and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.grammar.stack import DEAD
from decoder.grammar.strict_python_names import PARAMETERS, PARAMETERS_WITH_MORE

if TYPE_CHECKING:
    from decoder.grammar.actions import ReduceCheck
    from decoder.grammar.stack import Node

KEYWORD, SPLAT = 1, 2
"""Marks of arguments: a keyword argument, and `**x`."""
LITERAL: Final = "literal"
SEVERAL: Final = "several"
"""Mark of targets with a comma between them."""


def marks(mark: object) -> ReduceCheck:
    """A rule that refuses nothing."""
    return lambda _, __: mark


def is_no_literal(node: Node) -> object:
    """What ends a target: it is no constant."""
    return DEAD if node.mark == LITERAL else None


def marked_literal(_: Node) -> object:
    """A constant stands where a target should."""
    return LITERAL


def is_several(_: Node, cells: tuple[Node, ...]) -> object:
    """Brackets stand around several targets."""
    return DEAD if len(cells) != 3 or cells[1].mark == SEVERAL else None  # noqa: PLR2004 - brackets around something


def union_of_marks(_: Node, cells: tuple[Node, ...]) -> object:
    """What the arguments so far are."""
    union = 0
    for cell in cells:
        if isinstance(cell.mark, int):
            union |= cell.mark
    return union or None


def union_of_names(_: Node, cells: tuple[Node, ...]) -> object:
    """The names of the parameters so far."""
    found: frozenset[str] = frozenset()
    for cell in cells:
        if isinstance(cell.mark, frozenset):
            found |= cell.mark
    return found or None


def names_of_first(_: Node, cells: tuple[Node, ...]) -> object:
    """The name of a parameter that has more than a name."""
    return cells[0].mark


MARKS_SEVERAL: Final = marks(SEVERAL)
ARGUMENTS: Final = {
    "keyword_argument": marks(KEYWORD),
    "dictionary_splat": marks(SPLAT),
    "argument_list_repeat1": union_of_marks,
}
NAMES_OF_PARAMETERS: Final = dict.fromkeys(PARAMETERS, union_of_names) | dict.fromkeys(
    PARAMETERS_WITH_MORE, names_of_first
)

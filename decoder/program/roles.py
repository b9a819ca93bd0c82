"""The roles of a program's steps (`Role`): what is written between two steps follows from them."""

from __future__ import annotations

from enum import Enum, auto

from decoder.program.nodes import (
    Context,
    Generated,
    ManyOf,
    Object,
    ProgramNode,
    Return,
    Sequence,
    Text,
    Variable,
    alternatives,
)


class Role(Enum):
    """The kind of a program's step; it decides what is written between this step and the next."""

    RAW = auto()
    """Text: nothing is put before or after it."""
    EXPRESSION = auto()
    """Any node without another role."""
    OBJECT = auto()
    """An expression that may begin with a brace; where a statement is expected, the brace would begin a block."""
    STATEMENT = auto()
    SILENT = auto()
    """It writes nothing."""


def role_of(node: ProgramNode) -> Role:
    """The role of a node as a step of its own.

    A choice has the role of its options. If these differ, each is an expression or a statement, which `one_of` checks:
    then the choice is a statement if one of them is, else an object if one may begin with a brace.
    """
    roles = {_ROLES.get(type(option), Role.EXPRESSION) for option in alternatives(node)}
    if not roles:  # a choice without options
        return Role.RAW
    if len(roles) == 1:
        return roles.pop()
    return next((role for role in (Role.STATEMENT, Role.OBJECT) if role in roles), Role.EXPRESSION)


_ROLES: dict[type[ProgramNode], Role] = {
    **dict.fromkeys((Text, Sequence, Generated), Role.RAW),
    **dict.fromkeys((Variable, Return, ManyOf), Role.STATEMENT),
    Context: Role.SILENT,
    Object: Role.OBJECT,
}

"""What the rule of scope knows of a grammar: how identifiers are used, and what opens and closes a scope.

`use_tables.use_of` decides the use of an identifier by the grammar rule that it is a child of, and says in which order
the tables count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from decoder.constraint.scope.facts import FrameKind, Introduction


class Use(Enum):
    """What an identifier is used for."""

    UP = auto()
    """The rule hands it up: the rule around decides."""
    NOTHING = auto()
    """It refers to nothing in scope: a key, a label, what another module calls its export."""
    UNKNOWN = auto()
    """A member, or a name of another module, which only a checker can judge."""
    REFERENCE = auto()
    """It must be visible."""
    OPERAND = auto()
    """Of a unary operator: a reference, but after JavaScript's `typeof` the name need not exist."""
    ELEMENT = auto()
    """A JSX element: a reference if it is capitalised."""
    DECLARED = auto()
    """Declared by the `let`, `const` or `var` before it."""
    LOCAL = auto()
    """Bound in its scope."""
    PARAMETER = auto()
    """Bound in its function."""
    OWN = auto()
    """The name of a function, a class or a type, at its definition."""
    HOISTED = auto()
    """Bound in the scope around as well: by Python's `:=`, by TypeScript's `infer`."""
    CAPTURE = auto()
    """In a Python pattern: bound, unless it is dotted."""


@dataclass(frozen=True, slots=True)
class UseTable:
    """How one family of languages uses its identifiers."""

    fields: Mapping[tuple[str, str | None], Use]
    """By rule and field of the child; the field is None for a child without one."""
    up: frozenset[str]
    """Visible rules that hand all their identifiers up, such as patterns."""
    aliases: Mapping[str, Use]
    """By what a rule renames the identifier to, if that alone decides."""
    is_free: bool = False
    """Whether nothing is known of the language: any name may be anywhere."""


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """How one family of languages opens and closes its scopes."""

    opens: Mapping[str, FrameKind]
    """By token, the kind of scope that it opens."""
    becomes: Mapping[str, FrameKind]
    """By rule, the kind that the scope of its bracket becomes when the rule is complete, instead of ending.

    In `function f(a) { return a }` the `(` opens a scope, and `a` is bound in it. When `formal_parameters` is complete
    with `)`, this scope becomes one of a function and stays open, so the body sees `a`.
    """
    ends: Mapping[str, frozenset[Introduction]]
    """By rule, the kinds of names that end with it. A rule that is not listed is no scope: its names stay."""
    declares: frozenset[str]
    """Rules that declare their own name in the scope around when they are complete."""


ENDS_WITH_BLOCK: Final = frozenset({Introduction.LOCAL, Introduction.OWN})
"""The kinds of names that end with a block or a comprehension: not hoisted ones, as by `var` or `:=`."""
ENDS_WITH_FUNCTION: Final = frozenset(Introduction)
"""The kinds of names that end with a function or a class: all. See also `ScopeTable.declares`."""


@dataclass(frozen=True, slots=True)
class NameTables:
    """All tables of one family of languages."""

    family: str
    """`Language.family`."""
    uses: UseTable
    scopes: ScopeTable
    parameters_prefix: str = ""
    """What the names of rules begin with that are parameters in brackets, within which no bracket begins a parameter.

    It is `formal_parameters` for the rules `formal_parameters` and `formal_parameters_repeat1` of JavaScript, in which
    tree-sitter's grammar wrongly takes `(a, (b).c) =>`. Empty if there is nothing to refuse.
    """
    dotted: str = ""
    """The rule of a dotted name, `a.b.c`, of which only the first name is looked up; empty if there is none."""
    dotted_rest: str = ""
    """The rule of what follows the first name in it."""
    may_be_bound_after: bool = False
    """JavaScript: whether a name in brackets may be bound by what follows the brackets: `(a, b = a) =>`."""
    may_comprehend: bool = False
    """Python: whether a name in brackets may be bound by what follows it in the brackets: `[a for a in b]`."""


FREE: Final = NameTables("", UseTable({}, frozenset(), {}, is_free=True), ScopeTable({}, {}, {}, frozenset()))
"""The tables of a language of which nothing is known."""

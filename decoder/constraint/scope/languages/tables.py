"""What scope knows of a grammar: how identifiers are used, and which tokens and rules open and close a scope.

What a rule makes of an identifier among its children is decided in this order (`use_tables.use_of`):

1. a child that the grammar renames to a property, as `b` in `a.b`: a member, or nothing;
2. `UseTable.aliases`, by what the grammar renames the child to;
3. the rules that a table cannot describe, such as `export ... from` (`use_tables`);
4. `UseTable.fields`, by rule and field;
5. a hidden rule, or one in `UseTable.up`, passes it to the rule around (`Use.UP`), unless it is renamed to a type;
6. any other rule makes it a reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from decoder.constraint.scope.facts import FrameKind, Introduction


class Use(Enum):
    """What an identifier is for, as scope sees it."""

    UP = auto()
    """The rule around decides."""
    NOTHING = auto()
    """Refers to nothing that scope knows: a key, a label's name, what another module calls its export."""
    UNKNOWN = auto()
    """A member, or a name of another module, which only a checker can judge."""
    REFERENCE = auto()
    OPERAND = auto()
    """Of a unary operator: a reference, but after JavaScript's `typeof` the name need not exist."""
    ELEMENT = auto()
    """A JSX element: a reference, if it is capitalised."""
    DECLARED = auto()
    """Declared by the `let`, `const` or `var` before it."""
    LOCAL = auto()
    """Bound from here on."""
    PARAMETER = auto()
    OWN = auto()
    """What a function, a class or a type calls itself."""
    HOISTED = auto()
    """Bound for what is around as well: by Python's `:=`, by TypeScript's `infer`."""
    CAPTURE = auto()
    """Python's pattern: bound, unless it is dotted."""


@dataclass(frozen=True, slots=True)
class UseTable:
    """How one family of languages uses its identifiers."""

    fields: Mapping[tuple[str, str | None], Use]
    """By rule and field; None for a child without one."""
    up: frozenset[str]
    """Visible rules that hand all their identifiers up: patterns."""
    aliases: Mapping[str, Use]
    """By what a rule renames the identifier to, where that alone decides."""
    is_free: bool = False
    """Whether nothing is known: any name may stand anywhere."""


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """How one family of languages opens and closes its scopes."""

    opens: Mapping[str, FrameKind]
    """By token, the scope that it opens."""
    becomes: Mapping[str, FrameKind]
    """By rule, what the scope of its bracket becomes when the rule is complete, instead of ending.

    In `function f(a) { return a }` the `(` opens a scope, and `a` is bound in it. When `formal_parameters` is complete
    with `)`, this scope becomes one of a function and stays open, so the body sees `a`.
    """
    ends: Mapping[str, frozenset[Introduction]]
    """By rule, the kinds of names that end with it. A rule that is not listed is no scope: its names stay."""
    declares: frozenset[str]
    """Rules that, once complete, declare their own name in the enclosing scope."""


ENDS_WITH_BLOCK: Final = frozenset({Introduction.LOCAL, Introduction.OWN})
"""The names that end with a block or a comprehension: not those that are hoisted, as by `var` or `:=`."""
ENDS_WITH_FUNCTION: Final = frozenset(Introduction)
"""The names that end with a function or a class: all. See also `declares`."""


@dataclass(frozen=True, slots=True)
class NameTables:
    """All of it for one family of languages."""

    family: str
    uses: UseTable
    scopes: ScopeTable
    may_be_bound_after: bool = False
    """Whether a name in brackets may turn out to be bound by what follows these, `(a, b = a) =>`."""
    may_comprehend: bool = False
    """Whether an element in brackets may be bound by what follows it there."""


FREE: Final = NameTables("", UseTable({}, frozenset(), {}, is_free=True), ScopeTable({}, {}, {}, frozenset()))

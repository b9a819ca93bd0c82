"""The role of every identifier, read off the reductions that consume it.

No syntax tree is built: each cell of a stack carries the identifiers in it whose role is still open, and the list of
all that have been decided. Where the grammar keeps two readings, `(a, b` that may be parameters, both lists are kept,
one with each version, until the text decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from decoder.grammar.role_tables import TABLES, UP, Role, RoleTable, Verdict

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Reduce, Tables

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
_PROPERTY: Final = frozenset({"property_identifier", "private_property_identifier"})
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})


class Decided(NamedTuple):
    """One identifier with its role, and all that were decided before it."""

    name: str
    role: Role
    before: Decided | None


class Pending(NamedTuple):
    """An identifier whose role is open. A keyword is one only where a rule takes it for a name."""

    name: str
    is_keyword: bool


class Cell(NamedTuple):
    """What is known about one cell of a stack."""

    symbol: int
    pending: tuple[Pending, ...]
    decided: Decided | None


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The identifiers of one reading of a text."""

    decided: tuple[tuple[str, Role], ...]
    """In the order in which the text decided them."""
    pending: tuple[str, ...]
    """Outermost first."""


class Roles:
    """The semantics that finds roles; see `lr.Semantics`."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._table: RoleTable = TABLES[language]
        self._verdicts: dict[tuple[int, int, int], Verdict] = {}

    def shift(self, below: Node, state: int, token: int, text: str) -> Cell:  # noqa: ARG002 - the protocol's
        """A word is an identifier without a role; a keyword may become one."""
        pending: tuple[Pending, ...] = ()
        if token == self._tables.word or text.isidentifier():
            pending = (Pending(text, token != self._tables.word),)
        return Cell(token, pending, _decided(below))

    def reduce(self, below: Node, state: int, reduction: Reduce, cells: tuple[Node, ...]) -> Cell:  # noqa: ARG002
        """Give each open identifier its role, or hand it up."""
        decided = _decided(cells[-1]) if cells else _decided(below)
        open_: list[Pending] = []
        for index, cell in enumerate(cells):
            value = cell.value
            if not isinstance(value, Cell):
                continue
            for pending in value.pending:
                if pending.is_keyword and not self._takes_keyword(reduction, index):
                    continue
                verdict = self._verdict(reduction, index)
                if isinstance(verdict, Role):
                    decided = Decided(pending.name, verdict, decided)
                else:
                    open_.append(Pending(pending.name, is_keyword=False))
        return Cell(reduction.symbol, tuple(open_), decided)

    def _takes_keyword(self, reduction: Reduce, index: int) -> bool:
        """Whether the rule reads a keyword as a name: it says so by renaming it."""
        alias = self._tables.alias(reduction.production, index)
        names = self._tables.names
        return alias in _NAMES or alias in _PROPERTY or names[reduction.symbol] in _KEYWORD_WRAPPERS

    def _verdict(self, reduction: Reduce, index: int) -> Verdict:
        key = (reduction.symbol, reduction.production, index)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdicts[key] = self._find_verdict(reduction, index)
        return verdict

    def _find_verdict(self, reduction: Reduce, index: int) -> Verdict:
        tables, table = self._tables, self._table
        rule = tables.names[reduction.symbol]
        fields = tables.fields(reduction.production)
        field = fields.get(index)
        alias = tables.alias(reduction.production, index)
        if alias in _PROPERTY:
            return Role.MEMBER if rule in _MEMBERS else Role.KEY
        if alias is not None and alias in table.aliases:
            return table.aliases[alias]
        if (special := _special(rule, index, field, frozenset(fields.values()))) is not None:
            return special
        if (rule, field) in table.fields:
            return table.fields[rule, field]
        if alias == "type_identifier":
            return Role.TYPE
        return UP if rule in table.up or not tables.is_visible(reduction.symbol) else Role.REFERENCE


def _special(rule: str, index: int, field: str | None, fields: frozenset[str]) -> Verdict | None:  # noqa: C901
    """The rules whose children have no fields, or where another child decides."""
    if rule == "typed_parameter":
        return Role.TYPE if field == "type" else Role.PARAMETER
    if rule == "_for_header":
        return Role.BINDING if field == "left" and "kind" in fields else Role.REFERENCE
    if rule == "import_specifier" and field == "name" and "alias" not in fields:
        return Role.BINDING
    if rule == "export_specifier" and field == "name":
        return UP
    if rule == "export_statement":
        return Role.IMPORT if "source" in fields else Role.REFERENCE
    if rule == "member_type":
        return Role.MEMBER if index == 2 else Role.TYPE  # noqa: PLR2004 - type, dot, name
    if rule == "keyword_pattern":
        return Role.KEYWORD_ARGUMENT if index == 0 else UP
    if rule == "class_pattern":
        return Role.REFERENCE
    if rule == "except_clause" and field is None:
        return Role.BINDING
    if rule == "as_pattern" and field is None and index > 0:
        return Role.BINDING
    return None


def _decided(node: Node) -> Decided | None:
    return node.value.decided if isinstance(node.value, Cell) else None


def identifiers(top: Node) -> Identifiers:
    """The identifiers on the stack under `top`."""
    decided: list[tuple[str, Role]] = []
    link = _decided(top)
    while link is not None:
        decided.append((link.name, link.role))
        link = link.before
    pending: list[str] = []
    node: Node | None = top
    while node is not None:
        if isinstance(node.value, Cell):
            pending += reversed([one.name for one in node.value.pending if not one.is_keyword])
        node = node.below
    return Identifiers(tuple(reversed(decided)), tuple(reversed(pending)))

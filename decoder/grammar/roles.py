"""The role of an identifier, told by the rule that consumes it: no syntax tree is built."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from decoder.grammar.consumers import Consumer, Consumers
from decoder.grammar.role_tables import TABLES, UP, Role, RoleTable, Verdict

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
_PROPERTY: Final = frozenset({"property_identifier", "private_property_identifier"})
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})


class RoleFinder:
    """Which role the rules of one grammar give to an identifier."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._table: RoleTable = TABLES[language]
        self._verdicts: dict[Consumer, Verdict] = {}
        self.consumers = Consumers(tables)

    @classmethod
    def of(cls, tables: Tables, language: Language) -> RoleFinder:
        """The finder of a grammar, the same object for the same tables."""
        return _finder(tables, language)

    def possible(self, top: Node) -> frozenset[Role]:
        """The roles that the identifier on top of a stack may still get, followed through the rules that hand it up."""
        found: set[Role] = set()
        pending = [(top.state, below) for below in top.beneath()]
        seen = set(pending)
        while pending:
            state, below = pending.pop()
            for consumer in self.consumers.of(state, 1):
                verdict = self.verdict(consumer)
                if isinstance(verdict, Role):
                    found.add(verdict)
                    continue
                for base, _ in below.paths(consumer.index):
                    target = (self._tables.goto(base.state, consumer.symbol), base)
                    if target[0] and target not in seen:
                        seen.add(target)
                        pending.append(target)
        return frozenset(found)

    def takes_keyword(self, consumer: Consumer) -> bool:
        """Whether the rule reads a keyword as a name: it says so by renaming it."""
        alias = self._tables.alias(consumer.production, consumer.index)
        return alias in _NAMES or alias in _PROPERTY or self._tables.names[consumer.symbol] in _KEYWORD_WRAPPERS

    def verdict(self, consumer: Consumer) -> Verdict:
        """The role of an identifier in a rule's child."""
        verdict = self._verdicts.get(consumer)
        if verdict is None:
            verdict = self._verdicts[consumer] = self._find_verdict(consumer)
        return verdict

    def _find_verdict(self, consumer: Consumer) -> Verdict:
        tables, table = self._tables, self._table
        symbol, production, index = consumer
        rule = tables.names[symbol]
        fields = tables.fields(production)
        field = fields.get(index)
        alias = tables.alias(production, index)
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
        return UP if rule in table.up or not tables.is_visible(symbol) else Role.REFERENCE


@cache
def _finder(tables: Tables, language: Language) -> RoleFinder:
    return RoleFinder(tables, language)


def _special(rule: str, index: int, field: str | None, fields: frozenset[str]) -> Verdict | None:  # noqa: C901 - a table of rules, a row each
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

"""What an identifier is used for, by the grammar rule that takes it as a child, and its field; for `uses`.

No syntax tree is built. The order of the decisions is in `languages.tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.languages.tables import Use, UseTable

if TYPE_CHECKING:
    from decoder.grammar.consumers import Consumer
    from decoder.grammar.tables import Tables

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
"""What a rule renames a keyword to if it reads the keyword as a name."""
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
"""Rules that make a name of a keyword without renaming it."""
_PROPERTY: Final = frozenset({"property_identifier", "private_property_identifier"})
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})
"""Rules of `a.b`."""
_AS_NAMESPACE: Final = 3
"""The index of the name in `export as namespace a`; `a` is what scripts call the module."""


def takes_keyword(tables: Tables, consumer: Consumer) -> bool:
    """Whether the rule reads a keyword among its children as a name, which it shows by renaming it."""
    alias = tables.alias(consumer.production, consumer.index)
    return alias in _NAMES or alias in _PROPERTY or tables.names[consumer.symbol] in _KEYWORD_WRAPPERS


def use_of(tables: Tables, table: UseTable, consumer: Consumer) -> Use:
    """What a rule uses an identifier for that is one of its children and no keyword."""
    if table.is_free:
        return Use.UNKNOWN
    symbol, production, index = consumer
    rule = tables.names[symbol]
    fields = tables.fields(production)
    field = fields.get(index)
    alias = tables.alias(production, index)
    if alias in _PROPERTY:
        return Use.UNKNOWN if rule in _MEMBERS else Use.NOTHING
    if alias is not None and alias in table.aliases:
        return table.aliases[alias]
    if (special := _special(rule, index, field, frozenset(fields.values()))) is not None:
        return special
    if (rule, field) in table.fields:
        return table.fields[rule, field]
    is_up = alias != "type_identifier" and (rule in table.up or not tables.is_visible(symbol))
    return Use.UP if is_up else Use.REFERENCE


def _special(rule: str, index: int, field: str | None, fields: frozenset[str]) -> Use | None:  # noqa: C901, PLR0912 - a table of rules, a row each
    """The use by a rule whose children have no fields, or in which another child decides; None for other rules.

    Args:
        index: The identifier's index among the children.
        field: The identifier's field, if it has one.
        fields: The fields of all children.
    """
    match rule:
        case "unary_expression":
            return Use.OPERAND
        case "jsx_closing_element" | "labeled_statement":
            return Use.NOTHING
        case "typed_parameter":
            return Use.REFERENCE if field == "type" else Use.PARAMETER
        case "_for_header":
            return Use.DECLARED if field == "left" and "kind" in fields else Use.REFERENCE
        case "import_specifier" if field == "name" and "alias" not in fields:
            return Use.LOCAL
        case "import_alias":
            return Use.REFERENCE if index > 1 else Use.LOCAL
        case "export_statement" if "source" in fields:
            return Use.UNKNOWN
        case "export_statement":
            return Use.NOTHING if field is None and index >= _AS_NAMESPACE else Use.REFERENCE
        case "member_type":
            return Use.UNKNOWN if index == 2 else Use.REFERENCE  # noqa: PLR2004 - type, dot, name
        case "keyword_pattern":
            return Use.NOTHING if index == 0 else Use.UP
        case "class_pattern":
            return Use.REFERENCE
        case "except_clause" if field is None:
            return Use.LOCAL
        case "as_pattern" if field is None and index > 0:
            return Use.LOCAL
        case _:
            return None

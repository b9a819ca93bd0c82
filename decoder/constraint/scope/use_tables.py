"""What an identifier is used for, by the grammar rule that takes it as a child, and its field; for `uses`.

Most rules are rows of the languages' tables; those that no row can describe are in `_use_beyond_tables`. `Use` has what
each use means. No syntax tree is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.languages.tables import Use, UseTable

if TYPE_CHECKING:
    from decoder.grammar.consumers import Consumer
    from decoder.grammar.tables import Tables

_NAME_ALIASES: Final = frozenset({
    "identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
})  # fmt: skip
"""What a rule renames a keyword to if it reads the keyword as a name."""
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
"""Rules that make a name of a keyword without renaming it."""
_PROPERTY_ALIASES: Final = frozenset({"property_identifier", "private_property_identifier"})
"""What a rule renames an identifier to if it is a key or a member: `b` in `a.b` and in `{b: 1}`."""
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})
"""The rules of `a.b`: of all that are renamed to properties, only `b` is a member of a value that the text says."""
_NAMESPACE_INDEX: Final = 3
"""The index of `a` in `export as namespace a`, which is what scripts call the module."""
_MEMBER_TYPE_INDEX: Final = 2
"""The index of `B` in Python's type `a.B`."""


def takes_keyword(tables: Tables, consumer: Consumer) -> bool:
    """Whether the rule reads a keyword among its children as a name, which it shows by renaming it."""
    alias = tables.alias(consumer.production, consumer.index)
    return alias in _NAME_ALIASES or alias in _PROPERTY_ALIASES or tables.names[consumer.symbol] in _KEYWORD_WRAPPERS


def use_of(tables: Tables, table: UseTable, consumer: Consumer) -> Use:
    """What the rule `consumer` uses its child for, which is an identifier and no keyword.

    The first that fits counts:

    1. the grammar renames it to a property, as `b` in `a.b`: it is a member, or nothing;
    2. the grammar renames it to something in `UseTable.aliases`, which has the use;
    3. the rule is one that no table can describe, such as `export ... from`;
    4. the rule and the child's field are in `UseTable.fields`, which has the use;
    5. the rule is hidden or in `UseTable.up`: it hands the identifier up to the rule around (`Use.UP`), unless the
       grammar renames the identifier to a type;
    6. the rule is any other: the identifier is a reference.
    """
    if table.is_free:
        return Use.UNKNOWN
    symbol, production, index = consumer
    rule = tables.names[symbol]
    fields = tables.fields(production)
    field = fields.get(index)
    alias = tables.alias(production, index)
    if alias in _PROPERTY_ALIASES:
        return Use.UNKNOWN if rule in _MEMBERS else Use.NOTHING
    if alias is not None and alias in table.aliases:
        return table.aliases[alias]
    if (use := _use_beyond_tables(rule, index, field, frozenset(fields.values()))) is not None:
        return use
    if (rule, field) in table.fields:
        return table.fields[rule, field]
    is_up = alias != "type_identifier" and (rule in table.up or not tables.is_visible(symbol))
    return Use.UP if is_up else Use.REFERENCE


def _use_beyond_tables(rule: str, index: int, field: str | None, fields: frozenset[str]) -> Use | None:  # noqa: C901, PLR0912 - a table of rules, a row each
    """The use by a rule that no table can describe: its children have no fields, or another child decides.

    None for all other rules. In the examples `a` is the identifier.

    Args:
        index: The identifier's index among the children.
        field: The identifier's field, if it has one.
        fields: The fields of all children.
    """
    match rule:
        case "unary_expression":  # -a, and typeof a, which may ask for a name that does not exist
            return Use.OPERAND
        case "jsx_closing_element" | "labeled_statement":  # </a>, a: while (b) {}
            return Use.NOTHING
        case "typed_parameter":  # Python's a: B, b: a
            return Use.REFERENCE if field == "type" else Use.PARAMETER
        case "_for_header":  # for (let a of b), for (a of b), for (let b of a)
            return Use.DECLARED if field == "left" and "kind" in fields else Use.REFERENCE
        case "import_specifier" if field == "name" and "alias" not in fields:  # import { a }; not { a as b }
            return Use.LOCAL
        case "import_alias":  # import a = b.c, import b = a
            return Use.REFERENCE if index > 1 else Use.LOCAL
        case "export_statement" if "source" in fields:  # export a from "b"
            return Use.UNKNOWN
        case "export_statement":  # export as namespace a, export default a
            return Use.NOTHING if field is None and index >= _NAMESPACE_INDEX else Use.REFERENCE
        case "member_type":  # Python's type b.a, a.B
            return Use.UNKNOWN if index == _MEMBER_TYPE_INDEX else Use.REFERENCE
        case "keyword_pattern":  # case B(a=1), case B(b=a)
            return Use.NOTHING if index == 0 else Use.UP
        case "class_pattern":  # case a(b)
            return Use.REFERENCE
        case "except_clause" if field is None:  # except B as a
            return Use.LOCAL
        case "as_pattern" if field is None and index > 0:  # case b as a
            return Use.LOCAL
        case _:
            return None

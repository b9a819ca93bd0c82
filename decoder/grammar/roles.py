"""The role of an identifier, by the grammar rule that consumes it and its field; no syntax tree is built.

One small table per language. `UP` passes the identifier to the rule around. A rule that is not in the table passes it
up if it is hidden, and makes it a reference if it is visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.grammar.consumers import Consumer, Consumers

if TYPE_CHECKING:
    from decoder.grammar.tables import Tables


class Role(StrEnum):
    """What an identifier is for."""

    REFERENCE = "reference"
    BINDING = "binding"
    PARAMETER = "parameter"
    MEMBER = "member"
    KEY = "key"
    SHORTHAND = "shorthand"
    """`{name}`: a key and a reference at once."""
    LABEL = "label"
    IMPORT = "import"
    """A name that a module exports, where it is imported; it is bound under it unless an alias follows."""
    EXPORT = "export"
    """A name under which something is exported."""
    KEYWORD_ARGUMENT = "keyword argument"
    TYPE = "type"


class _Up(StrEnum):
    UP = "up"


UP: Final = _Up.UP
Verdict = Role | _Up
Fields = Mapping[tuple[str, str | None], Verdict]


@dataclass(frozen=True, slots=True)
class _RoleTable:
    """How one family of languages uses its identifiers."""

    fields: Fields
    """By rule and field; None for a child without one."""
    up: frozenset[str]
    """Visible rules that hand all their identifiers up: patterns."""
    aliases: Mapping[str, Verdict]
    """By what a rule renames the identifier to, where that alone decides."""


_JAVASCRIPT: Final = _RoleTable(
    fields={
        ("variable_declarator", "name"): Role.BINDING,
        ("function_declaration", "name"): Role.BINDING,
        ("function_expression", "name"): Role.BINDING,
        ("function_signature", "name"): Role.BINDING,
        ("generator_function", "name"): Role.BINDING,
        ("generator_function_declaration", "name"): Role.BINDING,
        ("class", "name"): Role.BINDING,
        ("class_declaration", "name"): Role.BINDING,
        ("abstract_class_declaration", "name"): Role.BINDING,
        ("interface_declaration", "name"): Role.BINDING,
        ("type_alias_declaration", "name"): Role.BINDING,
        ("enum_declaration", "name"): Role.BINDING,
        ("_module", "name"): Role.BINDING,
        ("type_parameter", "name"): Role.BINDING,
        ("mapped_type_clause", "name"): Role.BINDING,
        ("infer_type", None): Role.BINDING,
        ("catch_clause", "parameter"): Role.BINDING,
        ("import_clause", None): Role.BINDING,
        ("namespace_import", None): Role.BINDING,
        ("import_specifier", "name"): Role.IMPORT,
        ("import_specifier", "alias"): Role.BINDING,
        ("export_specifier", "name"): UP,
        ("export_specifier", "alias"): Role.EXPORT,
        ("namespace_export", None): Role.EXPORT,
        ("formal_parameters", None): Role.PARAMETER,
        ("arrow_function", "parameter"): Role.PARAMETER,
        ("_parameter_name", "pattern"): Role.PARAMETER,
        ("index_signature", "name"): Role.PARAMETER,
        ("assignment_pattern", "left"): UP,
        ("object_assignment_pattern", "left"): UP,
        ("member_expression", "property"): Role.MEMBER,
        ("nested_identifier", "property"): Role.MEMBER,
        ("jsx_attribute", None): Role.KEY,
        ("enum_assignment", "name"): Role.KEY,
        ("enum_body", "name"): Role.KEY,
        ("enum_body_repeat1", "name"): Role.KEY,
        ("nested_type_identifier", "name"): Role.MEMBER,
        ("generic_type", "name"): Role.TYPE,
        ("required_parameter", "name"): Role.KEY,
        ("optional_parameter", "name"): Role.KEY,
        ("import_require_clause", None): Role.BINDING,
    },
    up=frozenset(
        {"object_pattern", "array_pattern", "rest_pattern", "pair_pattern", "export_clause", "named_imports"}
        | {"non_null_expression"}
    ),
    aliases={
        "statement_identifier": Role.LABEL,
        "shorthand_property_identifier": Role.SHORTHAND,
        "shorthand_property_identifier_pattern": UP,
    },
)

_PYTHON: Final = _RoleTable(
    fields={
        ("assignment", "left"): Role.BINDING,
        ("for_statement", "left"): Role.BINDING,
        ("for_in_clause", "left"): Role.BINDING,
        ("as_pattern", "alias"): Role.BINDING,
        ("except_clause", "alias"): Role.BINDING,
        ("global_statement", None): Role.BINDING,
        ("nonlocal_statement", None): Role.BINDING,
        ("function_definition", "name"): Role.BINDING,
        ("class_definition", "name"): Role.BINDING,
        ("named_expression", "name"): Role.BINDING,
        ("type_parameter", None): Role.BINDING,
        ("case_pattern", None): Role.BINDING,
        ("splat_pattern", None): Role.BINDING,
        ("import_statement", "name"): Role.IMPORT,
        ("import_from_statement", "name"): Role.IMPORT,
        ("import_from_statement", "module_name"): Role.IMPORT,
        ("future_import_statement", "name"): Role.IMPORT,
        ("_import_list", "name"): Role.IMPORT,
        ("_import_list_repeat1", "name"): Role.IMPORT,
        ("relative_import", None): Role.IMPORT,
        ("aliased_import", "name"): Role.IMPORT,
        ("aliased_import", "alias"): Role.BINDING,
        ("parameters", None): Role.PARAMETER,
        ("lambda_parameters", None): Role.PARAMETER,
        ("default_parameter", "name"): Role.PARAMETER,
        ("typed_default_parameter", "name"): Role.PARAMETER,
        ("typed_parameter", None): Role.PARAMETER,
        ("keyword_argument", "name"): Role.KEYWORD_ARGUMENT,
        ("attribute", "attribute"): Role.MEMBER,
        ("type", None): Role.TYPE,
    },
    up=frozenset(
        {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern"}
        | {"dotted_name", "keyword_pattern", "parenthesized_list_splat"}
    ),
    aliases={"as_pattern_target": Role.BINDING},
)

_TABLES: Final[Mapping[Language, _RoleTable]] = {
    Language.JAVASCRIPT: _JAVASCRIPT,
    Language.TYPESCRIPT: _JAVASCRIPT,
    Language.TSX: _JAVASCRIPT,
    Language.PYTHON: _PYTHON,
}

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
_PROPERTY: Final = frozenset({"property_identifier", "private_property_identifier"})
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})


class RoleFinder:
    """Which role the rules of one grammar give to an identifier."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._table: _RoleTable = _TABLES[language]
        self._verdicts: dict[Consumer, Verdict] = {}
        self.consumers = Consumers(tables)

    @classmethod
    def of(cls, tables: Tables, language: Language) -> RoleFinder:
        """The finder of a grammar, the same object for the same tables."""
        return _finder(tables, language)

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

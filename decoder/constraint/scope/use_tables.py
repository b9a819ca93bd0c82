"""How an identifier is used, by the grammar rule that consumes it and its field; no syntax tree is built.

One small table per language. `UP` passes the identifier to the rule around. A rule that is not in the table passes it
up if it is hidden, and makes it a reference if it is visible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.consumers import Consumer
    from decoder.grammar.tables import Tables


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
    """A unary operator's: of `typeof`, it need not exist."""
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


_JAVASCRIPT: Final = UseTable(
    fields={
        ("variable_declarator", "name"): Use.DECLARED,
        ("function_declaration", "name"): Use.OWN,
        ("function_expression", "name"): Use.OWN,
        ("function_signature", "name"): Use.OWN,
        ("generator_function", "name"): Use.OWN,
        ("generator_function_declaration", "name"): Use.OWN,
        ("class", "name"): Use.OWN,
        ("class_declaration", "name"): Use.OWN,
        ("abstract_class_declaration", "name"): Use.OWN,
        ("interface_declaration", "name"): Use.OWN,
        ("type_alias_declaration", "name"): Use.OWN,
        ("enum_declaration", "name"): Use.OWN,
        ("_module", "name"): Use.LOCAL,
        ("type_parameter", "name"): Use.LOCAL,
        ("mapped_type_clause", "name"): Use.LOCAL,
        ("infer_type", None): Use.HOISTED,
        ("catch_clause", "parameter"): Use.PARAMETER,
        ("import_clause", None): Use.LOCAL,
        ("namespace_import", None): Use.LOCAL,
        ("import_specifier", "name"): Use.UNKNOWN,
        ("import_specifier", "alias"): Use.LOCAL,
        ("export_specifier", "name"): Use.UP,
        ("export_specifier", "alias"): Use.NOTHING,
        ("namespace_export", None): Use.NOTHING,
        ("formal_parameters", None): Use.PARAMETER,
        ("arrow_function", "parameter"): Use.PARAMETER,
        ("_parameter_name", "pattern"): Use.PARAMETER,
        ("index_signature", "name"): Use.PARAMETER,
        ("assignment_pattern", "left"): Use.UP,
        ("object_assignment_pattern", "left"): Use.UP,
        ("member_expression", "property"): Use.UNKNOWN,
        ("nested_identifier", "property"): Use.UNKNOWN,
        ("jsx_attribute", None): Use.NOTHING,
        ("jsx_opening_element", "name"): Use.ELEMENT,
        ("jsx_self_closing_element", "name"): Use.ELEMENT,
        ("enum_assignment", "name"): Use.NOTHING,
        ("enum_body", "name"): Use.NOTHING,
        ("enum_body_repeat1", "name"): Use.NOTHING,
        ("nested_type_identifier", "name"): Use.UNKNOWN,
        ("generic_type", "name"): Use.REFERENCE,
        ("required_parameter", "name"): Use.NOTHING,
        ("optional_parameter", "name"): Use.NOTHING,
        ("import_require_clause", None): Use.LOCAL,
    },
    up=frozenset(
        {"object_pattern", "array_pattern", "rest_pattern", "pair_pattern", "export_clause", "named_imports"}
        | {"non_null_expression"}
    ),
    aliases={
        "statement_identifier": Use.NOTHING,
        "shorthand_property_identifier": Use.REFERENCE,
        "shorthand_property_identifier_pattern": Use.UP,
    },
)

_PYTHON: Final = UseTable(
    fields={
        ("assignment", "left"): Use.LOCAL,
        ("for_statement", "left"): Use.LOCAL,
        ("for_in_clause", "left"): Use.LOCAL,
        ("as_pattern", "alias"): Use.LOCAL,
        ("except_clause", "alias"): Use.LOCAL,
        ("global_statement", None): Use.LOCAL,
        ("nonlocal_statement", None): Use.LOCAL,
        ("function_definition", "name"): Use.OWN,
        ("class_definition", "name"): Use.OWN,
        ("named_expression", "name"): Use.HOISTED,
        ("type_parameter", None): Use.LOCAL,
        ("case_pattern", None): Use.CAPTURE,
        ("splat_pattern", None): Use.LOCAL,
        ("import_statement", "name"): Use.LOCAL,
        ("import_from_statement", "name"): Use.LOCAL,
        ("import_from_statement", "module_name"): Use.UNKNOWN,
        ("future_import_statement", "name"): Use.LOCAL,
        ("_import_list", "name"): Use.LOCAL,
        ("_import_list_repeat1", "name"): Use.LOCAL,
        ("relative_import", None): Use.UNKNOWN,
        ("aliased_import", "name"): Use.UNKNOWN,
        ("aliased_import", "alias"): Use.LOCAL,
        ("parameters", None): Use.PARAMETER,
        ("lambda_parameters", None): Use.PARAMETER,
        ("default_parameter", "name"): Use.PARAMETER,
        ("typed_default_parameter", "name"): Use.PARAMETER,
        ("typed_parameter", None): Use.PARAMETER,
        ("keyword_argument", "name"): Use.NOTHING,
        ("attribute", "attribute"): Use.UNKNOWN,
        ("type", None): Use.REFERENCE,
    },
    up=frozenset(
        {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern"}
        | {"dotted_name", "keyword_pattern", "parenthesized_list_splat"}
    ),
    aliases={"as_pattern_target": Use.LOCAL},
)

_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_KEYWORD_WRAPPERS: Final = frozenset({"_reserved_identifier", "keyword_identifier"})
_PROPERTY: Final = frozenset({"property_identifier", "private_property_identifier"})
_MEMBERS: Final = frozenset({"member_expression", "nested_identifier"})
_AS_NAMESPACE: Final = 3
"""Where the name is in `export as namespace a`, which is what scripts call the module."""


def use_table(language: Language) -> UseTable:
    """The table of a language."""
    return _PYTHON if language.is_python else _JAVASCRIPT


def takes_keyword(tables: Tables, consumer: Consumer) -> bool:
    """Whether the rule reads a keyword as a name: it says so by renaming it."""
    alias = tables.alias(consumer.production, consumer.index)
    return alias in _NAMES or alias in _PROPERTY or tables.names[consumer.symbol] in _KEYWORD_WRAPPERS


def use_of(tables: Tables, table: UseTable, consumer: Consumer) -> Use:
    """The use of an identifier, not a keyword, in a rule's child."""
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
    """The rules whose children have no fields, or where another child decides."""
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

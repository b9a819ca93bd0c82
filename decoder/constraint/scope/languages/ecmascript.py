"""What the grammars of JavaScript and TypeScript do with names; `tables` says what each column and each `Use` means.

Rule and field names are those of tree-sitter-javascript and tree-sitter-typescript.
"""

from __future__ import annotations

from typing import Final

from decoder.constraint.scope.facts import FrameKind
from decoder.constraint.scope.languages.tables import (
    ENDS_WITH_BLOCK,
    ENDS_WITH_FUNCTION,
    NameTables,
    ScopeTable,
    Use,
    UseTable,
)

_USES: Final = UseTable(
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

_BLOCKS: Final = {
    "statement_block", "switch_body", "for_statement", "for_in_statement", "catch_clause", "class_body", "enum_body",
    "object_type", "interface_body", "function_type", "constructor_type", "call_signature", "construct_signature",
    "method_signature",
}  # fmt: skip
_DECLARATIONS: Final = {
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "function_signature", "interface_declaration", "type_alias_declaration", "enum_declaration",
}  # fmt: skip
_OTHER_SCOPES: Final = {
    "function_expression", "generator_function", "arrow_function", "method_definition", "class_static_block", "class",
    "abstract_method_signature", "internal_module", "module",
}  # fmt: skip

_SCOPES: Final = ScopeTable(
    opens={
        "{": FrameKind.BRACKET,
        "{|": FrameKind.BRACKET,
        "(": FrameKind.BRACKET,
        "<": FrameKind.BRACKET,
        "=>": FrameKind.FUNCTION,
        "function": FrameKind.FUNCTION,
        "class": FrameKind.FUNCTION,
        "typeof": FrameKind.TYPEOF,
        "enum": FrameKind.ENUM,
        "interface": FrameKind.FUNCTION,
        "type": FrameKind.FUNCTION,
    },
    becomes={"formal_parameters": FrameKind.FUNCTION, "type_parameters": FrameKind.FUNCTION},
    ends=dict.fromkeys(_BLOCKS, ENDS_WITH_BLOCK) | dict.fromkeys(_DECLARATIONS | _OTHER_SCOPES, ENDS_WITH_FUNCTION),
    declares=frozenset(_DECLARATIONS),
)

TABLES: Final = NameTables("ecmascript", _USES, _SCOPES, parameters_prefix="formal_parameters", may_be_bound_after=True)

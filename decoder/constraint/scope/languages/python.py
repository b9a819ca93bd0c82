"""What Python's grammar does with names; `tables` says what each column and each `Use` means.

Rule and field names are those of tree-sitter-python; a child without a field has None.
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
        (
            "type",
            None,
        ): Use.REFERENCE,  # also the `T` of `def f[T]`, a new name in `FrameKind.GENERICS`
    },
    up=frozenset(
        {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern"}
        | {"dotted_name", "keyword_pattern", "parenthesized_list_splat"}
    ),
    aliases={"as_pattern_target": Use.LOCAL},
)

COMPREHENSIONS: Final = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
"""Rules whose brackets are a scope: a `for` in it binds names, also for the element before it: `[a for a in b]`."""

_SCOPES: Final = ScopeTable(
    opens={
        "(": FrameKind.BRACKET,
        "[": FrameKind.BRACKET,
        "{": FrameKind.BRACKET,
        "def": FrameKind.FUNCTION,
        "lambda": FrameKind.FUNCTION,
        "class": FrameKind.FUNCTION,  # the name and the body of a class are looked up as those of a function
    },
    becomes={"parameters": FrameKind.FUNCTION, "type_parameter": FrameKind.FUNCTION},
    ends=dict.fromkeys(("function_definition", "lambda", "class_definition"), ENDS_WITH_FUNCTION)
    | dict.fromkeys(COMPREHENSIONS, ENDS_WITH_BLOCK),
    declares=frozenset({"function_definition", "class_definition"}),
)

TABLES: Final = NameTables(
    "python", _USES, _SCOPES, dotted="dotted_name", dotted_rest="dotted_name_repeat1", may_comprehend=True
)

"""Names in tree-sitter's grammar of Python that the stricter rules look for."""

from __future__ import annotations

from typing import Final

AUGMENTED: Final = frozenset({"+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", "<<=", ">>=", "**="})
GROUPS: Final = frozenset({"list_pattern", "pattern_list"})
PARAMETERS: Final = frozenset(
    {"parameter", "list_splat_pattern", "dictionary_splat_pattern", "_parameters_repeat1", "_parameters"}
)
PARAMETERS_WITH_MORE: Final = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})
NAMES_AS_ARGUMENTS: Final = frozenset({"identifier", "match", "case", "type", "print", "exec", "await", "async"})
LITERALS: Final = frozenset({"integer", "float", "true", "false", "none", "ellipsis"})
NO_TARGETS: Final = LITERALS | frozenset(
    {"call", "binary_operator", "unary_operator", "not_operator", "comparison_operator", "boolean_operator"}
    | {"conditional_expression", "lambda", "string", "concatenated_string", "dictionary", "set", "await"}
    | {"dictionary_comprehension", "set_comprehension", "list_comprehension", "generator_expression"}
    | {"named_expression", "yield"}
)
UNARY: Final = frozenset({"+", "-", "~", "not", "lambda", "await"})
BINARY: Final = frozenset({"+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"}) | frozenset(
    {"<", ">", "<=", ">=", "==", "!=", "<>", "in", "not", "not in", "is", "is not", "and", "or", "if"}
)
AFTER_TARGETS: Final = {
    ":": frozenset({"as"}),
    ")": frozenset({"as"}),
    ",": frozenset({"as", "del"}),
    ";": frozenset({"del"}),
    "_newline": frozenset({"del"}),
}
"""By the token that ends a target: the words that it stands after."""
ENDED_WITHOUT_COMMA: Final = frozenset({"_import_list", "with_clause"})
WATCHED: Final = (
    AUGMENTED
    | GROUPS
    | PARAMETERS
    | PARAMETERS_WITH_MORE
    | NO_TARGETS
    | {
        "_patterns",
        "tuple_pattern",
        "=",
        "in",
        ":",
        ")",
        ",",
        ";",
        "_newline",
        "(",
        "identifier",
        "for",
        "with",
        "from",
        "return",
        "yield",
        "await",
        "async",
    }
    | {
        "break",
        "continue",
        "type",
        "keyword_argument",
        "dictionary_splat",
        "argument_list_repeat1",
        "keyword_identifier",
    }
)

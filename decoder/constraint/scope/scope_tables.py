"""Which tokens open a scope and which grammar rules close it: one table per family of languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from context_index.symbols import Language
from decoder.constraint.scope.facts import FrameKind, Kind


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """How one family of languages opens and closes its scopes."""

    opens: Mapping[str, FrameKind]
    """By token, the scope that it opens."""
    becomes: Mapping[str, FrameKind]
    """By rule, what the scope of its bracket becomes when the rule is complete: parameters stay visible."""
    ends: Mapping[str, frozenset[Kind]]
    """By rule, the kinds of names that end with it. A rule that is not listed is no scope: its names stay."""
    declares: frozenset[str]
    """Rules that, once complete, declare their own name in the enclosing scope."""


_LOCAL: Final = frozenset({Kind.LOCAL, Kind.OWN})
_ALL: Final = frozenset(Kind)

_JS_BLOCKS: Final = {
    "statement_block", "switch_body", "for_statement", "for_in_statement", "catch_clause", "class_body", "enum_body",
    "object_type", "interface_body", "function_type", "constructor_type", "call_signature", "construct_signature",
    "method_signature",
}  # fmt: skip
_JS_DECLARATIONS: Final = {
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "function_signature", "interface_declaration", "type_alias_declaration", "enum_declaration",
}  # fmt: skip
_JS_OTHERS: Final = {
    "function_expression", "generator_function", "arrow_function", "method_definition", "class_static_block", "class",
    "abstract_method_signature", "internal_module", "module",
}  # fmt: skip

_JAVASCRIPT: Final = ScopeTable(
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
    ends=dict.fromkeys(_JS_BLOCKS, _LOCAL) | dict.fromkeys(_JS_DECLARATIONS | _JS_OTHERS, _ALL),
    declares=frozenset(_JS_DECLARATIONS),
)

COMPREHENSIONS: Final = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)

_PYTHON: Final = ScopeTable(
    opens={
        "(": FrameKind.BRACKET,
        "[": FrameKind.BRACKET,
        "{": FrameKind.BRACKET,
        "def": FrameKind.FUNCTION,
        "lambda": FrameKind.FUNCTION,
        "class": FrameKind.FUNCTION,
    },
    becomes={"parameters": FrameKind.FUNCTION, "type_parameter": FrameKind.FUNCTION},
    ends=dict.fromkeys(("function_definition", "lambda", "class_definition"), _ALL)
    | dict.fromkeys(COMPREHENSIONS, _LOCAL),
    declares=frozenset({"function_definition", "class_definition"}),
)


def scope_table(language: Language) -> ScopeTable:
    """The table of a language."""
    return _PYTHON if language.is_python else _JAVASCRIPT

"""Words that are no names: reserved ones, which tree-sitter takes where no keyword is expected, and strict code's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import FUNCTIONS, Rules, is_field, is_module, is_strict, is_typed, nearest, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_RESERVED: Final = frozenset(
    {
        *("break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else"),
        *("enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof"),
        *("new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void"),
        *("while", "with", "let"),
    }
)
"""`let`, too, which is a name nowhere but in scripts, and even there begins a declaration on the next line."""
_RESERVED_IN_STRICT: Final = frozenset(
    {"implements", "interface", "package", "private", "protected", "public", "static", "yield"}
)
_ALSO_LETTERS: Final = str.maketrans({"$": "_", "\u200c": "", "\u200d": ""})
_UNBOUND_IN_STRICT: Final = frozenset({"arguments", "eval"})
_BINDS: Final = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "update_expression": "argument",
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "pair_pattern": "value",
    "for_in_statement": "left",
    "catch_clause": "parameter",
    "arrow_function": "parameter",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "function_declaration": "name",
    "generator_function_declaration": "name",
    "function_expression": "name",
    "class_declaration": "name",
}
"""Where a name is bound or assigned to, and in which field."""
_SIGNATURES: Final = frozenset(
    {"function_type", "call_signature", "method_signature", "function_signature", "construct_signature"}
)
_BINDS_ALL: Final = frozenset({"formal_parameters", "array_pattern", "rest_pattern", "object_pattern"})


def _is_misspelled(syntax: Syntax, node: Node) -> bool:
    """`a→b`: tree-sitter takes nearly every character for a letter."""
    word = syntax.text(node).removeprefix("#").translate(_ALSO_LETTERS)
    return not word.isascii() and "\\" not in word and not word.isidentifier()


def _is_no_name(syntax: Syntax, node: Node) -> bool:
    word = syntax.text(node)
    if not word.isascii() and _is_misspelled(syntax, node):
        return True
    if word in _RESERVED:
        return not _is_allowed(node, word)
    if (word == "await" or word in _RESERVED_IN_STRICT) and _is_of_other_module(node):
        return False
    if word == "await":
        return is_module(syntax) and not _awaits_group(node)
    if word in _RESERVED_IN_STRICT:
        return is_strict(syntax, node)
    return word in _UNBOUND_IN_STRICT and _is_bound(node) and is_strict(syntax, node) and not _is_of_type(syntax, node)


def _is_reserved(syntax: Syntax, node: Node) -> bool:
    word = syntax.text(node)
    return word in _RESERVED and word != "let" and not _is_allowed(node, word)


def _awaits_group(node: Node) -> bool:
    """`await (a)`, which the grammar may see as a call."""
    call = node.parent
    if call is None or call.type != "call_expression" or not is_field(node, "function"):
        return False
    arguments, function = call.child_by_field_name("arguments"), nearest(node, FUNCTIONS)
    may_wait = function is None or function.type == "ERROR" or "async" in words(function)
    return may_wait and arguments is not None and bool(arguments.named_children)


def _is_of_type(syntax: Syntax, node: Node) -> bool:
    """Whether it is the parameter of a function that has no body there."""
    return is_typed(syntax) and nearest(node, _SIGNATURES) is not None


def _is_allowed(node: Node, word: str) -> bool:
    """The parameter `this`, and what stands in the braces of an import or an export of another module."""
    is_variable = node.parent is not None and node.parent.type == "variable_declarator"
    return _is_of_other_module(node) or (word == "this" and _is_bound(node) and not is_variable)


def _is_of_other_module(node: Node) -> bool:
    parent = node.parent
    if parent is not None and parent.type == "namespace_export":
        return True
    if parent is None or parent.type not in ("import_specifier", "export_specifier"):
        return False
    if parent.type == "import_specifier":
        return is_field(node, "name") and parent.child_by_field_name("alias") is not None
    statement = parent.parent.parent if parent.parent is not None else None
    is_of_other = statement is not None and statement.child_by_field_name("source") is not None
    return is_of_other or is_field(node, "alias")


def _is_bound(node: Node) -> bool:
    parent = node.parent
    if node.type == "shorthand_property_identifier_pattern":
        return True
    if parent is None:
        return False
    field = _BINDS.get(parent.type)
    return parent.type in _BINDS_ALL or (field is not None and is_field(node, field))


def _deletes_name(syntax: Syntax, node: Node) -> bool:
    """`delete a`."""
    argument = node.child_by_field_name("argument")
    while argument is not None and argument.type == "parenthesized_expression" and argument.named_children:
        argument = argument.named_children[0]
    is_name = argument is not None and argument.type == "identifier"
    return node.children[0].type == "delete" and is_name and is_strict(syntax, node)


def _is_type_word(syntax: Syntax, node: Node) -> bool:
    """A word that names no type; behind a point it may be one: `a.default`."""
    if _is_misspelled(syntax, node):
        return True
    is_member = node.parent is not None and node.parent.type == "nested_type_identifier" and is_field(node, "name")
    word = syntax.text(node)
    return is_typed(syntax) and not is_member and (word in _RESERVED or word in _RESERVED_IN_STRICT or word == "await")


RULES_AROUND: Final[Rules] = {"identifier": _is_reserved}
"""Of what may begin before the text, which makes something else of it."""
RULES: Final[Rules] = {
    "identifier": _is_no_name,
    "shorthand_property_identifier": _is_no_name,
    "shorthand_property_identifier_pattern": _is_no_name,
    "statement_identifier": _is_no_name,
    "type_identifier": _is_type_word,
    "property_identifier": _is_misspelled,
    "private_property_identifier": _is_misspelled,
    "unary_expression": _deletes_name,
    "with_statement": is_strict,
}

"""Readings of single nodes, which the rules of exports and imports share; the code may be half typed.

`literal` reads Python as well, the others JavaScript and TypeScript.
"""

from __future__ import annotations

from context_index.syntax import Node, Syntax, first_part

VARIABLES = frozenset({"variable_declaration", "lexical_declaration"})
"""The types of declarations of variables, where a language has declarations for them."""


def literal(syntax: Syntax, node: Node | None) -> str | None:
    """The characters of a plain string literal; None for any other node, and for a string with escapes."""
    if node is None or node.type != "string":
        return None
    inner = [child for child in node.children if child.is_named and child.type not in {"string_start", "string_end"}]
    # an escape stands beside the fragments in JavaScript, and within the content in Python
    if any(child.type not in {"string_fragment", "string_content"} or child.named_child_count for child in inner):
        return None
    return "".join(syntax.text(child) for child in inner)


def required(syntax: Syntax, node: Node | None) -> str | None:
    """The module of a `require("x")` call, also in `require("x").member` or after `await`; None for any other node."""
    while node is not None and node.type in {"member_expression", "await_expression"}:
        node = node.child_by_field_name("object") or first_part(node)
    if node is None or node.type != "call_expression":
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or syntax.text(function) != "require":
        return None
    return literal(syntax, first_part(arguments))


def unquoted(syntax: Syntax, node: Node) -> str:
    """A name that is written as a word or as a string: `a`, `"a"`."""
    return literal(syntax, node) or syntax.text(node)

"""Names that a suggestion refers to and that are not visible where it stands.

A second look, on the finished text's tree, at what the decoder promised; it also tells which names must be imported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index import CursorKind, cursor_at, names_at

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from context_index import Node, Syntax

WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_REFERENCES = frozenset({"identifier", "type_identifier"})
"""Nodes that may refer to something; keywords, members and keys have others."""
_SHORTHAND = "shorthand_property_identifier"
"""A key that is a reference, too: `{name}`."""
_NAMED = frozenset({
    "function_expression", "generator_function", "class", "index_signature", "mapped_type_clause",
    "required_parameter", "optional_parameter", "default_parameter",
})  # fmt: skip
"""What has a name of its own, where the tokens before it would let a reference stand."""
_RESTS = frozenset({"rest_pattern", "list_splat_pattern", "dictionary_splat_pattern"})
_PLACES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
_ALWAYS = {False: frozenset({"arguments", "undefined", "bigint"}), True: frozenset({"_"})}
"""By whether the language is Python."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A name where it is referred to."""

    name: str
    offset: int


def unresolved(syntax: Syntax, start: int, end: int, known: Container[str]) -> Iterator[Reference]:
    """References between two places of a finished text to what is visible nowhere there.

    Args:
        known: Names that are visible; the tree is not asked for them.
    """
    always = _ALWAYS[syntax.language.is_python]
    for found in WORD.finditer(syntax.document.text, start, end):
        name, offset = found.group(), found.start()
        if name in known or name in always or (offset == start and _joins(syntax, start)):
            continue
        if not refers(syntax, offset, found.end()) or name in (visible := names_at(syntax, offset)):
            continue
        first = _first_in_brackets(syntax, offset, start)
        if first is None or first in known or first in visible:
            yield Reference(name, offset)


def _joins(syntax: Syntax, start: int) -> bool:
    """Whether the first word goes on with one that stood before the place."""
    before = syntax.document.text[start - 1 : start]
    return before.isalnum() or before in ("_", "$", "#", "@") or before == "."


def _is_introduced(node: Node) -> bool:
    """Whether a name is new: `a` of `a => b`, `f(function a() {})`, `[a: string]: B`, `[a: B]` or `f(lambda a: b)`."""
    parent = node.parent
    if parent is not None and parent.type in _RESTS:
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in _NAMED and node == parent.child_by_field_name("name"):
        return True
    if _is_parameter_to_be(node, parent):
        return True
    return parent.type == "lambda_parameters" or node == parent.child_by_field_name("parameter")


def _is_parameter_to_be(node: Node, parent: Node) -> bool:
    """Whether a name stands in brackets that an editor has closed before the arrow was written: `f((a, b))`.

    Nobody puts an argument, or several, in brackets of their own.
    """
    if node.type != "identifier":
        return False
    around = parent
    while around.type == "sequence_expression" and around.parent is not None:
        around = around.parent
    if around.type == "arguments" and around.parent is not None:  # `f(async (a, b))` calls `async`
        callee = around.parent.child_by_field_name("function")
        around = around.parent if callee is not None and callee.text == b"async" else around
        return around.type == "call_expression" and _is_argument(around)
    return around.type == "parenthesized_expression" and _is_argument(around)


def _first_in_brackets(syntax: Syntax, offset: int, start: int) -> str | None:
    """The first of several names in brackets, if it stood there before: what is unknown there is a parameter."""
    node = syntax.node_at(offset)
    around = node.parent
    while around is not None and around.type == "sequence_expression":
        node, around = around, around.parent
    if around is None or around.type != "parenthesized_expression":
        return None
    while node.type == "sequence_expression":
        node = node.named_children[0]
    is_before = node.type == "identifier" and syntax.end(node) <= start
    return syntax.text(node) if is_before else None


def _is_argument(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "arguments"


def refers(syntax: Syntax, offset: int, end: int) -> bool:
    """Whether a word of a text refers to something by its name."""
    node = syntax.node_at(offset, end)
    kind = node.type
    if kind == _SHORTHAND or kind not in _REFERENCES:
        return kind == _SHORTHAND
    if _is_introduced(node):
        return False
    cursor = cursor_at(syntax, end)
    if cursor.kind not in _PLACES or cursor.binding:
        return False
    text = syntax.document.text
    if syntax.language.is_python:
        names_argument = re.match(r"\s*=(?!=)", text[end : end + 80]) is not None
        return not (names_argument and cursor.kind is CursorKind.ARGUMENT)
    is_tag = re.search(r"</?\s*$", text[max(offset - 8, 0) : offset]) is not None
    return not (is_tag and text[offset].islower())

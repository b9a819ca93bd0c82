"""Calls in a suggestion that do not fit the function that they name, where it is declared in the same file.

Only plain functions of the module, called by name: whatever may be spread, decorated or overloaded is left alone.
JavaScript takes any number of arguments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from context_index import Language, NameKind, names_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_FUNCTIONS = frozenset({"function_definition", "function_declaration", "function_signature"})
_CALLS = frozenset({"call", "call_expression"})
_LISTS = frozenset({"argument_list", "arguments"})
_DEPENDS = frozenset({"list_splat", "dictionary_splat", "spread_element"})
_REQUIRED = frozenset({"identifier", "typed_parameter", "required_parameter"})
_OPTIONAL = frozenset({"default_parameter", "typed_default_parameter", "optional_parameter"})
_ANY_NUMBER = frozenset({"list_splat_pattern", "dictionary_splat_pattern", "rest_pattern"})


def misfit(syntax: Syntax, start: int, end: int) -> str | None:
    """One sentence about the first call between two places that cannot be right; None where there is none."""
    if syntax.language is Language.JAVASCRIPT:
        return None
    for call in _calls(syntax.root, syntax.byte(start), syntax.byte(end)):
        callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee is None or arguments is None or callee.type != "identifier" or arguments.type not in _LISTS:
            continue
        given = [node for node in arguments.named_children if node.type != "comment"]
        takes = None if any(node.type in _DEPENDS for node in given) else _takes(syntax, callee)
        if takes is not None and not takes[0] <= len(given) <= takes[1]:
            least, most = takes
            wanted = (
                f"{least}" if least == most else f"at least {least}" if most == math.inf else f"{least} to {most:g}"
            )
            return f"{syntax.text(callee)}() takes {wanted} arguments and would be given {len(given)}."
    return None


def _calls(node: Node, start: int, end: int) -> Iterator[Node]:
    """Complete calls that begin in a stretch of bytes."""
    if node.end_byte <= start or node.start_byte >= end:
        return
    if node.type in _CALLS and node.start_byte >= start and not node.has_error:
        yield node
    for child in node.children:
        yield from _calls(child, start, end)


def _takes(syntax: Syntax, callee: Node) -> tuple[int, float] | None:
    """The least and the most arguments of the function that a name stands for; None where that is not known."""
    name = syntax.text(callee)
    visible = names_at(syntax, syntax.start(callee)).get(name)
    if visible is None or visible.kind is not NameKind.FUNCTION:
        return None
    found = [node for node in _functions(syntax) if _name(syntax, node) == name]
    if len(found) != 1 or syntax.line(found[0]) != visible.line:
        return None
    least, most = 0, 0.0
    parameters = found[0].child_by_field_name("parameters")
    for node in parameters.named_children if parameters is not None else ():
        kinds = {node.type, *(child.type for child in node.named_children)}
        if kinds & _ANY_NUMBER:
            most = math.inf
        elif node.type in _OPTIONAL or (node.type == "required_parameter" and node.child_by_field_name("value")):
            most += 1
        elif node.type in _REQUIRED and syntax.text(node).split(":")[0].strip() != "this":
            least, most = least + 1, most + 1
    return least, most


def _functions(syntax: Syntax) -> Iterator[Node]:
    """The functions of the module itself."""
    for node in syntax.root.children:
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is not None and inner.type in _FUNCTIONS:
            yield inner


def _name(syntax: Syntax, function: Node) -> str:
    found = function.child_by_field_name("name")
    return "" if found is None else syntax.text(found)

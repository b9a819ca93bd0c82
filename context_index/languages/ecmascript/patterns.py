"""Finds the identifiers that patterns, parameters and imports of JavaScript and TypeScript bind.

`declarations`, `scopes` and `exported_names` beside this module call it.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.symbols import NameKind
from context_index.syntax import Node

_NAMES = frozenset({"identifier", "type_identifier", "shorthand_property_identifier_pattern"})
_PATTERN_GROUPS = frozenset({"object_pattern", "array_pattern", "rest_pattern", "formal_parameters", "ERROR"})


def pattern_names(pattern: Node) -> Iterator[Node]:
    """The identifiers that a pattern, a parameter or a list of parameters binds, in their order."""
    kind = pattern.type
    if kind in _NAMES:
        if not pattern.is_missing:
            yield pattern
    elif kind in _PATTERN_GROUPS:
        for child in pattern.named_children:
            yield from pattern_names(child)
    else:
        fields = ("value",) if kind == "pair_pattern" else ("pattern", "left")
        for inner in filter(None, map(pattern.child_by_field_name, fields)):
            yield from pattern_names(inner)


def imported_names(clause: Node) -> Iterator[tuple[Node, NameKind, bool]]:
    """Each name of an import clause, with its kind, and True if `type` is written before it."""
    for child in clause.named_children:
        if child.type == "identifier":
            yield child, NameKind.VARIABLE, False
        elif child.type == "namespace_import":
            yield child.named_children[0], NameKind.NAMESPACE, False
        elif child.type == "named_imports":
            for specifier in child.named_children:
                name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
                if name is not None and name.type == "identifier":
                    yield name, NameKind.VARIABLE, any(part.type == "type" for part in specifier.children)

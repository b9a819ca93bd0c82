"""Of which other values an expression of Python is made, by tables of its node's type.

`assumptions` and `given_values` walk down by it, each with tables of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from context_index.syntax import Node, first_part, parts_of


def value_parts(node: Node, made_of_parts: Collection[str], fields: Mapping[str, str]) -> Sequence[Node] | None:
    """The nodes of the values that a value is made of, in order; None if no table has its type.

    Args:
        made_of_parts: The types of nodes that are made of all their parts.
        fields: By type of a node with one value in it, the field with that; empty if it is the first part.
    """
    if node.type in made_of_parts:
        return parts_of(node)
    if node.type == "conditional_expression":
        return parts_of(node)[::2]  # the condition is between them
    if (field := fields.get(node.type)) is None:
        return None
    part = node.child_by_field_name(field) if field else first_part(node)
    return [] if part is None else [part]

"""Values that parameters have by default, as far as they use parameters that have no value yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import ancestors, pattern_names
from lsp_server.checks.refusals.rule import FUNCTIONS, Rules

if TYPE_CHECKING:
    from context_index import Node, Syntax

_DEFAULTS: Final = {
    "assignment_pattern": "right",
    "object_assignment_pattern": "right",
    "required_parameter": "value",
    "optional_parameter": "value",
}
"""By what holds a default, the field in which it has it."""
_ENDS: Final = FUNCTIONS | {"statement_block", "class_body", "program"}
"""Code within these runs later, or belongs to no parameter."""


def _is_used_too_early(syntax: Syntax, node: Node) -> bool:
    """`(a = b, b)`, `(a = a)`: a parameter in its own default, or in that of one before it."""
    within: Node | None = None
    """The innermost that has its default there."""
    is_of_all, below = False, node
    for around in ancestors(node):
        field = _DEFAULTS.get(around.type)
        is_of_all = field is not None and around.child_by_field_name(field) == below
        within = around if within is None and is_of_all else within
        if around.parent is not None and around.parent.type == "formal_parameters":
            return within is not None and _is_bound_later(syntax, node, around, around if is_of_all else within)
        if around.type in _ENDS:
            return False
        below = around
    return False


def _is_bound_later(syntax: Syntax, node: Node, own: Node, within: Node) -> bool:
    """Whether a parameter has the name of a node, and gets it with or behind that which has a default there.

    Args:
        own: The parameter that the node is in.
        within: The part of it that has the default; what stands before that part has its value.
    """
    text, place = syntax.text(node), within.start_byte
    named = [name for name in pattern_names(own.parent or own) if syntax.text(name) == text]
    return bool(named) and not any(name.end_byte <= place for name in named)


RULES: Final[Rules] = dict.fromkeys(("identifier", "shorthand_property_identifier"), _is_used_too_early)

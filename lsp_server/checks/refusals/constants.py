"""Constants that are assigned again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import assigned_by

if TYPE_CHECKING:
    from context_index import Node, Syntax
    from lsp_server.checks.refusals.rule import Rules


def _assigns_constant(syntax: Syntax, node: Node) -> bool:
    return next(assigned_by(syntax, node), None) is not None


RULES: Final[Rules] = dict.fromkeys(
    (
        *("assignment_expression", "augmented_assignment_expression", "update_expression"),
        "for_in_statement",
    ),
    _assigns_constant,
)

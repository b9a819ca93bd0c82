"""What compilers refuse of single nodes of JavaScript and TypeScript that tree-sitter takes, by kinds of nodes.

Each rule knows one node and what is around it; which nodes are asked about is `lsp_server.checks.refused`'s business.
"""

from lsp_server.checks.refusals import (
    ambient,
    beginnings,
    constants,
    declarations,
    defaults,
    elements,
    enums,
    expressions,
    heritage,
    jumps,
    lists,
    literals,
    members,
    modifiers,
    operands,
    redeclarations,
    statements,
    type_members,
    types,
    waiting,
    words,
)
from lsp_server.checks.refusals.rule import Rules, joined

__all__ = ["RULES", "RULES_AROUND"]

RULES: Rules = joined(
    *(expressions.RULES, lists.RULES, declarations.RULES, members.RULES, modifiers.RULES, enums.RULES),
    *(heritage.RULES, types.RULES, type_members.RULES, operands.RULES, statements.RULES),
    *(beginnings.RULES, jumps.RULES, words.RULES, redeclarations.RULES, constants.RULES),
    *(waiting.RULES, literals.RULES, ambient.RULES, elements.RULES, defaults.RULES),
)
RULES_AROUND: Rules = joined(
    beginnings.RULES_AROUND, expressions.RULES_AROUND, heritage.RULES_AROUND, words.RULES_AROUND
)

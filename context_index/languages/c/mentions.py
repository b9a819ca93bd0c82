"""What a rename asks about the names in a text of C or C++.

Only forms, modules and types are answered here; clangd's own rename knows classes, parameters and calls.
"""

from __future__ import annotations

from context_index.mentions import MentionForm, MentionRules
from context_index.syntax import Node, ancestors


class CMentions(MentionRules):
    """The questions about forms, modules and types."""

    def form(self, node: Node) -> MentionForm:
        """A member after a dot or an arrow and where it is declared, a label, or a name."""
        match node.type:
            case "field_identifier":
                return MentionForm.MEMBER
            case "statement_identifier":
                return MentionForm.LABEL
        return MentionForm.NAME

    def is_of_module(self, offset: int) -> bool:
        """Whether the name at an offset is outside of functions, so that other files may use it."""
        return all(around.type != "compound_statement" for around in ancestors(self.node(offset)))

    def is_type(self, offset: int) -> bool:
        """Whether it names a type, also where that is declared: `Cart` of `struct Cart`."""
        return self.node(offset).type == "type_identifier"


RULES = CMentions

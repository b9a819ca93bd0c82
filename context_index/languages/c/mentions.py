"""The forms in which C and C++ say names; of classes, parameters and calls clangd's own rename knows."""

from __future__ import annotations

from context_index.mentions import MentionForm, MentionRules
from context_index.syntax import Node


class CMentions(MentionRules):
    """See `MentionRules`."""

    def form(self, node: Node) -> MentionForm:
        """See `MentionRules`."""
        match node.type:
            case "field_identifier":
                return MentionForm.MEMBER
            case "statement_identifier":
                return MentionForm.LABEL
        return MentionForm.NAME

    def is_of_module(self, offset: int) -> bool:
        """Whether other files may reach the name: what is declared outside of functions."""
        around = self.node(offset).parent
        while around is not None and around.type != "compound_statement":
            around = around.parent
        return around is None

    def is_type(self, offset: int) -> bool:
        """See `MentionRules`."""
        return self.node(offset).type == "type_identifier"


RULES = CMentions

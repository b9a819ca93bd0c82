"""Where a text says a name, in which form, and what else the language makes of it there: what a rename must know.

`places` finds the places. `rules` has the questions; each language answers in the part `mentions` of its folder.
Only a checker knows what a name means at a place.
"""

from context_index.mentions.computed_names import name_patterns
from context_index.mentions.forms import (
    Assumption,
    FunctionParameter,
    GivenValues,
    Hoisted,
    Mention,
    MentionForm,
    NamePattern,
    Read,
    ReadForm,
    TypeArguments,
    ValueParts,
    ValueSource,
)
from context_index.mentions.places import members_after, mentions, statement_around, words_in_text
from context_index.mentions.rules import MentionRules, mention_rules

__all__ = [
    "Assumption", "FunctionParameter", "GivenValues", "Hoisted", "Mention", "MentionForm", "MentionRules",
    "NamePattern", "Read", "ReadForm", "TypeArguments", "ValueParts", "ValueSource", "members_after", "mention_rules",
    "mentions", "name_patterns", "statement_around", "words_in_text",
]  # fmt: skip

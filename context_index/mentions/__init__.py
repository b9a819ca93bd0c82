"""Where a text says a name, in which form, and what else the language makes of it there.

`places` finds the places. `rules` has the questions; each language answers in the part `mentions` of its folder.
What a name means at a place only a checker knows.
"""

from context_index.mentions.forms import Mention, MentionForm
from context_index.mentions.places import mentions, statement_around, words_in_text
from context_index.mentions.rules import MentionRules, mention_rules

__all__ = ["Mention", "MentionForm", "MentionRules", "mention_rules", "mentions", "statement_around", "words_in_text"]

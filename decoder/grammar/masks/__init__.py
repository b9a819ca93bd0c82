"""All texts of a vocabulary that may come next, thousands of them decided by one question.

    masker = Masker(tables, reader, texts)  # of an automaton; once for a vocabulary: filled as states are met
    masker.mask(state)                      # bool [len(texts)]: what `state.feed` accepts
    masker.mask(state, is_late)             # the same, or LateError as soon as that says so

Texts of one kind are asked about once (`kinds`). What is asked about them at a kind of place is planned once
(`planning`, `plans`): what the external scanner reads (`scanning`, `scans`), what ends within a token (`insides`) and
what ends one (`endings`), by their ways through the lexers (`paths`, `suffixes`); the rest is fed (`feeding`). Each
answer is remembered by the cells of the stack that it depends on (`answering`, `watched`, `remembered`).
"""

from decoder.grammar.masks.masker import Masker
from decoder.grammar.masks.plans import LateError

__all__ = ["LateError", "Masker"]

"""Predicted outputs: a draft holds the tokens that are expected, and many of them are verified at once.

The draft is not part of the prompt, and the output is the same as without it, only sooner.

    drafter = Aligned(tokens, prompt, costs=lambda: costs_of(model))
    generate(model, prompt, run, sampler, drafter)
    run.ledger.counts(run.tokens)          # accepted, rejected, extra, generated, forwards, spans

Knows tokens; knows nothing of models (but for what their forwards cost), constraints and text.
"""

from decoder.draft.aligned import Aligned
from decoder.draft.counts import Counts, TokenOrigin
from decoder.draft.drafter import Drafter
from decoder.draft.forward_costs import costs_of
from decoder.draft.policies import Reference, Undrafted
from decoder.draft.prediction import DraftPolicy, Prediction
from decoder.draft.window import Costs

__all__ = [
    "Aligned",
    "Costs",
    "Counts",
    "DraftPolicy",
    "Drafter",
    "Prediction",
    "Reference",
    "TokenOrigin",
    "Undrafted",
    "costs_of",
]  # fmt: skip

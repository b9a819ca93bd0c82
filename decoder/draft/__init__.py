"""Drafts: the tokens that an output is expected to have; many of them are verified in one forward.

A draft is not part of the prompt. The output is the same as without a draft, only sooner.

    drafter = Aligned(tokens, prompt, costs=lambda: costs_of(model))
    generate(model, prompt, run, sampler, drafter)
    run.ledger.counts(run.tokens)          # accepted, rejected, extra, generated, forwards, spans

prediction      what a request says of its expected output, and the drafter for it
policies        the interface of drafters, which the decode loop asks, and the simple ones
aligned         the drafter that finds its place in the draft again after an edit, with the help of
                draft_position, alignment, copying, substitutions, offers and window
counts          what became of each token
forward_costs   what forwards cost on this machine

Knows tokens; knows nothing of constraints and text, and of models only what their forwards cost.
"""

from decoder.draft.aligned import Aligned
from decoder.draft.counts import Counts, TokenOrigin
from decoder.draft.forward_costs import costs_of
from decoder.draft.policies import Drafter, Reference, Undrafted
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

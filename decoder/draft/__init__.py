"""Predicted outputs: tokens that are expected, many of them verified at once; the output is the same, only sooner.

    drafter = Aligned(Draft.of(tokens), prompt, costs=lambda: costs_of(model))
    generate(model, prompt, run, sampler, drafter)
    run.ledger.counts(run.tokens)          # accepted, rejected, extra, generated, forwards, spans

Knows tokens; knows nothing of models (but for what their forwards cost), constraints and text.
"""

from decoder.draft.aligned import Aligned
from decoder.draft.counts import Counts, Kind, Ledger, Span
from decoder.draft.draft import Draft, Drafter
from decoder.draft.forward_costs import costs_of
from decoder.draft.policies import Reference, Undrafted
from decoder.draft.prediction import Policy, Prediction
from decoder.draft.window import Costs

__all__ = [
    "Aligned",
    "Costs",
    "Counts",
    "Draft",
    "Drafter",
    "Kind",
    "Ledger",
    "Policy",
    "Prediction",
    "Reference",
    "Span",
    "Undrafted",
    "costs_of",
]  # fmt: skip

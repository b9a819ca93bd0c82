"""What tests of drafts share: an output that a model insists on, and runs with and without a drafter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.state import ConstraintState
from decoder.draft import Aligned, Counts, Drafter, Reference, Undrafted
from decoder.generation import Generation
from decoder.loop import generate
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.scripted import END, TOKENS, ScriptedModel

if TYPE_CHECKING:
    from decoder.models.model import Model
    from decoder.ngrams import NgramBias

PROMPT = [10, 20, 30]
POLICIES: dict[str, Callable[[Sequence[int]], Drafter]] = {
    "reference": lambda draft: Reference(draft, lookahead=4, confirmed=3),
    "aligned": lambda draft: Aligned(draft, PROMPT),
}


def said_by(output: Sequence[int]) -> ScriptedModel:
    """A model that wants to say this and end, wherever it is made to say something else."""
    wanted = [*output, END]

    def script(written: Sequence[int]) -> np.ndarray:
        logits = np.zeros(len(TOKENS), dtype=np.float32)
        logits[wanted[min(len(written), len(output))]] = 10
        return logits

    return ScriptedModel(script, prompt_length=len(PROMPT))


def few_tokens(seed: int, among: Sequence[int]) -> ScriptedModel:
    """Noise over a few tokens, so that a draft of them is right now and then."""

    def script(output: Sequence[int]) -> np.ndarray:
        logits = np.full(len(TOKENS), -20, dtype=np.float32)
        logits[list(among)] = np.random.default_rng([seed, *output[-3:]]).normal(size=len(among)) * 2
        return logits

    return ScriptedModel(script, prompt_length=len(PROMPT))


def drafted(
    model: Model,
    drafter: Drafter | None = None,
    *,
    max_tokens: int = 64,
    sampling: SamplingOptions | None = None,
    constraint: ConstraintState | None = None,
    bias: NgramBias | None = None,
) -> tuple[list[int], Counts]:
    """The output, and what became of the draft."""
    run = Generation(
        constraint or ConstraintState(),
        None,
        max_tokens=max_tokens,
        deadline=None,
        cancel=Event(),
        repeats=lambda _tokens: 0,
        bias=bias,
    )
    generate(model, PROMPT, run, Sampler(sampling or SamplingOptions()), drafter or Undrafted())
    counts = run.ledger.counts(run.tokens)
    assert counts.accepted + counts.extra + counts.generated == len(run.tokens)
    return run.tokens, counts

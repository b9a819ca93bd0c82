"""The trace of each token: the figures of all tokens are one distribution, before the bias and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from threading import Event

import numpy as np
import pytest

from decoder.constraint.protocol import ChecksPartialCharacters, Refusal, Report, Rule
from decoder.constraint.state import ConstraintState
from decoder.draft import Undrafted
from decoder.generation import Generation
from decoder.loop import generate
from decoder.ngrams import NgramBias
from decoder.observer import TokenTrace, Trace
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.drafting import PROMPT
from tests.decoder.scripted import END, ScriptedModel
from tests.decoder.test_ngrams import MIXTURE, VOCABULARY

TOKENS = [*range(9, 14), *range(32, 127), END]
"""A character each, and the end."""


@dataclass(frozen=True)
class Only(ChecksPartialCharacters):
    """Allows one text, whatever anybody thinks of it."""

    left: bytes

    def advance(self, text: str) -> Only | Refusal:
        fits = self.left.startswith(text.encode())
        return Only(self.left[len(text) :]) if fits else Refusal(Rule.PROGRAM, text)

    def may_begin(self, partial: bytes) -> bool:
        del partial
        return False

    def may_stop(self) -> Refusal | None:
        return Refusal(Rule.PROGRAM, "the end") if self.left else None

    def report(self) -> Report:
        return Report()


def model() -> ScriptedModel:
    """Thinks something of every token of `TOKENS`, and on no scale of probabilities."""
    logits = np.full(VOCABULARY.size, -60, np.float32)
    logits[TOKENS] = np.random.default_rng(3).normal(scale=2, size=len(TOKENS)).astype(np.float32) + 7
    return ScriptedModel(lambda _output: logits)


def traced(token: int, bias: NgramBias | None) -> TokenTrace:
    """What is said of a token where only it may come."""
    only = VOCABULARY.token_bytes[token]
    trace = Trace()
    run = Generation(
        ConstraintState((Only(only),)), None, max_tokens=1, deadline=None, cancel=Event(), bias=bias, observers=(trace,)
    )
    generate(model(), PROMPT, run, Sampler(SamplingOptions()), Undrafted())
    (step,) = trace.steps()
    assert step.text.encode() == only
    return step


BIASES: dict[str, Callable[[], NgramBias | None]] = {
    "nobody": lambda: None,
    "counts": lambda: NgramBias(MIXTURE, VOCABULARY, "items = f(x);\nlet x = ", "\n"),
    "counts that end": lambda: NgramBias(MIXTURE, VOCABULARY, "x = f(x)\ny = f(x)", "\n"),
}


@pytest.mark.parametrize("name", BIASES)
def test_what_is_said_of_all_tokens_is_one_distribution(name: str) -> None:
    steps = [traced(token, BIASES[name]()) for token in TOKENS]
    assert sum(exp(step.logprob) for step in steps) == pytest.approx(1, abs=1e-4)
    assert sum(exp(step.logprob + step.prior) for step in steps) == pytest.approx(1, abs=1e-4)
    assert any(abs(step.prior) > 0.5 for step in steps) is (name != "nobody")

"""Drafted = undrafted on real networks, in every number type: blocks of one shape, and near-ties read afresh."""

from __future__ import annotations

import math
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest

from decoder.choice import Choice
from decoder.constraint.state import ConstraintState
from decoder.draft import Aligned, Costs, Reference, Undrafted
from decoder.generation import Generation
from decoder.grouping import CLOSE, Blockwise, Recompute, steady
from decoder.loop import decode
from decoder.models.loading import load_model
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.scripted import randomly
from tests.decoder.tiny_models import ARCHITECTURES, write_model

if TYPE_CHECKING:
    from pathlib import Path

    from decoder.draft import Drafter
    from decoder.models.model import Model

PROMPT = list(range(60, 97))


def written(model: Model, drafter: Drafter, options: SamplingOptions, length: int = 40) -> list[int]:
    chosen, grouping = steady(model.branch(), PROMPT)
    run = Generation(
        ConstraintState(), None, max_tokens=length, deadline=None, cancel=Event(), repeats=lambda _: 0,
        vocabulary=model.vocabulary.ended_by(frozenset()),
    )  # fmt: skip
    for _ in decode(chosen, PROMPT, run, Sampler(options), drafter, grouping=grouping):
        pass
    return run.tokens


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name != "qwen3_next"])
def test_a_draft_changes_no_token_of_any_architecture(architecture: str, dtype: str, tmp_path: Path) -> None:
    model = load_model(str(write_model(architecture, tmp_path)), device="cpu", dtype=dtype, threads=1)
    for temperature in (0.0, 1.0):
        options = SamplingOptions(temperature=temperature, seed=3)
        plain = written(model, Undrafted(), options)
        for draft in (plain, plain[5:], [*plain[:11], 70, *plain[12:]], [70] * 50):
            assert written(model, Aligned(draft, PROMPT, costs=Costs), options) == plain
            assert written(model, Reference(draft), options) == plain


@pytest.mark.slow
def test_in_blocks_of_one_shape_logits_are_the_same_bits_however_tokens_are_grouped() -> None:
    model = load_model(device="cpu", dtype="bfloat16", threads=1)
    tokens = [(place * 37) % 4000 + 300 for place in range(90)]
    at_once = Blockwise(model.branch())
    at_once.forward(PROMPT)
    expected = at_once.forward(tokens, len(tokens))
    for sizes in ([1] * 90, [17, 1, 5, 30, 37], [16] * 5 + [10]):
        grouped, rows, start = Blockwise(model.branch()), [], 0
        grouped.forward(PROMPT)
        for size in sizes:
            part = tokens[start : start + size]
            grouped.forward([301, 302, 303])  # a draft that is rejected
            grouped.truncate(len(PROMPT) + start)
            rows.append(grouped.forward(part, len(part)))
            start += size
        assert np.array_equal(np.concatenate(rows), expected)


def test_no_choice_at_all_is_doubtful() -> None:
    assert Recompute(randomly(1), PROMPT).doubtful(np.zeros(266, np.float32), None, 0, Sampler(SamplingOptions()))


def almost(gap: float) -> dict[int, float]:
    """Two tokens with so much between them."""
    return {7: 1, 9: 1 - gap}


def at_the_edge(past: float) -> dict[int, float]:
    """A token that is half of the probability, the nucleus, and a little more."""
    return {7: math.log(0.5 + past), 8: math.log(0.3), 9: math.log(0.2 - past)}


@pytest.mark.parametrize(
    ("logits", "temperature", "top_p", "doubtful"),
    [
        (almost(CLOSE / 2), 0.0, 1.0, True),
        (almost(CLOSE * 2), 0.0, 1.0, False),
        (almost(CLOSE * 1e-6), 1.0, 1.0, False),
        (at_the_edge(3e-6), 1.0, 0.5, True),
        (at_the_edge(1e-4), 1.0, 0.5, False),
        (at_the_edge(0.0), 0.0, 0.5, False),  # without a temperature there is no nucleus
    ],
)
def test_a_choice_is_doubtful_where_rounding_could_change_it(
    logits: dict[int, float], temperature: float, top_p: float, doubtful: bool
) -> None:
    row = np.full(266, -30, dtype=np.float32)
    row[[*logits]] = [*logits.values()]
    sampler = Sampler(SamplingOptions(temperature=temperature, top_p=top_p, seed=1))
    chosen = Choice(int(sampler.preferences(row, 0).argmax()), ConstraintState(), ends=False)
    assert Recompute(randomly(1), PROMPT).doubtful(row, chosen, 0, sampler) == doubtful

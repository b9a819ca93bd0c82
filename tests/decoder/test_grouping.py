"""Drafted = undrafted on real networks, in every number type: blocks of one shape, and near-ties read afresh."""

from __future__ import annotations

from collections import Counter
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


@pytest.mark.slow
def test_samples_of_the_real_model_follow_its_distribution_under_a_draft() -> None:
    """Chi-square over the first token, the most probable one being drafted."""
    model = load_model(device="cpu", threads=1)
    logits = model.forward(PROMPT)[-1].astype(np.float64)
    probability = np.exp(logits - logits.max())
    probability /= probability.sum()
    draws = 500
    observed: Counter[int] = Counter()
    for seed in range(draws):
        run = Generation(ConstraintState(), None, max_tokens=1, deadline=None, cancel=Event())
        drafter = Reference([int(probability.argmax())])
        for _ in decode(model, PROMPT, run, Sampler(SamplingOptions(temperature=1, seed=seed)), drafter):
            pass
        observed[run.tokens[0] if run.tokens else next(iter(model.vocabulary.end))] += 1
    common = [token for token in np.argsort(-probability) if probability[token] * draws >= 5]
    rest = 1 - sum(probability[token] for token in common)
    bins = [(observed[int(token)], probability[token] * draws) for token in common]
    bins.append((draws - sum(count for count, _ in bins), rest * draws))
    statistic = sum((count - expected) ** 2 / expected for count, expected in bins)
    degrees = len(bins) - 1
    assert statistic < degrees + 3.1 * (2 * degrees) ** 0.5 + 8  # beyond the 99.9th percentile


@pytest.mark.parametrize(
    ("gap", "temperature", "doubtful"),
    [(CLOSE / 2, 0.0, True), (CLOSE * 2, 0.0, False), (CLOSE * 1e-6, 1.0, False)],
)
def test_a_choice_is_doubtful_where_another_token_is_almost_as_good(
    gap: float, temperature: float, doubtful: bool
) -> None:
    logits = np.full(266, -5, dtype=np.float32)
    logits[[7, 9]] = 1, 1 - gap
    sampler = Sampler(SamplingOptions(temperature=temperature, seed=1))
    chosen = int(sampler.preferences(logits, 0).argmax())
    afresh = Recompute(randomly(1), PROMPT)
    assert afresh.doubtful(logits, Choice(chosen, ConstraintState(), ends=False), 0, sampler) == doubtful


def test_no_choice_at_all_is_doubtful() -> None:
    assert Recompute(randomly(1), PROMPT).doubtful(np.zeros(266, np.float32), None, 0, Sampler(SamplingOptions()))


@pytest.mark.parametrize(
    ("past_the_edge", "temperature", "doubtful"),
    [(3e-6, 1.0, True), (1e-4, 1.0, False), (0.0, 0.0, False)],  # without a temperature there is no nucleus
)
def test_a_choice_is_doubtful_where_rounding_could_change_the_nucleus(
    past_the_edge: float, temperature: float, doubtful: bool
) -> None:
    half = 0.5 + past_the_edge
    logits = np.full(266, -30, dtype=np.float32)
    logits[[7, 8, 9]] = np.log([half, 0.3, 0.7 - half])
    sampler = Sampler(SamplingOptions(temperature=temperature, top_p=0.5, seed=1))
    chosen = Choice(int(sampler.preferences(logits, 0).argmax()), ConstraintState(), ends=False)
    assert Recompute(randomly(1), PROMPT).doubtful(logits, chosen, 0, sampler) == doubtful

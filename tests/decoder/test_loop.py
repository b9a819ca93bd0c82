"""The loop: several outputs written together are what each is alone."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.constraint.state import ConstraintState
from decoder.generation import Generation
from decoder.loop import generate, generate_each
from decoder.models.loading import load_model
from decoder.sampling import Sampler, SamplingOptions
from decoder.stops import Stop
from tests.decoder.scripted import randomly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Model

PROMPT = list(range(60, 97))


def begun(model: Model, banned: Sequence[int], length: int, parent: Generation | None = None) -> Generation:
    """An output of at most `length` tokens that begins with none of some tokens, or as `parent` does."""
    prefixes = frozenset(model.vocabulary.token_bytes[token] for token in banned)
    run = Generation(
        ConstraintState(), None, max_tokens=length, deadline=None, cancel=Event(), banned_prefixes=prefixes
    )
    if parent is not None:
        run.begin_as(parent, len(parent.tokens) // 2)
    return run


@given(
    seed=st.integers(0, 1_000),
    outputs=st.lists(st.tuples(st.lists(st.integers(97, 122)), st.integers(1, 12), st.booleans()), min_size=1),
    temperature=st.sampled_from([0.0, 1.0]),
)
def test_outputs_written_together_are_those_written_alone(
    seed: int, outputs: list[tuple[list[int], int, bool]], temperature: float
) -> None:
    model, sampler = randomly(seed), Sampler(SamplingOptions(temperature=temperature, seed=seed))
    first = begun(model, (), 8)
    generate(model, PROMPT, first, sampler)
    alone = [begun(model, banned, length, first if follows else None) for banned, length, follows in outputs]
    together = [begun(model, banned, length, first if follows else None) for banned, length, follows in outputs]
    stops = [generate(model, PROMPT, run, sampler) for run in alone]
    assert list(generate_each(model, PROMPT, together, sampler)) == stops
    assert [run.tokens for run in together] == [run.tokens for run in alone]
    assert [run.ledger.forwards for run in together] == [run.ledger.forwards for run in alone]


def test_an_output_whose_time_is_over_does_not_hold_up_the_others() -> None:
    model = randomly(1)
    model.forward(PROMPT)
    late, other = begun(model, (), 8), begun(model, (), 8)
    late.deadline = 0.0
    assert list(generate_each(model, PROMPT, [late, other], Sampler(SamplingOptions()))) == [Stop.DEADLINE, Stop.LENGTH]
    assert (len(late.tokens), len(other.tokens)) == (0, 8)


@pytest.mark.slow
def test_the_real_model_writes_together_what_it_writes_alone() -> None:
    model, sampler = load_model(device="cpu", threads=1), Sampler(SamplingOptions())
    first = begun(model, (), 12)
    generate(model, PROMPT, first, sampler)
    banned = [[first.tokens[0]], [first.tokens[0], *range(300, 600)], range(600, 900)]
    alone, together = ([begun(model, tokens, 12) for tokens in banned] for _ in range(2))
    for run in alone:
        generate(model, PROMPT, run, sampler)
    generate_each(model, PROMPT, together, sampler)
    assert [run.tokens for run in together] == [run.tokens for run in alone]

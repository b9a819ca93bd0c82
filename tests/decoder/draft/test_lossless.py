"""Whatever is drafted, the output is what it would be without: greedy and sampled.

Under all rules: `constraint.test_all_rules`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.draft import Aligned, Reference, TokenOrigin
from decoder.sampling import SamplingOptions
from tests.decoder.drafting import POLICIES, PROMPT, drafted, few_tokens, said_by
from tests.decoder.scripted import END, TOKENS, ScriptedModel
from tests.examples import examples


@examples(60)
@given(st.data(), st.sampled_from(sorted(POLICIES)), st.integers(0, 50), st.sampled_from([0.0, 0.7, 2.0]))
def test_drafted_is_undrafted(data: st.DataObject, policy: str, seed: int, temperature: float) -> None:
    among = [*b"ab(", END]
    sampling = SamplingOptions(temperature=temperature, seed=seed, top_p=data.draw(st.sampled_from([1.0, 0.8])))
    plain, _ = drafted(few_tokens(seed, among), sampling=sampling, max_tokens=40)
    edited = data.draw(st.lists(st.sampled_from([*b"ab(x"]), max_size=60))
    draft = data.draw(st.sampled_from([[], edited, plain, plain + edited, plain[:9] + edited[:3] + plain[9:]]))
    tokens, _ = drafted(few_tokens(seed, among), POLICIES[policy](draft), sampling=sampling, max_tokens=40)
    assert tokens == plain


PROBABILITIES = {97: 0.5, 98: 0.3, 99: 0.2}


def toy(written: Sequence[int]) -> np.ndarray:
    """Three tokens; after an a, b is twice as probable."""
    logits = np.full(len(TOKENS), -np.inf, dtype=np.float32)
    for token, probability in PROBABILITIES.items():
        logits[token] = np.log(probability * (2 if written and written[-1] == 97 and token == 98 else 1))
    return logits


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_sampled_outputs_follow_the_models_distribution(policy: str) -> None:
    """All 27 outputs of three tokens, against their probabilities computed by enumeration."""
    expected = {}
    for output in product(PROBABILITIES, repeat=3):
        probability = 1.0
        for place, token in enumerate(output):
            weights = np.exp(toy(output[:place]).astype(np.float64))
            probability *= float(weights[token] / weights.sum())
        expected[output] = probability
    draws = 2_000
    model = ScriptedModel(toy, prompt_length=len(PROMPT))
    observed = Counter(
        tuple(
            drafted(model, POLICIES[policy](b"aba"), sampling=SamplingOptions(temperature=1, seed=seed), max_tokens=3)[
                0
            ]
        )
        for seed in range(draws)
    )
    assert set(observed) <= set(expected)
    statistic = sum((observed[output] - draws * p) ** 2 / (draws * p) for output, p in expected.items())
    assert statistic < 54.05  # chi-square with 26 degrees of freedom exceeds it once in a thousand


@given(st.integers(0, 30))
def test_a_drafted_token_is_taken_with_its_probability_and_else_another(seed: int) -> None:
    """With the same noise the draft decides nothing: x is accepted exactly where x would have been sampled."""
    model = ScriptedModel(toy, prompt_length=len(PROMPT))
    sampling = SamplingOptions(temperature=1, seed=seed)
    (free,), _ = drafted(model, sampling=sampling, max_tokens=1)
    for token in PROBABILITIES:
        (taken,), counts = drafted(model, Reference([token]), sampling=sampling, max_tokens=1)
        assert taken == free
        assert counts.accepted == (token == free)


def test_spans_say_where_everything_is() -> None:
    _, counts = drafted(said_by(b"abcdefgh"), Reference(b"abXdefgh", lookahead=4))
    assert [(span.kind, span.start, bytes(span.tokens)) for span in counts.spans] == [
        (TokenOrigin.ACCEPTED, 0, b"ab"),
        (TokenOrigin.REJECTED, 2, b"Xd"),
        (TokenOrigin.GENERATED, 2, b"cdefgh"),
    ]


def test_an_edit_costs_a_few_forwards_and_not_the_rest_of_the_file() -> None:
    draft = [(place * place + place // 7) % 110 for place in range(240)]
    output = [*draft[:60], 120, 121, *draft[60:120], 122, *draft[122:180], 7, 8, 9, *draft[180:]]
    _, counts = drafted(said_by(output), Aligned(draft), max_tokens=400)
    assert counts.accepted + counts.extra >= 0.95 * 238
    assert counts.forwards < 30
    _, reference = drafted(said_by(output), Reference(draft), max_tokens=400)
    assert reference.forwards > 2 * counts.forwards


def test_a_rename_is_learned() -> None:
    body = [[1, 2, n, n + 60, 100, 101, 5] for n in range(10, 40)]
    renamed = [[1, 2, n, n + 60, 110, 111, 112, 5] for n in range(10, 40)]
    draft, output = ([token for row in rows for token in row] for rows in (body, renamed))
    _, counts = drafted(said_by(output), Aligned(draft), max_tokens=400)
    assert counts.generated < 12
    assert counts.rejected < 60

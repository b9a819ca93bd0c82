"""N-gram caches: what they count, what that does to a model's probabilities, and what it never changes."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from decoder import embedded, load_model
from decoder.errors import ModelDamagedError
from decoder.ngrams import Corpus, Mixture, NgramBias, SuffixArray, WorkspaceTokens, tokenised
from decoder.ngrams.mixture import FILE, LONGEST_CONTEXT, ORDERS
from decoder.sampling import Distribution, SamplingOptions
from tests.decoder.drafting import POLICIES, drafted, few_tokens
from tests.decoder.scripted import END, TOKENS, byte_vocabulary, token
from tests.examples import examples

VOCABULARY = byte_vocabulary()
MIXTURE = Mixture(here=(8.0, 4.0, 2.0, 1.0, 0.5, 0.2, 0.1), elsewhere=(20.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.2))
TEXTS = st.lists(st.lists(st.integers(0, 3), max_size=40), max_size=4)


@given(TEXTS, st.lists(st.integers(0, 4), max_size=14), st.integers(0, 60), st.integers(0, 60))
def test_what_followed_is_counted(texts: list[list[int]], context: list[int], start: int, length: int) -> None:
    without = range(start, start + length)
    marked = [mark for text in texts for mark in (None, *text)]
    expected = []
    for order in ORDERS:
        last = context[len(context) - order :]
        places = [at for at in range(order, len(marked)) if marked[at] is not None and marked[at - order : at] == last]
        if order > len(context) or not places:
            break
        expected.append(Counter(marked[at] for at in places if at not in without))
    found = list(SuffixArray.of(texts).following(context, ORDERS, without=without))
    assert found == expected  # ranges are so short that nothing is sampled


def test_of_many_places_some_are_looked_at() -> None:
    (found,) = SuffixArray.of([[1, 2] * 5_000]).following([1], (1,))
    assert set(found) == {2}
    assert 30 < found.total() <= 64


@given(TEXTS, TEXTS, st.lists(st.integers(0, 4), max_size=14))
def test_probabilities_stay_probabilities(here: list[list[int]], other: list[list[int]], context: list[int]) -> None:
    one, two = (SuffixArray.of(texts).following(context, ORDERS) for texts in (here, other))
    expected = MIXTURE.change(one, two)
    assert expected.kept + sum(expected.added.values()) == pytest.approx(1)
    assert min(expected.added.values(), default=1) > 0


@given(st.text("ab\n ", max_size=60), st.text("ab\n", max_size=20), st.text("ab\n", max_size=4))
@example("ab\n\n  ab a", "\nab a", "b")
def test_the_line_at_the_cursor_counts_like_those_around_it(prefix: str, suffix: str, written: str) -> None:
    """It is counted apart from them."""
    whole = SuffixArray.of([[*prefix.encode()], [*suffix.encode()]])
    context = (*(prefix + written).encode(),)[-LONGEST_CONTEXT:]
    expected = MIXTURE.change(whole.following(context, ORDERS), [])
    found = NgramBias(MIXTURE, VOCABULARY, prefix, suffix)._change(context)
    assert found.kept == pytest.approx(expected.kept)
    assert found.added == pytest.approx(expected.added)


def test_the_interpolation_is_witten_and_bells() -> None:
    """After one token 5 came three times and 6 once: m is 2 * 8, and 20 the whole; after two only 5, three times."""
    expected = MIXTURE.change([Counter({5: 3, 6: 1}), Counter({5: 3})], [])
    assert expected.kept == pytest.approx(16 / 20 * 4 / 7)
    assert expected.added == pytest.approx({5: 3 / 20 * 4 / 7 + 3 / 7, 6: 1 / 20 * 4 / 7})


def logits_after(
    prefix: str, suffix: str, written: str = "", workspace_tokens: WorkspaceTokens | None = None
) -> np.ndarray:
    """What becomes of a model's logits that are all equal."""
    bias = NgramBias(MIXTURE, VOCABULARY, prefix, suffix, workspace_tokens)
    return bias.apply(Distribution(np.zeros(VOCABULARY.size, np.float32)), [*written.encode()]).logits


@pytest.mark.parametrize(
    ("place", "written"),
    [
        ("let area = f(x);\nlet a^\n", ""),
        ("let a^\nlet area = f(x);\n", ""),  # what stands below counts
        ("let area = f(x);\n^\n", "let a"),  # what was written belongs to the context
    ],
)
def test_what_was_written_becomes_probable(place: str, written: str) -> None:
    prefix, suffix = place.split("^")
    found = logits_after(prefix, suffix, written)
    assert VOCABULARY.token_bytes[int(found.argmax())] == b"r"
    assert np.exp(found, dtype=np.float64).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("place", "ends"),
    [
        ("a = f(x)\nb = f(x^\n", False),
        ("a = f(x)\nb = f(x)^\n", True),  # where other lines end, this one does
        ("a = f(x)\nb = f(x)^", True),
        ("a = f(x)\nb = f(x^)\n", True),  # the bracket is there already
        ("a = f(x)\nb = f^(x)\n", True),
        ("a = f(x)\nb = ^(x)\n", False),
    ],
)
def test_where_the_text_after_the_cursor_would_come_the_output_ends(place: str, ends: bool) -> None:
    prefix, suffix = place.split("^")
    before = -np.log(VOCABULARY.size)
    assert bool(logits_after(prefix, suffix)[END] > before) is ends


@pytest.mark.parametrize("between", ["\n", " "])
def test_what_is_far_above_is_not_counted(between: str) -> None:
    found = logits_after(f"let zebra{between * 70_000}let z", "\n")
    assert found.max() == 0  # nothing is changed


def test_a_model_that_never_ends_is_not_made_to() -> None:
    logits = np.zeros(VOCABULARY.size, np.float32)
    logits[END] = -np.inf
    found = NgramBias(MIXTURE, VOCABULARY, "a = f(x)\nb = f(x)", "\n").apply(Distribution(logits), []).logits
    assert found[END] < -60
    assert np.exp(found, dtype=np.float64).sum() == pytest.approx(1, abs=1e-4)


def test_after_what_was_never_written_nothing_is_changed() -> None:
    bias = NgramBias(MIXTURE, VOCABULARY, "let a = 1;", "\n")
    model = Distribution(np.zeros(VOCABULARY.size, np.float32))
    assert bias.apply(model, [ord("?")]) is model


def test_other_files_count_and_the_file_itself_does_not() -> None:
    texts = {"a.py": "total = scale(area)\n", "b.py": "total = shift(area)\n"}
    corpus = Corpus.of({name: np.concatenate([*tokenised(text, VOCABULARY)]) for name, text in texts.items()})
    for own, more, less in (("a.py", "h", "c"), ("b.py", "c", "h")):
        found = logits_after("total = s", "\n", workspace_tokens=corpus.without(own))
        assert found[ord(more)] > found[ord(less)]
    both = logits_after("total = s", "\n", workspace_tokens=corpus.without("c.py"))
    assert both[ord("h")] == pytest.approx(both[ord("c")])


@given(st.text("ab\n é", max_size=60))
def test_pieces_of_a_text_are_the_text(text: str) -> None:
    long = text * 500
    pieces = [*tokenised(long, VOCABULARY)]
    assert b"".join(VOCABULARY.token_bytes[one] for piece in pieces for one in piece) == long.encode()


@examples(40)
@given(st.sampled_from(sorted(POLICIES)), st.integers(0, 20), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted_under_it(policy: str, seed: int, temperature: float) -> None:
    among = [*b"abc \n", *range(END, len(TOKENS))]
    sampling = SamplingOptions(temperature=temperature, seed=seed)
    bias = NgramBias(MIXTURE, VOCABULARY, "abc abc\nab", "\nabcabc\n")

    def written(draft: Sequence[int] | None) -> list[int]:
        drafter = None if draft is None else POLICIES[policy](draft)
        return drafted(few_tokens(seed, among), drafter, sampling=sampling, bias=bias, max_tokens=32)[0]

    plain = written(None)
    for draft in (plain, [*b"abc abc\n"], [*plain[:3], token(b"items"), *plain[3:]]):
        assert written(draft) == plain


_ONES = [1] * len(ORDERS)
DAMAGED = {
    "no weights": ({"orders": ORDERS, "here": _ONES}, "it lacks 'elsewhere'"),
    "no orders": ({"here": _ONES, "elsewhere": _ONES}, "it lacks 'orders'"),
    "other orders": (
        {"orders": [1, 2, 3, 4, 5, 6, 7], "here": _ONES, "elsewhere": _ONES},
        "tokens of context, not for",
    ),
    "too few": ({"orders": ORDERS, "here": [1], "elsewhere": [1]}, "it must hold 7 numbers"),
    "a number": ({"orders": ORDERS, "here": 1, "elsewhere": 1}, "it does not hold lists of numbers"),
    "none": ({"orders": ORDERS, "here": [*_ONES[1:], math.nan], "elsewhere": _ONES}, "its numbers must all be above 0"),
    "endless": ({"orders": ORDERS, "here": _ONES, "elsewhere": [math.inf, *_ONES[1:]]}, "and finite"),
    "too large": ({"orders": ORDERS, "here": [10**400, *_ONES[1:]], "elsewhere": _ONES}, "lists of numbers"),
    "zero": ({"orders": ORDERS, "here": [0, *_ONES[1:]], "elsewhere": _ONES}, "its numbers must all be above 0"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_reported(damage: str, tmp_path: Path) -> None:
    contents, reason = DAMAGED[damage]
    shutil.copytree(embedded.path(), tmp_path / "model", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (tmp_path / "model" / FILE).write_text(json.dumps(contents), "utf-8")
    with pytest.raises(ModelDamagedError, match="Remove it, or fit it anew") as raised:
        load_model(str(tmp_path / "model"))
    assert reason in str(raised.value)


def test_what_is_written_is_read() -> None:
    assert Mixture.read(json.loads(MIXTURE.written())) == MIXTURE
    assert load_model().card.mixture is not None

"""Which of several texts is taken, and which is not wanted at all: by the probability of each as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from context_index.symbols import Language, SymbolContext
from decoder import Completion, CompletionTask, NotAccepted, SamplingOptions, complete
from decoder.stops import Stop, Until
from tests.decoder.scripted import variables
from tests.decoder.writers import KINDS, writer

NAMES = variables("x", "items", "first", "free", "user")


def spread(beginning: str, ends: Sequence[str], probability: float) -> dict[str, float]:
    """Texts that begin alike and share a probability."""
    return {beginning + end: probability / len(ends) for end in ends}


def filled(texts: Mapping[str, float], line: str = "x(^);\n", kind: str = "all tokens", **given: object) -> Completion:
    prefix, suffix = line.split("^")
    symbols = SymbolContext(Language.JAVASCRIPT, NAMES)
    with writer(kind, texts) as model:
        return complete(model, CompletionTask(prefix, suffix, symbols, **given))  # type: ignore[arg-type]


any_writer = pytest.mark.parametrize("kind", KINDS)


MANY = [f"{number}" for number in range(100, 400)]
"""Ends of which each is improbable."""


@any_writer
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"items": 0.6, "first": 0.4}, "items"),
        # greedy choices begin with `i`, of which no text is probable
        ({**spread("items + ", MANY, 0.6), "first": 0.4}, "first"),
        ({**spread("items + ", MANY, 0.6), "first": 0.0001, "free": 0.3999}, "free"),
        # as improbable as the others, but no more so
        ({**spread("items + ", MANY, 0.9), **spread("first + ", MANY, 0.1)}, "items + 100"),
    ],
)
def test_the_most_probable_text_is_taken(texts: dict[str, float], expected: str, kind: str) -> None:
    completion = filled(texts, kind=kind)
    assert (completion.text, completion.stop, completion.tried) == (expected, Stop.END, 1)


@any_writer
@pytest.mark.parametrize(
    ("texts", "line", "expected"),
    [
        # not gone on with
        ({**spread("items(1);", MANY, 0.8), **spread("first(2); x(", MANY, 0.2)}, "^\n", "items(1);100"),
        # as probable as the first
        (spread("items + ", MANY, 1.0), "x(^);\n", "items + 100"),
    ],
)
def test_nobody_judges_a_text_that_is_not_more_probable(
    texts: dict[str, float], line: str, expected: str, kind: str
) -> None:
    """After the first: that costs a parse, and a question to a checker."""
    judged = list[str]()

    completion = filled(texts, line, kind, until=Until.BLOCK, verify=judged.append)
    assert (completion.text, judged) == (expected, [expected])


@pytest.mark.parametrize(("share", "is_judged"), [(0.99, True), (1.01, False)])
def test_nobody_judges_a_text_that_is_too_improbable_to_be_shown(share: float, *, is_judged: bool) -> None:
    judged = list[str]()
    texts = {"items[0]": 0.6, "first": 0.4}
    asked = filled(texts)
    probability = max(asked.probabilities[length] for length in asked.readable)
    completion = filled(texts, least_probability=share * probability, verify=judged.append)
    assert (completion.text, judged) == ("items[0]", ["items[0]"] if is_judged else [])


@any_writer
def test_a_rejected_text_gives_way_to_the_next_and_a_refused_name_is_never_judged(kind: str) -> None:
    judged = list[str]()

    def verify(text: str) -> NotAccepted | None:
        judged.append(text)
        return NotAccepted(end=len("items")) if text.startswith("items") else None

    texts = {"zebra": 0.4, "items": 0.3, "items[0]": 0.2, "first": 0.1}
    assert filled(texts, "x(x+^);\n", kind, verify=verify).text == "first"
    assert judged == ["items", "first"]


@any_writer
def test_a_half_typed_word_is_gone_on_with(kind: str) -> None:
    assert filled({"items": 0.7, "first": 0.3}, "x(f^);\n", kind).text == "irst"


def test_tokens_that_the_first_of_several_texts_left_are_not_reported_as_reused() -> None:
    completion = filled({**spread("items + ", MANY, 0.6), "first": 0.4})
    assert (completion.text, completion.reused) == ("first", 0)


def test_samples_are_not_exchanged() -> None:
    texts = {**spread("items + ", MANY, 0.6), "first": 0.4}
    said = {filled(texts, sampling=SamplingOptions(temperature=1.0, seed=seed)).text[:5] for seed in range(12)}
    assert said == {"items", "first"}

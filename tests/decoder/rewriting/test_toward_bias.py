"""What a whole text that an instruction may want does to the choice, and where it does nothing."""

from __future__ import annotations

import numpy as np
import pytest

from decoder.constraint.guard import Guard
from decoder.rewriting.cuts import cuts
from decoder.rewriting.toward_bias import DEPARTS, GOES_ON, TowardBias
from decoder.sampling import log_normaliser
from tests.decoder.rewriting.test_copy_bias import VOCABULARY

ORIGINAL, WANTED = "f(1)\n", "b = 1\nf(b)\n"


def bias(*, sure: bool = False) -> TowardBias:
    return TowardBias(VOCABULARY, ORIGINAL, WANTED, python=True, sure=sure)


@pytest.mark.parametrize(
    ("written", "token", "share"),
    [
        ("", b"b", 1 / (1 + np.exp(-DEPARTS))),
        ("b = 1", b"\n", 1 / (1 + np.exp(-GOES_ON))),
        ("b = 1\nf(", b"b", 1 / (1 + np.exp(-DEPARTS))),
        ("b = 1\nf(b", b")", 1 / (1 + np.exp(-GOES_ON))),
    ],
)
def test_the_text_that_the_instruction_may_want_is_never_quite_improbable(
    written: str, token: bytes, share: float
) -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    logits[ord("f")] = 30
    leaned = bias().applied(logits, written, Guard(), ())
    (number,) = token
    assert np.exp(leaned[number] - log_normaliser(leaned)) == pytest.approx(share, rel=1e-4)
    assert np.argmax(bias(sure=True).applied(logits, written, Guard(), ())) == number


def test_elsewhere_the_original_alone_counts() -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    for written in ("f", "f(", "g", WANTED):
        assert bias().applied(logits, written, Guard(), ()) is logits
    assert bias().applied(logits, "", Guard(partial=b"\xc3"), ()) is logits


def test_where_both_go_on_alike_it_is_raised_only_in_a_guess() -> None:
    logits = np.zeros(VOCABULARY.size, dtype=np.float32)
    for sure in (False, True):
        wanted = TowardBias(VOCABULARY, "go(1, abc)\n", "b = 1\ngo(b, abc)\n", python=True, sure=sure)
        assert (wanted.applied(logits, "b = 1\ngo(b, abc)", Guard(), ()) is logits) is not sure


@pytest.mark.parametrize("text", ["", "ab", "é = 'ü'\n", "\U0001f600x"])
def test_tokens_have_the_places_where_they_begin(text: str) -> None:
    found = dict(cuts(text, VOCABULARY))
    assert all(text[place:].encode().startswith(VOCABULARY.token_bytes[token]) for place, token in found.items())
    assert set(found) == set(range(len(text)))  # here each character begins a token

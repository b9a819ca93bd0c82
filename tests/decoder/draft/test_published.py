"""What was published about the best-known hosted service, held against `reference`.

The observations are those of a report of 2024: letters and pairs of letters, each of which is one token, at
temperature 0. It shows its long drafts in pictures only; the drafts assumed here are stated beside each case.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import pytest

from decoder.draft import Counts, Reference
from tests.decoder.drafting import drafted, said_by

ALPHABET = ascii_lowercase.encode()
LONG = bytes(65 + (place * 7 + place // 26) % 58 for place in range(58))
"""58 tokens, as many as the report's long output has."""


def counts(output: Sequence[int], draft: Sequence[int], *, lookahead: int = 16, confirmed: int = 32) -> Counts:
    drafter = Reference(draft, lookahead=lookahead, confirmed=confirmed)
    tokens, counted = drafted(said_by(output), drafter, max_tokens=len(output) + 8)
    assert tokens == list(output)
    return counted


@pytest.mark.parametrize(
    ("draft", "accepted", "rejected"),
    [(b"abcde", 5, 0), (b"abcXd", 3, 2), (b"abcef", 3, 2), (b"abcXe", 3, 2)],
)
def test_short_drafts(draft: bytes, accepted: int, rejected: int) -> None:
    counted = counts(ALPHABET, draft)
    assert (counted.accepted, counted.rejected) == (accepted, rejected)


def test_a_right_draft_of_58_tokens_has_three_extra_ones() -> None:
    counted = counts(LONG, LONG)
    assert (counted.accepted, counted.rejected, counted.extra, counted.generated) == (55, 0, 3, 0)


def test_one_bifurcation_never_rejects_more_than_16() -> None:
    length = len(LONG)
    output = list(range(length))
    rejected = [counts(output, [*output[:place], *[127] * (length - place)]).rejected for place in range(length)]
    assert max(rejected) == 16
    assert set(rejected[: length - 16]) == set(range(17))  # 0 where the extra token is the one that differs


@pytest.mark.parametrize(
    ("draft", "accepted", "rejected"),
    [
        # two tokens too many, before the 6th and the 10th of the output
        ([*LONG[:5], 1, *LONG[5:9], 1, *LONG[9:]], 21, 11),
        # the 6th and the 8th are missing
        ([*LONG[:5], LONG[6], *LONG[8:]], 22, 11),
        # the 6th and the 9th are others
        ([*LONG[:5], 1, *LONG[6:8], 1, *LONG[9:]], 21, 11),
    ],
    ids=["added", "missing", "replaced"],
)
def test_long_drafts_with_two_faults(draft: list[int], accepted: int, rejected: int) -> None:
    """Residuals 0: with both faults in the first window, 5 tokens are accepted before and 16 or 17 after recovery."""
    counted = counts(LONG, draft)
    assert (counted.accepted, counted.rejected) == (accepted, rejected)


@pytest.mark.parametrize("fault", ["added", "missing", "replaced"])
def test_recovery_takes_two_windows(fault: str) -> None:
    output = list(range(120))
    draft = {
        "added": [*output[:20], 127, *output[20:]],
        "missing": [*output[:20], *output[21:]],
        "replaced": [*output[:20], 127, *output[21:]],
    }[fault]
    counted = counts(output, draft)
    first, *_ = [span for span in counted.spans if span.kind == "generated"]
    assert first.start == 20
    assert len(first.tokens) in (32, 33)
    assert counted.generated == len(first.tokens)

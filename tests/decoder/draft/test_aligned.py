"""What is offered where an output has come to; one letter is a token."""

from __future__ import annotations

import pytest

from decoder.draft import Aligned
from decoder.draft.window import Costs

CASES = """
no edit             | for x in y: x + 1                       | for x^                         => in y: x + 1
a replacement       | (x, 1) (x, 2) (x, 3)                    | (abc, 1) (^                    => abc, 2) (abc, 3)
another one later   | (x, 1) (x, 2) (x, 3)                    | (abc, 1) (abd, 2) (^           => abd, 3)
"""


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_the_rest_of_a_draft_with_the_replacements_so_far(case: str) -> None:
    _, draft, rest = (part.strip() for part in case.split("|"))
    written, _, expected = rest.partition("^")
    aligned = Aligned(draft.encode(), costs=lambda: Costs((1, 128), (1.0, 1.0)))
    for length in range(len(written)):
        aligned.window(written[:length].encode(), 64)
    offered = bytes(aligned.window(written.encode(), 64)).decode()
    assert offered.strip() == expected.partition("=>")[2].strip()

"""Sentences that count: of one there is no plural."""

from __future__ import annotations

import pytest

from lsp_server.wording import counted


@pytest.mark.parametrize(
    ("number", "words", "expected"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2_000, ("file",), "2,000 files"),
        (1, ("line is", "lines are"), "1 line is"),
        (3, ("line is", "lines are"), "3 lines are"),
    ],
)
def test_one_has_no_plural(number: int, words: tuple[str, ...], expected: str) -> None:
    assert counted(number, *words) == expected

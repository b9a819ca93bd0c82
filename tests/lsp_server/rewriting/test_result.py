"""What a rewrite's result says to people: breaks, and lists of places."""

from __future__ import annotations

import pytest

from lsp_server.engine.rewriting.listing import listed
from lsp_server.engine.rewriting.result import Break


@pytest.mark.parametrize(("message", "said"), [("", ""), ("one", "one"), ("one\ntwo", "one")])
def test_a_break_is_one_line(message: str, said: str) -> None:
    assert str(Break("a.py", 0, message, "c")) == f"a.py:1: {said} (c)"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.py:1", "b.py:2", "a.py:1"], "a.py:1, b.py:2"),
        ([*(f"a.py:{line}" for line in range(1, 9)), "b.py:2"], "a.py:1,2,3,4,5,6,7,8, b.py:2"),
        (["a.py", *(f"a.py:{line}" for line in range(1, 9))], "a.py, a.py:1,2,3,4,5,6,7,8"),
        ([f"{name}.py" for name in "abcdefgh"], "a.py, b.py, c.py, d.py, e.py, f.py, g.py, h.py"),
    ],
)
def test_places_are_listed_by_file(names: list[str], said: str) -> None:
    assert listed(names) == said

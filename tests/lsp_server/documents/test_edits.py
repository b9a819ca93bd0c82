"""Small edits, and moving them to a text that was changed meanwhile."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Edit, Language
from lsp_server.engine.edits import counterpart, edits_between, moved, rebased

LINES = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "\n", "  c()\n", "a = 2\r\n", "\r\n", "é\n"]), max_size=12).map(
    "".join
)
BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\n"


def applied(text: str, edits: list[Edit]) -> str:
    return Document("file:///a.py", Language.PYTHON, text).edited(edits[::-1], 0).text


@given(LINES, LINES)
def test_edits_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert applied(before, edits) == after
    assert all(one.end <= other.start for one, other in pairwise(edits))
    assert (edits == []) == (before == after)
    assert not any(before[max(0, at - 1) : at + 1] == "\r\n" for edit in edits for at in (edit.start, edit.end))
    assert not any(edit.text.endswith("\r") and before[edit.end : edit.end + 1] == "\n" for edit in edits)


@pytest.mark.parametrize(
    ("after", "edits"),
    [
        (BEFORE.replace("two", "tow"), [Edit(5, 7, "ow")]),
        (BEFORE.replace("two\n", ""), [Edit(4, 8, "")]),
        (BEFORE.replace("two\n", "two\n2\n"), [Edit(8, 8, "2\n")]),
        (BEFORE.replace("one", "1").replace("six", "6"), [Edit(0, 3, "1"), Edit(24, 27, "6")]),
    ],
)
def test_untouched_lines_are_not_touched(after: str, edits: list[Edit]) -> None:
    assert edits_between(BEFORE, after) == edits


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        ("tow\r\n", "two\r\n", Edit(1, 3, "wo")),
        ("one\r\n", "ones\r\n", Edit(3, 3, "s")),
        ("one\r\n", "one\n", Edit(3, 5, "\n")),
        ("one\r\n", "one\r", Edit(3, 5, "\r")),
        ("one\n", "one\r\n", Edit(3, 4, "\r\n")),
        ("one\r", "one\r\n", Edit(3, 4, "\r\n")),
    ],
)
def test_an_edit_is_as_small_where_lines_end_with_a_carriage_return(before: str, after: str, edit: Edit) -> None:
    assert edits_between(before, after) == [edit]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("^f()\n", "x\n^f()\n"),
        ("x\n^f()\n", "x\ny\n^f()\n"),
        ("y = ^f()\n", "y = 1 + ^f()\n"),
        ("  ^f()\n", "  if x:\n    ^f()\n"),
        ("f(^1)\n", "f(^-1)\n"),
        ("x\n^f()\n", "^f()\n"),
        ("x = ^f()\n", "y.z = ^f()\n"),
        ("a\nb(^f())\n", "c\n\nb(^f(), 2)\n"),
    ],
)
def test_places_before_and_after_are_counterparts(before: str, after: str) -> None:
    """A place at an insertion may be before it or after it."""
    edits = edits_between(before.replace("^", ""), after.replace("^", ""))
    assert moved(before.index("^"), edits) == counterpart(after.index("^"), edits)


@given(LINES, LINES, LINES)
def test_rebased_edits_do_what_both_sides_did(head: str, before: str, after: str) -> None:
    """What was typed far above leaves the rewrite as it is."""
    gap = "x\ny\nz\n"
    edits = [Edit(e.start + len(gap), e.end + len(gap), e.text) for e in edits_between(before, after)]
    again = rebased(edits, gap + before, head + gap + before)
    if again is not None:
        assert applied(head + gap + before, again) == head + gap + after


@pytest.mark.parametrize(
    ("now", "held"),
    [
        ("zero\n" + BEFORE, True),
        (BEFORE + "seven\n", True),
        (BEFORE.replace("six", "6"), True),
        (BEFORE.replace("two", "2"), False),
        (BEFORE.replace("two\n", ""), False),
        ("", False),
    ],
)
def test_edits_of_the_same_lines_are_stale(now: str, held: bool) -> None:
    again = rebased(edits_between(BEFORE, BEFORE.replace("two", "tow")), BEFORE, now)
    assert (again is not None) == held
    if again is not None:
        assert applied(now, again) == now.replace("two", "tow")


@given(LINES, LINES, st.randoms())
def test_hunks_made_one_by_one_in_any_order_are_the_whole(before: str, after: str, draw: Random) -> None:
    edits = edits_between(before, after)
    text, made = before, list[Edit]()
    for edit in draw.sample(edits, len(edits)):
        shift = sum(len(earlier.text) - (earlier.end - earlier.start) for earlier in made if earlier.start < edit.start)
        text = text[: edit.start + shift] + edit.text + text[edit.end + shift :]
        made.append(edit)
    assert text == after

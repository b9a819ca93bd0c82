"""Small edits that turn one text into another, and the same edits for a text that was changed meanwhile.

The texts are compared line by line. An edit of changed lines leaves out what both versions begin and end with, so an
editor's markers, folds and cursors survive. Knows neither models nor LSP.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

from context_index import Edit, difference

if TYPE_CHECKING:
    from collections.abc import Iterable


def edits_between(before: str, after: str) -> list[Edit]:
    """Edits that turn `before` into `after`, in order and without overlap; all their offsets are in `before`."""
    whole = difference(before, after)
    start, end = _lines_around(before, whole)
    old = before[start:end].splitlines(keepends=True)
    new = after[start : len(after) - (len(before) - end)].splitlines(keepends=True)
    offsets = list(accumulate(map(len, old), initial=start))
    return [
        _narrowed(Edit(offsets[first], offsets[stop], "".join(new[new_first:new_stop])), before)
        for tag, first, stop, new_first, new_stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """Where an offset is after edits, which are in order and do not overlap; within a replaced range, its start."""
    after = offset
    for edit in edits:
        if edit.end <= offset and edit.start < offset:
            after += len(edit.text) - (edit.end - edit.start)
        elif edit.start < offset:
            after -= offset - edit.start
    return after


def undoing(edits: Iterable[Edit], text: str) -> list[Edit]:
    """The edits that take `edits` of `text` back, with offsets in the edited text. They are in order; none overlap."""
    undone, shift = [], 0
    for edit in edits:
        start = edit.start + shift
        undone.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return undone


def counterpart(offset: int, edits: Iterable[Edit]) -> int:
    """The number that `moved` gives for the place before the edits that is now at an offset of the edited text.

    So `breaks` sees whether an error is new: errors before and after are compared by these numbers. In what an edit
    wrote, and right after an insertion, it is where the edit starts.
    """
    shift = 0
    for edit in edits:
        start, is_insertion = edit.start + shift, edit.start == edit.end
        if start <= offset < start + len(edit.text) + is_insertion:
            return start
        shift += len(edit.text) - (edit.end - edit.start)
    return offset


def rebased(edits: list[Edit], before: str, now: str) -> list[Edit] | None:
    """The edits of `before` as edits of `now`; None where one is on lines that changed meanwhile, or next to them."""
    shifted = []
    changes = edits_between(before, now)
    for edit in edits:
        start, end = _lines_around(before, edit)
        shift = 0
        for change in changes:
            if change.end < start:
                shift += len(change.text) - (change.end - change.start)
            elif change.start <= end:
                return None
        shifted.append(Edit(edit.start + shift, edit.end + shift, edit.text))
    return shifted


def _lines_around(text: str, edit: Edit) -> tuple[int, int]:
    """Start and end of the lines that an edit touches; the line end of the last one is included."""
    end = text.find("\n", edit.end)
    return text.rfind("\n", 0, edit.start) + 1, len(text) if end < 0 else end + 1


def _narrowed(edit: Edit, text: str) -> Edit:
    r"""The edit without what stays at its beginning and end; it never begins or ends inside of "\r\n"."""
    old, new = text[edit.start : edit.end], edit.text
    changed = difference(old, new)
    before, after = changed.start, len(old) - changed.end
    before -= _is_in_line_end(old, before) or _is_in_line_end(new, before)
    after -= _is_in_line_end(old, len(old) - after) or _is_in_line_end(new, len(new) - after)
    return Edit(edit.start + before, edit.end - after, new[before : len(new) - after])


def _is_in_line_end(text: str, offset: int) -> bool:
    r"""Whether an offset is between "\r" and "\n"."""
    return offset > 0 and text[offset - 1 : offset + 1] == "\r\n"

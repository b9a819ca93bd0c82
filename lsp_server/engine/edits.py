"""Small edits that turn one text into another, and the same edits for a text that was changed meanwhile.

Lines are compared; of those that changed, an edit leaves out what both texts begin and end with. What stays is not
touched, so an editor's markers, folds and cursors survive. Knows neither models nor LSP.
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
    """Where an offset is after edits that are in order and do not overlap; from within a replaced range, its start."""
    after = offset
    for edit in edits:
        if edit.end <= offset and edit.start < offset:
            after += len(edit.text) - (edit.end - edit.start)
        elif edit.start < offset:
            after -= offset - edit.start
    return after


def counterpart(offset: int, edits: Iterable[Edit]) -> int:
    """An offset after edits as `moved` returns it: from within the text of one, or after an insertion, its start."""
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
    meanwhile = edits_between(before, now)
    for edit in edits:
        start, end = _lines_around(before, edit)
        shift = 0
        for other in meanwhile:
            if other.end < start:
                shift += len(other.text) - (other.end - other.start)
            elif other.start <= end:
                return None
        shifted.append(Edit(edit.start + shift, edit.end + shift, edit.text))
    return shifted


def _lines_around(text: str, edit: Edit) -> tuple[int, int]:
    """Start and end of the lines that an edit touches, with the last one's line end."""
    end = text.find("\n", edit.end)
    return text.rfind("\n", 0, edit.start) + 1, len(text) if end < 0 else end + 1


def _narrowed(edit: Edit, text: str) -> Edit:
    """The edit without what stays at its beginning and end; it never parts a carriage return from its line feed."""
    old = text[edit.start : edit.end]
    changed = difference(old, edit.text)
    before, after = changed.start, len(old) - changed.end
    before -= any(_is_in_line_end(one, before) for one in (old, edit.text))
    after -= any(_is_in_line_end(one, len(one) - after) for one in (old, edit.text))
    return Edit(edit.start + before, edit.end - after, edit.text[before : len(edit.text) - after])


def _is_in_line_end(text: str, offset: int) -> bool:
    return offset > 0 and text[offset - 1 : offset + 1] == "\r\n"

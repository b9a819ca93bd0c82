"""The smallest edits that turn one text into another, and the same edits for a text that was changed meanwhile.

Lines are compared first, then the characters within those that changed. What stays is not touched, so an editor's
markers, folds and cursors survive. Knows neither models nor LSP.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from context_index import Edit, difference

if TYPE_CHECKING:
    from collections.abc import Iterable


def edits_between(before: str, after: str) -> list[Edit]:
    """Edits that turn `before` into `after`, in order and without overlap."""
    whole = difference(before, after)
    start = before.rfind("\n", 0, whole.start) + 1
    line_end = before.find("\n", whole.end)
    following = len(before) - (line_end + 1 if line_end >= 0 else len(before))
    one = before[start : len(before) - following].splitlines(keepends=True)
    other = after[start : len(after) - following].splitlines(keepends=True)
    edits = []
    offsets = _offsets(one, start)
    for tag, first, last, from_, to in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            edits.append(_narrowed(Edit(offsets[first], offsets[last], "".join(other[from_:to])), before))
    return edits


def applied(text: str, edits: list[Edit]) -> str:
    """The text with all edits made; the offsets of each are those of the text before any."""
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """Where an offset is after edits that are in order and do not overlap; inside of a replaced range, at its start."""
    after = offset
    for edit in edits:
        if edit.end <= offset and edit.start < offset:
            after += len(edit.text) - (edit.end - edit.start)
        elif edit.start < offset:
            after -= offset - edit.start
    return after


def rebased(edits: list[Edit], before: str, now: str) -> list[Edit] | None:
    """The edits of `before` as edits of `now`; None where both changed the same lines or adjacent ones."""
    shifted = []
    meanwhile = edits_between(before, now)
    for edit in edits:
        first, last = _lines_around(before, edit)
        shift = 0
        for other in meanwhile:
            if other.end < first:
                shift += len(other.text) - (other.end - other.start)
            elif other.start <= last:
                return None
        shifted.append(Edit(edit.start + shift, edit.end + shift, edit.text))
    return shifted


def _lines_around(text: str, edit: Edit) -> tuple[int, int]:
    """Start and end of the lines that an edit touches."""
    end = text.find("\n", edit.end)
    return text.rfind("\n", 0, edit.start) + 1, len(text) if end < 0 else end + 1


def _narrowed(edit: Edit, text: str) -> Edit:
    """The edit without what stays at its beginning and end; never between a carriage return and its line feed."""
    old = text[edit.start : edit.end]
    changed = difference(old, edit.text)
    before, after = changed.start, len(old) - changed.end
    if "\r" in old[max(0, before - 1) : before + 1]:
        before = 0
    if after and old[len(old) - after] == "\n" and old[: len(old) - after].endswith("\r"):
        after -= 1
    return Edit(edit.start + before, edit.end - after, edit.text[before : len(edit.text) - after])


def _offsets(lines: list[str], start: int) -> list[int]:
    offsets = [start]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return offsets

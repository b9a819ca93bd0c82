"""The places that were edited last, found by comparing the texts before and after each edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.text import difference

_KEPT = 6
_TOGETHER = 12
"""Lines between two edits that count as one place."""


@dataclass(frozen=True, slots=True)
class EditedPlace:
    """A 0-based line of a file."""

    path: Path
    line: int


class RecentEdits:
    """The last few places, the newest first."""

    def __init__(self) -> None:
        self._places: tuple[EditedPlace, ...] = ()

    @property
    def places(self) -> Sequence[EditedPlace]:
        """The newest first; none twice."""
        return self._places

    def note(self, path: Path, before: str, after: str) -> None:
        """A text was edited."""
        if before == after:
            return
        line = after.count("\n", 0, difference(before, after).start)
        others = [place for place in self._places if place.path != path or abs(place.line - line) > _TOGETHER]
        self._places = (EditedPlace(path, line), *others[: _KEPT - 1])

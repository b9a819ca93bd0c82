"""How often what was shown unasked came to be in the document, and how that moves the threshold of what is shown.

Counted are suggestions by language and place: how many were shown, how many came to be, and how many should have by
their probabilities. Somebody who takes more of them than expected is shown more, who takes fewer is shown fewer, within
bounds. Only these numbers are kept, in a file of the user's cache; nothing of a text is, and nothing is sent.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lsp_server.engine.typed_through import CLOSING, typed_since

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from context_index import Document

_log = logging.getLogger(__name__)
FILE = "acceptance.json"
BOUND = 1 / 6
"""By how much the threshold may move at most, up or down: as far as from one setting of eagerness to the next."""
_USUAL = 10.0
"""Suggestions, as many taken as expected, that somebody begins with: the first few move little."""
_MOST = 200.0
"""Suggestions of a kind that are remembered; then all counts are halved, so that what is long ago fades."""


class PlaceKind(NamedTuple):
    """Where a suggestion was shown."""

    language: str
    place: str
    """`word`, where one had begun, `line`, later on a line, or `blank`, on one where nothing was."""


@dataclass(frozen=True, slots=True)
class AcceptanceCount:
    """What came of the suggestions of a kind."""

    shown: float = 0.0
    taken: float = 0.0
    expected: float = 0.0
    """The sum of their probabilities."""

    def after(self, probability: float, *, taken: bool) -> AcceptanceCount:
        """With one more."""
        scale = 0.5 if self.shown >= _MOST else 1.0
        counts = self.shown * scale + 1, self.taken * scale + taken, self.expected * scale + probability
        return AcceptanceCount(*counts)

    def moved(self, least: float) -> float:
        """The threshold that takes the place of `least`.

        It falls for who takes more than expected. If this person takes `ratio` times as many as the probabilities say,
        `least / ratio` would show what is really as probable as `least`. The square moves it as far again: that is
        a choice, and no figure is behind it.
        """
        ratio = (self.taken + _USUAL) / (self.expected + _USUAL)
        return min(least + BOUND, max(least - BOUND, least / ratio**2))


@dataclass(slots=True)
class AcceptanceRates:
    """The counts of one user."""

    path: Path | None = None
    """Where they are kept; None where nothing is to be."""
    counts: dict[PlaceKind, AcceptanceCount] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None) -> AcceptanceRates:
        """What a file has; nothing, with a line in the log, where it is none."""
        if path is None or not path.is_file():
            return cls(path)
        try:
            return cls(path, dict(_read(json.loads(path.read_text("utf-8")))))
        except (OSError, ValueError, TypeError, KeyError) as fault:
            _log.warning("%s cannot be read, so counting begins anew: %s", path, fault)
            return cls(path)

    def least(self, kind: PlaceKind, usual: float) -> float:
        """The probability from which on a suggestion is shown."""
        return self.counts.get(kind, AcceptanceCount()).moved(usual)

    def note(self, kind: PlaceKind, probability: float, *, taken: bool) -> None:
        """Count a suggestion, and keep the counts."""
        self.counts[kind] = self.counts.get(kind, AcceptanceCount()).after(probability, taken=taken)
        if self.path is None:
            return
        unfinished = self.path.with_suffix(f".{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(json.dumps(self.rows()), "utf-8")
            unfinished.replace(self.path)
        except OSError as fault:  # a full disk ends no request
            _log.warning("%s cannot be written: %s", self.path, fault)
            self.path = None

    def rows(self) -> list[Mapping[str, str | float]]:
        """The counts by language and place, for programs; the file has them in this form, too."""
        return [
            {
                "language": kind.language,
                "place": kind.place,
                "shown": round(count.shown, 1),
                "taken": round(count.taken, 1),
                "expected": round(count.expected, 2),
            }
            for kind, count in sorted(self.counts.items())
        ]

    def delete(self) -> bool:
        """Forget everything; whether there was anything."""
        self.counts.clear()
        if self.path is None or not self.path.exists():
            return False
        self.path.unlink()
        return True


def _read(rows: list[Mapping[str, object]]) -> Iterator[tuple[PlaceKind, AcceptanceCount]]:
    for row in rows:
        counts = [float(str(row[name])) for name in ("shown", "taken", "expected")]
        yield PlaceKind(str(row["language"]), str(row["place"])), AcceptanceCount(*counts)


@dataclass(frozen=True, slots=True)
class AwaitedSuggestion:
    """A suggestion that somebody is shown, until it is known what comes of it."""

    kind: PlaceKind
    probability: float
    text: str
    before: Document
    """As it was when it was shown."""
    offset: int

    def outcome(self, now: Document) -> bool | None:
        """Whether it came to be in a later state of the document; None while it may still."""
        end = self.offset + len(now.text) - len(self.before.text)
        typed = typed_since(self.before, self.offset, now, end)
        if typed is None:
            return False
        if typed.text.startswith(self.text):
            return True
        return None if self.text.startswith(typed.text.rstrip(CLOSING)) else False

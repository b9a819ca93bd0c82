"""Counts how often automatic suggestions are taken, and moves the threshold of what is shown accordingly.

There are three counts for each language and kind of place: suggestions that were shown, that were taken, and that
should have been taken by their probabilities. A user who takes more than expected is shown more, and one who takes
fewer is shown fewer, within bounds. Only these numbers are kept, in a file of the user's cache. No text is kept, and
nothing is sent. `lsp/session.py` counts, and `inscope stats` prints the counts.
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
"""How far the threshold may move, up or down: as far as from one setting of eagerness to the next."""
_HEAD_START = 10.0
"""Added to the taken and to the expected suggestions, so that a user's first few move the threshold only a little."""
_HALVED_AT = 200.0
"""Suggestions of a kind at which all its counts are halved, so that what is long ago counts less."""


class PlaceKind(NamedTuple):
    """The kind of place where a suggestion was shown; each kind has counts of its own."""

    language: str
    place: str
    """`word` after a half-typed word, `line` elsewhere after text on the line, `blank` where the line has none yet."""


@dataclass(frozen=True, slots=True)
class AcceptanceCount:
    """The counts for one kind of place. They are fractions once they have been halved."""

    shown: float = 0.0
    taken: float = 0.0
    expected: float = 0.0
    """The sum of the probabilities of those that were shown."""

    def after(self, probability: float, *, taken: bool) -> AcceptanceCount:
        """The counts with one more suggestion."""
        scale = 0.5 if self.shown >= _HALVED_AT else 1.0
        counts = self.shown * scale + 1, self.taken * scale + taken, self.expected * scale + probability
        return AcceptanceCount(*counts)

    def threshold(self, usual: float) -> float:
        """The threshold for this user where the setting says `usual`: lower if more is taken than expected.

        If the user takes `ratio` times as many as the probabilities say, a text of probability `usual / ratio` is
        really taken as often as `usual` demands. The square moves the threshold as far again. That is a choice without
        a measurement.
        """
        ratio = (self.taken + _HEAD_START) / (self.expected + _HEAD_START)
        return min(usual + BOUND, max(usual - BOUND, usual / ratio**2))


@dataclass(slots=True)
class AcceptanceRates:
    """The counts of one user, by kind of place."""

    path: Path | None = None
    """The file of the counts; None keeps them in memory alone, also after the file could not be written."""
    counts: dict[PlaceKind, AcceptanceCount] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None) -> AcceptanceRates:
        """The counts in a file; none without a file. A file that cannot be read is logged, and counting begins anew."""
        if path is None or not path.is_file():
            return cls(path)
        try:
            return cls(path, dict(_counts_in(json.loads(path.read_text("utf-8")))))
        except (OSError, ValueError, TypeError, KeyError) as fault:
            _log.warning("%s cannot be read, so counting begins anew: %s", path, fault)
            return cls(path)

    def threshold(self, kind: PlaceKind, usual: float) -> float:
        """The least probability at which a suggestion is shown; `usual` is the setting's own."""
        return self.counts.get(kind, AcceptanceCount()).threshold(usual)

    def note(self, kind: PlaceKind, probability: float, *, taken: bool) -> None:
        """Count a suggestion, and write the file.

        The file is read anew before: another server may have counted since, or the user may have deleted the counts.
        """
        if self.path is not None:
            self.counts = self.read(self.path).counts
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
        """The counts as JSON, sorted by language and place: for programs, and for the file."""
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
        """Delete the counts and their file; returns whether there was a file."""
        self.counts.clear()
        if self.path is None or not self.path.exists():
            return False
        self.path.unlink()
        return True


def _counts_in(rows: list[Mapping[str, object]]) -> Iterator[tuple[PlaceKind, AcceptanceCount]]:
    """The counts that `AcceptanceRates.rows` wrote."""
    for row in rows:
        counts = [float(str(row[name])) for name in ("shown", "taken", "expected")]
        yield PlaceKind(str(row["language"]), str(row["place"])), AcceptanceCount(*counts)


@dataclass(frozen=True, slots=True)
class AwaitedSuggestion:
    """An automatic suggestion on the screen, until it is known whether it is taken."""

    kind: PlaceKind
    probability: float
    text: str
    before: Document
    """The document when the suggestion was shown."""
    offset: int

    def outcome(self, now: Document) -> bool | None:
        """Whether a later state of the document has the whole text; None while a beginning of it may still go on."""
        end = self.offset + len(now.text) - len(self.before.text)
        typed = typed_since(self.before, self.offset, now, end)
        if typed is None:
            return False
        if typed.text.startswith(self.text):
            return True
        return None if self.text.startswith(typed.text.rstrip(CLOSING)) else False

"""What all candidates of the search have in common: an output, and the records of its tokens.

See `decoder.search.WrittenText`. Completions, rewrites and programs add which part of it may be shown.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from decoder.search import END, BranchPoint
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.generation import Generation
    from decoder.observer import ScoreRecord


@dataclass(frozen=True, slots=True)
class Output:
    """One output, and why it ended."""

    run: Generation
    record: ScoreRecord
    stop: Stop

    @property
    def score(self) -> float:
        """Natural logarithm of the probability of all that was written."""
        return self.record.scores.total

    @property
    def first_score(self) -> float:
        """The same of its first beginning that is worth reading (see `Scores.begun`); of all where it has none."""
        return self.record.scores.first

    @property
    def output(self) -> bytes:
        """All that was written, what it had to begin with included."""
        return bytes(self.run.output)

    def branch_points(self) -> Iterator[BranchPoint]:
        """Its tokens after what the output must begin with, and its end where the model chose it.

        `scores` and `margins` have an entry for each token. Where the model chose the end, they have one more, for it.
        """
        output, required = self.output, len(self.run.states[0].required_prefix)
        score, scores, margins = 0.0, self.record.scores.values, self.record.margins.values
        begun = self.record.scores.begun
        first_length = math.inf if begun is None else begun  # entries of the first beginning that is worth reading
        for place, (start, end) in enumerate(pairwise(self.run.lengths)):
            score += scores[place]
            if end > required:
                yield BranchPoint(
                    output[:start], output[:end], score - margins[place], margins[place], is_first=place < first_length
                )
        if self.stop is Stop.END and len(output) >= required:
            after = output + (self.run.supplied or END)
            is_first = len(scores) <= first_length
            yield BranchPoint(output, after, self.score - margins[-1], margins[-1], is_first=is_first)

    def forwards(self, stem: bytes) -> int:
        """One for each token after the stem."""
        return len(self.run.lengths) - self.count(stem)

    def count(self, stem: bytes) -> int:
        """How many of its tokens write a beginning of the output."""
        return bisect_left(self.run.lengths, len(stem))

    def up_to(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of its first `length` bytes."""
        covered = bisect_left(self.run.lengths, length)
        return bytes(self.run.output[: self.run.lengths[min(covered, len(self.run.lengths) - 1)]])

    def begin(self, run: Generation, record: ScoreRecord, stem: bytes) -> None:
        """Have another output begin as this one does, so that the beginning need not be computed again.

        Args:
            run: The other output, of which nothing is written.
            record: Its record, of the same type as this one's.
            stem: A beginning of this output.
        """
        count = self.count(stem)
        run.begin_as(self.run, count, self.record.model_after(count))
        record.begin_as(self.record, count)

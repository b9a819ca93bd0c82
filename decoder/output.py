"""A text that the model wrote, with the reason of its end and the record of its tokens (`Output`)."""

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
    """An output that has ended, why it did, and the record of its tokens.

    Completions, rewrites and programs each make a candidate of the search from it (`decoder.search.WrittenText`), which
    adds what part of the output may be shown.
    """

    run: Generation
    record: ScoreRecord
    stop: Stop

    @property
    def score(self) -> float:
        """Natural logarithm of the probability of all that was written."""
        return self.record.scores.total

    @property
    def first_score(self) -> float:
        """The score of the first beginning that is worth reading (see `Scores.begun`); `score` where there is none."""
        return self.record.scores.first

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up as too improbable."""
        return self.stop is Stop.UNSURE

    @property
    def output(self) -> bytes:
        """All that was written, the required prefix included."""
        return bytes(self.run.output)

    def branch_points(self) -> Iterator[BranchPoint]:
        """A branch point for each token after the required prefix, and one for the end where the model chose it.

        `scores` and `margins` have an entry for each token. Where the model chose the end, they have one more, for it.
        """
        output, required_length = self.output, len(self.run.states[0].required_prefix)
        total, scores, margins = 0.0, self.record.scores.values, self.record.margins.values
        begun = self.record.scores.begun
        first_count = math.inf if begun is None else begun  # tokens of the first beginning that is worth reading
        for place, (start, end) in enumerate(pairwise(self.run.lengths)):
            total += scores[place]
            if end > required_length:
                yield BranchPoint(
                    output[:start], output[:end], total - margins[place], margins[place], is_first=place < first_count
                )
        if self.stop is Stop.END and len(output) >= required_length:
            ended = output + (self.run.supplied or END)
            is_first = len(scores) <= first_count
            yield BranchPoint(output, ended, self.score - margins[-1], margins[-1], is_first=is_first)

    def forwards(self, stem: bytes) -> int:
        """The forwards that it cost after `stem`: one for each token, and one for the choice that ended it."""
        return len(self.run.lengths) - self.count(stem)

    def count(self, stem: bytes) -> int:
        """The number of tokens that write `stem`, a beginning of the output."""
        return bisect_left(self.run.lengths, len(stem))

    def up_to(self, length: int) -> bytes:
        """The first `length` bytes of the output, and the rest of the token in which they end."""
        count = min(bisect_left(self.run.lengths, length), len(self.run.lengths) - 1)
        return bytes(self.run.output[: self.run.lengths[count]])

    def begin(self, run: Generation, record: ScoreRecord, stem: bytes) -> None:
        """Let another output begin as this one does, so that its beginning need not be computed again.

        Args:
            run: The other output; it is still empty.
            record: The record of `run`, of the same type as this output's.
            stem: The beginning of this output that `run` takes over.
        """
        count = self.count(stem)
        run.begin_as(self.run, count, self.record.model_after(count))
        record.begin_as(self.record, count)

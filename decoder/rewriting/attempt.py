"""One text that a rewriting wrote, as the search sees it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from decoder.search import END, Choice
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.generation import Generation
    from decoder.observer import Margins, Scores
    from decoder.rewriting.frame import Frame


@dataclass(frozen=True, slots=True)
class Attempt:
    """See `decoder.search.Candidate`."""

    run: Generation
    scores: Scores
    margins: Margins
    stop: Stop
    """`Stop.END` where the model ended it; anything else is no result."""
    frame: Frame

    @property
    def written(self) -> str:
        """What the model wrote."""
        return self.run.output.decode("utf-8", "ignore")

    @property
    def whole(self) -> str:
        """That in the place of the original, with its blank lines around and its line ends; maybe unfinished."""
        return self.frame.around(self.written)

    @property
    def text(self) -> str:
        """The same, if the model ended it."""
        return self.whole if self.stop is Stop.END else ""

    @property
    def score(self) -> float:
        """Natural logarithm of the probability of all choices."""
        return self.scores.total

    @property
    def is_unfinished(self) -> bool:
        """No attempt is given up for a better one."""
        return False

    @property
    def output(self) -> bytes:
        """All that was written."""
        return bytes(self.run.output)

    def choices(self) -> Iterator[Choice]:
        """Its tokens after the indentation that it owes, and its end where the model chose it."""
        output, required = self.output, len(self.run.guards[0].owed)
        score, margins = 0.0, self.margins.values
        for place, (start, end) in enumerate(pairwise(self.run.lengths)):
            score += self.scores.values[place]
            if end > max(start, required):
                yield Choice(output[:start], output[:end], score - margins[place], margins[place])
        if self.stop is Stop.END:
            yield Choice(output, output + (self.run.supplied or END), self.score - margins[-1], margins[-1])

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""
        written = self.written
        end = len(written[: self.frame.within(written, length)].encode())
        covered = bisect_left(self.run.lengths, end)
        return bytes(self.run.output[: self.run.lengths[min(covered, len(self.run.lengths) - 1)]])

    def forwards(self, stem: bytes) -> int:  # noqa: ARG002 - the protocol's
        """As many as were counted; a draft saves some."""
        return self.run.ledger.forwards

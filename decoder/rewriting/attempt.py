"""One text that a rewriting wrote, as the search sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.candidate import Output
from decoder.stops import Stop

if TYPE_CHECKING:
    from decoder.rewriting.frame import Frame


@dataclass(frozen=True, slots=True)
class Attempt(Output):
    """See `decoder.search.Candidate`. What the model did not end (`Stop.END`) is no result."""

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
    def is_unfinished(self) -> bool:
        """No attempt is given up for a better one."""
        return False

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""
        written = self.written
        return self.up_to(len(written[: self.frame.within(written, length)].encode()))

    def forwards(self, stem: bytes) -> int:  # noqa: ARG002 - the protocol's
        """As many as were counted; a draft saves some."""
        return self.run.ledger.forwards

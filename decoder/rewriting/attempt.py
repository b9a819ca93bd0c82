"""One text that the model wrote in place of a region (`RewriteAttempt`)."""

from __future__ import annotations

from dataclasses import dataclass

from decoder.output import Output
from decoder.rewriting.region_frame import RegionFrame
from decoder.stops import Stop


@dataclass(frozen=True, slots=True)
class RewriteAttempt(Output):
    """A candidate of the search. It is no result unless the model ended it by itself (`Stop.END`)."""

    frame: RegionFrame

    @property
    def written(self) -> str:
        """The text that the model wrote."""
        return self.run.output.decode("utf-8", "ignore")

    @property
    def whole(self) -> str:
        """The region with the written text as its body, which may be unfinished."""
        return self.frame.region_with(self.written)

    @property
    def text(self) -> str:
        """`whole` if the model ended it; else empty."""
        return self.whole if self.stop is Stop.END else ""

    def beginning(self, length: int) -> bytes:
        """See `decoder.search.WrittenText`."""
        written = self.written
        return self.up_to(len(written[: self.frame.offset_in_output(written, length)].encode()))

    def forwards(self, stem: bytes) -> int:  # noqa: ARG002 - the protocol's
        """The forwards that the ledger counted: with a draft they are fewer than the tokens."""
        return self.run.ledger.forwards

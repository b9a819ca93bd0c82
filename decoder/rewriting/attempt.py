"""One text that the model wrote in the place of a region, and what of the region stays whatever the model writes."""

from __future__ import annotations

from dataclasses import dataclass

from decoder.candidate import Output
from decoder.stops import Stop


@dataclass(frozen=True, slots=True)
class RegionFrame:
    """A region taken apart: the body that the model rewrites, and the blank lines and line ends that stay."""

    head: str
    body: str
    """With line feeds only."""
    tail: str
    carriage_returns: bool

    @classmethod
    def of(cls, text: str) -> RegionFrame:
        """The parts of a region."""
        inner = text.strip("\r\n")
        head = text[: len(text) - len(text.lstrip("\r\n"))] if inner else ""
        body = inner.rstrip()
        tail = text[len(head) + len(body) :]
        crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
        return cls(head, body.replace("\r\n", "\n") if crlf else body, tail, crlf)

    @property
    def indentation(self) -> str:
        """The white space before the first line, with which the result begins as well."""
        return self.body[: len(self.body) - len(self.body.lstrip(" \t"))]

    def region_with(self, written: str) -> str:
        """The whole region with the written text as its body."""
        body = written.strip("\n").rstrip()
        return self.head + (body.replace("\n", "\r\n") if self.carriage_returns else body) + self.tail

    def offset_in_output(self, written: str, offset: int) -> int:
        """The offset in `written` of the character at an offset of `region_with(written)`."""
        blank = len(written) - len(written.lstrip("\n"))
        before = self.region_with(written)[len(self.head) : offset]
        return blank + len(before) - (before.count("\r\n") if self.carriage_returns else 0)


@dataclass(frozen=True, slots=True)
class RewriteAttempt(Output):
    """See `decoder.search.WrittenText`. A text that the model did not end by itself (`Stop.END`) is not a result."""

    frame: RegionFrame

    @property
    def written(self) -> str:
        """What the model wrote."""
        return self.run.output.decode("utf-8", "ignore")

    @property
    def whole(self) -> str:
        """The region as written, with its blank lines and line ends; may be unfinished."""
        return self.frame.region_with(self.written)

    @property
    def text(self) -> str:
        """The same if the model ended it, else nothing."""
        return self.whole if self.stop is Stop.END else ""

    @property
    def is_unfinished(self) -> bool:
        """Always false: no attempt is given up for a better one."""
        return False

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""
        written = self.written
        return self.up_to(len(written[: self.frame.offset_in_output(written, length)].encode()))

    def forwards(self, stem: bytes) -> int:  # noqa: ARG002 - the protocol's
        """The forwards that the ledger counted: with a draft, fewer than there are tokens."""
        return self.run.ledger.forwards

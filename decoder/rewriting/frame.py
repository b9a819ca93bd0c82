"""What a rewrite keeps of its original, whatever the model writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """Blank lines around it, and its line ends."""

    head: str
    body: str
    """What the model reads, with line feeds alone."""
    tail: str
    carriage_returns: bool

    @classmethod
    def of(cls, text: str) -> Frame:
        """What is kept of a text."""
        inner = text.strip("\r\n")
        head = text[: len(text) - len(text.lstrip("\r\n"))] if inner else ""
        body = inner.rstrip()
        tail = text[len(head) + len(body) :]
        crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
        return cls(head, body.replace("\r\n", "\n") if crlf else body, tail, crlf)

    @property
    def indentation(self) -> str:
        """The blanks before the first line, which the result begins with as well."""
        return self.body[: len(self.body) - len(self.body.lstrip(" \t"))]

    def around(self, written: str) -> str:
        """The whole text, with what was written in the place of the body."""
        body = written.strip("\n").rstrip()
        return self.head + (body.replace("\n", "\r\n") if self.carriage_returns else body) + self.tail

    def within(self, written: str, offset: int) -> int:
        """The offset in `written` of the character at an offset of the text around it."""
        blank = len(written) - len(written.lstrip("\n"))
        before = self.around(written)[len(self.head) : offset]
        return blank + len(before) - (before.count("\r\n") if self.carriage_returns else 0)

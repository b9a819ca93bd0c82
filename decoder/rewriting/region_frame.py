"""What stays of a region whatever the model writes in its place (`RegionFrame`).

That is the blank lines around it, comments above it if the model was not taught to write them, and the kinds of line
ends and of indentation.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RegionFrame:
    """A region in parts: the body that the model rewrites, and the lines before and after it, which stay."""

    head: str
    """The blank lines before the body, after what was to be kept."""
    body: str
    """The body with line feeds alone, if `carriage_returns`; else as it is in the file."""
    tail: str
    """The white space after the body."""
    carriage_returns: bool
    """Whether all line ends of the region are CR LF."""
    tab: int = 0
    """How many spaces at the beginning of a written line become one tab; 0 if the region is not indented by tabs."""

    @classmethod
    def of(cls, text: str, kept: int = 0, level: int = 0) -> RegionFrame:
        """The parts of a region.

        Args:
            kept: The number of characters at the beginning that stay, whole lines.
            level: The spaces that a model writes for one level of indentation; 0 if that is not known.
        """
        inner = text[kept:].strip("\r\n")
        head = text[: len(text) - len(text[kept:].lstrip("\r\n"))] if inner else ""
        body = inner.rstrip()
        tail = text[len(head) + len(body) :]
        has_crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
        body = body.replace("\r\n", "\n") if has_crlf else body
        lines = body.split("\n")
        has_tabs = level > 0 and any(line.startswith("\t") for line in lines)
        # lines that tabs for spaces would change are indented by spaces, or aligned with them
        is_tabbed = has_tabs and all(_tabbed(line, level) == line for line in lines)
        return cls(head, body, tail, has_crlf, level if is_tabbed else 0)

    @property
    def indentation(self) -> str:
        """The white space before the first line, with which the output must begin, too."""
        return self.body[: len(self.body) - len(self.body.lstrip(" \t"))]

    def region_with(self, written: str) -> str:
        """The whole region with the written text as its body."""
        body = written.strip("\n").rstrip()
        if self.tab:
            body = "\n".join(_tabbed(line, self.tab) for line in body.split("\n"))
        return self.head + (body.replace("\n", "\r\n") if self.carriage_returns else body) + self.tail

    def offset_in_output(self, written: str, offset: int) -> int:
        """The offset in `written` of the character at `offset` in `region_with(written)`."""
        blank_length = len(written) - len(written.lstrip("\n"))
        before = self.region_with(written)[len(self.head) : offset]
        length = len(before) - (before.count("\r\n") if self.carriage_returns else 0)
        if self.tab:
            lines = written[blank_length:].split("\n")[: before.count("\n") + 1]
            length += sum(len(line) - len(_tabbed(line, self.tab)) for line in lines)
        return blank_length + length


def _tabbed(line: str, level: int) -> str:
    """A line with a tab in place of each `level` spaces that follow the tabs at its beginning."""
    words = line.lstrip(" \t")
    space = line[: len(line) - len(words)]
    after_tabs = space.lstrip("\t")
    spaces = after_tabs[: len(after_tabs) - len(after_tabs.lstrip(" "))]
    tabs, rest = divmod(len(spaces), level)
    tail = " " * rest + after_tabs[len(spaces) :]
    return space[: len(space) - len(after_tabs)] + "\t" * tabs + tail + words

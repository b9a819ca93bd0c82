"""Tables without trailing blanks, for output that is piped on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Columns(Table):
    """A table without a frame. rich's own tables fill each line with blanks up to the width of the last column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, without blanks at their ends."""
        rendered = super().__rich_console__(console, options)
        segments = (segment for segment in rendered if isinstance(segment, Segment))
        for line in Segment.split_lines(segments):
            yield from _without_trailing_blanks(line)
            yield Segment.line()


def _without_trailing_blanks(line: list[Segment]) -> list[Segment]:
    kept = list(line)
    while kept:
        last = kept.pop()
        if text := last.text.rstrip(" "):
            return [*kept, Segment(text, last.style, last.control)]
    return []

"""Tables without trailing blanks, for output that is piped on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Columns(Table):
    """A table without a frame; rich itself fills each line up to the width of its last column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, without blanks at their ends."""
        segments = (one for one in super().__rich_console__(console, options) if isinstance(one, Segment))
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

"""Lines that are too long to be completed in.

The decoder's states are cached by line, so each keystroke in such a line would cost seconds.
"""

from __future__ import annotations

from typing import Final

LONGEST_LINE: Final = 10_000
"""Characters. The longest lines that people write, tables and texts, have some hundreds."""


def is_in_one(text: str, offset: int) -> bool:
    """Whether an offset is in such a line."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    return (end if end >= 0 else len(text)) - start > LONGEST_LINE


def has_any(text: str) -> bool:
    """Whether a text has such a line."""
    return any(len(line) > LONGEST_LINE for line in text.split("\n"))

"""A place in a file, as a person or a program names it (`FilePlace`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file and a position in it, from 1; the cursor is before that column. Nothing of it is checked to exist."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

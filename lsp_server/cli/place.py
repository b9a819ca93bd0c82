"""A place as people write it: `FILE:LINE:COLUMN`, both numbers from 1; the cursor is before that column."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A file and a position in it as a person counts; whether they exist is another question."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def place(text: str) -> Place:
    r"""Read from the right, so that a drive (`C:\shop\cart.js:3:7`) or a colon in the name stays with the file.

    Raises:
        ArgumentTypeError: no file, or no two numbers.
    """
    file, *numbers = text.rsplit(":", 2)
    if not file or len(numbers) != 2 or not all(number.isdecimal() for number in numbers):  # noqa: PLR2004 - line, column
        raise ArgumentTypeError(f"expected FILE:LINE:COLUMN, such as src/cart.js:12:5, not '{text}'")
    return Place(file, int(numbers[0]), int(numbers[1]))

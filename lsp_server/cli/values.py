"""Parses and checks the values of arguments: each function is an argparse type, and raises `ArgumentTypeError`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lsp_server.engine.wire.file_place import FilePlace

MOST_TOKENS = 2048
"""The most tokens that may be asked for; far more than anyone reads before accepting."""
_DIGITS = 20
"""Numbers of so many digits are refused: Python does not read those of thousands of digits."""


def json_object(text: str) -> dict[str, object]:
    """A JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    raise argparse.ArgumentTypeError(f'expected a JSON object such as {{"name": "total"}}, not \'{text}\'')


def model(text: str) -> str:
    """A directory or a hub name. An empty text, as from an unset shell variable, does not mean the built-in model."""
    if text.strip():
        return text
    raise argparse.ArgumentTypeError("expected a directory or a hub name; leave --model out to use the built-in one")


def directory(text: str) -> Path:
    """A directory. An empty text, as from an unset shell variable, does not mean the current directory."""
    if text:
        return Path(text)
    raise argparse.ArgumentTypeError("expected a directory; '.' is the current one")


def place(text: str) -> FilePlace:
    r"""A place as people write it, `FILE:LINE:COLUMN`.

    It is read from the right, so that a drive (`C:\shop\cart.js:3:7`) or a colon in the name stays with the file.

    Raises:
        argparse.ArgumentTypeError: no file, or no two numbers.
    """
    file, *numbers = text.rsplit(":", 2)
    if not file or len(numbers) != 2 or not all(number.isdecimal() for number in numbers):  # noqa: PLR2004 - line, column
        raise argparse.ArgumentTypeError(f"expected FILE:LINE:COLUMN, such as src/cart.js:12:5, not '{text}'")
    return FilePlace(file, int(numbers[0]), int(numbers[1]))


def tokens(text: str) -> int:
    """A number of tokens."""
    if text.isdecimal() and len(text) < _DIGITS and 0 < int(text) <= MOST_TOKENS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST_TOKENS}, not '{text}'")


def large_count(text: str) -> int:
    """A large number of tokens, such as 20e6."""
    return int(_number(text, "a number of tokens such as 20e6", above=0, most=1e12))


def lines(text: str) -> tuple[int, int]:
    """The first and the last line of `A:B`, counted from 1; `A` alone is one line."""
    first, _, last = text.partition(":")
    numbers = [first, last or first]
    if all(number.isdecimal() and len(number) < _DIGITS for number in numbers):
        start, stop = map(int, numbers)
        if 0 < start <= stop:
            return start, stop
    raise argparse.ArgumentTypeError(f"expected two lines such as 10:20, not '{text}'")


def line_and_column(text: str) -> tuple[int, int]:
    """The numbers of `LINE:COLUMN`, counted from 1."""
    line, _, column = text.partition(":")
    if all(number.isdecimal() and len(number) < _DIGITS and int(number) for number in (line, column)):
        return int(line), int(column)
    raise argparse.ArgumentTypeError(f"expected LINE:COLUMN, such as 12:5, not '{text}'")


def renaming(text: str) -> tuple[str, str]:
    """The two identifiers of `OLD=NEW`."""
    from lsp_server.engine.rewriting.region import parsed_rename  # noqa: PLC0415 - other commands need not wait for it

    try:
        return parsed_rename(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def count_from_zero(text: str) -> int:
    """A whole number from 0."""
    if text.isdecimal() and len(text) < _DIGITS:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 0, not '{text}'")


def positive(text: str) -> float:
    """A number above 0."""
    return _number(text, "a number above 0", above=0, most=float("inf"))


def probability(text: str) -> float:
    """A number in (0, 1]."""
    return _number(text, "a number above 0 and at most 1", above=0, most=1)


def temperature(text: str) -> float:
    """A number from 0 to 100."""
    if text.strip("0") in {"", "."}:
        return 0.0
    return _number(text, "a number from 0 to 100", above=0, most=100)


def _number(text: str, expected: str, *, above: float, most: float) -> float:
    """A finite number in (above, most]; `expected` describes it in the error."""
    try:
        number = float(text)
    except ValueError:
        number = above
    if above < number <= most and number != float("inf"):
        return number
    raise argparse.ArgumentTypeError(f"expected {expected}, not '{text}'")


def address(text: str) -> tuple[str, int]:
    """The host and the port of `HOST:PORT`; an IPv6 host may be in brackets."""
    host, _, port = text.rpartition(":")
    if host and port.isdecimal() and int(port) < 1 << 16:
        return host.removeprefix("[").removesuffix("]"), int(port)
    raise argparse.ArgumentTypeError(f"expected HOST:PORT, such as 127.0.0.1:4711, not '{text}'")

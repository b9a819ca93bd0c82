"""Reads the lines of a batch (`--batch`), each a JSON object, and prints an answer to each."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from lsp_server.cli.faults import unexpected
from lsp_server.cli.place import Place
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lsp_server.cli.answers import Json


@dataclass(frozen=True, slots=True)
class Line:
    """The place that a line asks about."""

    place: Place
    text: str | None
    """The text to read instead of the file."""


@contextmanager
def batch_lines(source: str) -> Iterator[BinaryIO]:
    """The lines of a batch as bytes, so that a line that is not UTF-8 is an error of its own."""
    if source == "-":
        if sys.stdin is None:
            raise RequestError(
                ErrorCode.FILE_NOT_FOUND, "standard input is closed; --batch - reads its lines from there"
            )
        yield sys.stdin.buffer
        return
    path = Path(source)
    if stat.S_ISDIR(mode_of(path, source)):
        raise RequestError(ErrorCode.IS_DIRECTORY, f"'{source}' is a directory; --batch takes a file of JSON lines")
    try:
        file = path.open("rb")
    except OSError as error:
        raise unreadable(source, error) from error
    with file:
        yield file


def fields_of(data: bytes, number: int) -> dict[str, Json]:
    """The JSON object on a line; its fields are not checked yet, so that an error about them can carry the id.

    Args:
        number: Of the line, from 1, empty lines included; for messages.

    Raises:
        RequestError: it is not a JSON object in UTF-8.
    """
    try:
        value: Json = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _malformed(f"line {number} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise _malformed(f"line {number} is not JSON ({error.msg} at character {error.pos + 1})") from error
    except (ValueError, RecursionError) as error:  # NaN, a number of thousands of digits, endless nesting
        raise _malformed(
            f"line {number} holds NaN, an infinity, a number that is too long or too many nested values"
        ) from error
    if not isinstance(value, dict):
        raise _malformed(f"line {number} is not an object in braces, with fields such as id and file")
    return value


def answer_lines(
    lines: Iterable[bytes],
    answer: Callable[[dict[str, Json]], dict[str, Json]],
    failure: Callable[[RequestError, Json], dict[str, Json]],
) -> int:
    """Print an answer to each line of a batch, whatever is wrong with it.

    Args:
        answer: The answer to a line, by its fields.
        failure: The answer to a line that could not be served, by the error and the line's id.

    Returns:
        The command's exit code: 1 where a line could not be served.
    """
    exit_code = 0
    for number, data in enumerate(lines, 1):
        if not data.strip():
            continue
        request_id: Json = None
        try:
            fields = fields_of(data, number)
            request_id = fields.get("id")
            answered = answer(fields)
        except RequestError as error:
            answered = failure(error, request_id)
        except Exception as error:  # noqa: BLE001 - a fault in one line must not end the batch
            answered = failure(RequestError(ErrorCode.INTERNAL, unexpected(error)), request_id)
        if answered["error"] is not None:
            exit_code = 1
        print_json(answered)
    return exit_code


def line_of(fields: dict[str, Json]) -> Line:
    """The place in a line of a batch.

    Raises:
        RequestError: a field is missing or of another type.
    """
    file, text = source_of(fields)
    return Line(Place(file, _number(fields, "line"), _number(fields, "column")), text)


def source_of(fields: dict[str, Json]) -> tuple[str, str | None]:
    """The file in a line of a batch, and the text to read instead of it, if there is one.

    Raises:
        RequestError: either is of another type.
    """
    file, text = fields.get("file"), fields.get("text")
    if not isinstance(file, str) or not file or "\0" in file or not _can_be_named(file):
        raise _malformed("'file' must be a path")
    if text is not None and not isinstance(text, str):
        raise _malformed("'text' must be a string, or be left out")
    return file, text


def _number(fields: dict[str, Json], name: str) -> int:
    number = fields.get(name)
    if not isinstance(number, int) or isinstance(number, bool):
        raise _malformed(f"'{name}' must be a whole number from 1")
    return number


def _can_be_named(file: str) -> bool:
    """Whether a path can be encoded: JSON may hold half of a surrogate pair."""
    try:
        os.fsencode(file)
    except UnicodeEncodeError:
        return False
    return True


def _malformed(message: str) -> RequestError:
    return RequestError(ErrorCode.MALFORMED_REQUEST, message)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)

"""One line of a batch as a request, or what is wrong with it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from lsp_server.cli.place import Place
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from lsp_server.cli.answers import Json


@dataclass(frozen=True, slots=True)
class Raw:
    """A line as it came; answers without an id can only be told apart by its number."""

    number: int
    """From 1, empty lines counted."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """A line that could be read."""

    place: Place
    text: str | None
    """Stands for what the file holds."""


def fields_of(raw: Raw) -> dict[str, Json]:
    """The object on a line; what its fields hold is not looked at yet, so that an answer can carry the id.

    Raises:
        RequestError: it is not a JSON object in UTF-8.
    """
    try:
        value: Json = json.loads(raw.data.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _malformed(f"line {raw.number} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise _malformed(f"line {raw.number} is not JSON ({error.msg} at character {error.pos + 1})") from error
    except (ValueError, RecursionError) as error:  # NaN, a number of thousands of digits, endless nesting
        raise _malformed(f"line {raw.number} holds a number or a nesting that is beyond JSON's practice") from error
    if not isinstance(value, dict):
        raise _malformed(f"line {raw.number} is not an object in braces, with fields such as id and file")
    return value


def line_of(fields: dict[str, Json]) -> Line:
    """What is asked.

    Raises:
        RequestError: a field is missing or of another type.
    """
    file, text = source_of(fields)
    line, column = fields.get("line"), fields.get("column")
    for name, number in (("line", line), ("column", column)):
        if not isinstance(number, int) or isinstance(number, bool):
            raise _malformed(f"'{name}' must be a whole number from 1")
    assert isinstance(line, int)  # noqa: S101 - the loop above proved it; this tells the type checker
    assert isinstance(column, int)  # noqa: S101 - likewise
    return Line(Place(file, line, column), text)


def source_of(fields: dict[str, Json]) -> tuple[str, str | None]:
    """The file that is asked about, and the text that stands for what it holds.

    Raises:
        RequestError: either is of another type.
    """
    file, text = fields.get("file"), fields.get("text")
    if not isinstance(file, str) or not file or "\0" in file or not _can_be_named(file):
        raise _malformed("'file' must be a path")
    if text is not None and not isinstance(text, str):
        raise _malformed("'text' must be a string, or be left out")
    return file, text


def _can_be_named(file: str) -> bool:
    """Whether a file can be called so: JSON may hold half of a surrogate pair, which no bytes stand for."""
    try:
        os.fsencode(file)
    except UnicodeEncodeError:
        return False
    return True


def _malformed(message: str) -> RequestError:
    return RequestError(ErrorCode.MALFORMED_REQUEST, message)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)

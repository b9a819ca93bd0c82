"""Reads a request that comes as a JSON object, a line of a batch, and checks its fields."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from lsp_server.engine.wire.file_place import FilePlace
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from lsp_server.engine.wire import Json


@dataclass(frozen=True, slots=True)
class PlaceRequest:
    """The place that a request asks about."""

    place: FilePlace
    text: str | None
    """The text to read instead of the file."""


def fields_of(data: bytes, number: int) -> dict[str, Json]:
    """The JSON object on a line. Its fields are not checked yet, so that an error about one can carry the line's id.

    Args:
        data: The line.
        number: The line's number for messages, from 1, empty lines included.

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


def line_of(fields: dict[str, Json]) -> PlaceRequest:
    """The place in a line of a batch.

    Raises:
        RequestError: a field is missing or of another type.
    """
    file, text = source_of(fields)
    return PlaceRequest(FilePlace(file, _number(fields, "line"), _number(fields, "column")), text)


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


def text_in(fields: dict[str, Json], name: str, *, may_be_blank: bool = False) -> str | None:
    """The text in a field; None where the field is missing.

    Raises:
        RequestError: it is of another type, or blank.
    """
    value = fields.get(name)
    if value is None or (isinstance(value, str) and (value.strip() or may_be_blank)):
        return value
    raise _malformed(f"'{name}' {'is blank' if isinstance(value, str) else 'must be a text'}")


def flag_in(fields: dict[str, Json], name: str) -> bool:
    """The truth value in a field; False where the field is missing.

    Raises:
        RequestError: it is of another type.
    """
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise _malformed(f"'{name}' must be true or false")
    return value


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

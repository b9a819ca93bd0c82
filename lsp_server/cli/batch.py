"""Answers a batch (`--batch`): reads its lines, each a JSON object, and prints an answer to each in order."""

from __future__ import annotations

import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lsp_server.cli.faults import unexpected
from lsp_server.cli.printing import print_json
from lsp_server.engine.wire.requests import fields_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lsp_server.engine.wire import Json


@contextmanager
def batch_lines(source: str) -> Iterator[BinaryIO]:
    """The lines of a batch as bytes, so that one that is not UTF-8 gets an answer of its own; `-` is standard input.

    Raises:
        RequestError: there is no such file, or it cannot be read.
    """
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


def answer_lines(
    lines: Iterable[bytes],
    answer: Callable[[dict[str, Json]], dict[str, Json]],
    failure: Callable[[RequestError, Json], dict[str, Json]],
) -> int:
    """Print an answer to each line of a batch, whatever is wrong with it.

    Args:
        answer: Returns the answer to a line's fields.
        failure: Returns the answer to a line that could not be served, for the error and the line's id.

    Returns:
        The command's exit code: 1 if a line could not be served.
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

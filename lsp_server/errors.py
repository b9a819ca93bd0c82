"""The errors that are shown to people, as one tree with a closed set of codes.

RequestError: a code, and a message: one sentence that says what was wrong and what to do
├── StaleError: a document or a place that is not there any more
└── NotUnderstoodError: a command line that names something unknown or lacks something, and what to write instead

Programs may rely on the code (docs/answers.md), but not on the sentence.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class ErrorCode(StrEnum):
    """Why a request could not be served. Other tools rely on these values."""

    FILE_NOT_FOUND = "file_not_found"
    IS_DIRECTORY = "is_directory"
    NOT_UTF8 = "not_utf8"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    UNKNOWN_LANGUAGE = "unknown_language"
    POSITION_OUTSIDE = "position_outside"
    MALFORMED_REQUEST = "malformed_request"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_DAMAGED = "model_damaged"
    MODEL_SERVER = "model_server"
    NO_SUCH_DEVICE = "no_such_device"
    OUT_OF_MEMORY = "out_of_memory"
    EXTRA_MISSING = "extra_missing"
    PROGRAM_FAILED = "program_failed"
    SETUP_FAILED = "setup_failed"
    INTERNAL = "internal"


class RequestError(Exception):
    """A request that cannot be served."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class StaleError(RequestError):
    """A document or a place that is not there any more, as happens while a person types and closes files."""


class NotUnderstoodError(RequestError):
    """A command line that names something unknown or lacks something; it ends with exit code 2."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.MALFORMED_REQUEST, message)


def either(words: Iterable[str]) -> str:
    """A choice of words for a sentence: `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last

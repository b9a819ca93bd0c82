"""The errors of a checker, as one tree. Their messages are shown to people.

CheckerError
├── CheckerStartError     the program is missing, does not start, or is too old
├── CheckerDiedError      the process ended before it answered
├── CheckerStalledError   the process runs and did not answer in time
├── CheckerRefusedError   the process answered with an error
├── CheckerCancelledError the request was cancelled
└── CheckerAbsentError    there is no checker, or it is not asked at present
"""

from __future__ import annotations


class CheckerError(Exception):
    """Base of all errors of a checker."""


class CheckerStartError(CheckerError):
    """The program is missing, does not start, or is too old."""


class CheckerDiedError(CheckerError):
    """The process ended before it answered."""


class CheckerStalledError(CheckerError):
    """The process runs and did not answer in time."""


class CheckerRefusedError(CheckerError):
    """The process answered with an error."""


class CheckerCancelledError(CheckerError):
    """The request was cancelled."""

    def __init__(self) -> None:
        super().__init__("the request was cancelled")


class CheckerAbsentError(CheckerError):
    """There is no checker, or it is not asked at present; the message says why, and what to do."""

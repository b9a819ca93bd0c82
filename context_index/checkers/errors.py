"""What can go wrong with a checker, as one tree; each message is shown to people.

CheckerError
├── CheckerStartError     there is no such program, or it does not start
├── CheckerDiedError      the process ended before it answered
├── CheckerStalledError   the process is there and does not answer
├── CheckerRefusedError   the process answered with an error
├── CheckerCancelledError the request was cancelled
└── CheckerAbsentError    there is none, or it is not asked now: why, and what to do
"""

from __future__ import annotations


class CheckerError(Exception):
    """Base of all faults of a checker."""


class CheckerStartError(CheckerError):
    """There is no such program, or it does not start."""


class CheckerDiedError(CheckerError):
    """The process ended before it answered."""


class CheckerStalledError(CheckerError):
    """The process is there and does not answer."""


class CheckerRefusedError(CheckerError):
    """The process answered with an error."""


class CheckerCancelledError(CheckerError):
    """The request was cancelled."""

    def __init__(self) -> None:
        super().__init__("the request was cancelled")


class CheckerAbsentError(CheckerError):
    """There is no checker, or it is not asked now; the message says why, and what to do."""

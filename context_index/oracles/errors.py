"""What can go wrong with a type checker; all of it is answered with `Open` and the sentence.

OracleError
├── StartError       the checker cannot be started, or does not speak as expected
├── DiedError        its process ended, or its output stopped making sense
├── StalledError     it did not answer in time
├── RefusedError     it answered with an error
└── PutOffError      it was not asked to the end: something more urgent came
"""

from __future__ import annotations

from context_index.errors import ContextIndexError


class OracleError(ContextIndexError):
    """Base of all faults of type checkers."""


class StartError(OracleError):
    """The checker cannot be started, or does not speak as expected."""


class DiedError(OracleError):
    """Its process ended, or its output stopped making sense."""


class StalledError(OracleError):
    """It did not answer in time."""


class RefusedError(OracleError):
    """It answered with an error."""


class PutOffError(OracleError):
    """It was not asked to the end: something more urgent came. No fault of the checker's; it is asked again."""

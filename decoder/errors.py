"""The errors of decoding, as one tree; each message says what to do.

DecoderError
├── ModelError                   a model cannot be loaded
│   ├── ModelNotFoundError       no such directory or hub name
│   │   └── NotFetchedError      a hub name whose files are not here yet
│   ├── ModelDamagedError        files are missing, truncated or invalid
│   ├── UnsupportedModelError    it is of a kind that cannot be used
│   ├── ModelServerError         a completion server answers with an error, or too late
│   │   └── ServerAwayError          it does not answer now, which says nothing of what it can do
│   │       ├── ServerBusyError          it, or a balancer before it, refuses more requests
│   │       ├── ServerUnreachableError   nothing answers at its address
│   │       └── ServerLostError          its connection ended amid an answer
│   └── ExtraMissingError        it needs packages that are not installed
├── DeviceError                  the device asked for does not exist here
├── OutOfDeviceMemoryError       the device has no room; the caller may use the CPU instead
├── ProgramError                 a program or a controller is wrong, was stopped, or wants what cannot be done
├── RegionTooLongError           a rewrite's region does not fit the model
└── ConstraintFaultError         a rule broke; the suggestion ends, it never fails open
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from context_index.extras import Extra


class DecoderError(Exception):
    """Base of all faults that the decoder reports on purpose."""


class ModelError(DecoderError):
    """A model cannot be loaded."""


class ModelNotFoundError(ModelError):
    """There is no such directory, and no such model on the hub."""


class NotFetchedError(ModelNotFoundError):
    """The model is one of the hub, and its files are not on this machine yet."""


class ModelDamagedError(ModelError):
    """Model files are missing, truncated or invalid."""


class UnsupportedModelError(ModelError):
    """The model, its tokenizer, its template or its number type is of a kind that cannot be used."""


class ModelServerError(ModelError):
    """A completion server cannot be reached, answers with an error, or too late."""


class ServerAwayError(ModelServerError):
    """A completion server does not answer now, which says nothing of what it can do."""


class ServerBusyError(ServerAwayError):
    """A completion server, or a balancer before it, refuses a request as it has too many, or is starting."""


class ServerUnreachableError(ServerAwayError):
    """Nothing answers at a completion server's address."""


class ServerLostError(ServerAwayError):
    """A completion server's connection ended amid its answer; another may be asked for the rest."""


class ExtraMissingError(ModelError):
    """A model needs packages that are not installed; the sentence names the extra, and the command that installs it."""


@contextmanager
def extra_needed(extra: Extra, what: str) -> Iterator[None]:
    """A context manager around the imports of an extra's packages.

    Args:
        what: What needs the packages, as the beginning of a sentence.

    Raises:
        ExtraMissingError: a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise ExtraMissingError(f"{what} needs {missing.name}, which is not installed. {extra.advice}") from missing


class DeviceError(DecoderError):
    """The device asked for does not exist on this machine."""


class OutOfDeviceMemoryError(DecoderError):
    """The device has no room for the model or its cache."""


class ProgramError(DecoderError):
    """A program or a controller is wrong, threw, was stopped, or wants what cannot be done. Ends its request."""


class RegionTooLongError(DecoderError):
    """The region does not fit into the model's context, which must hold it twice: in the prompt and as the output.

    Args:
        region: Tokens of the region.
        rest: The other tokens of the prompt: the instruction, and what the model needs around it.
        context: The most tokens that the model reads and writes together.
    """

    def __init__(self, region: int, rest: int, context: int) -> None:
        super().__init__(f"twice {region} tokens and {rest} more do not fit into the model's {context}")
        self.region, self.rest, self.context = region, rest, context

    @property
    def fits(self) -> float:
        """The share of the region for which there is room; 0 where the rest alone does not fit."""
        room = self.context - self.rest
        return room / (2 * self.region) if room > 0 else 0.0


class ConstraintFaultError(DecoderError):
    """A rule raised an exception; the suggestion is withheld."""


class _ConstraintFaults:
    """The context manager of `constraint_faults`. A class, as a generator is slower and it is entered at each token."""

    def __enter__(self) -> None:
        """Nothing is to be prepared."""

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        """Turn the exception of a rule into a `ConstraintFaultError`."""
        if isinstance(fault, Exception) and not isinstance(fault, DecoderError):
            raise ConstraintFaultError(f"a rule broke ({fault!r}); please report it") from fault


_CONSTRAINT_FAULTS = _ConstraintFaults()


def constraint_faults() -> _ConstraintFaults:
    """A context manager around every question to a rule.

    An exception of a rule ends the suggestion (`ConstraintFaultError`), so nothing passes unchecked.
    """
    return _CONSTRAINT_FAULTS

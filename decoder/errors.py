"""The errors of decoding, as one tree; each message says what to do.

DecoderError
├── ModelError                   a model cannot be loaded
│   ├── ModelNotFoundError       no such directory or hub name
│   ├── ModelDamagedError        files are missing, truncated or invalid
│   └── UnsupportedModelError    it is of a kind that cannot be used
├── DeviceError                  the device asked for does not exist here
├── OutOfDeviceMemoryError       the device has no room; the caller may use the CPU instead
├── ProgramError                 a program or a controller is wrong, was stopped, or wants what cannot be done
├── RegionTooLongError           a rewrite's region does not fit the model
└── ConstraintFaultError         a rule broke; the suggestion ends, it never fails open
"""

from __future__ import annotations


class DecoderError(Exception):
    """Base of all faults that the decoder reports on purpose."""


class ModelError(DecoderError):
    """A model cannot be loaded."""


class ModelNotFoundError(ModelError):
    """There is no such directory, and no such model on the hub."""


class ModelDamagedError(ModelError):
    """Model files are missing, truncated or invalid."""


class UnsupportedModelError(ModelError):
    """The model, its tokenizer, its template or its number type is of a kind that cannot be used."""


class DeviceError(DecoderError):
    """The device asked for does not exist on this machine."""


class OutOfDeviceMemoryError(DecoderError):
    """The device has no room for the model or its cache."""


class ProgramError(DecoderError):
    """A program or a controller is wrong, threw, was stopped, or wants what cannot be done. Ends its request."""


class RegionTooLongError(DecoderError):
    """The region does not fit into the model's context, which must hold it twice: in the prompt and as the output."""


class ConstraintFaultError(DecoderError):
    """A rule raised an exception; the suggestion is withheld."""


class _ConstraintFaults:
    """Lighter than a generator: it is entered at each token."""

    def __enter__(self) -> None:
        """Nothing is to be prepared."""

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        """Turn the exception of a rule into a fault of the constraint."""
        if isinstance(fault, Exception) and not isinstance(fault, DecoderError):
            raise ConstraintFaultError(f"a rule broke ({fault!r}); please report it") from fault


_CONSTRAINT_FAULTS = _ConstraintFaults()


def constraint_faults() -> _ConstraintFaults:
    """Used around every question to a rule: an exception of a rule ends the suggestion, so nothing passes unchecked."""
    return _CONSTRAINT_FAULTS

"""The errors of decoding, as one tree; each message says what to do.

DecoderError
├── ModelError                   a model cannot be loaded
│   ├── ModelNotFoundError       no such directory or hub name
│   ├── ModelDamagedError        files are missing, truncated or of an unknown kind
│   └── UnsupportedModelError    it loads, but is not a causal model that we can drive
├── DeviceError                  the device asked for does not exist here
├── OutOfDeviceMemoryError       the device has no room; the caller may go on with the CPU
├── RegionTooLongError           a rewrite's region does not fit the model (`rewriting.task`)
└── ConstraintFaultError         a rule broke; the suggestion ends, it never fails open
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class DecoderError(Exception):
    """Base of all faults that the decoder reports on purpose."""


class ModelError(DecoderError):
    """A model cannot be had."""


class ModelNotFoundError(ModelError):
    """Neither a directory nor a model that the hub's cache holds."""


class ModelDamagedError(ModelError):
    """Model files are missing, truncated or of an unknown kind."""


class UnsupportedModelError(ModelError):
    """The model loads but is not a causal one with a cache and byte-exact tokens."""


class DeviceError(DecoderError):
    """The device asked for does not exist on this machine."""


class OutOfDeviceMemoryError(DecoderError):
    """The device has no room for the model or its cache."""


class ConstraintFaultError(DecoderError):
    """A constraint raised instead of answering; its suggestion is withheld."""


@contextmanager
def constraint_faults() -> Iterator[None]:
    """Around every question to a rule: whatever a rule raises ends the suggestion instead of letting it through."""
    try:
        yield
    except DecoderError:
        raise
    except Exception as fault:
        raise ConstraintFaultError(f"a rule broke ({fault!r})") from fault

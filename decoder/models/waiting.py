"""Whether a forward that another process computes is still wanted, and for which document it is.

The decode loop runs each forward within `waited_for`, and the client of a completion server asks `is_given_up` while it
waits. So a request that was cancelled, or whose deadline has passed, ends within a forward. Local models do not ask, as
their forwards are short. Both values are context variables of the thread, so `Model.forward` needs no arguments for
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from decoder.errors import DecoderError


class GaveUpError(DecoderError):
    """The request is over, so the forward was given up; the cache is as it was before the call."""


_DOCUMENT: ContextVar[str] = ContextVar("document", default="")
_IS_OVER: ContextVar[Callable[[], object]] = ContextVar("is_over", default=bool)


@contextmanager
def waited_for(is_over: Callable[[], object]) -> Iterator[None]:
    """A context in which a forward is given up once `is_over` returns something true."""
    token = _IS_OVER.set(is_over)
    try:
        yield
    finally:
        _IS_OVER.reset(token)


@contextmanager
def asked_for(document: str) -> Iterator[None]:
    """A context in which forwards are for the document with this key."""
    token = _DOCUMENT.set(document)
    try:
        yield
    finally:
        _DOCUMENT.reset(token)


def document_asked_for() -> str:
    """The key of the document that forwards are for now; empty outside of `asked_for`."""
    return _DOCUMENT.get()


def is_given_up() -> bool:
    """Whether the request is over for which a forward is computed now; false outside of `waited_for`."""
    return bool(_IS_OVER.get()())

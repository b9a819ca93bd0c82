"""Whether anybody still waits for a forward that another process computes, and for which document.

The loop says it around each forward (`waited_for`), and what waits for an answer asks (`is_given_up`): so a request
that was cancelled, or whose deadline has passed, ends amid a forward. Local models do not ask: a forward of theirs is
short. Knows nothing of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from decoder.errors import DecoderError


class GaveUpError(DecoderError):
    """Nobody waits for the forward any more; the cache is as it was before the call."""


_DOCUMENT: ContextVar[str] = ContextVar("document", default="")
_IS_OVER: ContextVar[Callable[[], object]] = ContextVar("is_over", default=bool)


@contextmanager
def waited_for(is_over: Callable[[], object]) -> Iterator[None]:
    """Within it, a forward may be given up once `is_over`."""
    token = _IS_OVER.set(is_over)
    try:
        yield
    finally:
        _IS_OVER.reset(token)


@contextmanager
def asked_for(document: str) -> Iterator[None]:
    """Within it, forwards are for a document, whose key is given."""
    token = _DOCUMENT.set(document)
    try:
        yield
    finally:
        _DOCUMENT.reset(token)


def document_asked_for() -> str:
    """The key of the document; empty where there is none."""
    return _DOCUMENT.get()


def is_given_up() -> bool:
    """Whether the forward is not waited for any more."""
    return bool(_IS_OVER.get()())

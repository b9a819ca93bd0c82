"""What all requests about a document share: they are refused if it is not served, and the workspace gets its text."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.session import NotServed

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsp_server.lsp.server import Server
    from lsp_server.lsp.session import Snapshot


class DocumentIdentifier(Protocol):
    """LSP's way to name a document."""

    uri: str


class DocumentParams(Protocol):
    """The parameters of a request about a document."""

    @property
    def text_document(self) -> DocumentIdentifier:
        """The document."""


P = TypeVar("P", bound=DocumentParams)
A = TypeVar("A")
"""A handler's answer, or a function that computes it."""


def about_document(
    unserved: Callable[[Server, str], Any],
) -> Callable[[Callable[[Server, P, Snapshot], A]], Callable[[Server, P], A]]:
    """A decorator for handlers of requests about a document, which get a snapshot of it as a third argument.

    If the answer takes work, the texts that changed are handed to the workspace first; not at every keystroke.

    Args:
        unserved: Returns the answer for a document that is not served, given the reason; or raises an error.
    """

    def decorated(handler: Callable[[Server, P, Snapshot], A]) -> Callable[[Server, P], A]:
        @wraps(handler)
        def handle(server: Server, params: P) -> A:
            snapshot = server.session.snapshot(params.text_document.uri)
            if isinstance(snapshot, NotServed):
                answer: A = unserved(server, snapshot.why)
                return answer
            answer = handler(server, params, snapshot)
            if callable(answer):
                server.session.flush_dirty()
            return answer

        return handle

    return decorated


def nothing(_server: Server, _why: str) -> None:
    """For `about_document`: answers null about a document that is not served."""


def refused(what: str) -> Callable[[Server, str], object]:
    """For `about_document`: answers with an error about a document that is not served.

    Args:
        what: What is not done, as the beginning of the error's sentence.
    """

    def refuse(_server: Server, why: str) -> object:
        raise _not_served(what, why)

    return refuse


def served(server: Server, uri: str, what: str = "") -> Snapshot:
    """A snapshot of the document that a command names; the texts that changed are handed to the workspace.

    Args:
        what: What is not done with a document that is not served, as the beginning of the error's sentence.

    Raises:
        RequestError: it is not open, or not served.
    """
    snapshot = server.session.snapshot(uri)
    if isinstance(snapshot, NotServed):
        raise _not_served(what, snapshot.why)
    server.session.flush_dirty()
    return snapshot


def _not_served(what: str, why: str) -> RequestError:
    return RequestError(ErrorCode.MALFORMED_REQUEST, f"{what}: {why}" if what else why)

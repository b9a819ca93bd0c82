"""What all requests about a document have in common: whether it is served, and that the workspace knows its text."""

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
    """A handler of requests about a document, which takes the document as it is now.

    The texts that changed are handed to the workspace where the answer takes work, and not at every keystroke.

    Args:
        unserved: The answer where nothing is suggested in the document, by the reason; it may raise an error.
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
    """Answers with nothing where a document is not served."""


def refused(what: str) -> Callable[[Server, str], object]:
    """Answers with an error where a document is not served.

    Args:
        what: What is not done, as the beginning of a sentence.
    """

    def refuse(_server: Server, why: str) -> object:
        raise _not_served(what, why)

    return refuse


def served(server: Server, uri: str, what: str = "") -> Snapshot:
    """A document that a command names; the workspace knows its text.

    Args:
        what: What is not done with a document that is not served, as the beginning of a sentence.

    Raises:
        RequestError: it is not open, or nothing is suggested in it.
    """
    snapshot = server.session.snapshot(uri)
    if isinstance(snapshot, NotServed):
        raise _not_served(what, snapshot.why)
    server.session.flush_dirty()
    return snapshot


def _not_served(what: str, why: str) -> RequestError:
    return RequestError(ErrorCode.MALFORMED_REQUEST, f"{what}: {why}" if what else why)

"""Decides whether a rewrite is a rename, which the checker does, or anything else, which the model does; and runs it.

The command line and the server ask here: `names_to_rename`, then `request_of`, then `result_of`. Another kind of edit
would be a third type of request. Knows nothing of how a request is written, nor of how a result is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.engine.rewriting.region import rename_in
from lsp_server.engine.rewriting.rename import Renamer, RenameRequest
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder import RewritingProgress
    from lsp_server.engine.rewriting.outcome import RewriteResult
    from lsp_server.engine.service import Service


def names_to_rename(
    instruction: str, given: tuple[str, str] | None = None, *, is_code: bool = True
) -> tuple[str, str] | None:
    """Old and new name if the request is a rename; None if the model is to follow the instruction.

    Args:
        given: The names, if they are given apart from the instruction (`--rename OLD=NEW`).
        is_code: False for plain text, in which nothing has a name: there the model reads `rename OLD to NEW`, too.
    """
    return given or (rename_in(instruction) if is_code else None)


def request_of(
    rewrite: RewriteRequest, names: tuple[str, str] | None, *, place: int | None = None, takes_all: bool = False
) -> RenameRequest | RewriteRequest:
    """The request for a rename if there are names and code, else the request for the model.

    Args:
        rewrite: The request for the model.
        names: What `names_to_rename` returned.
        place: See `RenameRequest.place`.
        takes_all: See `RenameRequest.takes_all`.
    """
    if names is None or rewrite.syntax is None:
        return rewrite
    old, new = names
    return RenameRequest(rewrite.syntax, old, new, rewrite.chosen, place, takes_all)


def result_of(
    request: RenameRequest | RewriteRequest,
    service: Service,
    progress: Callable[[RewritingProgress], None] = lambda _now: None,
) -> RewriteResult:
    """Rewrite or rename, as the request's type says; nothing is written to disk.

    Args:
        progress: Called while the model writes, with how far it is; a rename does not call it.

    Raises:
        RequestError: the model cannot be loaded.
    """
    if isinstance(request, RenameRequest):
        return Renamer(service.workspace).run(request)
    return Rewriter(service).run(request, progress)

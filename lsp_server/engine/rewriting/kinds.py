"""Decides whether a rewrite is a rename, which the checker does, or anything else, which the model does; and runs it.

The command line and the server ask here: `names_to_rename`, then `request_of`, then `result_of`. Another kind of edit
would be a third type of request. Knows nothing of how a request is written, nor of how a result is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import declarations
from lsp_server.engine.rewriting.region import region_of, rename_in
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder import RewritingProgress
    from lsp_server.engine.rewriting.result import RewriteResult
    from lsp_server.engine.service import Service


def names_to_rename(
    instruction: str, given: tuple[str, str] | None = None, *, is_code: bool = True
) -> tuple[str, str] | None:
    """Old and new name if the request is a rename; None if the model is to follow the instruction.

    Args:
        given: The names, if they are given apart from the instruction (`--rename OLD=NEW`).
        is_code: False for plain text, in which nothing has a name: there the model reads `rename OLD to NEW`, too.
    """
    if given is not None or not is_code or (words := rename_in(instruction)) is None:
        return given
    return words.old, words.new


def request_of(
    rewrite: RewriteRequest, names: tuple[str, str] | None, *, place: int | None = None, takes_all: bool = False
) -> RenameRequest | RewriteRequest:
    """The request for a rename if there are names and code, else the request for the model.

    In `rename OLD to NEW in NAME`, the old name is looked for in what the file declares as NAME. If it declares nothing
    of this name, the model reads the instruction.

    Args:
        rewrite: The request for the model.
        names: What `names_to_rename` returned.
        place: See `RenameRequest.place`.
        takes_all: See `RenameRequest.takes_all`.
    """
    if names is None or rewrite.syntax is None:
        return rewrite
    (old, new), chosen, words = names, rewrite.chosen, rename_in(rewrite.instruction)
    if chosen is None and words is not None and words.within:
        if not declarations(rewrite.syntax, {words.within}):
            return rewrite
        chosen = region_of(rewrite.text, rewrite.syntax, words.within, None)
    return RenameRequest(rewrite.syntax, old, new, chosen, place, takes_all)


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

"""Which kind of rewrite is asked for, and who does it: the checker renames, the model does all else.

Every door asks here. Another kind of edit is a request of its own beside these two, chosen by `request_of` and done by
`result_of`. Knows nothing of how a request is written, nor of how a result is shown.
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
    """Old and new name where a rename is asked for; None where the model is to follow the instruction.

    Args:
        given: The names, where they are not said in the instruction (`--rename OLD=NEW`).
        is_code: False for plain text, in which nothing has a name: there the model reads `rename OLD to NEW`, too.
    """
    return given or (rename_in(instruction) if is_code else None)


def request_of(
    rewrite: RewriteRequest, names: tuple[str, str] | None, *, place: int | None = None, takes_all: bool = False
) -> RenameRequest | RewriteRequest:
    """What is asked for, as the request of its kind.

    Args:
        rewrite: What the model would be asked for.
        names: What `names_to_rename` found.
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
    """Do what is asked for; nothing is written to disk.

    Args:
        progress: Told how many tokens the model has written; a rename has none.

    Raises:
        RequestError: the model cannot be loaded.
    """
    if isinstance(request, RenameRequest):
        return Renamer(service.workspace).run(request)
    return Rewriter(service).run(request, progress)

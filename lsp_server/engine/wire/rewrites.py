"""Rewrites and renames as JSON; docs/answers.md has the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder import TokenOrigin
from lsp_server.engine.rewriting.outcome import RewriteResult
from lsp_server.engine.wire import error_as_json

if TYPE_CHECKING:
    from lsp_server.engine.wire import Json
    from lsp_server.errors import RequestError


def as_json(done: RewriteResult, *, first_line: int) -> dict[str, Json]:
    """The fields of a rewrite without its texts: an editor gets these as edits.

    Args:
        first_line: The number of a file's first line: 1 for the command line, 0 for LSP.
    """
    return {
        **{str(kind): done.counts[kind] for kind in TokenOrigin},
        "verified": str(done.verified),
        "probability": None if done.probability is None else round(done.probability, 4),
        "doubts": list(done.doubts),
        "notes": list(done.notes),
        "perhaps": [{"path": place.path, "line": place.line + first_line, "why": place.why} for place in done.perhaps],
        "latency_ms": round(done.latency_ms, 2),
    }


def answered(request_id: Json, done: RewriteResult, *, explain: bool) -> dict[str, Json]:
    """The command line's answer: all fields of a rewrite. If it failed, `text` is the unchanged file.

    Args:
        explain: Whether the forwards and the text of a failed attempt are added.
    """
    answer: dict[str, Json] = {
        "id": request_id,
        "text": done.text,
        **as_json(done, first_line=1),
        "changes": {} if done.failed else {path: after for path, (_, after) in done.changes.items()},
        "error": {"code": str(done.failed), "message": done.reason} if done.failed else None,
    }
    if explain:
        answer |= {"forwards": done.forwards, "attempt": done.attempt if done.failed else None}
    return answer


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The answer where nothing was rewritten, as the request could not be served."""
    answer = answered(request_id, RewriteResult(text="", attempt=""), explain=False)
    return answer | {"error": error_as_json(error)}

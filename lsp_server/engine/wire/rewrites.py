"""Rewrites and renames as JSON; docs/answers.md has the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder import TokenOrigin
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.engine.wire import error_as_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsp_server.engine.rewriting.result import PerhapsPlace
    from lsp_server.engine.wire import Json
    from lsp_server.errors import RequestError


def as_json(result: RewriteResult, *, first_line: int) -> dict[str, Json]:
    """The fields of a rewrite without its texts: an editor gets these as edits.

    Args:
        first_line: The number of a file's first line: 1 for the command line, 0 for LSP.
    """
    return {
        **{str(kind): result.counts[kind] for kind in TokenOrigin},
        "verified": str(result.verified),
        "probability": None if result.probability is None else round(result.probability, 4),
        "doubts": list(result.doubts),
        "notes": list(result.notes),
        "perhaps": _places(result.rename.perhaps, first_line),
        "guessed": _places(result.rename.guessed, first_line),
        "latency_ms": round(result.latency_ms, 2),
    }


def _places(places: Iterable[PerhapsPlace], first_line: int) -> list[Json]:
    return [{"path": place.path, "line": place.line + first_line, "why": place.why} for place in places]


def answered(request_id: Json, result: RewriteResult, *, explain: bool) -> dict[str, Json]:
    """The command line's answer: all fields of a rewrite. If it failed, `text` is the unchanged file.

    Args:
        explain: Whether the forwards and the text of a failed attempt are added.
    """
    answer: dict[str, Json] = {
        "id": request_id,
        "text": result.text,
        **as_json(result, first_line=1),
        "changes": {} if result.failure else {path: after for path, (_, after) in result.rename.changes.items()},
        "error": {"code": str(result.failure), "message": result.reason} if result.failure else None,
    }
    if explain:
        answer |= {"forwards": result.forwards, "attempt": result.attempted_text if result.failure else None}
    return answer


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The answer where nothing was rewritten, as the request could not be served."""
    answer = answered(request_id, RewriteResult(text="", attempted_text=""), explain=False)
    return answer | {"error": error_as_json(error)}

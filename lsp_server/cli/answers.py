"""Suggestions, edits and ranges as JSON for programs; docs/answers.md documents the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Document, Edit
    from decoder import TokenTrace
    from lsp_server.errors import RequestError
    from lsp_server.suggestion import Suggestion

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def answered(request_id: Json, suggestion: Suggestion, document: Document, *, explain: bool) -> dict[str, Json]:
    """A suggestion, shown or withheld; without `explain`, the fields are always the same."""
    first = suggestion.first_token_ms
    answer: dict[str, Json] = {
        "id": request_id,
        "text": suggestion.text,
        "replaces": suggestion.replaces,
        "verified": str(suggestion.verified),
        "unverified": list(suggestion.unverified),
        "probability": round(suggestion.probability, 4),
        "alternatives": [
            one.text
            for one in suggestion.alternatives
            if (one.replaces, one.additional_edits) == (suggestion.replaces, suggestion.additional_edits)
        ],
        "stop": str(suggestion.stop),
        "tokens": suggestion.tokens,
        "latency_ms": round(suggestion.latency_ms, 2),
        "first_token_ms": None if first is None else round(first, 2),
        "withheld": None if suggestion.withheld is None else str(suggestion.withheld),
        "unlisted": list(suggestion.unlisted),
        "additional_edits": [edit_as_json(edit, document) for edit in suggestion.additional_edits],
        "error": None,
    }
    if explain:
        answer |= {
            "notes": list(suggestion.notes),
            "reason": suggestion.reason,
            "withheld_text": suggestion.withheld_text,
            "rejected": [{"text": text, "reason": reason} for text, reason in suggestion.rejected],
            "trace": [_step(step) for step in suggestion.trace],
        }
    return answer


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The answer to a request that could not be served; it has the fields of `answered`."""
    return {
        "id": request_id,
        "text": "",
        "replaces": 0,
        "verified": "none",
        "unverified": [],
        "probability": 0.0,
        "alternatives": [],
        "stop": "none",
        "tokens": 0,
        "latency_ms": 0.0,
        "first_token_ms": None,
        "withheld": None,
        "unlisted": [],
        "additional_edits": [],
        "error": {"code": str(error.code), "message": error.message},
    }


def edit_as_json(edit: Edit, document: Document) -> Json:
    """An edit, with its range in the document before it."""
    return range_as_json(edit.start, edit.end, document) | {"text": edit.text}


def range_as_json(start: int, end: int, document: Document) -> dict[str, Json]:
    """A range: lines and columns from 1, columns in code points."""
    first, last = document.position(start), document.position(end)
    return {
        "line": first.line + 1,
        "column": first.column + 1,
        "end_line": last.line + 1,
        "end_column": last.column + 1,
    }


def _step(step: TokenTrace) -> Json:
    return {
        "token": step.text,
        "logprob": round(step.logprob, 4),
        "favourite": step.favourite,
        "walked": step.walked,
        "prior": round(step.prior, 4),
        "unlisted": list(step.unlisted),
        "refused": [
            {"token": token, "rule": str(refusal.rule), "what": refusal.what} for token, refusal in step.refused
        ],
    }

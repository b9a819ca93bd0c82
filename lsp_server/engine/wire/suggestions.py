"""Suggestions as JSON; docs/answers.md has the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.engine.wire import error_as_json
from lsp_server.engine.wire.span_writer import LineSpanWriter

if TYPE_CHECKING:
    from context_index import Document
    from decoder import TokenTrace
    from lsp_server.engine.suggestion import Suggestion
    from lsp_server.engine.wire import Json
    from lsp_server.errors import RequestError


def answered(request_id: Json, suggestion: Suggestion, document: Document, *, explain: bool) -> dict[str, Json]:
    """A suggestion, shown or withheld; `explain` adds the fields that say how it came about."""
    first_ms, spans = suggestion.first_token_ms, LineSpanWriter(document)
    answer: dict[str, Json] = {
        "id": request_id,
        "text": suggestion.text,
        "replaces": suggestion.replaces,
        "verified": str(suggestion.verified),
        "unverified": list(suggestion.unverified),
        "unfinished": suggestion.is_unfinished,
        "probability": round(suggestion.probability, 4),
        "alternatives": [
            other.text
            for other in suggestion.alternatives
            if (other.replaces, other.additional_edits) == (suggestion.replaces, suggestion.additional_edits)
        ],
        "stop": str(suggestion.stop),
        "tokens": suggestion.tokens,
        "latency_ms": round(suggestion.latency_ms, 2),
        "first_token_ms": None if first_ms is None else round(first_ms, 2),
        "withheld": None if suggestion.withheld is None else str(suggestion.withheld),
        "unlisted": list(suggestion.unlisted),
        "additional_edits": [spans.edit(edit) for edit in suggestion.additional_edits],
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
    """The answer to a request that could not be served; it has the fields of `answered` without `explain`."""
    return {
        "id": request_id,
        "text": "",
        "replaces": 0,
        "verified": "none",
        "unverified": [],
        "unfinished": False,
        "probability": 0.0,
        "alternatives": [],
        "stop": "none",
        "tokens": 0,
        "latency_ms": 0.0,
        "first_token_ms": None,
        "withheld": None,
        "unlisted": [],
        "additional_edits": [],
        "error": error_as_json(error),
    }


def _step(step: TokenTrace) -> Json:
    """How one token was chosen."""
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

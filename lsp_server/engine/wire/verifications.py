"""Whether a text may be inserted at a place, as JSON; docs/verification.md has the fields.

`inscope verify` and `inscope/verify` share it: read the candidate, have it verified, write the answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import Edit
from lsp_server.engine.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified
from lsp_server.engine.wire import error_as_json
from lsp_server.engine.wire.sources import checked_text
from lsp_server.engine.wire.span_writer import LineSpanWriter
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.wording import counted

if TYPE_CHECKING:
    from context_index import Document, Syntax
    from lsp_server.engine.verification import Rejection, Verification, Verifier
    from lsp_server.engine.wire import Json
    from lsp_server.engine.wire.span_writer import SpanWriter


@dataclass(frozen=True, slots=True)
class VerificationAnswer:
    """A verifier's result, with what is needed to write it down."""

    verification: Verification
    candidate: Candidate
    document: Document
    """The document without the candidate."""
    latency_ms: float

    @property
    def after(self) -> Document:
        """The document with the candidate in it, but without the imports that it brings."""
        start, text = self.candidate.offset, self.candidate.text
        return self.document.edited([Edit(start, start + self.candidate.replaces, text)], self.document.revision)

    @property
    def unverified(self) -> list[str]:
        """The members of the candidate that have no known definition."""
        if not isinstance(self.verification, Verified):
            return []
        return [self.candidate.spelled(self.document, member) for member in self.verification.unverified]


def answer_about(verifier: Verifier, syntax: Syntax, candidate: Candidate) -> VerificationAnswer:
    """Have a candidate verified in a document; blocks until the checker has answered."""
    started = time.perf_counter()
    verification = verifier.verify(syntax, candidate)
    return VerificationAnswer(verification, candidate, syntax.document, (time.perf_counter() - started) * 1e3)


def as_json(answer: VerificationAnswer, before: SpanWriter, after: SpanWriter) -> dict[str, Json]:
    """The fields of an answer but for `id` and `error`.

    Args:
        before: Writes spans of the document as it is.
        after: Writes spans of the document with the candidate in it.
    """
    result = unserved() | {"latency_ms": round(answer.latency_ms, 2)}
    match answer.verification:
        case Verified(level, repaired, _, elsewhere):  # _: the places of the members in `answer.unverified`
            result["verified"] = str(level)
            result["unverified"] = list(answer.unverified)
            result["additional_edits"] = [before.edit(edit) for edit in repaired.edits]
            result["elsewhere"] = [_rejection(error, after) for error in elsewhere]
        case Rejected(rejections, elsewhere):
            result["rejections"] = [_rejection(error, after) for error in rejections]
            result["elsewhere"] = [_rejection(error, after) for error in elsewhere]
        case Unverified(why, level):
            result |= {"verified": str(level), "reason": why}
        case Unanswered(why):
            result["reason"] = why
    return result


def unserved(why: str | None = None) -> dict[str, Json]:
    """The same fields where no checker was asked; `why` is the reason."""
    lists: dict[str, Json] = {name: [] for name in ("rejections", "unverified", "additional_edits", "elsewhere")}
    return {"verified": str(Level.NONE), **lists, "reason": why, "latency_ms": 0.0}


def answered(request_id: Json, answer: VerificationAnswer) -> dict[str, Json]:
    """The command line's answer about one text."""
    return {
        "id": request_id,
        **as_json(answer, LineSpanWriter(answer.document), LineSpanWriter(answer.after)),
        "error": None,
    }


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The command line's answer to a request that could not be served."""
    return {"id": request_id, **unserved(), "error": error_as_json(error)}


def _rejection(rejection: Rejection, after: SpanWriter) -> dict[str, Json]:
    error: dict[str, Json] = {"code": rejection.code, "message": rejection.message}
    return error | after.span(rejection.start, rejection.end) | {"inside": rejection.inside is not None}


def candidate_of(fields: dict[str, Json], offset: int) -> Candidate:
    """The text that a request wants to insert at an offset, and how many characters after the offset it replaces.

    Raises:
        RequestError: either is of another type.
    """
    text, replaces = fields.get("insert"), fields.get("replaces", 0)
    if not isinstance(text, str):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'insert' must be a string")
    if not isinstance(replaces, int) or isinstance(replaces, bool) or replaces < 0:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'replaces' must be a whole number from 0")
    return Candidate(offset, text, replaces)


def check_candidate(syntax: Syntax, file: str, candidate: Candidate) -> None:
    """Check that a text may be at its place.

    Raises:
        RequestError: it replaces more than the document has, or the document would be too large or not valid with it.
    """
    text, start, end = syntax.document.text, candidate.offset, candidate.offset + candidate.replaces
    if end > len(text):
        following = counted(len(text) - start, "character follows", "characters follow")
        why = f"'replaces' is {candidate.replaces}, and {following} the place"
        raise RequestError(ErrorCode.POSITION_OUTSIDE, why)
    checked_text(text[:start] + candidate.text + text[end:], file)

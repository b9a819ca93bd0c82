"""`inscope verify`: whether a text may be inserted at a place, by the language's own compiler. Needs no model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from context_index import Edit
from lsp_server.cli.answers import edit_as_json, range_as_json
from lsp_server.cli.batch import answer_lines, batch_lines, line_of
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.files import checked_text, syntax_at
from lsp_server.cli.printing import print_json
from lsp_server.cli.workspace import workspace_of
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError
from lsp_server.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified, Verifier

if TYPE_CHECKING:
    from context_index import Document, Syntax
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.verification import Rejection, Verification


def run(arguments: Arguments) -> int:
    """Verify one text, or a batch: the exit code is 1 if the text is rejected, or a line could not be answered."""
    with workspace_of(arguments) as workspace:
        verifier = Verifier(workspace, opens=False)  # no line of a batch knows the text of another
        if arguments.batch is not None:
            return _batch(verifier, arguments.batch)
        return _one(verifier, arguments)


def _one(verifier: Verifier, arguments: Arguments) -> int:
    if arguments.place is None or arguments.text is None:
        raise NotUnderstoodError("give the text to insert with --text TEXT; see 'inscope verify --help'")
    syntax, offset = syntax_at(arguments.place)
    candidate = Candidate(offset, arguments.text, arguments.replaces)
    _check(syntax, arguments.place.file, candidate)
    with working("asking the checker"):
        answer = answer_about(verifier, syntax, candidate)
    if arguments.json:
        print_json(as_json(answer))
    else:
        console_for_answers().print(_rendered(answer), soft_wrap=True)
    return int(isinstance(answer.found, Rejected))


def _batch(verifier: Verifier, source: str) -> int:
    def answer(fields: dict[str, Json]) -> dict[str, Json]:
        line = line_of(fields)
        syntax, offset = syntax_at(line.place, line.text)
        candidate = Candidate(offset, *_inserted(fields))
        _check(syntax, line.place.file, candidate)
        return as_json(answer_about(verifier, syntax, candidate), fields.get("id"))

    with batch_lines(source) as lines:
        return answer_lines(lines, answer, failure)


def _inserted(fields: dict[str, Json]) -> tuple[str, int]:
    """The text of a line of a batch, and how many characters it replaces.

    Raises:
        RequestError: either is of another type.
    """
    text, replaces = fields.get("insert"), fields.get("replaces", 0)
    if not isinstance(text, str):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'insert' must be a string")
    if not isinstance(replaces, int) or isinstance(replaces, bool) or replaces < 0:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'replaces' must be a whole number from 0")
    return text, replaces


def _check(syntax: Syntax, file: str, candidate: Candidate) -> None:
    """Check that a text may be at its place.

    Raises:
        RequestError: it would replace more than the document has, or the document with it would not be served.
    """
    before, place, after = syntax.document.text, candidate.offset, candidate.offset + candidate.replaces
    if after > len(before):
        raise RequestError(
            ErrorCode.POSITION_OUTSIDE,
            f"'replaces' is {candidate.replaces}, and {len(before) - place} characters follow the place",
        )
    checked_text(before[:place] + candidate.text + before[after:], file)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verifier found about a candidate."""

    found: Verification
    candidate: Candidate
    document: Document
    """Without the candidate."""
    latency_ms: float

    @property
    def after(self) -> Document:
        """The document with the candidate in it."""
        start, text = self.candidate.offset, self.candidate.text
        return self.document.edited([Edit(start, start + self.candidate.replaces, text)], self.document.revision)

    @property
    def unverified(self) -> list[str]:
        """The members of the candidate that have no known definition."""
        if not isinstance(self.found, Verified):
            return []
        return [self.candidate.text[max(0, start) : end] for start, end in self.found.unverified]


def answer_about(verifier: Verifier, syntax: Syntax, candidate: Candidate) -> Answer:
    """Have a candidate verified in a document."""
    started = time.perf_counter()
    found = verifier.verify(syntax, candidate)
    return Answer(found, candidate, syntax.document, (time.perf_counter() - started) * 1e3)


def as_json(answer: Answer, request_id: Json = None) -> dict[str, Json]:
    """The answer for programs, as documented in docs/verification.md."""
    result = _blank(request_id) | {"latency_ms": round(answer.latency_ms, 2)}
    after = answer.after
    match answer.found:
        case Verified(level, repaired, _, elsewhere):
            result["verified"] = str(level)
            result["unverified"] = list(answer.unverified)
            result["additional_edits"] = [edit_as_json(edit, answer.document) for edit in repaired.edits]
            result["elsewhere"] = [_rejection(one, after) for one in elsewhere]
        case Rejected(rejections, elsewhere):
            result["rejections"] = [_rejection(one, after) for one in rejections]
            result["elsewhere"] = [_rejection(one, after) for one in elsewhere]
        case Unverified(why, level):
            result |= {"verified": str(level), "reason": why}
        case Unanswered(why):
            result["reason"] = why
    return result


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The answer to a question that could not be asked."""
    return _blank(request_id) | {"error": {"code": str(error.code), "message": error.message}}


def _blank(request_id: Json) -> dict[str, Json]:
    return {
        "id": request_id,
        "verified": str(Level.NONE),
        "rejections": [],
        "unverified": [],
        "additional_edits": [],
        "elsewhere": [],
        "reason": None,
        "latency_ms": 0.0,
        "error": None,
    }


def _rejection(found: Rejection, after: Document) -> dict[str, Json]:
    error: dict[str, Json] = {"code": found.code, "message": found.message}
    return error | range_as_json(found.start, found.end, after) | {"inside": found.inside is not None}


def _rendered(answer: Answer) -> Text:
    """The answer for people: the level, then a line for each error, member and import."""
    match answer.found:
        case Rejected(rejections):  # what a checker explains further, with its own paths, is in the JSON
            places = [answer.after.position(one.start) for one in rejections]
            lines = ["rejected"]
            lines += [
                f"  {place.line + 1}:{place.column + 1}  {one.message.splitlines()[0]} ({one.code})"
                for place, one in zip(places, rejections, strict=True)
            ]
        case Verified(level, repaired):
            lines = [f"accepted (verified: {level})"]
            lines += [f"  no definition is known of '{member}'" for member in answer.unverified]
            lines += [f"  with {edit.text.strip()}" for edit in repaired.edits]
        case Unverified(why, level):
            lines = [f"verified: {level}", f"  {why}"]
        case Unanswered(why):
            lines = [f"verified: {Level.NONE}", f"  {why}"]
    return Text("\n".join(lines))

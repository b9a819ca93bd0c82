"""`inscope verify`: whether a text may be inserted at a place, by the language's own compiler. Needs no model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.text import Text

from context_index import Edit
from lsp_server.cli.answers import edit_as_json, range_as_json
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.files import checked_text, syntax_at
from lsp_server.cli.printing import print_json
from lsp_server.cli.requests import answer_lines, batch_lines, line_of
from lsp_server.cli.workspace import workspace_of
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError
from lsp_server.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified, Verifier

if TYPE_CHECKING:
    from context_index import Document, Syntax
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.verification import Rejection


def run(arguments: Arguments) -> int:
    """Verify one text or a batch; the exit code is 0 where the question was answered, whatever the answer is."""
    with workspace_of(arguments) as workspace:
        verifier = Verifier(workspace, opens=False)  # no line of a batch knows the text of another
        if arguments.batch is not None:
            return _batch(verifier, arguments.batch)
        return _one(verifier, arguments)


def _one(verifier: Verifier, arguments: Arguments) -> int:
    if arguments.place is None or arguments.text is None:
        raise NotUnderstoodError("give the text to insert with --text TEXT; see 'inscope verify --help'")
    syntax, offset = syntax_at(arguments.place)
    candidate = _placed(syntax, arguments.place.file, Candidate(offset, arguments.text, arguments.replaces))
    with working("asking the checker"):
        answer = answered(verifier, None, syntax, candidate)
    if arguments.json:
        print_json(answer)
    else:
        console_for_answers().print(_rendered(answer), soft_wrap=True)
    return 0


def _batch(verifier: Verifier, source: str) -> int:
    def answer(fields: dict[str, Json]) -> dict[str, Json]:
        line = line_of(fields)
        syntax, offset = syntax_at(line.place, line.text)
        candidate = _placed(syntax, line.place.file, Candidate(offset, *_inserted(fields)))
        return answered(verifier, fields.get("id"), syntax, candidate)

    with batch_lines(source) as lines:
        return answer_lines(lines, answer, lambda request_id, error: failure(error, request_id))


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


def _placed(syntax: Syntax, file: str, candidate: Candidate) -> Candidate:
    """A text at its place, if it may be there.

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
    return candidate


def answered(verifier: Verifier, request_id: Json, syntax: Syntax, candidate: Candidate) -> dict[str, Json]:
    """The answer about a candidate, as documented in docs/verification.md."""
    started = time.perf_counter()
    found = verifier.verify(syntax, candidate)
    answer = failure(None, request_id)
    answer["latency_ms"] = round((time.perf_counter() - started) * 1e3, 2)
    document = syntax.document
    after = document.edited(
        [Edit(candidate.offset, candidate.offset + candidate.replaces, candidate.text)], document.revision
    )
    match found:
        case Verified(level, repaired, unverified, elsewhere):
            answer["verified"] = str(level)
            answer["unverified"] = [candidate.text[max(0, start) : end] for start, end in unverified]
            answer["additional_edits"] = [edit_as_json(edit, document) for edit in repaired.edits]
            answer["elsewhere"] = [_rejection(one, after) for one in elsewhere]
        case Rejected(rejections, elsewhere):
            answer["verified"] = str(Level.NONE)
            answer["rejections"] = [_rejection(one, after) for one in rejections]
            answer["elsewhere"] = [_rejection(one, after) for one in elsewhere]
        case Unverified(why, level):
            answer |= {"verified": str(level), "reason": why}
        case Unanswered(why):
            answer |= {"verified": str(Level.NONE), "reason": why}
    return answer


def failure(error: RequestError | None, request_id: Json = None) -> dict[str, Json]:
    """An answer without a verification."""
    return {
        "id": request_id,
        "verified": str(Level.NONE),
        "rejections": [],
        "unverified": [],
        "additional_edits": [],
        "elsewhere": [],
        "reason": None,
        "latency_ms": 0.0,
        "error": None if error is None else {"code": str(error.code), "message": error.message},
    }


def _rejection(found: Rejection, after: Document) -> dict[str, Json]:
    error: dict[str, Json] = {"code": found.code, "message": found.message}
    return error | range_as_json(found.start, found.end, after) | {"inside": found.inside is not None}


def _accepted(answer: dict[str, Json]) -> str:
    level = answer["verified"]
    return f"verified: {level}" if answer["reason"] else f"accepted (verified: {level})"


def _rendered(answer: dict[str, Json]) -> Text:
    """The answer for people: the level, then a line for each error, member and import."""
    rejections, unverified, edits = answer["rejections"], answer["unverified"], answer["additional_edits"]
    assert isinstance(rejections, list)  # noqa: S101 -- we made it
    assert isinstance(unverified, list)  # noqa: S101 -- likewise
    assert isinstance(edits, list)  # noqa: S101 -- likewise
    lines = ["rejected" if rejections else _accepted(answer)]
    if answer["reason"]:
        lines.append(f"  {answer['reason']}")
    for one in rejections:
        assert isinstance(one, dict)  # noqa: S101 -- likewise
        lines.append(f"  {one['line']}:{one['column']}  {one['message']} ({one['code']})")
    lines += [f"  no definition is known of '{member}'" for member in unverified]
    lines += [f"  with {str(edit['text']).strip()}" for edit in edits if isinstance(edit, dict)]
    return Text("\n".join(lines))

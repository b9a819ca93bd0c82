"""`inscope verify`: whether a text may be inserted at a place, by the language's own compiler. Needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from lsp_server.cli.batch import answer_lines, batch_lines
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.printing import print_json
from lsp_server.cli.workspace import workspace_of
from lsp_server.engine.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified, Verifier
from lsp_server.engine.wire.requests import line_of
from lsp_server.engine.wire.sources import syntax_at
from lsp_server.engine.wire.verifications import answer_about, answered, candidate_of, check_candidate, failure
from lsp_server.errors import NotUnderstoodError

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.wire import Json
    from lsp_server.engine.wire.verifications import VerificationAnswer


def run(arguments: Arguments) -> int:
    """Verify one text, or a batch; the exit code is 1 if the text is rejected, or a line could not be served."""
    with workspace_of(arguments) as workspace:
        verifier = Verifier(workspace, opens=False)  # no line of a batch knows the text of another
        if arguments.batch is not None:
            return _answer_batch(verifier, arguments.batch)
        return _verify_text(verifier, arguments)


def _verify_text(verifier: Verifier, arguments: Arguments) -> int:
    if arguments.place is None or arguments.text is None:
        raise NotUnderstoodError("give the text to insert with --text TEXT; see 'inscope verify --help'")
    syntax, offset = syntax_at(arguments.place)
    candidate = Candidate(offset, arguments.text, arguments.replaces)
    check_candidate(syntax, arguments.place.file, candidate)
    with working("asking the checker"):
        answer = answer_about(verifier, syntax, candidate)
    if arguments.json:
        print_json(answered(None, answer))
    else:
        console_for_answers().print(_rendered(answer), soft_wrap=True)
    return int(isinstance(answer.verification, Rejected))


def _answer_batch(verifier: Verifier, source: str) -> int:
    def answer(fields: dict[str, Json]) -> dict[str, Json]:
        line = line_of(fields)
        syntax, offset = syntax_at(line.place, line.text)
        candidate = candidate_of(fields, offset)
        check_candidate(syntax, line.place.file, candidate)
        return answered(fields.get("id"), answer_about(verifier, syntax, candidate))

    with batch_lines(source) as lines:
        return answer_lines(lines, answer, failure)


def _rendered(answer: VerificationAnswer) -> Text:
    """The answer for people: the level, then a line for each error, member and import."""
    match answer.verification:
        case Rejected(rejections):  # only first lines of messages: the JSON has what a checker explains further
            places = [answer.after.position(error.start) for error in rejections]
            lines = ["rejected"]
            lines += [
                f"  {place.line + 1}:{place.column + 1}  {error.message.splitlines()[0]} ({error.code})"
                for place, error in zip(places, rejections, strict=True)
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

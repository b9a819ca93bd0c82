"""`inscope generate`: has the model write a text as a program allows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from decoder import DraftPolicy, NotAccepted, Prediction, ProgramError, ProgramTask, TokenOrigin, write
from lsp_server.cli.command_service import service_of
from lsp_server.cli.console import note, working
from lsp_server.cli.printing import print_json, print_text
from lsp_server.cli.programs import context_at, program_of
from lsp_server.engine.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified
from lsp_server.engine.wire.sources import read_text
from lsp_server.settings.engine import sampling
from lsp_server.wording import counted

if TYPE_CHECKING:
    from context_index import Syntax
    from decoder import ProgramResult, TokenTrace
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.service import Service
    from lsp_server.engine.wire import Json


class _Judge:
    """Has the language's own checker judge texts at a place, one after the other; keeps what it said of the last one.

    Args:
        syntax: The file with the place; None if the text has no place, or is held to the program only
            (`--no-constraint`). Then every text is accepted.
        offset: The place in the file.
    """

    def __init__(self, service: Service, syntax: Syntax | None, offset: int) -> None:
        self._baseline = None if syntax is None else service.verifier.baseline(syntax)
        self._offset = offset
        self.level = Level.NONE
        """The level at which the last text was verified."""
        self.note = ""
        """Why the last text was rejected, or was not judged by a checker; empty if it was accepted by one."""

    def verify(self, text: str) -> NotAccepted | None:
        """See `decoder.search.Verify`; sets `level` and `note`."""
        if self._baseline is None:
            return None
        self.level, self.note = Level.NONE, ""
        match self._baseline.verify(Candidate(self._offset, text)):
            case Rejected(rejections):
                message, _, _ = rejections[0].message.partition("\n")
                self.note = f"{message} ({rejections[0].code})"
                return NotAccepted()
            case Verified(level):
                self.level = level
            case Unverified(why, level):
                self.level, self.note = level, f"No checker judged it: {why}."
            case Unanswered(why):
                self.note = f"No checker judged it: {why}."
        return None


def run(arguments: Arguments) -> int:
    """Print the text, or with `--json` the whole answer; notes and the trace go to standard error."""
    result, judge = _generate(arguments)
    if arguments.json:
        print_json(_answer(result, judge, traced=arguments.trace))
        return 0
    print_text(result.text)
    if arguments.trace:
        for step in result.trace:
            note(_trace_line(step))
    if judge.note:
        note(judge.note)
    counts = ", ".join(f"{kind} {getattr(result.counts, kind)}" for kind in TokenOrigin)
    drafted = "" if arguments.predicted is None else f" ({counts})"
    ended = ", ended at the limit of tokens" if result.closed else ""
    note(f"{counted(result.tokens, 'token')}{drafted} in {result.seconds:.2f} s{ended}", "dim")
    return 0


def _generate(arguments: Arguments) -> tuple[ProgramResult, _Judge]:
    """Run the program; returns its result, and the judge with the level and the note about the result's text.

    Raises:
        RequestError: the program is not there or fails, or no text is accepted.
    """
    with service_of(arguments) as service:
        symbols, syntax, offset = context_at(arguments, service.workspace)
        text = "" if syntax is None else syntax.document.text
        is_held_to_place = not arguments.no_constraint
        with program_of(arguments, symbols) as program:
            task = ProgramTask(
                program,
                prompt=arguments.comment,
                prefix=text[:offset],
                suffix=text[offset:],
                symbols=symbols if is_held_to_place else None,
                sampling=sampling(arguments.settings),
                max_tokens=arguments.program_tokens,
                prediction=_prediction(arguments),
            )
            program.constraint()  # what fails at once need not wait for the model
            judge = _Judge(service, syntax if is_held_to_place else None, offset)
            try:
                with working("writing"):
                    result = service.host.submit(lambda model: write(model, task, verify=judge.verify)).result()
            except ProgramError as error:
                raise ProgramError(f"{error}: {judge.note}" if judge.note else str(error)) from error
    if not result.text:
        judge.note = judge.note or "The program wrote nothing: only parts that it awaits are written."
    return result, judge


def _prediction(arguments: Arguments) -> Prediction | None:
    """The expected text, from the file that `--draft` names."""
    if arguments.predicted is None:
        return None
    text = read_text(Path(arguments.predicted).absolute(), arguments.predicted)
    return Prediction(text, DraftPolicy(arguments.policy), arguments.lookahead, arguments.recovery)


def _trace_line(step: TokenTrace) -> str:
    """A token with the natural logarithm of its probability, and the model's favourite if that is another one."""
    refused = f", {len(step.refused)} refused first" if step.refused else ""
    wanted = f", wanted {_named(step.favourite)}" if step.favourite != step.text else ""
    return f"{_named(step.text)} {step.logprob:.2f}{wanted}{refused}"


def _named(token: str) -> str:
    """A token as it is printed; the empty one ends the text."""
    return repr(token) if token else "(end of text)"


def _answer(result: ProgramResult, judge: _Judge, *, traced: bool) -> dict[str, Json]:
    """The fields of the answer; docs/programs.md has them."""
    trace: list[Json] = [
        {"text": step.text, "logprob": step.logprob, "favourite": step.favourite} for step in result.trace
    ]
    return {
        "text": result.text,
        "closed": result.closed,
        "verified": str(judge.level),
        "notes": [judge.note] if judge.note else [],
        "tokens": result.tokens,
        **{str(kind): getattr(result.counts, kind) for kind in TokenOrigin},
        "latency_ms": round(result.seconds * 1000, 2),
        **({"trace": trace} if traced else {}),
        "error": None,
    }

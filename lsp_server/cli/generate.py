"""`inscope generate`: what a model writes where a program says what may be written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from decoder import Kind, Policy, Prediction, ProgramTask, SamplingOptions, write
from lsp_server.cli.console import console_for_notes, working
from lsp_server.cli.files import read_text
from lsp_server.cli.opening import service_of
from lsp_server.cli.printing import print_json, print_text
from lsp_server.cli.programs import context_at, program_of

if TYPE_CHECKING:
    from decoder import TokenTrace, Written
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Write the text to standard output, and nothing else."""
    written = _written(arguments)
    if arguments.json:
        print_json(_answer(written, traced=arguments.trace))
        return 0
    print_text(written.text)
    notes = console_for_notes()
    if arguments.trace:
        for step in written.trace:
            notes.print(_line(step), markup=False, highlight=False, soft_wrap=True)
    ended = ", brought to its end" if written.closed else ""
    counts = ", ".join(f"{kind} {getattr(written.counts, kind)}" for kind in Kind)
    drafted = "" if arguments.predicted is None else f" ({counts})"
    notes.print(f"{written.tokens} tokens{drafted} in {written.seconds:.2f} s{ended}", style="dim")
    return 0


def _written(arguments: Arguments) -> Written:
    with (
        context_at(arguments) as (symbols, syntax, offset),
        program_of(arguments, symbols) as program,
        service_of(arguments) as service,
    ):
        text = "" if syntax is None else syntax.document.text
        task = ProgramTask(
            program,
            arguments.said,
            text[:offset],
            text[offset:],
            None if arguments.no_constraint else symbols,
            SamplingOptions(arguments.temperature, arguments.top_p, arguments.seed),
            arguments.max_tokens,
            _prediction(arguments),
        )
        program.constraint()  # what fails at once need not wait for the model
        with working("writing"):
            return service.host.submit(lambda model: write(model, task)).result()


def _prediction(arguments: Arguments) -> Prediction | None:
    if arguments.predicted is None:
        return None
    text = read_text(Path(arguments.predicted).absolute(), arguments.predicted)
    return Prediction(text, Policy(arguments.policy), arguments.lookahead, arguments.recovery)


def _line(step: TokenTrace) -> str:
    refused = f", {len(step.refused)} refused first" if step.refused else ""
    wanted = f", wanted {_named(step.favourite)}" if step.favourite != step.text else ""
    return f"{_named(step.text)} {step.logprob:.2f}{wanted}{refused}"


def _named(token: str) -> str:
    return repr(token) if token else "(end of text)"


def _answer(written: Written, *, traced: bool) -> dict[str, Json]:
    trace: list[Json] = [
        {"text": step.text, "logprob": step.logprob, "favourite": step.favourite} for step in written.trace
    ]
    return {
        "text": written.text,
        "closed": written.closed,
        "tokens": written.tokens,
        **{str(kind): getattr(written.counts, kind) for kind in Kind},
        "latency_ms": round(written.seconds * 1000, 2),
        **({"trace": trace} if traced else {}),
        "error": None,
    }

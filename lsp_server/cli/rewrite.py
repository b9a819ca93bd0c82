"""`inscope rewrite`: one file for a person, or many for a program."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from decoder import Kind, Policy, SamplingOptions
from lsp_server.cli.atomic import replace_text, write_text
from lsp_server.cli.complete import batch_lines
from lsp_server.cli.console import console_for_answers, console_for_notes, counting
from lsp_server.cli.faults import unexpected
from lsp_server.cli.files import read_source, syntax_at
from lsp_server.cli.opening import service_of
from lsp_server.cli.place import Place
from lsp_server.cli.printing import print_json
from lsp_server.cli.render_rewrite import coloured, difference, drafted, summary
from lsp_server.cli.requests import Raw, fields_of, source_of
from lsp_server.cli.rewrite_html import page
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of
from lsp_server.rewriting.rewrite import Rewriter, RewriteRequest

if TYPE_CHECKING:
    from context_index import Syntax
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments
    from lsp_server.rewriting.rewrite import Rewritten
    from lsp_server.service import Service

USAGE = 2
FAILED = 1


def run(arguments: Arguments) -> int:
    """Rewrite, and say with the exit code whether it could be done."""
    if arguments.batch is not None:
        alone = ("lines", "html", "instruction", "write", "diff", "show_draft")
        if wrong := next((name for name in alone if getattr(arguments, name)), None):
            return _misused(f"--{wrong.replace('_', '-')} is for one file, not for --batch")
        return _batch(arguments, arguments.batch)
    if not (arguments.instruction or "").strip():
        return _misused('say what is to change: --instruction "..."')
    assert arguments.file is not None  # noqa: S101 - the parser wants a file or a batch
    return _one(arguments, arguments.file)


def _misused(sentence: str) -> int:
    print(f"error: {sentence}; see 'inscope rewrite --help'", file=sys.stderr)  # noqa: T201 - as the parser would
    return USAGE


def _one(arguments: Arguments, file: str) -> int:
    syntax, _ = syntax_at(Place(file, 1, 1))
    draft = _draft(arguments.draft, syntax)
    _check_page(arguments.html, file)
    with service_of(arguments) as service:
        done = _rewritten(arguments, service, syntax, draft, arguments.instruction or "")
    if arguments.write and done.failed is None:
        replace_text(Path(file), syntax.document.text, done.text)
    if arguments.html is not None:
        _write_page(arguments.html, page(done, file))
    if arguments.json:
        print_json(answered(None, done, explain=arguments.explain))
    else:
        _show(arguments, done, syntax.document.text, file)
    return FAILED if done.failed else 0


def _check_page(html: Path | None, file: str) -> None:
    """What would keep the page from being written is told before minutes of work, and never costs the source."""
    if html is None:
        return
    if html.resolve() == Path(file).resolve():
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"--html would replace '{file}' itself; name another file")
    if stat.S_ISDIR(mode_of(html, str(html))):
        raise RequestError(ErrorCode.IS_DIRECTORY, f"'{html}' is a directory; name a file in it")
    if not stat.S_ISDIR(mode_of(html.parent, str(html.parent))):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{html}': there is no directory '{html.parent}'")


def _write_page(html: Path, text: str) -> None:
    try:
        write_text(html, text)
    except OSError as error:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{html}': {error.strerror or error}") from error


def _show(arguments: Arguments, done: Rewritten, before: str, file: str) -> None:
    console, notes = console_for_answers(), console_for_notes()
    if arguments.show_draft:
        console.print(drafted(done, console), soft_wrap=True)
    elif done.forwards and (not arguments.write or done.failed):  # else nothing was written that could be shown
        changes = difference(before, done.attempt, file)
        shown = notes if done.failed else console  # what failed is no patch for `> change.patch`
        if shown.is_terminal:
            shown.print(coloured(changes), soft_wrap=True, end="")
        else:
            shown.file.writelines(changes)
    if done.failed:
        notes.print(f"failed attempt, nothing was changed: {done.reason}", style="red", soft_wrap=True)
    elif done.text == before:
        notes.print("nothing was changed: the model wrote the text as it was")
    elif arguments.write:
        notes.print(f"{file} was written", markup=False, highlight=False, soft_wrap=True)
    notes.print(summary(done), style="dim")
    for note in done.notes:
        notes.print(note, style="dim", soft_wrap=True)


def _batch(arguments: Arguments, source: str) -> int:
    failures = 0
    with batch_lines(source) as lines, service_of(arguments) as service:
        for number, raw in enumerate(lines, 1):
            if raw.strip():
                answer = _answer(arguments, service, Raw(number, raw))
                failures += answer["error"] is not None
                print_json(answer)
    return FAILED if failures else 0


def failure(error: RequestError) -> dict[str, Json]:
    """What `--json` prints where the one file could not be rewritten."""
    return _failed(None, error)


def _answer(arguments: Arguments, service: Service, raw: Raw) -> dict[str, Json]:
    """The answer to one line, whatever is wrong with it."""
    request_id: Json = None
    try:
        fields = fields_of(raw)
        request_id = fields.get("id")
        file, text, instruction = _asked(fields)
        syntax, _ = syntax_at(Place(file, 1, 1), text)
        done = _rewritten(arguments, service, syntax, _draft(arguments.draft, syntax), instruction)
        return answered(request_id, done, explain=arguments.explain)
    except RequestError as error:
        return _failed(request_id, error)
    except Exception as error:  # noqa: BLE001 - one line's fault is its own answer; the others get theirs
        return _failed(request_id, RequestError(ErrorCode.INTERNAL, unexpected(error)))


def _asked(fields: dict[str, Json]) -> tuple[str, str | None, str]:
    file, text = source_of(fields)
    instruction = fields.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'instruction' must say what is to change")
    return file, text, instruction


def _rewritten(
    arguments: Arguments, service: Service, syntax: Syntax, draft: str | None, instruction: str
) -> Rewritten:
    start, end = _selection(syntax, arguments.lines)
    request = RewriteRequest(
        syntax=syntax,
        instruction=instruction,
        start=start,
        end=end,
        draft=draft,
        policy=Policy.PLAIN if draft is None else Policy.ALIGNED,
        sampling=SamplingOptions(arguments.temperature, arguments.top_p, arguments.seed),
        constrained=not arguments.no_constraint,
        deadline_ms=arguments.deadline_ms,
    )
    try:
        with counting("tokens") as bar:
            return Rewriter(service).run(request, lambda now: bar(now.written, max(now.written, now.expected)))
    except KeyboardInterrupt:
        request.cancel.set()  # else the model's thread would go on to the end of its slice
        raise


def _selection(syntax: Syntax, lines: tuple[int, int] | None) -> tuple[int, int]:
    document = syntax.document
    if lines is None:
        return 0, len(document.text)
    first, last = lines
    count = len(document.lines)
    if last > count:
        raise RequestError(ErrorCode.POSITION_OUTSIDE, f"there is no line {last}; the file has {count}")
    return document.lines[first - 1], document.lines[last] if last < count else len(document.text)


def _draft(said: str, syntax: Syntax) -> str | None:
    if said == "none":
        return None
    return syntax.document.text if said == "file" else read_source(Path(said).absolute(), said)


def answered(request_id: Json, done: Rewritten, *, explain: bool) -> dict[str, Json]:
    """A rewrite as JSON; `text` is the file as it was where the attempt failed."""
    answer: dict[str, Json] = {
        "id": request_id,
        "text": done.text,
        **{str(kind): done.counts[kind] for kind in (Kind.ACCEPTED, Kind.REJECTED, Kind.EXTRA, Kind.GENERATED)},
        "latency_ms": round(done.latency_ms, 2),
        "error": {"code": str(done.failed), "message": done.reason} if done.failed else None,
    }
    if explain:
        answer |= {
            "forwards": done.forwards,
            "attempt": done.attempt if done.failed else None,
            "notes": list(done.notes),
        }
    return answer


def _failed(request_id: Json, error: RequestError) -> dict[str, Json]:
    """A request that could not be served."""
    return {
        "id": request_id,
        "text": "",
        "accepted": 0,
        "rejected": 0,
        "extra": 0,
        "generated": 0,
        "latency_ms": 0.0,
        "error": {"code": str(error.code), "message": error.message},
    }

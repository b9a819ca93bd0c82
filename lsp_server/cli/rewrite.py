"""`inscope rewrite`: rewrites and renames, in one file or as a batch of JSON lines."""

from __future__ import annotations

import stat
import sys
from argparse import ArgumentTypeError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import Document, Language, language_of, parse, path_of, project_of
from decoder import Kind, Policy, Prediction, SamplingOptions
from lsp_server.cli.atomic import replace_texts, write_text
from lsp_server.cli.command_service import host_of
from lsp_server.cli.console import console_for_answers, console_for_notes, counting
from lsp_server.cli.files import checked_text, read_text
from lsp_server.cli.printing import print_json
from lsp_server.cli.render_rewrite import coloured, difference, drafted, summary
from lsp_server.cli.requests import answer_lines, batch_lines, source_of
from lsp_server.cli.rewrite_html import page
from lsp_server.cli.values import lines as lines_of
from lsp_server.cli.workspace import workspace_at
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of
from lsp_server.rewriting.outcome import RewriteResult
from lsp_server.rewriting.region import asked_rename
from lsp_server.rewriting.region import renaming as renaming_of
from lsp_server.rewriting.rename import Renamer, RenameRequest
from lsp_server.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from context_index import Syntax
    from lsp_server.cli.answers import Json
    from lsp_server.cli.arguments import Arguments

USAGE = 2
FAILED = 1
_ALONE = ("lines", "html", "instruction", "rename", "write", "diff", "show_draft", "force")
"""Options that a batch does not take."""


@dataclass(frozen=True, slots=True)
class FileRewrite:
    """A file and how to rewrite it."""

    file: str
    document: Document
    """The file's text; for plain text, the document's language has no meaning."""
    syntax: Syntax | None
    instruction: str
    rename: tuple[str, str] | None
    lines: tuple[int, int] | None
    prediction: Prediction
    """The expected text of the file, or of `lines`."""

    @property
    def chosen(self) -> tuple[int, int] | None:
        """Start and end of the lines.

        Raises:
            RequestError: the file has fewer lines.
        """
        if self.lines is None:
            return None
        (first, last), starts = self.lines, self.document.lines
        if last > len(starts):
            raise RequestError(ErrorCode.POSITION_OUTSIDE, f"there is no line {last}; the file has {len(starts)}")
        return starts[first - 1], starts[last] if last < len(starts) else len(self.document.text)


def run(arguments: Arguments) -> int:
    """Rewrite; the exit code says whether it was done."""
    if arguments.batch is not None:
        if wrong := next((name for name in _ALONE if getattr(arguments, name)), None):
            return _misused(f"--{wrong.replace('_', '-')} is for one file, not for --batch")
        return _batch(arguments, arguments.batch)
    if not (arguments.instruction or "").strip() and arguments.rename is None:
        return _misused('say what is to change: --instruction "..." or --rename OLD=NEW')
    assert arguments.file is not None  # noqa: S101 - the parser wants a file or a batch
    return _one(arguments, arguments.file)


def _misused(sentence: str) -> int:
    print(f"error: {sentence}; see 'inscope rewrite --help'", file=sys.stderr)  # noqa: T201 - as the parser would
    return USAGE


def _one(arguments: Arguments, file: str) -> int:
    asked = _asked(
        file,
        None,
        instruction=arguments.instruction or "",
        rename=arguments.rename,
        lines=arguments.lines,
        prediction=_prediction(arguments),
    )
    _check_page(arguments.html, file)
    with _projects(arguments) as service_for:
        done = _rewritten(arguments, service_for(asked), asked)
    doubts = done.doubts if arguments.write and not arguments.force else ()
    if arguments.write and done.failed is None and not doubts:
        _write(asked, done)
    if arguments.html is not None:
        _write_page(arguments.html, page(done, file))
    if arguments.json:
        print_json(answered(None, done, explain=arguments.explain))
    else:
        _show(arguments, done, asked, is_written=arguments.write and not doubts)
    for doubt in doubts if done.failed is None else ():
        print(f"error: nothing was written: {doubt}; --force writes it", file=sys.stderr)  # noqa: T201 - on one line
    return FAILED if done.failed or doubts else 0


def _write(asked: FileRewrite, done: RewriteResult) -> None:
    """The file and those that a rename changes.

    Raises:
        RequestError: one was changed meanwhile, or cannot be written.
    """
    own = [(Path(asked.file), asked.document.text, done.text)] if done.text != asked.document.text else []
    others = [(path, before.text, after) for before, after in done.changes.values() if (path := path_of(before.uri))]
    replace_texts(own + others)


def _check_page(html: Path | None, file: str) -> None:
    """Raise before minutes of work if the page could not be written, and never overwrite the source with it."""
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


def _show(arguments: Arguments, done: RewriteResult, asked: FileRewrite, *, is_written: bool) -> None:
    console, notes = console_for_answers(), console_for_notes()
    if arguments.show_draft:
        console.print(drafted(done, console), soft_wrap=True)
    elif not is_written or done.failed:
        changes = [*difference(asked.document.text, done.attempt, asked.file)]
        for path, (before, after) in done.changes.items():
            changes += difference(before.text, after, path)
        shown = notes if done.failed else console  # what failed is no patch for `> change.patch`
        if shown.is_terminal:
            shown.print(coloured(iter(changes)), soft_wrap=True, end="")
        else:
            shown.file.writelines(changes)
    if done.failed:
        notes.print(f"nothing was changed. {done.reason}", style="red", markup=False, soft_wrap=True)
    elif is_written:
        for written in (asked.file, *done.changes):
            notes.print(f"{written} was written", markup=False, highlight=False, soft_wrap=True)
    notes.print(summary(done), style="dim", soft_wrap=True)
    for note in done.notes:
        notes.print(note, style="dim", markup=False, soft_wrap=True)


def _batch(arguments: Arguments, source: str) -> int:
    with batch_lines(source) as lines, _projects(arguments) as service_for:

        def answer(fields: dict[str, Json]) -> dict[str, Json]:
            asked = _asked_in(fields, arguments)
            done = _rewritten(arguments, service_for(asked), asked)
            return answered(fields.get("id"), done, explain=arguments.explain)

        return answer_lines(lines, answer, lambda request_id, error: failure(error, request_id))


def _asked_in(fields: dict[str, Json], arguments: Arguments) -> FileRewrite:
    """What a line of a batch asks for. Its `draft` is a text, not a path."""
    file, text = source_of(fields)
    given = {name: fields.get(name) for name in ("instruction", "rename", "lines", "draft")}
    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and (value.strip() or name == "draft")):
            raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{name}' must be a text")
    instruction, rename, lines, draft = (None if value is None else str(value) for value in given.values())
    if (instruction is None) == (rename is None):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "say what is to change: either 'instruction' or 'rename'")
    try:
        renamed = None if rename is None else renaming_of(rename)
        chosen = None if lines is None else lines_of(lines)
    except (ArgumentTypeError, ValueError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, str(error)) from error
    prediction = _prediction(arguments, draft)
    return _asked(file, text, instruction=instruction or "", rename=renamed, lines=chosen, prediction=prediction)


def _asked(
    file: str,
    text: str | None,
    *,
    instruction: str,
    rename: tuple[str, str] | None,
    lines: tuple[int, int] | None,
    prediction: Prediction,
) -> FileRewrite:
    """Read and parse the file."""
    path = Path(file).absolute()
    given = read_text(path, file) if text is None else checked_text(text, file)
    language = language_of(file)
    document = Document(path.as_uri(), language or Language.PYTHON, given)
    syntax = None if language is None else parse(document)
    rename = rename or (asked_rename(instruction) if syntax is not None else None)
    if rename is not None and syntax is None:
        raise RequestError(ErrorCode.UNKNOWN_LANGUAGE, f"no checker renames in '{file}'")
    return FileRewrite(file, document, syntax, instruction, rename, lines, prediction)


def _prediction(arguments: Arguments, text: str | None = None) -> Prediction:
    """The draft: a given text, the file that `--draft` names, the region itself, or nothing."""
    draft = arguments.draft
    if text is None and draft not in {"file", "none"}:
        text = read_text(Path(draft).absolute(), draft)
    policy = Policy.PLAIN if text is None and draft == "none" else Policy(arguments.policy)
    return Prediction(text, policy, arguments.lookahead, arguments.recovery)


def _rewritten(arguments: Arguments, service: Service, asked: FileRewrite) -> RewriteResult:
    if asked.rename is not None and asked.syntax is not None:
        return Renamer(service.workspace).run(RenameRequest(asked.syntax, *asked.rename, asked.chosen))
    request = RewriteRequest(
        uri=asked.document.uri,
        text=asked.document.text,
        syntax=asked.syntax,
        instruction=asked.instruction,
        chosen=asked.chosen,
        prediction=asked.prediction,
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


@contextmanager
def _projects(arguments: Arguments) -> Iterator[Callable[[FileRewrite], Service]]:
    """One service for each project, since a change may break other files of it; all share one model."""
    services: dict[Path | None, Service] = {}
    with ExitStack() as stack:
        host = stack.enter_context(host_of(arguments))

        def service_for(asked: FileRewrite) -> Service:
            root = arguments.workspace
            if root is None and asked.syntax is not None:
                root = project_of(Path(asked.file).resolve(), (), asked.syntax.language)
            if root is not None and not root.is_dir() and arguments.workspace is None:
                root = None  # the text of a file that does not exist
            if root not in services:
                workspace = stack.enter_context(workspace_at(arguments, root))
                services[root] = Service(workspace, host)
            return services[root]

        yield service_for


def answered(request_id: Json, done: RewriteResult, *, explain: bool) -> dict[str, Json]:
    """A rewrite as JSON; `text` is the unchanged file where it failed."""
    answer: dict[str, Json] = {
        "id": request_id,
        "text": done.text,
        **{str(kind): done.counts[kind] for kind in _COUNTED},
        "verified": str(done.verified),
        "probability": None if done.probability is None else round(done.probability, 4),
        "notes": list(done.notes),
        "changes": {path: after for path, (_, after) in done.changes.items()},
        "latency_ms": round(done.latency_ms, 2),
        "error": {"code": str(done.failed), "message": done.reason} if done.failed else None,
    }
    if explain:
        answer |= {"forwards": done.forwards, "attempt": done.attempt if done.failed else None}
    return answer


_COUNTED = (Kind.ACCEPTED, Kind.REJECTED, Kind.EXTRA, Kind.GENERATED, Kind.COPIED)


def failure(error: RequestError, request_id: Json = None) -> dict[str, Json]:
    """The answer where a file could not be rewritten."""
    answer = answered(request_id, RewriteResult(text="", attempt=""), explain=False)
    return answer | {"error": {"code": str(error.code), "message": error.message}}

"""`inscope rewrite`: rewrites and renames, in one file or as a batch of JSON lines."""

from __future__ import annotations

import os
import stat
import sys
from argparse import ArgumentTypeError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import Document, Language, Position, PositionError, language_of, parse, path_of, project_of
from decoder import DraftPolicy, Prediction
from lsp_server.cli.batch import answer_lines, batch_lines
from lsp_server.cli.command_service import host_of
from lsp_server.cli.configured import folder_of
from lsp_server.cli.console import console_for_answers, counting, note
from lsp_server.cli.interrupted import recover_in, take_back_in
from lsp_server.cli.printing import print_json
from lsp_server.cli.values import lines as lines_of
from lsp_server.cli.workspace import workspace_at
from lsp_server.engine.rewriting.kinds import names_to_rename, request_of, result_of
from lsp_server.engine.rewriting.region import INSTRUCTION_OR_RENAME, parsed_rename, word_around
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteFailure
from lsp_server.engine.rewriting.rewrite import RewriteRequest
from lsp_server.engine.service import Service
from lsp_server.engine.wire.requests import flag_in, source_of, text_in
from lsp_server.engine.wire.rewrites import answered, failure
from lsp_server.engine.wire.sources import absolute, check_is_no_notebook, checked_text, read_text
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError
from lsp_server.paths import mode_of
from lsp_server.rendering.rewrite import coloured, difference, drafted, summary
from lsp_server.rendering.rewrite_page import page
from lsp_server.settings.engine import sampling
from lsp_server.writing.interrupts import WaitingSignals
from lsp_server.writing.page import write_page
from lsp_server.writing.sets import is_write_protected, write_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from context_index import Syntax
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.rewriting.result import RewriteResult
    from lsp_server.engine.wire import Json

_FAILED = 1
_SINGLE = ("lines", "html", "instruction", "rename", "at", "all", "write", "diff", "show_draft", "force", "follow")
"""Options for a single file, which `--batch`, `--resume` and `--undo` do not take."""
_SEE_HELP = "see 'inscope rewrite --help'"


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
    at: tuple[int, int] | None = None
    """The line and the column, from 1, of the name to be renamed."""
    takes_all: bool = False
    """Whether a rename takes the places that may have the name."""
    is_sure: bool = False
    """Whether the person takes a rename as it is, though it may not be right everywhere (`--force`)."""

    @property
    def chosen(self) -> tuple[int, int] | None:
        """The offsets at which the chosen lines begin and end; None for the whole file.

        Raises:
            RequestError: the file has fewer lines.
        """
        if self.lines is None:
            return None
        (first, last), starts = self.lines, self.document.lines
        if last > len(starts):
            raise RequestError(ErrorCode.POSITION_OUTSIDE, f"there is no line {last}; the file has {len(starts)}")
        return starts[first - 1], starts[last] if last < len(starts) else len(self.document.text)

    @property
    def place(self) -> int | None:
        """The offset at which the name to be renamed begins; None if no place is given.

        Raises:
            RequestError: the file has no such place.
        """
        if self.at is None:
            return None
        line, column = self.at
        try:
            offset = self.document.offset(Position(line - 1, column - 1))
        except PositionError as error:
            raise RequestError(ErrorCode.POSITION_OUTSIDE, str(error)) from error
        start, _ = word_around(self.document.text, offset)
        return start


def run(arguments: Arguments) -> int:
    """Rewrite a file or a batch, or recover an interrupted write; the exit code is 1 if something was not done."""
    if arguments.resume or arguments.undo:
        if wrong := next((name for name in _SINGLE if getattr(arguments, name)), None):
            raise NotUnderstoodError(f"--{wrong.replace('_', '-')} is for one file, not for a write that was begun")
        return recover_in(folder_of(arguments), forward=arguments.resume, in_json=arguments.json)
    if arguments.batch is not None:
        if wrong := next((name for name in _SINGLE if getattr(arguments, name)), None):
            raise NotUnderstoodError(f"--{wrong.replace('_', '-')} is for one file, not for --batch; {_SEE_HELP}")
        return _answer_batch(arguments, arguments.batch)
    if not (arguments.instruction or "").strip() and arguments.rename is None:
        raise NotUnderstoodError(f'say what is to change: --instruction "..." or --rename OLD=NEW; {_SEE_HELP}')
    assert arguments.file is not None  # noqa: S101 - the parser wants a file or a batch
    is_code = language_of(arguments.file) is not None
    is_rename = names_to_rename(arguments.instruction or "", arguments.rename, is_code=is_code) is not None
    if not is_rename and (wrong := next((name for name in ("at", "all") if getattr(arguments, name)), None)):
        raise NotUnderstoodError(f"--{wrong} is for renames, such as --rename OLD=NEW; {_SEE_HELP}")
    if arguments.write:
        take_back_in(folder_of(arguments))  # what a killed write left half done would be read as the text to change
    return _rewrite_file(arguments, arguments.file)


def _rewrite_file(arguments: Arguments, file: str) -> int:
    """Rewrite one file: show the result, and write what the arguments want written; returns the exit code."""
    job = _read(
        file,
        None,
        instruction=arguments.instruction or "",
        rename=arguments.rename,
        lines=arguments.lines,
        prediction=_prediction(arguments),
        at=arguments.at,
        takes_all=arguments.all,
        is_sure=arguments.force,
    )
    _check_page(arguments.html, file)
    with _projects(arguments) as service_for:
        result = _rewritten(arguments, service_for(job), job)
    doubts = " and ".join(result.doubts) if result.failure is None else ""
    is_refused = bool(doubts) and arguments.write and not arguments.force
    refused = f"nothing was written, because {doubts}; --force writes it" if is_refused else ""
    is_written = arguments.write and result.failure is None and not refused
    if is_written:
        _write(arguments, job, result)
    if arguments.html is not None:
        _write_page(arguments.html, page(result, file, "".join(_difference(result, job))))
    if arguments.json:
        print_json(answered(None, result, explain=arguments.explain))
    else:
        _show(result, job, is_written=is_written, shows_draft=arguments.show_draft)
        if doubts and is_written:
            note(f"This was written although {doubts}.")
        elif doubts and not refused:
            note(f"This is a preview, because {doubts}; --write --force writes it.")
    if refused:
        print(f"error: {refused}", file=sys.stderr)  # noqa: T201 - on one line
    return _FAILED if result.failure or refused else 0


def _write(arguments: Arguments, job: FileRewrite, result: RewriteResult) -> None:
    """Write the file and those that a rename changes.

    Raises:
        RequestError: one of them was changed meanwhile, or cannot be written.
    """
    file = Path(job.file)
    own = [(file, job.document.text, result.text)] if result.text != job.document.text else []
    others = [
        (path, before.text, after) for before, after in result.rename.changes.values() if (path := path_of(before.uri))
    ]
    # if the file is a link, the project of the link counts, not that of its target
    root = arguments.workspace or _project(Path(os.path.abspath(file)), job.document.language)  # noqa: PTH100 - links stay
    with WaitingSignals() as signals:
        write_set(own + others, root, signals, follow=arguments.follow)
        if signals.pending:
            note("All files were written before the command was interrupted")


def _check_page(html: Path | None, file: str) -> None:
    """Check, before minutes of work, that the page can be written and would not replace the source.

    Raises:
        RequestError: it cannot, or would.
    """
    if html is None:
        return
    if html.resolve() == Path(file).resolve():
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"--html would replace '{file}' itself; name another file")
    mode = mode_of(html, str(html))
    if stat.S_ISDIR(mode):
        raise RequestError(ErrorCode.IS_DIRECTORY, f"'{html}' is a directory; name a file in it")
    if mode and is_write_protected(mode):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"'{html}' is write-protected; name another file")
    if not stat.S_ISDIR(mode_of(html.parent, str(html.parent))):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{html}': there is no directory '{html.parent}'")


def _write_page(html: Path, text: str) -> None:
    try:
        with WaitingSignals():
            write_page(html, text)
    except OSError as error:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{html}': {error.strerror or error}") from error


def _show(result: RewriteResult, job: FileRewrite, *, is_written: bool, shows_draft: bool) -> None:
    """Print the draft if that is wanted, else the difference if it is not written; then notes.

    Args:
        is_written: Whether the files were written.
        shows_draft: Whether the draft's tokens are wanted (`--show-draft`).
    """
    if shows_draft and result.pieces:
        console = console_for_answers()
        console.print(drafted(result, console), soft_wrap=True)
    elif not is_written and result.failure is None:
        _show_difference(result, job)
    if result.failure:
        note(f"Nothing was changed. {result.reason}", "red")
    elif is_written:
        for written in _names([job.document, *(before for before, _ in result.rename.changes.values())]):
            note(f"{written} was written")
    note(summary(result), "dim")
    for sentence in result.notes:
        note(sentence, "dim")


def _difference(result: RewriteResult, job: FileRewrite) -> list[str]:
    """The lines of a unified diff of the file and of those that a rename changes."""
    changed = [(job.document, result.attempted_text), *result.rename.changes.values()]
    names = _names([before for before, _ in changed])
    differences = (difference(old.text, new, name) for (old, new), name in zip(changed, names, strict=True))
    return [*chain.from_iterable(differences)]


def _show_difference(result: RewriteResult, job: FileRewrite) -> None:
    """Print the diff, in colours on a terminal."""
    lines, console = _difference(result, job), console_for_answers()
    if console.is_terminal:
        console.print(coloured(lines), soft_wrap=True, end="")
    else:
        console.file.writelines(lines)


def _names(documents: Sequence[Document]) -> Sequence[str]:
    """The files' paths from this folder, so that a diff can be applied here; absolute if one of them is elsewhere."""
    paths, here = [path for document in documents if (path := path_of(document.uri)) is not None], Path.cwd()
    if all(path.is_relative_to(here) for path in paths):
        paths = [path.relative_to(here) for path in paths]
    return [path.as_posix() for path in paths]


def _answer_batch(arguments: Arguments, source: str) -> int:
    with batch_lines(source) as lines, _projects(arguments) as service_for:

        def answer(fields: dict[str, Json]) -> dict[str, Json]:
            job = _asked_in(fields, arguments)
            result = _rewritten(arguments, service_for(job), job)
            return answered(fields.get("id"), result, explain=arguments.explain)

        return answer_lines(lines, answer, failure)


def _asked_in(fields: dict[str, Json], arguments: Arguments) -> FileRewrite:
    """What a line of a batch asks for. Its `draft` is a text, not a path.

    Raises:
        RequestError: a field is missing or wrong, or the file cannot be read.
    """
    file, text = source_of(fields)
    instruction, rename, lines = (text_in(fields, name) for name in ("instruction", "rename", "lines"))
    draft = text_in(fields, "draft", may_be_blank=True)
    if (instruction is None) == (rename is None):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, INSTRUCTION_OR_RENAME)
    try:
        renamed = None if rename is None else parsed_rename(rename)
        chosen = None if lines is None else lines_of(lines)
    except (ArgumentTypeError, ValueError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, str(error)) from error
    takes_all, is_sure = (flag_in(fields, name) for name in ("all", "force"))
    return _read(
        file,
        text,
        instruction=instruction or "",
        rename=renamed,
        lines=chosen,
        prediction=_prediction(arguments, draft),
        takes_all=takes_all,
        is_sure=is_sure,
    )


def _read(
    file: str,
    text: str | None,
    *,
    instruction: str,
    rename: tuple[str, str] | None,
    lines: tuple[int, int] | None,
    prediction: Prediction,
    at: tuple[int, int] | None = None,
    takes_all: bool = False,
    is_sure: bool = False,
) -> FileRewrite:
    """Read and parse the file, or the text in place of it.

    Raises:
        RequestError: it cannot be read, or no checker renames in it.
    """
    check_is_no_notebook(file)
    path = absolute(file)
    text = read_text(path, file) if text is None else checked_text(text, file)
    language = language_of(file)
    document = Document(path.as_uri(), language or Language.PYTHON, text)
    syntax = None if language is None else parse(document)
    rename = names_to_rename(instruction, rename, is_code=syntax is not None)
    if rename is not None and syntax is None:
        raise RequestError(ErrorCode.UNKNOWN_LANGUAGE, f"no checker renames in '{file}'")
    return FileRewrite(file, document, syntax, instruction, rename, lines, prediction, at, takes_all, is_sure)


def _prediction(arguments: Arguments, text: str | None = None) -> Prediction:
    """The draft: `text` if there is one, else what `--draft` names: a file, the region itself, or nothing."""
    draft = arguments.draft
    if text is None and draft not in {"file", "none"}:
        text = read_text(Path(draft).absolute(), draft)
    policy = DraftPolicy.PLAIN if text is None and draft == "none" else DraftPolicy(arguments.policy)
    return Prediction(text, policy, arguments.lookahead, arguments.recovery)


def _rewritten(arguments: Arguments, service: Service, job: FileRewrite) -> RewriteResult:
    """The engine's result; nothing is written yet."""
    rewrite = RewriteRequest(
        uri=job.document.uri,
        text=job.document.text,
        syntax=job.syntax,
        instruction=job.instruction,
        chosen=job.chosen,
        prediction=job.prediction,
        sampling=sampling(arguments.settings),
        constrained=not arguments.no_constraint,
        deadline_ms=arguments.deadline_ms,
    )
    request = request_of(rewrite, job.rename, place=job.place, takes_all=job.takes_all)
    if isinstance(request, RenameRequest):  # it has no tokens to count, and may be uncertain
        result = result_of(request, service)
        if result.failure is RewriteFailure.AMBIGUOUS:
            way = "--at LINE:COLUMN" if arguments.batch is None else "its line in `lines`"
            return replace(result, reason=f"{result.reason.removesuffix('.')} ({way}).")
        return _refused_if_unsure(job, result, in_batch=arguments.batch is not None)
    try:
        with counting("tokens") as bar:
            return result_of(request, service, lambda now: bar(now.written, max(now.written, now.expected)))
    except KeyboardInterrupt:
        request.cancel.set()  # else the model's thread would go on to the end of its slice
        raise


def _refused_if_unsure(job: FileRewrite, result: RewriteResult, *, in_batch: bool) -> RewriteResult:
    """The result of a rename; a failure if it may not be right everywhere and the person does not take it as it is."""
    unused = "" if job.takes_all else result.rename.unused
    if result.failure or job.is_sure or not (result.doubts or unused):
        return result
    takes_all, takes_it = ("`all`", "`force`") if in_batch else ("--all", "--force")
    has_others = bool(result.breaks or result.rename.dangers)  # which nothing but force takes
    ways = f"Look there first; {takes_it if has_others else takes_all} renames it all the same"
    if result.rename.perhaps:
        ways = f"{takes_all} renames these places, too; {takes_it} leaves them"
    reason = f"This rename may not be right everywhere: {'; '.join(result.doubts)}. {ways}."
    if not result.doubts:
        reason = f"{unused} {takes_all} renames it all the same."
    notes = tuple(sentence for sentence in result.notes if sentence != unused)
    return replace(result, text=job.document.text, failure=RewriteFailure.UNSURE, reason=reason, notes=notes)


@contextmanager
def _projects(arguments: Arguments) -> Iterator[Callable[[FileRewrite], Service]]:
    """A function that returns the service of a file's project; all services share one model.

    A project has a workspace of its own, as a change may break other files of it.
    """
    services: dict[Path | None, Service] = {}
    with ExitStack() as stack:
        host = stack.enter_context(host_of(arguments))

        def service_for(job: FileRewrite) -> Service:
            root = arguments.workspace
            if root is None and job.syntax is not None:
                # of a link, the target's project: there the checker finds what the file imports
                root = _project(Path(job.file).resolve(), job.syntax.language)
            if root is not None and not root.is_dir() and arguments.workspace is None:
                root = None  # the text of a file that does not exist
            if root not in services:
                workspace = stack.enter_context(workspace_at(arguments, root))
                services[root] = Service(workspace, host)
            return services[root]

        yield service_for


def _project(path: Path, language: Language) -> Path:
    """The folder of a file's project.

    Without a project file above the file, it is the working directory if the file is below it, else the file's own
    folder. The home directory, or one above it, is never a project for this reason.
    """
    nearest, here = project_of(path, (), language), Path.cwd()
    has_project_file = nearest != path.parent
    may_be_here = path.is_relative_to(here) and not Path.home().is_relative_to(here)
    return project_of(path, (here,), language) if may_be_here and not has_project_file else nearest

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
from lsp_server.cli.console import console_for_answers, console_for_notes, counting, note
from lsp_server.cli.interrupted import recover_in, take_back_in
from lsp_server.cli.printing import print_json
from lsp_server.cli.values import lines as lines_of
from lsp_server.cli.workspace import workspace_at
from lsp_server.engine.rewriting.kinds import names_to_rename, request_of, result_of
from lsp_server.engine.rewriting.outcome import RewriteFailure
from lsp_server.engine.rewriting.region import EITHER, parsed_rename, word_around
from lsp_server.engine.rewriting.rename import RenameRequest
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
    from lsp_server.engine.rewriting.outcome import RewriteResult
    from lsp_server.engine.wire import Json

_FAILED = 1
_ALONE = ("lines", "html", "instruction", "rename", "at", "all", "write", "diff", "show_draft", "force", "follow")
"""Options that a batch does not take."""
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
    """Whether the person takes a rename as it is, whatever speaks against it."""

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

    @property
    def place(self) -> int | None:
        """The offset of the name to be renamed.

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
    """Rewrite; the exit code says whether it was done."""
    if arguments.resume or arguments.undo:
        if wrong := next((name for name in _ALONE if getattr(arguments, name)), None):
            raise NotUnderstoodError(f"--{wrong.replace('_', '-')} is for one file, not for a write that was begun")
        return recover_in(folder_of(arguments), forward=arguments.resume, in_json=arguments.json)
    if arguments.batch is not None:
        if wrong := next((name for name in _ALONE if getattr(arguments, name)), None):
            raise NotUnderstoodError(f"--{wrong.replace('_', '-')} is for one file, not for --batch; {_SEE_HELP}")
        return _batch(arguments, arguments.batch)
    if not (arguments.instruction or "").strip() and arguments.rename is None:
        raise NotUnderstoodError(f'say what is to change: --instruction "..." or --rename OLD=NEW; {_SEE_HELP}')
    if wrong := next((name for name in ("at", "all") if getattr(arguments, name) and arguments.rename is None), None):
        raise NotUnderstoodError(f"--{wrong} is for --rename; {_SEE_HELP}")
    assert arguments.file is not None  # noqa: S101 - the parser wants a file or a batch
    if arguments.write:
        take_back_in(folder_of(arguments))
    return _one(arguments, arguments.file)


def _one(arguments: Arguments, file: str) -> int:
    asked = _read(
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
        done = _rewritten(arguments, service_for(asked), asked)
    doubts = " and ".join(done.doubts) if done.failed is None and not arguments.force else ""
    refused = f"nothing was written, because {doubts}; --force writes it" if doubts and arguments.write else ""
    is_written = arguments.write and done.failed is None and not refused
    if is_written:
        _write(arguments, asked, done)
    if arguments.html is not None:
        _write_page(arguments.html, page(done, file, "".join(_difference(done, asked))))
    if arguments.json:
        print_json(answered(None, done, explain=arguments.explain))
    else:
        _show(done, asked, is_written=is_written, shows_draft=arguments.show_draft)
        if doubts and not refused:
            note(f"This is a preview, because {doubts}; --write --force writes it.")
    if refused:
        print(f"error: {refused}", file=sys.stderr)  # noqa: T201 - on one line
    return _FAILED if done.failed or refused else 0


def _write(arguments: Arguments, asked: FileRewrite, done: RewriteResult) -> None:
    """The file and those that a rename changes.

    Raises:
        RequestError: one was changed meanwhile, or cannot be written.
    """
    file = Path(asked.file)
    own = [(file, asked.document.text, done.text)] if done.text != asked.document.text else []
    others = [(path, before.text, after) for before, after in done.changes.values() if (path := path_of(before.uri))]
    # the project of the link, if it is one, and not of what it leads to
    root = arguments.workspace or _project(Path(os.path.abspath(file)), asked.document.language)  # noqa: PTH100 - links stay
    with WaitingSignals() as signals:
        write_set(own + others, root, signals, follow=arguments.follow)
        if signals.pending:
            note("All files were written before the command was interrupted")


def _check_page(html: Path | None, file: str) -> None:
    """Check, before minutes of work, that the page can be written and would not replace the source."""
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


def _show(done: RewriteResult, asked: FileRewrite, *, is_written: bool, shows_draft: bool) -> None:
    """Print the draft if that is wanted, else the difference where there is one to write, and notes."""
    if shows_draft and done.pieces:
        console = console_for_answers()
        console.print(drafted(done, console), soft_wrap=True)
    elif not is_written and done.failed in {None, RewriteFailure.UNSURE}:
        _show_difference(done, asked)
    if done.failed:
        note(f"Nothing was changed. {done.reason}", "red")
    elif is_written:
        for written in _names([asked.document, *(before for before, _ in done.changes.values())]):
            note(f"{written} was written")
    note(summary(done), "dim")
    for sentence in done.notes:
        note(sentence, "dim")


def _difference(done: RewriteResult, asked: FileRewrite) -> list[str]:
    """The lines of the difference in the file and in those that a rename changes."""
    changed = [(asked.document, done.attempt), *done.changes.values()]
    names = _names([before for before, _ in changed])
    differences = (difference(one.text, after, name) for (one, after), name in zip(changed, names, strict=True))
    return [*chain.from_iterable(differences)]


def _show_difference(done: RewriteResult, asked: FileRewrite) -> None:
    lines = _difference(done, asked)
    # what is not done is no patch for `> change.patch`
    console = console_for_notes() if done.failed else console_for_answers()
    if console.is_terminal:
        console.print(coloured(lines), soft_wrap=True, end="")
    else:
        console.file.writelines(lines)


def _names(documents: Sequence[Document]) -> Sequence[str]:
    """Files as seen from this folder, so that a difference can be applied here; from the root if one is elsewhere."""
    paths, here = [path for one in documents if (path := path_of(one.uri)) is not None], Path.cwd()
    if all(path.is_relative_to(here) for path in paths):
        paths = [path.relative_to(here) for path in paths]
    return [path.as_posix() for path in paths]


def _batch(arguments: Arguments, source: str) -> int:
    with batch_lines(source) as lines, _projects(arguments) as service_for:

        def answer(fields: dict[str, Json]) -> dict[str, Json]:
            asked = _asked_in(fields, arguments)
            done = _rewritten(arguments, service_for(asked), asked)
            return answered(fields.get("id"), done, explain=arguments.explain)

        return answer_lines(lines, answer, failure)


def _asked_in(fields: dict[str, Json], arguments: Arguments) -> FileRewrite:
    """What a line of a batch asks for. Its `draft` is a text, not a path."""
    file, text = source_of(fields)
    instruction, rename, lines = (text_in(fields, name) for name in ("instruction", "rename", "lines"))
    draft = text_in(fields, "draft", may_be_blank=True)
    if (instruction is None) == (rename is None):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, EITHER)
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
    """Read and parse the file, or the text in place of it."""
    check_is_no_notebook(file)
    path = absolute(file)
    given = read_text(path, file) if text is None else checked_text(text, file)
    language = language_of(file)
    document = Document(path.as_uri(), language or Language.PYTHON, given)
    syntax = None if language is None else parse(document)
    rename = names_to_rename(instruction, rename, is_code=syntax is not None)
    if rename is not None and syntax is None:
        raise RequestError(ErrorCode.UNKNOWN_LANGUAGE, f"no checker renames in '{file}'")
    return FileRewrite(file, document, syntax, instruction, rename, lines, prediction, at, takes_all, is_sure)


def _prediction(arguments: Arguments, text: str | None = None) -> Prediction:
    """The draft: a given text, the file that `--draft` names, the region itself, or nothing."""
    draft = arguments.draft
    if text is None and draft not in {"file", "none"}:
        text = read_text(Path(draft).absolute(), draft)
    policy = DraftPolicy.PLAIN if text is None and draft == "none" else DraftPolicy(arguments.policy)
    return Prediction(text, policy, arguments.lookahead, arguments.recovery)


def _rewritten(arguments: Arguments, service: Service, asked: FileRewrite) -> RewriteResult:
    rewrite = RewriteRequest(
        uri=asked.document.uri,
        text=asked.document.text,
        syntax=asked.syntax,
        instruction=asked.instruction,
        chosen=asked.chosen,
        prediction=asked.prediction,
        sampling=sampling(arguments.settings),
        constrained=not arguments.no_constraint,
        deadline_ms=arguments.deadline_ms,
    )
    request = request_of(rewrite, asked.rename, place=asked.place, takes_all=asked.takes_all)
    if isinstance(request, RenameRequest):  # which has no tokens to count, and may be unsure
        return _surely(asked, result_of(request, service))
    try:
        with counting("tokens") as bar:
            return result_of(request, service, lambda now: bar(now.written, max(now.written, now.expected)))
    except KeyboardInterrupt:
        request.cancel.set()  # else the model's thread would go on to the end of its slice
        raise


def _surely(asked: FileRewrite, done: RewriteResult) -> RewriteResult:
    """A rename, or the failure that it is while a person has not said that they take it as it is."""
    if done.failed or not done.doubts or asked.is_sure:
        return done
    ways = "--force takes it as it is"
    if done.perhaps:
        ways = "--all renames these places, too; --force leaves them"
    reason = f"This rename may not be right everywhere: {'; '.join(done.doubts)}. {ways}."
    return replace(done, text=asked.document.text, failed=RewriteFailure.UNSURE, reason=reason)


@contextmanager
def _projects(arguments: Arguments) -> Iterator[Callable[[FileRewrite], Service]]:
    """One service for each project, since a change may break other files of it; all share one model."""
    services: dict[Path | None, Service] = {}
    with ExitStack() as stack:
        host = stack.enter_context(host_of(arguments))

        def service_for(asked: FileRewrite) -> Service:
            root = arguments.workspace
            if root is None and asked.syntax is not None:
                root = _project(Path(asked.file).resolve(), asked.syntax.language)
            if root is not None and not root.is_dir() and arguments.workspace is None:
                root = None  # the text of a file that does not exist
            if root not in services:
                workspace = stack.enter_context(workspace_at(arguments, root))
                services[root] = Service(workspace, host)
            return services[root]

        yield service_for


def _project(path: Path, language: Language) -> Path:
    """The project of a file; where no project file is above it, the working directory, if the file is in there.

    The working directory of somebody who is at home, or above, is nobody's project.
    """
    found, here, home = project_of(path, (), language), Path.cwd(), Path.home()
    is_project = found != path.parent or home.is_relative_to(here) or not path.is_relative_to(here)
    return found if is_project else project_of(path, (here,), language)

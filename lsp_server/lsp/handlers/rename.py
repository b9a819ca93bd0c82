"""`textDocument/prepareRename` and `textDocument/rename`: the checker's rename over all files, and what it leaves open.

Places that may have the name are offered: as edits that the client has a person confirm, or by a question where the
client cannot. A rename that brings errors, or that may be called by others, is confirmed in the same way. Where nobody
can be asked, the request fails with the reason. Text that was typed meanwhile stays if it is on other lines.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import CheckerError, CheckerRefusedError, MentionForm, mentions
from lsp_server.engine.edits import rebased
from lsp_server.engine.rewriting.outcome import RewriteFailure, RewriteResult
from lsp_server.engine.rewriting.region import is_name, word_around
from lsp_server.engine.rewriting.rename import Renamer, RenameRequest
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document, nothing, refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_index import Document, Edit, Syntax, Workspace
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_SECONDS = 5.0
"""How long a type checker may take to say whether a name can be renamed."""
_STALE = "a document was changed where it was being renamed, or closed; rename again"
_SUPERSEDED = "a newer rename took the place of this one"
_TAKE, _LEAVE, _STOP = "Rename them, too", "Leave them", "Cancel"
_ANYWAY = "Rename anyway"
_SURE, _PERHAPS = "inscope.rename", "inscope.rename.perhaps"
"""The annotations of edits that a person is to confirm."""

Prepared = types.PrepareRenamePlaceholder | None


@dataclass(frozen=True, slots=True)
class ProgramName:
    """A name in a program, by its offsets there."""

    text: str
    start: int
    end: int


@about_document(nothing)
def prepare(server: Server, params: types.PrepareRenameParams, snapshot: Snapshot) -> Prepared | Later[Prepared]:
    """The name at a position; None where there is none that can be renamed."""
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    async def answer() -> Prepared:
        workspace = server.engine.workspace
        found = await server.schedule.blocking(lambda _give_up: _renameable(workspace, snapshot, offset))
        if found is None:
            return None
        start, end = found.start - snapshot.shift, found.end - snapshot.shift
        return types.PrepareRenamePlaceholder(
            to_proto.text_range(snapshot.document, start, end, snapshot.encoding), found.text
        )

    return answer


@about_document(refused("nothing is renamed here"))
def rename(server: Server, params: types.RenameParams, snapshot: Snapshot) -> Later[types.WorkspaceEdit | None]:
    """The edits of all documents; None where the person does not want them."""
    if not is_name(params.new_name):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{params.new_name}' is no name; give one such as total")
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    def superseded() -> types.WorkspaceEdit | None:
        raise _failed(_SUPERSEDED, types.LSPErrorCodes.ContentModified, RewriteFailure.CANCELLED)

    renamed = partial(_renamed, server, snapshot, offset, params.new_name)
    return partial(server.schedule.newest, (rename, snapshot.uri), renamed, superseded)


async def _renamed(server: Server, snapshot: Snapshot, offset: int, new: str) -> types.WorkspaceEdit | None:
    workspace = server.engine.workspace

    def work(request: RenameRequest) -> RewriteResult:
        return Renamer(workspace).run(request)

    syntax = await server.schedule.blocking(lambda _give_up: snapshot.syntax)
    name = _name_at(syntax, offset)
    if name is None:
        raise _failed("there is no name here", types.LSPErrorCodes.RequestFailed, RewriteFailure.NO_SUCH_NAME)
    request = RenameRequest(syntax, name.text, new, place=name.start)
    done = await server.schedule.blocking(lambda _give_up: work(request))
    is_confirmed = server.session.client.annotations
    agreed = done if is_confirmed else await agreed_to(server, request, done)
    if agreed is None:
        return None
    done = agreed
    if done.failed:
        code = types.LSPErrorCodes
        cancelled = done.failed is RewriteFailure.CANCELLED
        raise _failed(done.reason, code.ServerCancelled if cancelled else code.RequestFailed, done.failed)
    edit = _edit(server, snapshot, syntax, done, is_confirmed=is_confirmed)
    if said := [*(f"Not certain: {doubt}." for doubt in done.doubts), *done.notes]:
        kind = types.MessageType.Warning if done.doubts else types.MessageType.Info
        server.window_show_message(types.ShowMessageParams(kind, f"Inscope: {' '.join(said)}"))
    return edit


async def agreed_to(server: Server, request: RenameRequest, done: RewriteResult) -> RewriteResult | None:
    """A rename as a person wants it who is asked where it is not certain; None where they do not want it.

    Raises:
        JsonRpcException: nobody can be asked.
    """
    if not done.doubts or done.failed:
        return done
    answer = await _asked(server, done)
    if answer != "take":
        return done if answer == "leave" else None
    workspace, everything = server.engine.workspace, replace(request, takes_all=True)
    wider = await server.schedule.blocking(lambda _give_up: Renamer(workspace).run(everything))
    return await agreed_to(server, everything, wider)


async def _asked(server: Server, done: RewriteResult) -> str:
    """What the person says to a rename that is not certain: `take` what may be the name, `leave` it, or `stop`.

    Raises:
        JsonRpcException: nobody can be asked.
    """
    sentence = f"This rename may not be right everywhere: {'; '.join(done.doubts)}."
    answers = {_TAKE: "take", _LEAVE: "leave"} if done.perhaps else {_ANYWAY: "leave"}
    try:
        picked = await server.ask(sentence, (*answers, _STOP))
    except JsonRpcException:
        raise _failed(sentence, types.LSPErrorCodes.RequestFailed, RewriteFailure.UNSURE) from None
    return answers.get(picked or _STOP, "stop")


def _failed(message: str, code: types.LSPErrorCodes, failed: RewriteFailure) -> JsonRpcException:
    return JsonRpcException(message, int(code), {"code": str(failed)})


def _name_at(syntax: Syntax, offset: int) -> ProgramName | None:
    """The name that an offset is in or at the end of, if the text there is one."""
    start, end = word_around(syntax.document.text, offset)
    text = syntax.document.text[start:end]
    forms = {one.start: one.form for one in mentions(syntax, text)} if is_name(text) else {}
    if forms.get(start, MentionForm.LABEL) in (MentionForm.TEXT, MentionForm.LABEL):
        return None
    return ProgramName(text, start, end)


def _renameable(workspace: Workspace, snapshot: Snapshot, offset: int) -> ProgramName | None:
    """The name at an offset, unless the checker does not rename it.

    Raises:
        RequestError: it cannot be renamed; the checker says why.
    """
    syntax = snapshot.syntax
    name = _name_at(syntax, offset)
    if name is None:
        return None
    document = syntax.document
    if any(one.start == name.start and one.form is MentionForm.EXPORTED for one in mentions(syntax, name.text)):
        return name
    try:
        asked = workspace.checker_of(document).ask(document, lambda query: query.is_renamed(name.start))
        return name if asked.result(_SECONDS) else None
    except CheckerRefusedError as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"`{name.text}` cannot be renamed: {error}") from error
    except TimeoutError:
        return name  # the rename itself may take longer
    except (CheckerError, CancelledError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"nothing can be renamed: {error}") from error


def _edit(
    server: Server, snapshot: Snapshot, syntax: Syntax, done: RewriteResult, *, is_confirmed: bool
) -> types.WorkspaceEdit:
    """The edits of the documents as they are now; those that are not certain are to be confirmed.

    Raises:
        JsonRpcException: a document was changed at a place of the name.
    """
    sure = [(document, edit) for document, edits in done.renamed for edit in edits]
    open_edits = [(one.document, one.edit) for one in done.perhaps] if is_confirmed else []
    is_doubted = is_confirmed and (bool(done.breaks) or bool(done.dangers))
    by_document: dict[str, tuple[Document, list[tuple[Edit, str]]]] = {}
    for edits, annotation in ((sure, _SURE if is_doubted else ""), (open_edits, _PERHAPS)):
        for document, edit in edits:
            for now, made in _as_now(server, snapshot, syntax, document, edit):
                by_document.setdefault(now.uri, (now, []))[1].append((made, annotation))
    annotations = dict(_annotations(done, is_doubted=is_doubted))
    return to_proto.workspace_edit(by_document.values(), annotations, server.session, snapshot.encoding)


def _annotations(done: RewriteResult, *, is_doubted: bool) -> Iterable[tuple[str, types.ChangeAnnotation]]:
    if is_doubted:
        why = "; ".join(done.doubts)
        yield _SURE, types.ChangeAnnotation("Inscope: a rename that is not certain", True, why)  # noqa: FBT003 - its type's
    if done.perhaps:
        why = "; ".join(dict.fromkeys(one.why for one in done.perhaps))
        yield _PERHAPS, types.ChangeAnnotation("Inscope: perhaps the same name", True, why)  # noqa: FBT003 - its type's


def _as_now(
    server: Server, snapshot: Snapshot, syntax: Syntax, document: Document, edit: Edit
) -> Sequence[tuple[Document, Edit]]:
    """A document as it is now, and an edit of it; of a notebook's program, the cell that the edit is in.

    Raises:
        JsonRpcException: the document was changed at that place, or closed.
    """
    before = document
    if document.uri == syntax.document.uri:
        cell = next(one for one in reversed(snapshot.cells) if one.start <= edit.start)
        before = cell.document
        edit = replace(edit, start=edit.start - cell.start, end=edit.end - cell.start)
        now = server.session.current(before.uri)
    else:
        now = server.session.current(before.uri) or before
    moved = None if now is None else [edit] if now.text == before.text else rebased([edit], before.text, now.text)
    if now is None or moved is None:
        raise _failed(_STALE, types.LSPErrorCodes.ContentModified, RewriteFailure.STALE)
    return [(now, one) for one in moved]

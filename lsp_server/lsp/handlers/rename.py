"""`textDocument/prepareRename` and `textDocument/rename`: the checker's rename over all files.

A rename is not certain if it brings errors, if other programs may use the name, or if places are left that may have the
name. Then a person confirms it, in one of two ways:

- A client with change annotations shows the edits before it makes them. `_edit` annotates those to confirm, and
  `agreed_to` is not called.
- For any other client, `agreed_to` asks by a message with buttons before the answer. If the client cannot ask either,
  the request fails with the reason.

`handlers/rewrite` renames by instruction and calls `agreed_to` for the same reason. Text that was typed meanwhile stays
if it is neither on lines of the name nor next to them.
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
from lsp_server.engine.rewriting.region import is_name, word_around
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteFailure, RewriteResult
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document, nothing, refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from context_index import Document, Edit, Syntax, Workspace
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_SECONDS = 5.0
"""How long a type checker may take to say whether a name can be renamed."""
_STALE = "a document was changed where it was being renamed, or closed, or is out of step; rename again"
_SUPERSEDED = "a newer rename took the place of this one"
_TAKE, _LEAVE, _STOP = "Rename them, too", "Leave them", "Cancel"
"""The answers where places may have the name."""
_ANYWAY = "Rename anyway"
"""The answer, beside `_STOP`, where no such places are known."""
_SURE, _PERHAPS = "inscope.rename", "inscope.rename.perhaps"
"""The annotations of edits that a person confirms: of the name, and of what may be the name."""

Prepared = types.PrepareRenamePlaceholder | None


@dataclass(frozen=True, slots=True)
class ProgramName:
    """A name in a program, by its offsets there."""

    text: str
    start: int
    end: int


@about_document(nothing)
def prepare(server: Server, params: types.PrepareRenameParams, snapshot: Snapshot) -> Prepared | Later[Prepared]:
    """The name at a position; None where no name can be renamed."""
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    async def answer() -> Prepared:
        workspace = server.engine.workspace
        name = await server.schedule.blocking(lambda _give_up: _renameable(workspace, snapshot, offset))
        if name is None:
            return None
        start, end = name.start - snapshot.shift, name.end - snapshot.shift
        return types.PrepareRenamePlaceholder(
            to_proto.text_range(snapshot.document, start, end, snapshot.encoding), name.text
        )

    return answer


@about_document(refused("nothing is renamed here"))
def rename(server: Server, params: types.RenameParams, snapshot: Snapshot) -> Later[types.WorkspaceEdit | None]:
    """The edits of all documents; None if the person does not want them.

    Raises:
        RequestError: what is given as the new name is no name.
    """
    if not is_name(params.new_name):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{params.new_name}' is no name; give one such as total")
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    def superseded() -> types.WorkspaceEdit | None:
        raise _rename_error(_SUPERSEDED, types.LSPErrorCodes.ContentModified, RewriteFailure.CANCELLED)

    opened = server.session.open_uris()  # now: what is closed while the rename waits for its turn counts as closed
    renamed = partial(_renamed, server, snapshot, opened, offset, params.new_name)
    return partial(server.schedule.newest, (rename, snapshot.uri), renamed, superseded)


async def _renamed(
    server: Server, snapshot: Snapshot, opened: Collection[str], offset: int, new: str
) -> types.WorkspaceEdit | None:
    """Rename the name at an offset of the program; None if the person does not want the edits.

    Args:
        opened: The URIs of the documents that were open when the rename was asked for.
    """
    workspace = server.engine.workspace
    syntax = await server.schedule.blocking(lambda _give_up: snapshot.syntax)
    name = _name_at(syntax, offset)
    if name is None:
        raise _rename_error("there is no name here", types.LSPErrorCodes.RequestFailed, RewriteFailure.NO_SUCH_NAME)
    request = RenameRequest(syntax, name.text, new, place=name.start)
    result = await server.schedule.blocking(lambda _give_up: Renamer(workspace).run(request))
    client_confirms = server.session.client.annotations
    agreed = result if client_confirms else await agreed_to(server, request, result)
    if agreed is None:
        return None
    result = agreed
    if result.failure:
        code = types.LSPErrorCodes
        cancelled = result.failure is RewriteFailure.CANCELLED
        raise _rename_error(result.reason, code.ServerCancelled if cancelled else code.RequestFailed, result.failure)
    edit = await _edit(server, snapshot, opened, syntax, result, client_confirms=client_confirms)
    if sentences := [*(f"Not certain: {doubt}." for doubt in result.doubts), *result.notes]:
        kind = types.MessageType.Warning if result.doubts else types.MessageType.Info
        server.window_show_message(types.ShowMessageParams(kind, f"Inscope: {' '.join(sentences)}"))
    return edit


async def agreed_to(server: Server, request: RenameRequest, result: RewriteResult) -> RewriteResult | None:
    """The result of a rename as the person wants it, who is asked if it is not certain; None if they do not want it.

    For clients without change annotations only. If they want the places that may be the name as well, the rename is
    made again with these, and they are asked again if that is not certain either. A failed result is returned as it is.

    Args:
        request: The one that has led to the result.

    Raises:
        JsonRpcException: nobody can be asked.
    """
    if not result.doubts or result.failure:
        return result
    answer = await _answer(server, result)
    if answer != "take":
        return result if answer == "leave" else None
    workspace, everything = server.engine.workspace, replace(request, takes_all=True)
    wider = await server.schedule.blocking(lambda _give_up: Renamer(workspace).run(everything))
    return await agreed_to(server, everything, wider)


async def _answer(server: Server, result: RewriteResult) -> str:
    """The person's answer about a rename that is not certain.

    `take` renames what may be the name, too, `leave` makes the rename as it is, and `stop` makes none.

    Raises:
        JsonRpcException: nobody can be asked.
    """
    sentence = f"This rename may not be right everywhere: {'; '.join(result.doubts)}."
    answers = {_TAKE: "take", _LEAVE: "leave"} if result.rename.perhaps else {_ANYWAY: "leave"}
    try:
        picked = await server.ask(sentence, (*answers, _STOP))
    except JsonRpcException:
        raise _rename_error(sentence, types.LSPErrorCodes.RequestFailed, RewriteFailure.UNSURE) from None
    return answers.get(picked or _STOP, "stop")


def _rename_error(message: str, code: types.LSPErrorCodes, failure: RewriteFailure) -> JsonRpcException:
    return JsonRpcException(message, int(code), {"code": str(failure)})


def _name_at(syntax: Syntax, offset: int) -> ProgramName | None:
    """The name at an offset, or that ends there; None for a string, a label, or what is no name."""
    start, end = word_around(syntax.document.text, offset)
    text = syntax.document.text[start:end]
    forms = {mention.start: mention.form for mention in mentions(syntax, text)} if is_name(text) else {}
    if forms.get(start, MentionForm.LABEL) in (MentionForm.TEXT, MentionForm.CODE, MentionForm.LABEL):
        return None
    return ProgramName(text, start, end)


def _renameable(workspace: Workspace, snapshot: Snapshot, offset: int) -> ProgramName | None:
    """The name at an offset; None if the checker does not rename it. A checker that is late counts as a yes.

    Raises:
        RequestError: the checker refuses, or cannot be asked; the message says why.
    """
    syntax = snapshot.syntax
    name = _name_at(syntax, offset)
    if name is None:
        return None
    document = syntax.document
    forms = {mention.start: mention.form for mention in mentions(syntax, name.text)}
    if forms.get(name.start) is MentionForm.EXPORTED:  # a string in `__all__`: the name that it stands for is renamed
        return name
    try:
        answer = workspace.checker_of(document).ask(document, lambda query: query.is_renamed(name.start))
        return name if answer.result(_SECONDS) else None
    except CheckerRefusedError as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"`{name.text}` cannot be renamed: {error}") from error
    except TimeoutError:
        return name  # the rename itself may take longer
    except (CheckerError, CancelledError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"nothing can be renamed: {error}") from error


async def _edit(
    server: Server,
    snapshot: Snapshot,
    opened: Collection[str],
    syntax: Syntax,
    result: RewriteResult,
    *,
    client_confirms: bool,
) -> types.WorkspaceEdit:
    """The edits of the documents as they are now.

    Args:
        opened: The URIs of the documents that were open when the rename was asked for.
        client_confirms: Whether the client asks a person about annotated edits. Then what may be the name is included,
            annotated, and if the rename has breaks or dangers all edits are annotated.

    Raises:
        JsonRpcException: a document was changed at a place of the name, or closed, or is out of step.
    """
    has_dangers = bool(result.rename.dangers or result.rename.unseen)
    is_doubted = client_confirms and (bool(result.breaks) or has_dangers)
    sure = _SURE if is_doubted else ""
    renamed = [(document, edit, sure) for document, edits in result.rename.edits for edit in edits]
    perhaps = [(place.document, place.edit, _PERHAPS) for place in result.rename.perhaps] if client_confirms else []
    by_document: dict[str, tuple[Document, list[tuple[Edit, str]]]] = {}
    for document, edit, annotation in (*renamed, *perhaps):
        is_program = document.uri == syntax.document.uri
        before, edit_there = _in_cell(snapshot, edit) if is_program else (document, edit)
        by_document.setdefault(before.uri, (before, []))[1].append((edit_there, annotation))
    present = {uri: server.session.now(before, opened) for uri, (before, _) in by_document.items()}
    changed = await server.schedule.blocking(
        lambda _give_up: [_as_now(before, present[uri], edits) for uri, (before, edits) in by_document.items()]
    )
    annotations = dict(_annotations(result, is_doubted=is_doubted))
    return to_proto.workspace_edit(changed, annotations, server.session, snapshot.encoding)


def _annotations(result: RewriteResult, *, is_doubted: bool) -> Iterable[tuple[str, types.ChangeAnnotation]]:
    """What a person reads beside the edits that they confirm, by the annotation's name."""
    if is_doubted:
        why = "; ".join(result.doubts)
        yield _SURE, types.ChangeAnnotation("Inscope: a rename that is not certain", True, why)  # noqa: FBT003 - its type's
    if result.rename.perhaps:
        why = "; ".join(dict.fromkeys(place.why for place in result.rename.perhaps))
        yield _PERHAPS, types.ChangeAnnotation("Inscope: perhaps the same name", True, why)  # noqa: FBT003 - its type's


def _in_cell(snapshot: Snapshot, edit: Edit) -> tuple[Document, Edit]:
    """The document of a notebook's cell that an edit of its program is in, and the edit there; a file is one cell."""
    cell = next(cell for cell in reversed(snapshot.cells) if cell.start <= edit.start)
    return cell.document, replace(edit, start=edit.start - cell.start, end=edit.end - cell.start)


def _as_now(
    before: Document, present: Document | None, edits: Sequence[tuple[Edit, str]]
) -> tuple[Document, Sequence[tuple[Edit, str]]]:
    """A document as it is now, with the edits that were made for an earlier text of it, each with its annotation.

    Args:
        present: The document as it is now; None if it was closed or is out of step.

    Raises:
        JsonRpcException: the document was changed at one of the places, or closed, or is out of step.
    """
    if present is not None and present.text == before.text:
        return present, edits
    moved = None if present is None else rebased([edit for edit, _ in edits], before.text, present.text)
    if present is None or moved is None:
        raise _rename_error(_STALE, types.LSPErrorCodes.ContentModified, RewriteFailure.STALE)
    return present, [(edit, annotation) for edit, (_, annotation) in zip(moved, edits, strict=True)]

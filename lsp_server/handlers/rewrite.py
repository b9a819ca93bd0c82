"""The rewrite of a selection or a file: a code action, a command, a bar with counts, and one edit.

The edit is as small as it can be, is labelled, waits for the person's yes where the client can ask, and is one step of
undo. What was typed meanwhile stays where it does not touch the same lines; otherwise the rewrite is dropped and the
person is told. One rewrite runs at a time; what it computes makes room for completions.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from context_index import Document, parse
from decoder import Kind, Policy, SamplingOptions
from lsp_server.documents.open_document import Place
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.handlers.progress import Progress
from lsp_server.protocol import from_proto, to_proto
from lsp_server.protocol.rpc import RpcError
from lsp_server.rewriting.edits import applied, edits_between, rebased
from lsp_server.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.rewriting.verdict import Failed
from lsp_server.session import Off

if TYPE_CHECKING:
    from threading import Event

    from context_index import Edit
    from lsp_server.handlers import Later
    from lsp_server.rewriting.rewrite import Progress as Done
    from lsp_server.rewriting.rewrite import Rewritten
    from lsp_server.server import Server
    from lsp_server.session import Snapshot

COMMAND = "inscope.rewrite"
KIND = "refactor.rewrite.inscope"
SUGGESTED = ("Simplify this code", "Add documentation comments", "Handle errors")
"""Instructions that a person is offered where the client sends none; a client with an input field sends its own."""
_DISCARDED = "discarded"
"""What a client answers where the person looked at the edit and does not want it; there is nothing to tell them."""
_STALE = "the document changed where it was being rewritten; the rewrite was dropped"


def code_actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """One action for what is selected, or for the whole file where nothing is; none for who takes no edits."""
    if not server.session.client.applies_edits:
        return []
    wanted = params.context.only
    if wanted is not None and not any(kind == KIND or KIND.startswith(f"{kind}.") for kind in wanted):
        return []
    if isinstance(server.session.snapshot(params.text_document.uri), Off):
        return []
    chosen = params.range if params.range.start != params.range.end else None
    title = f"Inscope: rewrite {'the selection' if chosen else 'the file'}"
    argument = {"uri": params.text_document.uri, "range": chosen}
    return [types.CodeAction(title, kind=KIND, command=types.Command(title, COMMAND, arguments=[argument]))]


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """Rewrite; answered when the edit is applied, or it is known why there is none."""
    uri, chosen, instruction = _arguments(params.arguments or ())
    snapshot = server.session.snapshot(uri)
    if isinstance(snapshot, Off):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"nothing is rewritten here: {snapshot.why}")
    if not server.session.client.applies_edits:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the client does not take edits (workspace.applyEdit)")
    start, end = 0, len(snapshot.document.text)
    if chosen is not None:
        start, end = (snapshot.offset(place) for place in chosen)
    if start > end:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the range ends before it begins")
    server.session.catch_up()
    return partial(_run, server, snapshot, (start, end), instruction, params.work_done_token)


def _arguments(given: Any) -> tuple[str, tuple[Place, Place] | None, str]:  # noqa: ANN401 - JSON of the client's
    """Document, range and instruction: as one object, or one after the other.

    Raises:
        RequestError: they are something else.
    """
    named = given[0] if given and isinstance(given[0], dict) else dict(zip(("uri", "range", "instruction"), given))  # noqa: B905 - later ones may be missing
    uri, place, instruction = (named.get(name) for name in ("uri", "range", "instruction"))
    if not isinstance(uri, str):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{COMMAND} takes {{uri, range?, instruction?}}")
    if not (instruction is None or isinstance(instruction, str)):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the instruction must be a text")
    try:
        chosen = None if place is None else (_place(place["start"]), _place(place["end"]))
    except (TypeError, KeyError, ValueError) as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the range must be LSP's, with start and end") from error
    return uri, chosen, (instruction or "").strip()


def _place(position: Any) -> Place:  # noqa: ANN401 - JSON of the client's
    line, character = position["line"], position["character"]
    if not all(isinstance(number, int) and number >= 0 for number in (line, character)):
        raise ValueError(position)
    return from_proto.place(types.Position(line, character))


async def _run(
    server: Server, snapshot: Snapshot, chosen: tuple[int, int], instruction: str, token: str | int | None
) -> dict[str, object]:
    instruction = instruction or await _asked(server)
    if not instruction:
        return {"applied": False, "failed": str(Failed.CANCELLED), "reason": "no instruction was given"}
    if server.session.rewriting:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "a rewrite is running already; cancel it, or wait for its end")
    server.session.rewriting = True
    try:
        done = await _rewritten(server, snapshot, chosen, instruction, token)
        why = done.reason if done.failed else await _apply(server, snapshot, done, instruction)
    finally:
        server.session.rewriting = False
    if why and why != _DISCARDED and done.failed is not Failed.CANCELLED:
        server.say(why)
    counts = {str(kind): done.counts[kind] for kind in Kind}
    return {"applied": not why, "failed": done.failed and str(done.failed), "reason": why, **counts}


async def _asked(server: Server) -> str:
    """What the person picks of a few instructions; nothing where they would rather not."""
    items = [types.MessageActionItem(title) for title in SUGGESTED]
    question = types.ShowMessageRequestParams(types.MessageType.Info, "Inscope: rewrite how?", items)
    try:
        picked = await server.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, question)
    except RpcError:  # the client cannot ask
        return ""
    return str(picked["title"]) if isinstance(picked, dict) and picked.get("title") in SUGGESTED else ""


async def _rewritten(
    server: Server, snapshot: Snapshot, chosen: tuple[int, int], instruction: str, token: str | int | None
) -> Rewritten:
    stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    bar = await Progress.begin(server, f"Inscope: {instruction}", token=token, cancel=stop)
    settings, rewriter = snapshot.settings, Rewriter(server.engine.service)

    def tell(now: Done) -> None:
        said = f"{now.written} of about {now.expected} tokens, {now.counts[Kind.ACCEPTED]} accepted"
        server.from_thread(bar.report, min(now.written, now.expected - 1), now.expected, said)

    def work(give_up: Event) -> Rewritten:
        stopped.get_loop().call_soon_threadsafe(stopped.add_done_callback, lambda _stopped: give_up.set())
        syntax = snapshot.syntax
        request = RewriteRequest(
            syntax=syntax,
            instruction=instruction,
            start=snapshot.shift + chosen[0],
            end=snapshot.shift + chosen[1],
            draft=syntax.document.text,
            policy=Policy.ALIGNED,
            sampling=SamplingOptions(settings.temperature, settings.top_p, settings.seed),
            constrained=settings.constraint,
            cancel=give_up,
        )
        return rewriter.run(request, tell)

    ended = "cancelled"
    try:
        done = await server.schedule.blocking(work)
        ended = str(done.failed or "done")
    finally:
        bar.end(ended)
    return done


async def _apply(server: Server, snapshot: Snapshot, done: Rewritten, instruction: str) -> str:
    """Have the client make the edit; why it could not be made, or nothing."""
    program = await server.schedule.blocking(lambda _give_up: snapshot.syntax)
    shift = snapshot.shift
    edits = [
        replace(edit, start=edit.start - shift, end=edit.end - shift)
        for edit in edits_between(program.document.text, done.text)
    ]
    if not edits:
        return "the model changed nothing"
    now = server.session.current(snapshot.uri)
    if now is not snapshot.document:
        moved = None if now is None else rebased(edits, snapshot.document.text, now.text)
        if now is None or moved is None:
            return _STALE
        before = now
        worse = await server.schedule.blocking(lambda _give_up: _worse(before, moved))
        if worse or server.session.current(snapshot.uri) is not now:
            return _STALE
        edits = moved
    answer = await server.ask(types.WORKSPACE_APPLY_EDIT, _edit(server, snapshot, now, edits, instruction))
    if isinstance(answer, dict) and answer.get("applied"):
        return ""
    reason = answer.get("failureReason") if isinstance(answer, dict) else None
    if reason == _DISCARDED:
        return _DISCARDED
    return f"the editor did not make the edit{f': {reason}' if reason else ''}"


def _worse(now: Document, edits: list[Edit]) -> bool:
    """Whether the text with the edits, which were made for an earlier one, parses worse."""
    after = parse(Document(now.uri, now.language, applied(now.text, edits)))
    return after.errors > parse(now).errors


def _edit(
    server: Server, snapshot: Snapshot, now: Document, edits: list[Edit], instruction: str
) -> types.ApplyWorkspaceEditParams:
    client, label = server.session.client, f"Inscope: {instruction}"
    spans = [(to_proto.text_range(now, edit.start, edit.end, snapshot.encoding), edit.text) for edit in edits]
    if not client.document_changes:
        plain = [types.TextEdit(span, text) for span, text in spans]
        return types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={snapshot.uri: plain}), label)
    document = types.OptionalVersionedTextDocumentIdentifier(snapshot.uri, now.revision)
    if not client.annotations:
        changes = types.TextDocumentEdit(document, [types.TextEdit(span, text) for span, text in spans])
        return types.ApplyWorkspaceEditParams(types.WorkspaceEdit(document_changes=[changes]), label)
    annotated = [types.AnnotatedTextEdit(COMMAND, span, text) for span, text in spans]
    reason = types.ChangeAnnotation(label, needs_confirmation=True, description="written by a language model")
    edit = types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(document, annotated)], change_annotations={COMMAND: reason}
    )
    return types.ApplyWorkspaceEditParams(edit, label)

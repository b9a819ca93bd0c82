"""Rewrites and renames by instruction: the request `inscope/rewrite`, the command `inscope.rewrite`, a code action.

The command `inscope.region` says what would be rewritten at a cursor, for a client that shows it before it asks how.

The request answers with the edit; the command, which the code action runs, has the client apply it. The edit is as
small as possible, has a label and is one step of undo. Text that was typed meanwhile stays if it is on other lines;
otherwise the rewrite is dropped with a message. One rewrite runs at a time, and completions run in between. A rename is
the checker's and may change several files.

**Who confirms.** With change annotations, the client asks its user about each edit, unless the user has switched that
off; it asks all the same if the annotation is `DOUBTED`. Without them, the command itself asks if the result has
doubts: `agreed_to` about a rename, `_is_wanted` about a rewrite. The request never asks: its client gets the edit and
decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import Document, declaration_around, lines_around, parse
from decoder import DraftPolicy, Prediction
from lsp_server.engine.edits import edits_between, rebased
from lsp_server.engine.rewriting.kinds import names_to_rename, request_of, result_of
from lsp_server.engine.rewriting.region import INSTRUCTION_OR_RENAME, parsed_rename
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteFailure, RewriteResult, failed_result
from lsp_server.engine.rewriting.rewrite import RewriteRequest
from lsp_server.engine.wire import camel_case
from lsp_server.engine.wire.rewrites import as_json
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.documents.notebook import parted
from lsp_server.lsp.handlers.rename import agreed_to
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.protocol.params import CONVERTER, RewriteParams, sentences
from lsp_server.lsp.protocol.progress import ProgressBar
from lsp_server.lsp.serving import about_document, refused, served
from lsp_server.settings.engine import sampling
from lsp_server.wording import counted

if TYPE_CHECKING:
    from context_index import Declaration, Edit
    from decoder import RewritingProgress
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

COMMAND = "inscope.rewrite"
REGION = "inscope.region"
KIND = "refactor.rewrite.inscope"
DOUBTED = "inscope.doubted"
"""The annotation of an edit that a client must have confirmed whatever its settings say; other edits have `COMMAND`."""
_MAKE, _DISCARD = "Make it", "Discard it"
"""The answers about a rewrite that may be wrong."""
SUGGESTED = ("Simplify this code", "Add documentation comments", "Handle errors")
"""Instructions to choose from where the client sends none; a client with an input field sends its own."""
_DISCARDED = "discarded"
"""A client's reason if the user has rejected the edit; then no message is shown."""
_STALE = "the document was changed where it was being rewritten, or closed; the rewrite was dropped"
_UNCHANGED = "nothing was changed"
_NOT_HERE = "nothing is rewritten here"


@about_document(lambda _server, _why: [])
def code_actions(
    server: Server, params: types.CodeActionParams, snapshot: Snapshot
) -> list[types.CodeAction] | Later[list[types.CodeAction]]:
    """One action, for the selection, or else the declaration at the cursor, or else the whole file.

    There is none if the client takes no edits or wants other kinds.

    A client that asks by itself, for its light bulb, gets it only where something is selected or reported: else the
    bulb would be there at every place, and say nothing.
    """
    if not server.session.client.applies_edits:
        return []
    is_unasked = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
    if is_unasked and params.range.start == params.range.end and not params.context.diagnostics:
        return []
    kinds = params.context.only
    if kinds is not None and not any(kind == KIND or KIND.startswith(f"{kind}.") for kind in kinds):
        return []
    if params.range.start != params.range.end:
        return [_action("the selection", {"uri": snapshot.uri, "range": params.range})]

    async def action() -> list[types.CodeAction]:
        declared = await _declared_around(server, snapshot, params.range.start)
        what = "the file" if declared is None else declared.name
        return [_action(what, {"uri": snapshot.uri, "range": None, "position": params.range.start})]

    return action


def _action(what: str, argument: dict[str, object]) -> types.CodeAction:
    title = f"Inscope: rewrite {what}"
    return types.CodeAction(title, kind=KIND, command=types.Command(title, COMMAND, arguments=[argument]))


async def _declared_around(server: Server, snapshot: Snapshot, position: types.Position) -> Declaration | None:
    """The declaration that is rewritten at a cursor; None where something else is.

    Raises:
        StaleError: the document has no such place.
    """
    if len(snapshot.cells) > 1:
        return None  # the cell is
    offset = snapshot.offset(from_proto.place(position))
    return await server.schedule.blocking(lambda _give_up: declaration_around(snapshot.syntax, offset))


def region(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object] | None]:
    """What is rewritten at a cursor without a selection: `{name, range}`, or null for the whole file.

    Raises:
        RequestError: the arguments are not valid.
    """
    arguments = _arguments(params.arguments or ())
    snapshot = served(server, arguments.text_document.uri, _NOT_HERE)

    async def found() -> dict[str, object] | None:
        position = arguments.position
        declared = None if position is None else await _declared_around(server, snapshot, position)
        if declared is None:
            return None
        lines = await server.schedule.blocking(lambda _give_up: lines_around(snapshot.syntax, declared.span))
        taken = to_proto.text_range(snapshot.document, *lines, snapshot.encoding)
        return {"name": declared.name, "range": CONVERTER.unstructure(taken)}

    return found


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """Rewrite and have the client apply the edit; the answer says whether it did, or why not.

    Raises:
        RequestError: the client takes no edits, or the arguments are not valid.
    """
    if not server.session.client.applies_edits:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the client does not take edits (workspace.applyEdit)")
    rewrite_params = _arguments(params.arguments or ())
    snapshot = served(server, rewrite_params.text_document.uri, _NOT_HERE)
    question = _question(rewrite_params, snapshot, server.session.open_uris())
    return partial(_apply_rewritten, server, question, params.work_done_token)


@about_document(refused(_NOT_HERE))
def rewrite(server: Server, params: RewriteParams, snapshot: Snapshot) -> Later[dict[str, object]]:
    """Rewrite; the answer has the edit, which the client may apply.

    Raises:
        RequestError: the parameters are not valid.
    """
    if not (params.instruction or "").strip() and params.rename is None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, INSTRUCTION_OR_RENAME)
    return partial(_answer_rewritten, server, _question(params, snapshot, server.session.open_uris()))


@dataclass(frozen=True, slots=True)
class RewriteQuestion:
    """What to rewrite, and how."""

    snapshot: Snapshot
    opened: frozenset[str]
    """The URIs of the documents that were open when it was asked."""
    chosen: tuple[int, int] | None
    """Start and end of the range, as offsets in the program that the document is part of; None for no range."""
    cursor: int | None
    """Its offset in the program, of a client that shows what is rewritten around it."""
    instruction: str
    """Empty for a rename, and until the user has picked one."""
    rename: tuple[str, str] | None
    """The old and the new name; None for a rewrite by the model."""
    prediction: Prediction
    takes_all: bool = False
    """Whether a rename takes the places that may have the name."""

    @property
    def title(self) -> str:
        """What is done, in words; empty until the user has picked an instruction."""
        return self.instruction if self.rename is None else f"rename {self.rename[0]} to {self.rename[1]}"


def _question(params: RewriteParams, snapshot: Snapshot, opened: frozenset[str]) -> RewriteQuestion:
    """The question that valid parameters ask.

    Raises:
        RequestError: they are not valid.
    """
    if any(count is not None and count < 1 for count in (params.lookahead, params.recovery)):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "'lookahead' and 'recovery' are numbers of tokens, from 1 on")
    instruction = (params.instruction or "").strip()
    if instruction and params.rename is not None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, INSTRUCTION_OR_RENAME)
    chosen = None
    if params.range is not None:
        start, end = from_proto.span(params.range, snapshot)
        chosen = snapshot.shift + start, snapshot.shift + end
    elif len(snapshot.cells) > 1:
        chosen = snapshot.shift, snapshot.shift + len(snapshot.document.text)
    cursor = None if params.position is None else snapshot.shift + snapshot.offset(from_proto.place(params.position))
    try:
        rename = names_to_rename(instruction, None if params.rename is None else parsed_rename(params.rename))
    except ValueError as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, str(error)) from error
    prediction = Prediction(params.draft, params.policy or DraftPolicy.ALIGNED, params.lookahead, params.recovery)
    return RewriteQuestion(snapshot, opened, chosen, cursor, instruction, rename, prediction, bool(params.all))


def _arguments(arguments: Any) -> RewriteParams:  # noqa: ANN401 - JSON of the client's
    """The command's arguments: one object, or document, range and instruction in this order.

    Raises:
        RequestError: they are not valid.
    """
    if arguments and isinstance(arguments[0], dict):
        named = arguments[0]
    else:
        named = dict(zip(("uri", "range", "instruction"), arguments))  # noqa: B905 - later ones may be missing
    if not isinstance(named.get("uri"), str):
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST, f"{COMMAND} takes {{uri, range?, position?, instruction?, rename?}}"
        )
    try:
        return CONVERTER.structure({**named, "textDocument": {"uri": named["uri"]}}, RewriteParams)
    except Exception as error:  # cattrs raises whatever its hooks meet
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{COMMAND}: {sentences(error)}") from error


async def _answer_rewritten(server: Server, question: RewriteQuestion) -> dict[str, object]:
    """The request's answer; `edit` is null where there is none to make."""
    result, changes = await _changed(server, question, await _one_at_a_time(server, question, None))
    return {"edit": _edit(server, question, changes, result).edit if changes else None, **_answer(result)}


async def _apply_rewritten(server: Server, question: RewriteQuestion, token: str | int | None) -> dict[str, object]:
    """The command's answer, once the client has applied the edit; `reason` says why it has not.

    The steps: the user picks an instruction if there is none, the engine runs, a rename that is not certain is agreed
    to, the edits are moved to the text as it is now, a rewrite that may be wrong is confirmed, and the client applies
    the edit. Each may end it with a reason.

    Args:
        token: The client's token for the progress bar.
    """
    if not question.title:
        question = replace(question, instruction=await _picked_instruction(server))
        question = replace(question, rename=names_to_rename(question.instruction))
    if not question.title:
        text = question.snapshot.document.text
        return {"applied": False, **_answer(failed_result(text, RewriteFailure.CANCELLED, "no instruction was given"))}
    result = await _one_at_a_time(server, question, token)
    request = _request(question, Event())  # does not block: the rewrite has parsed the program
    if isinstance(request, RenameRequest) and not server.session.client.annotations:
        agreed = await agreed_to(server, request, result)
        result = agreed or failed_result(result.text, RewriteFailure.CANCELLED, "The rename was cancelled.")
    result, changes = await _changed(server, question, result)
    why = result.reason if result.failure else await _apply(server, question, changes, result)
    if why and why != _DISCARDED and result.failure is not RewriteFailure.CANCELLED:
        server.say(why)
    return {"applied": not why, **_answer(result), "reason": why}


def _answer(result: RewriteResult) -> dict[str, object]:
    """The fields of an answer of `inscope rewrite --batch`, without its texts; lines count from 0."""
    failed = None if result.failure is None else str(result.failure)
    return {"failed": failed, "reason": result.reason, **camel_case(as_json(result, first_line=0))}


async def _one_at_a_time(server: Server, question: RewriteQuestion, token: str | int | None) -> RewriteResult:
    """Run a rewrite.

    Raises:
        RequestError: another rewrite is running.
    """
    if server.session.rewriting:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "a rewrite is running already; cancel it, or wait for its end")
    server.session.rewriting = True
    try:
        return await _run(server, question, token)
    finally:
        server.session.rewriting = False


async def _picked_instruction(server: Server) -> str:
    """The instruction that the user picks from a list; empty if they pick none, or the client cannot ask."""
    try:
        picked = await server.ask("rewrite how?", SUGGESTED, types.MessageType.Info)
    except JsonRpcException:  # the client cannot ask
        return ""
    return picked if picked in SUGGESTED else ""


def _request(question: RewriteQuestion, cancel: Event) -> RenameRequest | RewriteRequest:
    """What the engine is asked. Parses the program unless that is done, so it must not run on the event loop before."""
    syntax, settings = question.snapshot.syntax, question.snapshot.settings
    rewrite = RewriteRequest(
        uri=syntax.document.uri,
        text=syntax.document.text,
        syntax=syntax,
        instruction=question.instruction,
        chosen=question.chosen,
        cursor=question.cursor,
        prediction=question.prediction,
        sampling=sampling(settings),
        constrained=settings.constraint,
        cancel=cancel,
    )
    return request_of(rewrite, question.rename, takes_all=question.takes_all)


async def _run(server: Server, question: RewriteQuestion, token: str | int | None) -> RewriteResult:
    """Run a rewrite beside a progress bar that counts its tokens and can cancel it."""
    stopped = Event()
    bar = await ProgressBar.begin(server, server.session, f"Inscope: {question.title}", token=token, cancel=stopped.set)
    service = server.engine.service

    def report(now: RewritingProgress) -> None:
        state = f"{now.written} of about {counted(now.expected, 'token')}, {now.counts.accepted} accepted"
        server.from_thread(bar.report, min(now.written, now.expected - 1), now.expected, state)

    def work(_give_up: Event) -> RewriteResult:
        return result_of(_request(question, stopped), service, report)

    ended = "cancelled"
    try:
        result = await server.schedule.blocking(work)
        if stopped.is_set():  # a checker's rename goes on to its end, and a model may have come to its own
            result = failed_result(result.text, RewriteFailure.CANCELLED, "The rewrite was cancelled.")
        ended = str(result.failure or "done")
    finally:
        stopped.set()  # the client may have cancelled the request itself
        bar.end(ended)
    return result


Changes = list[tuple[Document, "list[Edit]"]]
"""The current documents and the edits of each; empty if there is nothing to change."""


async def _changed(server: Server, question: RewriteQuestion, result: RewriteResult) -> tuple[RewriteResult, Changes]:
    """The result, and the edits of each document as it is now; a failure and no edits where none can be made."""
    if result.failure:
        return result, []
    changes = await _changes_now(server, question, result)
    if changes:
        return result, changes
    failure, why = (RewriteFailure.STALE, _STALE) if changes is None else (RewriteFailure.UNCHANGED, _UNCHANGED)
    return replace(failed_result(result.text, failure, why), counts=result.counts, latency_ms=result.latency_ms), []


async def _changes_now(server: Server, question: RewriteQuestion, result: RewriteResult) -> Changes | None:
    """The edits of each document as it is now; None if what changed meanwhile does not let them be made."""
    snapshot = question.snapshot
    program = await server.schedule.blocking(lambda _give_up: snapshot.syntax)
    rewritten = [
        *parted(snapshot.cells, snapshot.uri, program.document.text, result.text),
        *result.rename.changes.values(),
    ]
    changes: Changes = []
    for before, after in rewritten:
        if not (edits := edits_between(before.text, after)):
            continue
        now = server.session.now(before, question.opened)
        moved = edits if now is before else None if now is None else rebased(edits, before.text, now.text)
        if now is None or moved is None:
            return None
        if now.text != before.text and await server.schedule.blocking(partial(_adds_errors, now, moved)):
            return None
        changes.append((now, moved))
    is_current = all(server.session.now(now, question.opened) is now for now, _ in changes)
    return changes if is_current else None


async def _apply(server: Server, question: RewriteQuestion, changes: Changes, result: RewriteResult) -> str:
    """Have the client apply the edit; returns why it was not applied, or an empty text.

    The reason `_DISCARDED` stands for the user's own no, given to us or to the client.
    """
    must_ask = question.rename is None and not server.session.client.annotations  # `agreed_to` has asked about a rename
    if result.doubts and must_ask and not await _is_wanted(server, result):
        return _DISCARDED
    answer = await server.workspace_apply_edit_async(_edit(server, question, changes, result))
    if answer.applied:
        return ""
    reason = answer.failure_reason
    if reason == _DISCARDED:
        return _DISCARDED
    return f"the editor did not make the edit{f': {reason}' if reason else ''}"


async def _is_wanted(server: Server, result: RewriteResult) -> bool:
    """Whether the user wants a rewrite that may be wrong; False if the client cannot ask."""
    message = f"make this rewrite? Look at it closely, because {' and '.join(result.doubts)}."
    try:
        picked = await server.ask(message, (_MAKE, _DISCARD))
    except JsonRpcException:  # the client cannot ask
        server.say(f"the rewrite was not made, because {' and '.join(result.doubts)}, and this editor cannot ask you")
        return False
    return picked == _MAKE


def _adds_errors(now: Document, edits: list[Edit], _give_up: Event) -> bool:
    """Whether edits that were made for an earlier text add syntax errors to the text now."""
    after = parse(now.edited(edits[::-1], now.revision))
    return after.errors > parse(now).errors


def _label(question: RewriteQuestion, result: RewriteResult) -> str:
    """What is done, to which lines, and that it is improbable, if it is. The rewrite has parsed the program."""
    said = []
    if result.is_improbable:
        said.append(f"improbable: {result.probability:.2f}")
    if result.region is not None:
        program, (start, end) = question.snapshot.syntax.document, result.region
        above = program.position(question.snapshot.shift).line - 1
        first, last = (program.position(offset).line - above for offset in (start, max(start, end - 1)))
        said.append(f"line {first}" if first == last else f"lines {first} to {last}")
    return f"Inscope: {question.title}" + (f" ({'; '.join(said)})" if said else "")


def _edit(
    server: Server, question: RewriteQuestion, changes: Changes, result: RewriteResult
) -> types.ApplyWorkspaceEditParams:
    """The edits of all documents, in the form in which the client has a person confirm them."""
    label, annotation = _label(question, result), DOUBTED if result.doubts else COMMAND
    written_by = "renamed by the language's checker" if question.rename else "written by a language model"
    description = ". ".join((written_by, *result.doubts, *result.notes))
    confirmed = types.ChangeAnnotation(label, needs_confirmation=True, description=description)
    edited = [(now, [(edit, annotation) for edit in edits]) for now, edits in changes]
    edit = to_proto.workspace_edit(edited, {annotation: confirmed}, server.session, question.snapshot.encoding)
    return types.ApplyWorkspaceEditParams(edit, label)

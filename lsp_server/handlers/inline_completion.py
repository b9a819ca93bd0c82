"""`textDocument/inlineCompletion`: ghost text, checked before it is shown.

Every request ends in one `Outcome`, which is logged. Typing through a suggestion needs no model. What was typed while
the model computed is removed from the front of its answer, and an answer that no longer fits is dropped. An automatic
request gets one suggestion; an explicit one gets up to three more from the same search, after the one that is shown
already. Clients do not report which of them they show, so while one types along, all that still fit are sent again.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import Edit
from decoder import Begun, SamplingOptions
from lsp_server.acceptance import AcceptanceRates, Awaited, Kind
from lsp_server.controllers.from_request import controller_of
from lsp_server.documents.typed_through import Ghost, ShownSuggestion
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.handlers import commands, completion, workspace_controllers
from lsp_server.protocol import from_proto, to_proto
from lsp_server.schedule import SupersededError
from lsp_server.session import NotServed
from lsp_server.status import NotShown
from lsp_server.suggestion import ALTERNATIVES, LEAST_PROBABLE, CompletionRequest, Eagerness, Extent, Verify, Withheld

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from threading import Event

    from context_index import Document, Syntax
    from decoder import Controller
    from lsp_server.server import Later, Server
    from lsp_server.session import Snapshot
    from lsp_server.suggestion import Suggestion

_log = logging.getLogger(__name__)


_MODEL_FAULTS = {
    ErrorCode.MODEL_NOT_FOUND,
    ErrorCode.MODEL_DAMAGED,
    ErrorCode.NO_SUCH_DEVICE,
    ErrorCode.OUT_OF_MEMORY,
    ErrorCode.INTERNAL,
}
"""Errors that the status line shows once, instead of an error answer at every keystroke."""


class Outcome(StrEnum):
    """How a request ended."""

    SHOWN = "shown"
    TYPED_THROUGH = "typed through"
    """Answered with the rest of the suggestion that is shown already."""
    REBASED = "rebased"
    """Shown without the characters typed while it was computed."""
    STALE = "stale"
    """Dropped, as the document changed in another way."""
    WITHHELD = "withheld"
    OFF = "off"
    SUPERSEDED = "superseded"
    NO_MODEL = "no model"


@dataclass(frozen=True, slots=True)
class Question:
    """A request for ghost text, as if the item that is selected in the menu were accepted."""

    snapshot: Snapshot
    offset: int
    """The cursor in the client's document."""
    start: int
    """The start of the text that the answer replaces, if an item is selected; else the cursor."""
    end: int
    """The end of that text."""
    beginning: str = ""
    """The text with which the answer must begin at the cursor."""
    controller: Controller | None = None
    accepted: str | None = None
    """The text that the item puts in place of `start` to `end`, unless the item continues what is typed there."""
    invoked: bool = False
    """Whether the person asked for it, and wants alternatives; otherwise it is automatic."""


def question_of(snapshot: Snapshot, params: types.InlineCompletionParams) -> Question:
    """The question of a request, with the selected item of the menu taken into account.

    Raises:
        RequestError: the document has no such place, or the selected item is not at the cursor.
    """
    offset = snapshot.offset(from_proto.place(params.position))
    invoked = params.context.trigger_kind is types.InlineCompletionTriggerKind.Invoked
    if (selected := params.context.selected_completion_info) is None:
        return Question(snapshot, offset, offset, offset, invoked=invoked)
    start = snapshot.offset(from_proto.place(selected.range.start))
    end = snapshot.offset(from_proto.place(selected.range.end))
    if not start <= offset <= end:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the range of selectedCompletionInfo must hold the position")
    typed = snapshot.document.text[start:offset]
    if offset == end and selected.text.startswith(typed):
        beginning = selected.text[len(typed) :]
        return Question(snapshot, offset, start, offset, beginning=beginning, invoked=invoked)
    return Question(snapshot, offset, start, end, accepted=selected.text, invoked=invoked)


def request_for(question: Question, cancel: Event, rates: AcceptanceRates | None = None) -> CompletionRequest:
    """The question for the service; parses the program, so not on the event loop.

    Args:
        rates: Move how probable a text must be; None leaves that as it is set.
    """
    settings, shift = question.snapshot.settings, question.snapshot.shift
    syntax, offset = question.snapshot.syntax, shift + question.offset
    if question.accepted is not None:
        syntax, offset = _accepted(syntax, shift + question.start, shift + question.end, question.accepted)
    eagerness = None if question.invoked else Eagerness(settings.eagerness)
    least = None
    if rates is not None and eagerness is not None:
        least = rates.least(kind_at(question), LEAST_PROBABLE[eagerness])
    return CompletionRequest(
        syntax=syntax,
        offset=offset,
        sampling=SamplingOptions(settings.temperature, settings.top_p, settings.seed),
        extent=Extent.AUTO if settings.inline_multiline else Extent.LINE,
        constrained=settings.constraint,
        max_tokens=settings.inline_max_tokens,
        eagerness=eagerness,
        least=least,
        alternatives=ALTERNATIVES if question.invoked and question.accepted is None else 0,
        deadline_ms=settings.inline_deadline_ms,
        beginning=question.beginning,
        verify=Verify(settings.verify),
        imports=settings.imports == "auto" and question.snapshot.brings_imports,
        checker_deadline_ms=settings.checker_deadline_ms,
        controller=question.controller,
        cancel=cancel,
    )


def kind_at(question: Question) -> Kind:
    """Where a question is asked."""
    document = question.snapshot.document
    begun = Begun.at(document.text[: question.offset])
    return Kind(str(document.language), "word" if begun.word else "line" if begun.line else "blank")


def _accepted(syntax: Syntax, start: int, end: int, text: str) -> tuple[Syntax, int]:
    """The program with the menu's item in it, and the place after that."""
    edit = Edit(start, end, text)
    document = syntax.document.edited([edit], syntax.document.revision)
    return syntax.edited(document, [edit]), start + len(text)


def complete(
    server: Server, params: types.InlineCompletionParams
) -> types.InlineCompletionList | Later[types.InlineCompletionList]:
    """Ghost text at the cursor."""
    began = time.perf_counter()
    snapshot = server.session.snapshot(params.text_document.uri)
    if isinstance(snapshot, NotServed) or not snapshot.settings.inline:
        why = snapshot.why if isinstance(snapshot, NotServed) else "Ghost text is switched off (`inline.enabled`)."
        return _ended(server, began, Outcome.OFF, NotShown(Withheld.EXCLUDED, why))
    requested = server.extension.get("controller") if isinstance(server.extension, dict) else None
    controller = (
        controller_of(requested)
        or server.session.controller
        or workspace_controllers.controller_of(server, snapshot.uri)
    )
    question = replace(question_of(snapshot, params), controller=controller)
    shown = server.session.shown(snapshot.uri) if requested is None else None
    if shown and question.accepted is None:
        if not question.invoked and (following := shown.next_at(snapshot.document, question.offset)) is not None:
            shown = following
            server.session.show(snapshot, shown)
        held = shown.all_at(snapshot.document, question.offset, question.beginning)
        if len(held) > 1 or (held and not question.invoked):
            server.schedule.supersede((complete, snapshot.uri))
            return _shown(server, began, question, held, Outcome.TYPED_THROUGH)
    server.session.flush_dirty()
    return partial(_newest, server, question, partial(_answer, server, began, question))


async def _newest(
    server: Server, question: Question, work: Callable[[], Coroutine[object, object, types.InlineCompletionList]]
) -> types.InlineCompletionList:
    slot = (complete, question.snapshot.uri)
    try:
        return await server.schedule.run(slot, work)
    except SupersededError:
        _log.info("%s: %s", question.snapshot.uri, Outcome.SUPERSEDED)
        return types.InlineCompletionList([])


async def _answer(server: Server, began: float, question: Question) -> types.InlineCompletionList:
    try:
        suggestion = await _suggestion(server, question)
    except RequestError as error:
        if error.code not in _MODEL_FAULTS:
            raise
        server.engine.fault = error
        return _ended(server, began, Outcome.NO_MODEL, NotShown(error.code, error.message))
    snapshot, session = question.snapshot, server.session
    chooses = question.invoked and question.accepted is None and question.controller is None
    before = session.shown(snapshot.uri) if chooses else None
    if before is not None and before.at(snapshot.document, question.offset, question.beginning) is None:
        before = None
    if not suggestion.text and before is None:
        not_shown = NotShown(suggestion.withheld or Withheld.EMPTY, suggestion.reason)
        return _ended(server, began, Outcome.WITHHELD, not_shown)
    now = session.current(snapshot.uri)
    if question.accepted is not None:
        if now is not snapshot.document:
            return _ended(server, began, Outcome.STALE)
        ghost = Ghost(suggestion.text, suggestion.replaces, suggestion.imports)
        return _shown(server, began, question, [ghost], Outcome.SHOWN)
    shown = _offered(question, suggestion, before)
    session.show(snapshot, shown)
    if snapshot.settings.inline_learn and not question.invoked and question.controller is None:
        kind, document = kind_at(question), snapshot.document
        awaited = Awaited(kind, suggestion.probability, suggestion.text, document, question.offset)
        session.await_outcome(snapshot.uri, awaited)
    if now is snapshot.document:
        held = shown.all_at(snapshot.document, question.offset, question.beginning)
        return _shown(server, began, question, held, Outcome.SHOWN)
    return _rebased(server, began, question, shown, now)


def _rebased(
    server: Server, began: float, question: Question, shown: ShownSuggestion, now: Document | None
) -> types.InlineCompletionList:
    """The answer for the text as it is now, if the person only typed along."""
    before = question.snapshot.document
    cursor = question.offset + len(now.text) - len(before.text) if now else -1
    ghosts = shown.all_at(now, cursor) if now and cursor >= question.offset else ()
    fresh = server.session.snapshot(before.uri) if ghosts else None
    if fresh is None or isinstance(fresh, NotServed):
        return _ended(server, began, Outcome.STALE)
    return _shown(server, began, Question(fresh, cursor, cursor, cursor), ghosts, Outcome.REBASED)


def _offered(question: Question, suggestion: Suggestion, before: ShownSuggestion | None) -> ShownSuggestion:
    """The suggestion and its alternatives, after the suggestion that is shown already."""
    document, offset = question.snapshot.document, question.offset
    offered = [*([suggestion] if suggestion.text else ()), *suggestion.alternatives]
    texts = [ShownSuggestion(document, offset, one.text, one.imports, one.replaces) for one in offered]
    if before is not None:
        return replace(before, others=tuple(texts))
    return replace(texts[0], others=tuple(texts[1:]), continued=suggestion.continued)


async def _suggestion(server: Server, question: Question) -> Suggestion:
    """The service's answer, once the model is loaded.

    Raises:
        RequestError: the model cannot be loaded.
    """
    engine = server.engine
    await server.wait_for_model()
    if not engine.has_model and (fault := engine.fault) is not None:
        raise RequestError(fault.code, fault.message)
    # the menu goes first: people wait for it, and it takes little time
    await server.schedule.wait_until_free((completion.complete, question.snapshot.uri))

    rates = server.session.rates if question.snapshot.settings.inline_learn else None

    def ask(stop: Event) -> tuple[CompletionRequest, Suggestion]:
        request = request_for(question, stop, rates)
        return request, engine.service.complete(request)

    server.session.last_completion = await server.schedule.blocking(ask)
    return server.session.last_completion[1]


def _shown(
    server: Server, began: float, question: Question, ghosts: Sequence[Ghost], outcome: Outcome
) -> types.InlineCompletionList:
    """The answer; it repeats the text that it replaces, so that clients show an insertion at the cursor."""
    document = question.snapshot.document
    kept = question.accepted
    if kept is None:
        kept = document.text[question.start : question.offset]
    items = []
    for ghost in ghosts:
        end = question.end + ghost.replaces
        place = to_proto.text_range(document, question.start, end, question.snapshot.encoding)
        items.append(to_proto.ghost(kept + ghost.text, place, commands.import_command(document.uri, ghost.imports)))
    _log.info("%s: %s in %.1f ms", document.uri, outcome, (time.perf_counter() - began) * 1000)
    server.set_withheld(None)
    return types.InlineCompletionList(items)


def _ended(
    server: Server, began: float, outcome: Outcome, not_shown: NotShown | None = None
) -> types.InlineCompletionList:
    """An empty answer; null would leave an old completion on screen."""
    _log.info("%s in %.1f ms: %s", outcome, (time.perf_counter() - began) * 1000, not_shown or "")
    if not_shown is not None:
        server.set_withheld(not_shown)
    return types.InlineCompletionList([])

"""`textDocument/inlineCompletion`: ghost text, checked before it is shown.

Every request ends in one `RequestEnd`, which is logged. Typing through a suggestion needs no model. What was typed
while the model computed is removed from the front of its answer, and an answer that no longer fits is dropped. An
automatic request gets one suggestion; an explicit one gets up to three more from the same search, after the one that
is shown already. Clients do not report which of them they show, so while one types along, all that still fit are sent
again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import Edit
from decoder import Begun
from lsp_server.engine.acceptance import AcceptanceRates, AwaitedSuggestion, PlaceKind
from lsp_server.engine.controllers.from_request import controller_of
from lsp_server.engine.suggestion import ALTERNATIVES, LEAST_PROBABLE, Eagerness, Trigger, Withheld
from lsp_server.engine.typed_through import Ghost, ShownSuggestion
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.handlers import commands, completion, workspace_controllers
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document
from lsp_server.lsp.session import NotServed
from lsp_server.lsp.status import NotShown
from lsp_server.settings.engine import completion_request
from lsp_server.settings.table import trigger_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from context_index import Document, Syntax
    from decoder import Controller
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_log = logging.getLogger(__name__)


_MODEL_FAULTS = {
    ErrorCode.MODEL_NOT_FOUND,
    ErrorCode.MODEL_DAMAGED,
    ErrorCode.NO_SUCH_DEVICE,
    ErrorCode.EXTRA_MISSING,
    ErrorCode.OUT_OF_MEMORY,
    ErrorCode.INTERNAL,
}
"""Errors that the status line shows once, instead of an error answer at every keystroke."""


_SWITCHED_OFF = "Ghost text is switched off (`inline.trigger`)."
_ANOTHER = NotShown(Withheld.LOW_CONFIDENCE, "Another entry of the menu is selected than the model would write.")


class RequestEnd(StrEnum):
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
class GhostTextQuestion:
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
    is_free: bool = False
    """Whether the model writes as if no item were selected: it is another service's, and nobody asked. Then what the
    model writes is shown only if it begins as the item does."""
    invoked: bool = False
    """Whether the person asked for it, and wants alternatives; otherwise it is automatic."""


def question_of(
    snapshot: Snapshot, params: types.InlineCompletionParams, is_listed: Callable[[int, str], bool]
) -> GhostTextQuestion | None:
    """The question of a request, with the selected item of the menu taken into account.

    None where no text can agree with the menu, and nobody asked for one: the item is not at the cursor any more, or it
    is another service's and replaces what is typed.

    Args:
        is_listed: Whether an item, by its place in the document and its text, is one of ours.

    Raises:
        StaleError: the document has no such place.
    """
    offset = snapshot.offset(from_proto.place(params.position))
    invoked = params.context.trigger_kind is types.InlineCompletionTriggerKind.Invoked
    if (selected := params.context.selected_completion_info) is None:
        return GhostTextQuestion(snapshot, offset, offset, offset, invoked=invoked)
    start = snapshot.offset(from_proto.place(selected.range.start))
    end = snapshot.offset(from_proto.place(selected.range.end))
    if not start <= end or not start <= offset:
        return GhostTextQuestion(snapshot, offset, offset, offset, invoked=True) if invoked else None
    typed, is_free = snapshot.document.text[start:offset], not (invoked or is_listed(start, selected.text))
    if end <= offset and selected.text.startswith(typed):
        beginning = selected.text[len(typed) :]
        return GhostTextQuestion(snapshot, offset, start, offset, beginning=beginning, invoked=invoked, is_free=is_free)
    if end < offset:  # what was typed since is no part of the item
        return GhostTextQuestion(snapshot, offset, offset, offset, invoked=True) if invoked else None
    return None if is_free else GhostTextQuestion(snapshot, offset, start, end, accepted=selected.text, invoked=invoked)


def request_for(question: GhostTextQuestion, cancel: Event, rates: AcceptanceRates | None = None) -> CompletionRequest:
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
    request = completion_request(settings, syntax, offset)
    return replace(
        request,
        eagerness=eagerness,
        least=least,
        alternatives=ALTERNATIVES if question.invoked and question.accepted is None else 0,
        beginning="" if question.is_free else question.beginning,
        imports=request.imports and question.snapshot.brings_imports,
        controller=question.controller,
        cancel=cancel,
    )


def kind_at(question: GhostTextQuestion) -> PlaceKind:
    """Where a question is asked."""
    document = question.snapshot.document
    begun = Begun.at(document.text[: question.offset])
    return PlaceKind(str(document.language), "word" if begun.word else "line" if begun.line else "blank")


def _accepted(syntax: Syntax, start: int, end: int, text: str) -> tuple[Syntax, int]:
    """The program with the menu's item in it, and the place after that."""
    edit = Edit(start, end, text)
    document = syntax.document.edited([edit], syntax.document.revision)
    return syntax.edited(document, [edit]), start + len(text)


def _unserved(server: Server, why: str) -> types.InlineCompletionList:
    return _answer_without(server, time.perf_counter(), RequestEnd.OFF, NotShown(Withheld.EXCLUDED, why))


@about_document(_unserved)
def complete(
    server: Server, params: types.InlineCompletionParams, snapshot: Snapshot
) -> types.InlineCompletionList | Later[types.InlineCompletionList]:
    """Ghost text at the cursor."""
    began = time.perf_counter()
    if trigger_of(snapshot.settings, snapshot.document.language) is Trigger.OFF:
        return _unserved(server, _SWITCHED_OFF)
    requested = server.extension.get("controller") if isinstance(server.extension, dict) else None
    controller = (
        controller_of(requested)
        or server.session.controller
        or workspace_controllers.controller_of(server, snapshot.uri)
    )
    question = question_of(snapshot, params, partial(server.session.is_listed, snapshot.document))
    if question is None:
        return _answer_without(server, began, RequestEnd.WITHHELD, _ANOTHER)
    question = replace(question, controller=controller)
    if (answer := _at_once(server, began, question, reuses_shown=requested is None)) is not None:
        return answer
    work, place = partial(_ask_model, server, began, question), _place(question) if question.invoked else None
    return partial(server.schedule.newest, (complete, snapshot.uri), work, partial(_superseded, snapshot.uri), place)


def _at_once(
    server: Server, began: float, question: GhostTextQuestion, *, reuses_shown: bool
) -> types.InlineCompletionList | Later[types.InlineCompletionList] | None:
    """The answer where the model need not be asked, from what is shown or is being made; else None.

    Args:
        reuses_shown: Whether the rest of what is shown may be the answer. Not where the request brings a controller of
            its own: what is shown was written without it.
    """
    snapshot = question.snapshot
    if not question.invoked:
        asked = server.schedule.shared((complete, snapshot.uri), _place(question))
        if asked is not None:
            return partial(_answer_of, asked)
    is_manual = trigger_of(snapshot.settings, snapshot.document.language) is Trigger.MANUAL
    if reuses_shown and question.accepted is None:
        answer = _from_shown(server, began, question, is_manual=is_manual)
        if answer is not None:
            return answer
    if is_manual and not question.invoked:
        return _answer_without(server, began, RequestEnd.OFF)
    return None


def _from_shown(
    server: Server, began: float, question: GhostTextQuestion, *, is_manual: bool
) -> types.InlineCompletionList | None:
    """The rest of the suggestion that is shown already, where the person types along; else None.

    Who asks wants alternatives: one text that is shown already is no answer to that, several are.
    """
    session, snapshot = server.session, question.snapshot
    shown = session.shown(snapshot.uri)
    if shown is None:
        return None
    is_unasked = not (question.invoked or is_manual)
    if is_unasked and (following := shown.next_at(snapshot.document, question.offset)) is not None:
        shown = following
        session.show(snapshot, shown)
    held = shown.all_at(snapshot.document, question.offset, question.beginning)
    if len(held) > 1 or (held and not question.invoked):
        server.schedule.supersede((complete, snapshot.uri))
        return _answer_with(server, began, question, held, RequestEnd.TYPED_THROUGH)
    if question.is_free and shown.at(snapshot.document, question.offset) is not None:
        return _answer_without(server, began, RequestEnd.WITHHELD, _ANOTHER)
    return None


def _place(question: GhostTextQuestion) -> tuple[Document, int, int]:
    """What a request that a person invoked is about; an automatic one for the same shares its answer."""
    return question.snapshot.document, question.offset, question.start


async def _answer_of(asked: asyncio.Task[types.InlineCompletionList]) -> types.InlineCompletionList:
    """The answer to what a person asked for, which an editor's automatic request must not take the place of."""
    await asyncio.wait((asked,))
    return types.InlineCompletionList([]) if asked.cancelled() else asked.result()


def _superseded(uri: str) -> types.InlineCompletionList:
    _log.info("%s: %s", uri, RequestEnd.SUPERSEDED)
    return types.InlineCompletionList([])


async def _ask_model(server: Server, began: float, question: GhostTextQuestion) -> types.InlineCompletionList:
    """The answer with the model's suggestion, for the text as it is by then."""
    try:
        suggestion = await _suggestion(server, question)
    except RequestError as error:
        if error.code not in _MODEL_FAULTS:
            raise
        server.engine.fault = error
        return _answer_without(server, began, RequestEnd.NO_MODEL, NotShown(error.code, error.message))
    before = _shown_before(server, question)
    if not suggestion.text and before is None:
        return _answer_without(server, began, RequestEnd.WITHHELD, NotShown.of(suggestion))
    if question.accepted is not None:
        return _after_item(server, began, question, suggestion)
    shown = _offered(question, suggestion, before)
    server.session.show(question.snapshot, shown)
    _await_outcome(server, question, suggestion)
    return _for_text_now(server, began, question, shown)


def _shown_before(server: Server, question: GhostTextQuestion) -> ShownSuggestion | None:
    """The suggestion that is shown already, if this request is for alternatives to it and it still fits."""
    wants_alternatives = question.invoked and question.accepted is None and question.controller is None
    shown = server.session.shown(question.snapshot.uri) if wants_alternatives else None
    if shown is None or shown.at(question.snapshot.document, question.offset, question.beginning) is None:
        return None
    return shown


def _after_item(
    server: Server, began: float, question: GhostTextQuestion, suggestion: Suggestion
) -> types.InlineCompletionList:
    """The answer behind an item of the menu that is not in the document yet: it is not kept for typing through."""
    snapshot = question.snapshot
    if server.session.current(snapshot.uri) is not snapshot.document:
        return _answer_without(server, began, RequestEnd.STALE)
    ghost = Ghost(suggestion.text, suggestion.replaces, suggestion.imports)
    return _answer_with(server, began, question, [ghost], RequestEnd.SHOWN)


def _await_outcome(server: Server, question: GhostTextQuestion, suggestion: Suggestion) -> None:
    """Have it noted whether a suggestion that nobody asked for is taken, if the settings allow it."""
    snapshot = question.snapshot
    if snapshot.settings.inline_learn and not question.invoked and question.controller is None:
        kind, document = kind_at(question), snapshot.document
        awaited = AwaitedSuggestion(kind, suggestion.probability, suggestion.text, document, question.offset)
        server.session.await_outcome(snapshot.uri, awaited)


def _for_text_now(
    server: Server, began: float, question: GhostTextQuestion, shown: ShownSuggestion
) -> types.InlineCompletionList:
    """The answer for the text as it is now; nothing where the selected item of the menu begins otherwise."""
    snapshot = question.snapshot
    now = server.session.current(snapshot.uri)
    if now is not snapshot.document:
        return _rebased(server, began, question, shown, now)
    held = shown.all_at(snapshot.document, question.offset, question.beginning)
    if not held:
        return _answer_without(server, began, RequestEnd.WITHHELD, _ANOTHER)
    return _answer_with(server, began, question, held, RequestEnd.SHOWN)


def _rebased(
    server: Server, began: float, question: GhostTextQuestion, shown: ShownSuggestion, now: Document | None
) -> types.InlineCompletionList:
    """The answer for the text as it is now, if the person only typed along."""
    before = question.snapshot.document
    cursor = question.offset + len(now.text) - len(before.text) if now else -1
    ghosts = shown.all_at(now, cursor) if now and cursor >= question.offset else ()
    fresh = server.session.snapshot(before.uri) if ghosts else None
    if fresh is None or isinstance(fresh, NotServed):
        return _answer_without(server, began, RequestEnd.STALE)
    return _answer_with(server, began, GhostTextQuestion(fresh, cursor, cursor, cursor), ghosts, RequestEnd.REBASED)


def _offered(question: GhostTextQuestion, suggestion: Suggestion, before: ShownSuggestion | None) -> ShownSuggestion:
    """The suggestion and its alternatives, after the suggestion that is shown already."""
    document, offset = question.snapshot.document, question.offset
    offered = [*([suggestion] if suggestion.text else ()), *suggestion.alternatives]
    texts = [ShownSuggestion(document, offset, one.text, one.imports, one.replaces) for one in offered]
    if before is not None:
        return replace(before, others=tuple(texts))
    return replace(texts[0], others=tuple(texts[1:]), continued=suggestion.continued)


async def _suggestion(server: Server, question: GhostTextQuestion) -> Suggestion:
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


def _answer_with(
    server: Server, began: float, question: GhostTextQuestion, ghosts: Sequence[Ghost], outcome: RequestEnd
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


def _answer_without(
    server: Server, began: float, outcome: RequestEnd, not_shown: NotShown | None = None
) -> types.InlineCompletionList:
    """An empty answer; null would leave an old completion on screen."""
    _log.info("%s in %.1f ms: %s", outcome, (time.perf_counter() - began) * 1000, not_shown or "")
    if not_shown is not None:
        server.set_withheld(not_shown)
    return types.InlineCompletionList([])

"""`textDocument/inlineCompletion`: ghost text, checked before it is shown.

Every request ends in one `RequestEnd`, which is logged, or in an error. Typing along with a suggestion needs no model.
What was typed while the model computed is removed from the front of its answer, and an answer that no longer fits is
dropped. An automatic request gets one suggestion. An explicit one gets up to three more from the same search, after the
one that is shown already. Clients do not report which of them they show, so while the user types along, all that still
fit are sent again.

`complete` answers a request in three steps: `question_of` reads it, `_at_once` answers it without the model if that is
possible, and `_ask_model` answers it later. All answers are made by `_answer_with` or, if they are empty, by
`_answer_without`; only a superseded or cancelled request, and one that shares another's answer, has none of its own.
The exits, in the order of the code:

- not served, or switched off (`_unserved`): `OFF`;
- no text can agree with the menu's selected item: `WITHHELD`;
- the same request is being computed: its answer is shared, and only that one is logged;
- the user types along with what is shown: `TYPED_THROUGH`, or `WITHHELD` if the menu's item begins otherwise;
- ghost text comes on request only: `OFF`;
- a newer request replaces this one: `SUPERSEDED`;
- the model cannot be loaded: `NO_MODEL`; any other error is the answer;
- the engine has no text for this place: `WITHHELD`, with its reason for the status line;
- the document has changed meanwhile: `REBASED` if the user typed along, else `STALE`;
- the text is shown: `SHOWN`, or `WITHHELD` if the menu's item begins otherwise.
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
from lsp_server.engine.suggestion import ALTERNATIVES, THRESHOLDS, Eagerness, Trigger, Withheld
from lsp_server.engine.typed_through import Ghost, ShownSuggestion
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.first_readings import LONGEST_SECONDS
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
_OTHER_ENTRY = NotShown(Withheld.LOW_CONFIDENCE, "Another entry of the menu is selected than the model would write.")


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
    """Nothing may be shown; the status line says why."""
    OFF = "off"
    """Ghost text is switched off here, or comes only on request."""
    SUPERSEDED = "superseded"
    """A newer request took its place."""
    NO_MODEL = "no model"


@dataclass(frozen=True, slots=True)
class GhostTextQuestion:
    """A request for ghost text. If an item is selected in the menu, the text goes on as if it were accepted."""

    snapshot: Snapshot
    offset: int
    """The cursor in the client's document."""
    start: int
    """The start of the text that the answer replaces, if an item is selected; else the cursor."""
    end: int
    """The end of that text."""
    beginning: str = ""
    """The rest of the item after what is typed of it: the answer must begin with it at the cursor."""
    controller: Controller | None = None
    accepted: str | None = None
    """The item's text in place of `start` to `end`, if it does not go on from what is typed there; else None."""
    is_free: bool = False
    """Whether the model writes as if no item were selected: the item is another service's, and the request automatic.
    Then the model's text is shown only if it begins as the item does."""
    invoked: bool = False
    """Whether the user asked for it, and wants alternatives; otherwise the request is automatic."""


def question_of(
    snapshot: Snapshot, params: types.InlineCompletionParams, is_listed: Callable[[int, str], bool]
) -> GhostTextQuestion | None:
    """What a request asks, given the item that is selected in the menu.

    None for an automatic request where no text can agree with the menu: the item is not at the cursor any more, or it
    is another service's and replaces what is typed.

    Args:
        is_listed: Whether an item, by its place in the document and its text, is one of our own menu.

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
    """The service's form of a question. Parses the program, so it must not run on the event loop.

    Args:
        rates: The user's acceptance rates, which move how probable a text must be; None takes the setting's own value.
    """
    settings, shift = question.snapshot.settings, question.snapshot.shift
    syntax, offset = question.snapshot.syntax, shift + question.offset
    if question.accepted is not None:
        syntax, offset = _with_item(syntax, shift + question.start, shift + question.end, question.accepted)
    eagerness = None if question.invoked else Eagerness(settings.eagerness)
    least = None
    if rates is not None and eagerness is not None:
        least = rates.threshold(kind_at(question), THRESHOLDS[eagerness])
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
    """The kind of place at which a question is asked, for the acceptance rates."""
    document = question.snapshot.document
    begun = Begun.at(document.text[: question.offset])
    return PlaceKind(str(document.language), "word" if begun.word else "line" if begun.line else "blank")


def _with_item(syntax: Syntax, start: int, end: int, text: str) -> tuple[Syntax, int]:
    """The program with the menu's item in it, and the offset after the item."""
    edit = Edit(start, end, text)
    document = syntax.document.edited([edit], syntax.document.revision)
    return syntax.edited(document, [edit]), start + len(text)


def _unserved(server: Server, why: str) -> types.InlineCompletionList:
    """The empty answer where Inscope serves nothing; `why` is a sentence for the status line."""
    return _answer_without(server, time.perf_counter(), RequestEnd.OFF, NotShown(Withheld.EXCLUDED, why))


@about_document(_unserved)
def complete(
    server: Server, params: types.InlineCompletionParams, snapshot: Snapshot
) -> types.InlineCompletionList | Later[types.InlineCompletionList]:
    """The ghost text at the cursor; the module's docstring lists how it ends."""
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
        return _answer_without(server, began, RequestEnd.WITHHELD, _OTHER_ENTRY)
    question = replace(question, controller=controller)
    if (answer := _at_once(server, began, question, reuses_shown=requested is None)) is not None:
        return answer
    work, place = partial(_ask_model, server, began, question), _place(question) if question.invoked else None
    return partial(server.schedule.newest, (complete, snapshot.uri), work, partial(_superseded, snapshot.uri), place)


def _at_once(
    server: Server, began: float, question: GhostTextQuestion, *, reuses_shown: bool
) -> types.InlineCompletionList | Later[types.InlineCompletionList] | None:
    """The answer without the model, from what is shown or is being computed; None if the model must be asked.

    An automatic request for the place of an explicit one that is being computed waits for its answer. Next comes what
    is shown already. Then, if ghost text comes on request only, an automatic request gets nothing.

    Args:
        reuses_shown: Whether the rest of what is shown may be the answer. It may not if the request brings its own
            controller: what is shown was written without it.
    """
    snapshot = question.snapshot
    if not question.invoked:
        same = server.schedule.shared((complete, snapshot.uri), _place(question))
        if same is not None:
            return partial(_answer_of, same)
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
    """The rest of the suggestion that is shown already, if the user types along; else None.

    An explicit request wants alternatives: it is answered only if several texts are shown already. A computation for
    the same document that this answer replaces is superseded. Once the suggestion is taken whole, what goes on from it
    (`ShownSuggestion.next_at`) is shown in its place, but only unasked.
    """
    session, snapshot = server.session, question.snapshot
    shown = session.shown(snapshot.uri)
    if shown is None:
        return None
    is_unasked = not (question.invoked or is_manual)
    if is_unasked and (following := shown.next_at(snapshot.document, question.offset)) is not None:
        shown = following
        session.show(snapshot, shown)
    ghosts = shown.all_at(snapshot.document, question.offset, question.beginning)
    if len(ghosts) > 1 or (ghosts and not question.invoked):
        server.schedule.supersede((complete, snapshot.uri))
        return _answer_with(server, began, question, ghosts, RequestEnd.TYPED_THROUGH)
    if question.is_free and shown.at(snapshot.document, question.offset) is not None:
        return _answer_without(server, began, RequestEnd.WITHHELD, _OTHER_ENTRY)
    return None


def _place(question: GhostTextQuestion) -> tuple[Document, int, int]:
    """The place of an explicit request: an automatic request for the same place shares its answer."""
    return question.snapshot.document, question.offset, question.start


async def _answer_of(explicit: asyncio.Task[types.InlineCompletionList]) -> types.InlineCompletionList:
    """The answer to an explicit request; an editor's automatic request waits for it and does not replace it."""
    await asyncio.wait((explicit,))
    return types.InlineCompletionList([]) if explicit.cancelled() else explicit.result()


def _superseded(uri: str) -> types.InlineCompletionList:
    """The empty answer to a request that a newer one replaces; it leaves the status line alone."""
    _log.info("%s: %s", uri, RequestEnd.SUPERSEDED)
    return types.InlineCompletionList([])


async def _ask_model(server: Server, began: float, question: GhostTextQuestion) -> types.InlineCompletionList:
    """The answer with the model's suggestion, for the text as it is when the model has answered."""
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
    """The suggestion that is shown already, if this request asks for alternatives to it and it still fits."""
    wants_alternatives = question.invoked and question.accepted is None and question.controller is None
    shown = server.session.shown(question.snapshot.uri) if wants_alternatives else None
    if shown is None or shown.at(question.snapshot.document, question.offset, question.beginning) is None:
        return None
    return shown


def _after_item(
    server: Server, began: float, question: GhostTextQuestion, suggestion: Suggestion
) -> types.InlineCompletionList:
    """The answer after an item of the menu. It is not kept for typing along, as the item is not in the document yet."""
    snapshot = question.snapshot
    if server.session.current(snapshot.uri) is not snapshot.document:
        return _answer_without(server, began, RequestEnd.STALE)
    ghost = Ghost(suggestion.text, suggestion.replaces, suggestion.imports)
    return _answer_with(server, began, question, [ghost], RequestEnd.SHOWN)


def _await_outcome(server: Server, question: GhostTextQuestion, suggestion: Suggestion) -> None:
    """Have it counted whether an automatic suggestion is taken, if the settings allow it."""
    snapshot = question.snapshot
    if snapshot.settings.inline_learn and not question.invoked and question.controller is None:
        kind, document = kind_at(question), snapshot.document
        awaited = AwaitedSuggestion(kind, suggestion.probability, suggestion.text, document, question.offset)
        server.session.await_outcome(snapshot.uri, awaited)


def _for_text_now(
    server: Server, began: float, question: GhostTextQuestion, shown: ShownSuggestion
) -> types.InlineCompletionList:
    """The answer for the text as it is now; empty if the menu's selected item begins in another way."""
    snapshot = question.snapshot
    now = server.session.current(snapshot.uri)
    if now is not snapshot.document:
        return _rebased(server, began, question, shown, now)
    ghosts = shown.all_at(snapshot.document, question.offset, question.beginning)
    if not ghosts:
        return _answer_without(server, began, RequestEnd.WITHHELD, _OTHER_ENTRY)
    return _answer_with(server, began, question, ghosts, RequestEnd.SHOWN)


def _rebased(
    server: Server, began: float, question: GhostTextQuestion, shown: ShownSuggestion, now: Document | None
) -> types.InlineCompletionList:
    """The answer for a text that changed meanwhile; empty unless the user only typed along.

    Args:
        now: The document now; None if it is closed or out of step.
    """
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
    new = [ShownSuggestion(document, offset, item.text, item.imports, item.replaces) for item in offered]
    if before is not None:
        others = [shown for shown in new if shown.text != before.text]
        return replace(before, others=tuple(others[:ALTERNATIVES]))
    return replace(new[0], others=tuple(new[1:]), continued=suggestion.continued)


async def _suggestion(server: Server, question: GhostTextQuestion) -> Suggestion:
    """The service's answer, once the model is loaded and has read the document.

    Until then the request's own time does not run. Who asked waits for seconds, an automatic request for a deadline.

    Raises:
        RequestError: the model cannot be loaded.
    """
    engine = server.engine
    await server.wait_for_model()
    if not engine.has_model and (fault := engine.fault) is not None:
        raise RequestError(fault.code, fault.message)
    patience = LONGEST_SECONDS if question.invoked else question.snapshot.settings.inline_deadline_ms / 1000
    await server.readings.wait(question.snapshot.uri, patience)
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
    """The answer with ghost text. Each item repeats the text that it replaces, so that clients show an insertion."""
    document = question.snapshot.document
    before = document.text[question.start : question.offset] if question.accepted is None else question.accepted
    items = []
    for ghost in ghosts:
        end = question.end + ghost.replaces
        place = to_proto.text_range(document, question.start, end, question.snapshot.encoding)
        items.append(to_proto.ghost(before + ghost.text, place, commands.import_command(document.uri, ghost.imports)))
    _log.info("%s: %s in %.1f ms", document.uri, outcome, (time.perf_counter() - began) * 1000)
    server.set_withheld(None)
    return types.InlineCompletionList(items)


def _answer_without(
    server: Server, began: float, outcome: RequestEnd, not_shown: NotShown | None = None
) -> types.InlineCompletionList:
    """An empty answer; null would leave an old completion on screen.

    Args:
        not_shown: The reason for the status line; None leaves the status as it is.
    """
    _log.info("%s in %.1f ms: %s", outcome, (time.perf_counter() - began) * 1000, not_shown or "")
    if not_shown is not None:
        server.set_withheld(not_shown)
    return types.InlineCompletionList([])

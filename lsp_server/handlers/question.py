"""What a request for ghost text asks: a place, and the menu's selected item as if it were accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import Edit
from decoder import SamplingOptions
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.protocol import from_proto
from lsp_server.suggestion import ALTERNATIVES, CompletionRequest, Eagerness, Extent, Verify

if TYPE_CHECKING:
    from threading import Event

    from context_index import Syntax
    from decoder import Controller
    from lsp_server.session import Snapshot


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, with the item that is selected in the menu as if it were accepted."""

    snapshot: Snapshot
    offset: int
    """The cursor in the client's document."""
    start: int
    """Where what the answer replaces begins, if an item is selected; else the cursor."""
    end: int
    beginning: str = ""
    """What the answer must begin with at the cursor."""
    controller: Controller | None = None
    accepted: str | None = None
    """Text from `start` to `end` as it would be with the item, where the item is no continuation of it."""
    invoked: bool = False
    """A person asks and wants to choose; else somebody types."""


def question_of(snapshot: Snapshot, params: types.InlineCompletionParams) -> Question:
    """What is asked, with what is selected in the menu taken into account.

    Raises:
        RequestError: the document has no such place, or what is selected is not at the cursor.
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


def request_for(question: Question, cancel: Event) -> CompletionRequest:
    """The question for the service; parses the program, so not on the event loop."""
    settings, shift = question.snapshot.settings, question.snapshot.shift
    syntax, offset = question.snapshot.syntax, shift + question.offset
    if question.accepted is not None:
        syntax, offset = _accepted(syntax, shift + question.start, shift + question.end, question.accepted)
    return CompletionRequest(
        syntax=syntax,
        offset=offset,
        sampling=SamplingOptions(settings.temperature, settings.top_p, settings.seed),
        extent=Extent.AUTO if settings.inline_multiline else Extent.LINE,
        constrained=settings.constraint,
        max_tokens=settings.inline_max_tokens,
        eagerness=None if question.invoked else Eagerness(settings.eagerness),
        alternatives=ALTERNATIVES if question.invoked and question.accepted is None else 0,
        deadline_ms=settings.inline_deadline_ms,
        beginning=question.beginning,
        verify=Verify(settings.verify),
        imports=settings.imports == "auto" and question.snapshot.brings_imports,
        checker_deadline_ms=settings.checker_deadline_ms,
        controller=question.controller,
        cancel=cancel,
    )


def _accepted(syntax: Syntax, start: int, end: int, text: str) -> tuple[Syntax, int]:
    """The program with the menu's item in it, and the place after that."""
    edit = Edit(start, end, text)
    document = syntax.document.edited([edit], syntax.document.revision)
    return syntax.edited(document, [edit]), start + len(text)

"""From a place in a document to a checked suggestion: the pipeline, on one screen.

Blocks until the answer is there and may be called from any thread; knows neither LSP nor the command line.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index import CursorKind, cursor_at, path_of
from decoder import (
    CompletionTask,
    ConstraintFaultError,
    DocumentStates,
    EntryKind,
    Stop,
    Until,
    complete,
    rank_names,
)
from lsp_server.gate import judge
from lsp_server.suggestion import CompletionRequest, Extent, Suggestion, Withheld

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from threading import Event

    from context_index import Cursor, Document, Importable, Name, Syntax, Workspace
    from decoder import Completion, Model
    from lsp_server.model_host import ModelHost

_RANKING_FORWARDS = 8
"""Forwards spent on names of several tokens, after the one that ranks all first tokens."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What people may switch off, and how sure a model must be."""

    in_comments: bool = True
    in_strings: bool = True
    minimum_logprob: float = -100.0
    """Mean natural logarithm of the tokens' probability under which a suggestion is withheld."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that completes the word at the cursor."""

    name: Name
    importable: Importable | None = None
    """Where it would be imported from; None where it is in scope."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a completion menu may list, and which part of the text it replaces."""

    cursor: Cursor
    items: tuple[Candidate, ...]
    complete: bool = True
    """False where more may exist than is listed."""


class Service:
    """Answers questions about places in documents."""

    def __init__(self, workspace: Workspace, host: ModelHost, policy: Policy = Policy()) -> None:
        self.workspace = workspace
        self.host = host
        self.policy = policy
        self._states = DocumentStates()
        """Belongs to the model's thread."""

    def complete(self, request: CompletionRequest) -> Suggestion:
        """Fill in at a cursor.

        Raises:
            RequestError: the model cannot be had.
        """
        started = time.perf_counter()
        syntax, offset = request.syntax, request.offset
        cursor = cursor_at(syntax, offset)
        if refusal := self._refused_place(syntax, cursor):
            return _silent(*refusal, started)
        task = self._task(request, cursor)
        try:
            completion = self.host.submit(
                lambda model: complete(model, task, request.cancel, states=self._states)
            ).result()
        except ConstraintFaultError as fault:
            return _silent(Withheld.CONSTRAINT_FAULT, f"Nothing is shown unchecked: {fault}.", started)
        except CancelledError:
            return replace(_silent(Withheld.EMPTY, "The request was cancelled.", started), stop=Stop.CANCELLED)
        return self._judged(request, task, completion, started)

    def prepare(self, document: Document) -> Future[None]:
        """Read a document ahead on the model's thread, so that its first suggestion need not wait for that."""
        return self.host.submit(lambda _model: self._states.read_ahead(document.uri, document.language, document.text))

    def candidates(self, syntax: Syntax, offset: int) -> Candidates:
        """Names that may stand at the cursor and begin with the word before it, nearest first; asks no model."""
        cursor = cursor_at(syntax, offset)
        context = self.workspace.context(syntax, offset)
        if cursor.kind not in (CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE) or cursor.binding:
            return Candidates(cursor, (), complete=False)
        word = cursor.word.lower()
        visible = sorted(context.names.values(), key=lambda name: (name.distance, name.text.lower()))
        items = [Candidate(name) for name in visible if name.text.lower().startswith(word)]
        if word:
            items += [
                Candidate(importable.as_name(), importable)
                for importable in context.importable
                if importable.text.lower().startswith(word)
            ]
        return Candidates(cursor, tuple(items), context.complete)

    def rank(self, syntax: Syntax, offset: int, names: Sequence[str], cancel: Event) -> dict[str, float]:
        """The model's log-probability of each name at the cursor, the word before it taken back.

        Raises:
            RequestError: the model cannot be had.
        """
        text = syntax.document.text
        task = CompletionTask(text[:offset], text[offset:], self.workspace.context(syntax, offset))

        def job(model: Model) -> dict[str, float]:
            return rank_names(model, task, names, budget_forwards=_RANKING_FORWARDS, cancel=cancel)

        return self.host.submit(job).result()

    def _refused_place(self, syntax: Syntax, cursor: Cursor) -> tuple[Withheld, str] | None:
        path = path_of(syntax.document.uri)
        exclusion = self.workspace.excluded(path) if path is not None else None
        if exclusion:
            return Withheld.EXCLUDED, f"Suggestions are off for this file: {exclusion}."
        if cursor.kind is CursorKind.COMMENT and not self.policy.in_comments:
            return Withheld.PLACE, "Suggestions are off in comments."
        if cursor.kind in (CursorKind.STRING, CursorKind.IMPORT_PATH) and not self.policy.in_strings:
            return Withheld.PLACE, "Suggestions are off in strings."
        return None

    def _task(self, request: CompletionRequest, cursor: Cursor) -> CompletionTask:
        text = request.syntax.document.text
        deadline = request.deadline_ms
        return CompletionTask(
            prefix=text[: request.offset],
            suffix=text[request.offset :],
            symbols=self.workspace.context(request.syntax, request.offset),
            until=_until(request.extent, cursor, text[: request.offset]),
            path=self._place_in_workspace(request.syntax.document.uri),
            document=request.syntax.document.uri,
            syntax_errors=request.syntax.errors,
            sampling=request.sampling,
            constrained=request.constrained,
            max_tokens=request.max_tokens,
            deadline=time.monotonic() + deadline / 1000 if deadline is not None else None,
            beginning=request.beginning,
        )

    def _place_in_workspace(self, uri: str) -> str:
        """The path below the root, with forward slashes; the name alone outside of all roots."""
        path = path_of(uri)
        if path is None:
            return ""
        roots = [root for root in self.workspace.roots if path.is_relative_to(root)]
        return path.relative_to(roots[0]).as_posix() if roots else path.name

    def _judged(
        self, request: CompletionRequest, task: CompletionTask, completion: Completion, started: float
    ) -> Suggestion:
        proven = completion.entered not in (None, EntryKind.NONE)
        verdict = judge(request.syntax, request.offset, completion.text, parses=proven)
        withheld, reason = verdict.withheld, verdict.reason
        if withheld is None and completion.mean_logprob < self.policy.minimum_logprob:
            withheld, reason = Withheld.LOW_CONFIDENCE, "The model is not sure enough."
        first = completion.first_token_seconds
        report = completion.report_of(verdict.text)
        if withheld is Withheld.EMPTY and completion.written.strip():
            reason = "Nothing of what the model wrote could stand here."
        latency = time.perf_counter() - started
        return Suggestion(
            text="" if withheld else verdict.text,
            stop=completion.stop,
            tokens=len(completion.tokens),
            latency_ms=latency * 1000,
            first_token_ms=None if first is None else (latency - completion.seconds + first) * 1000,
            withheld=withheld,
            reason=reason,
            withheld_text=(completion.text or completion.written) if withheld else "",
            open=() if withheld else report.open,
            outside=() if withheld else report.outside,
            notes=_notes(task, completion),
            reused_tokens=completion.reused,
            forward_ms=completion.forward_seconds * 1000,
            trace=completion.trace,
        )


def _until(extent: Extent, cursor: Cursor, prefix: str) -> Until:
    """A block where one has just been opened, else the rest of the statement."""
    if extent is not Extent.AUTO:
        return Until(extent.value)
    opened = prefix.rstrip()[-1:]
    return Until.BLOCK if cursor.kind is CursorKind.BLANK_LINE and opened in ("{", ":") else Until.STATEMENT


def _notes(task: CompletionTask, completion: Completion) -> tuple[str, ...]:
    """What the constraint could not hold the suggestion to."""
    if not task.constrained:
        return ()
    notes = [f"Names may be missing: {caveat}." for caveat in task.symbols.caveats]
    if completion.entered is EntryKind.REPAIRED:
        notes.append("The text above does not parse; syntax was held to from behind its faults.")
    elif completion.entered is EntryKind.NONE:
        notes.append("The text above does not parse; syntax was only checked at the end.")
    return tuple(notes)


def _silent(withheld: Withheld, reason: str, started: float) -> Suggestion:
    latency = (time.perf_counter() - started) * 1000
    return Suggestion(
        text="", stop=Stop.NONE, tokens=0, latency_ms=latency, first_token_ms=None, withheld=withheld, reason=reason
    )

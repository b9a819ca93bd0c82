"""Suggestions through the whole pipeline at every key of a typing session, the cache kept and the cache emptied."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.timing import milliseconds, spread
from context_index import Edit, Syntax, parse
from context_index.symbols import Language
from context_index.text import Document
from context_index.workspace import Workspace
from decoder import SamplingOptions
from lsp_server.engine.garbage_collection import freeze_objects
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest, Eagerness, Suggestion
from lsp_server.engine.typed_through import ShownSuggestion
from lsp_server.lsp.documents.open_document import ClientPosition, PartialChange
from lsp_server.lsp.session import Session, Snapshot
from lsp_server.settings.table import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.latency_sessions import TypingSession

_DEVICE = ModelSettings(device="cpu", idle_unload_seconds=None)


@dataclass(slots=True)
class Measured:
    """One way of answering, key by key; milliseconds."""

    first_token: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    """From the key to the suggestion: edit, parse, context, model, gate."""
    forward: list[float] = field(default_factory=list)
    waiting: list[float] = field(default_factory=list)
    """For a type checker."""
    texts: list[str] = field(default_factory=list)
    reused: int = 0
    tokens: int = 0

    @property
    def over_model(self) -> float:
        """A suggestion's time over that of the forwards and of waiting for a type checker; the median over the keys."""
        parts = zip(self.whole, self.forward, self.waiting, strict=True)
        return median(whole / (forward + waiting) for whole, forward, waiting in parts)

    @property
    def waiting_share(self) -> float:
        """Part of all suggestions' time in which a type checker was waited for."""
        return sum(self.waiting) / sum(self.whole)

    def add(self, milliseconds_taken: float, suggestion: Suggestion) -> None:
        """Another key was answered."""
        self.whole.append(milliseconds_taken)
        self.forward.append(suggestion.forward_ms)
        self.waiting.append(suggestion.checker_ms)
        self.texts.append(suggestion.text or suggestion.withheld_text)
        self.reused += suggestion.reused_tokens
        self.tokens += suggestion.tokens
        if suggestion.first_token_ms is not None:
            self.first_token.append(suggestion.first_token_ms)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "first_token_ms": spread(self.first_token),
            "whole_suggestion_ms": spread(self.whole),
            "over_model": round(self.over_model, 3),
            "waiting_share": round(self.waiting_share, 3),
            "tokens": self.tokens,
            "reused_prompt_tokens": self.reused,
        }


def compare(typing: TypingSession, root: Path) -> tuple[Measured, Measured]:
    """Answer each key twice, the cache kept and the cache emptied, in turn on the same model."""
    host = ModelHost(_DEVICE)
    service = Service(Workspace([root]), host)
    document = Document(typing.path.as_uri(), Language.PYTHON, typing.before + typing.after)
    syntax, offset = parse(document), len(typing.before)
    service.prepare(document).result()  # as the server does when a document is opened; loads the model
    service.complete(_request(syntax, offset))
    freeze_objects()  # as the server does when it has indexed a workspace
    warm, cold = Measured(), Measured()
    for key in typing.keys:
        kept: list[tuple[Syntax, Suggestion]] = []

        def answer(syntax: Syntax = syntax, offset: int = offset, key: str = key) -> None:
            edit = Edit(offset, offset, key)
            edited = syntax.edited(syntax.document.edited([edit], syntax.document.revision + 1), [edit])
            kept.append((edited, service.complete(_request(edited, offset + 1))))  # noqa: B023 - called at once

        taken = milliseconds(answer)
        warm.add(taken, kept[-1][1])
        host.submit(lambda model: model.truncate(0)).result()
        taken = milliseconds(answer)
        cold.add(taken, kept[-1][1])
        syntax, offset = kept[-1][0], offset + 1
    host.close()
    return warm, cold


def unfinished(typing: TypingSession, root: Path) -> tuple[list[float], list[float]]:
    """Answer each key with the rest of the file below, and with nothing below, in turn; milliseconds of each.

    Two documents of one workspace; what is kept of the one is not kept of the other, so each pays for its prompt.
    """
    host = ModelHost(_DEVICE)
    service = Service(Workspace([root]), host)
    kept: list[Syntax] = []
    for name, after in (("finished", typing.after), ("unfinished", "")):
        uri = typing.path.with_stem(f"{typing.path.stem}_{name}").as_uri()
        document = Document(uri, Language.PYTHON, typing.before + after)
        service.prepare(document).result()
        kept.append(parse(document))
        service.complete(_request(kept[-1], len(typing.before)))
    freeze_objects()
    taken: tuple[list[float], list[float]] = [], []
    for number, key in enumerate(typing.keys):
        offset = len(typing.before) + number
        edit = Edit(offset, offset, key)
        for which, syntax in enumerate(kept):
            host.submit(lambda model: model.truncate(0)).result()

            def answer(syntax: Syntax = syntax, which: int = which, edit: Edit = edit) -> None:
                edited = syntax.document.edited([edit], syntax.document.revision + 1)
                kept[which] = syntax.edited(edited, [edit])
                service.complete(_request(kept[which], edit.start + 1))

            taken[which].append(milliseconds(answer))
    host.close()
    return taken


def typed_through(typing: TypingSession) -> list[float]:
    """Keys that follow a shown suggestion: the edit arrives, the tree follows, and the rest is shown; no model."""
    uri = typing.path.as_uri()
    session = Session()
    session.open(uri, "python", 1, typing.before + typing.after)
    snapshot = session.snapshot(uri)
    assert isinstance(snapshot, Snapshot)  # noqa: S101 - Python is on by default
    offset = len(typing.before)
    session.show(snapshot, ShownSuggestion(snapshot.document, offset, typing.keys))
    position = snapshot.document.position(offset)
    line, column = position.line, position.column
    taken = []
    for version, key in enumerate(typing.keys[:-1], start=2):
        place = ClientPosition(line, column)

        def press(version: int = version, key: str = key, place: ClientPosition = place, cursor: int = offset) -> None:
            session.change(uri, version, [PartialChange(place, place, key)])
            now, shown = session.snapshot(uri), session.shown(uri)
            assert isinstance(now, Snapshot)  # noqa: S101 - the document is open
            assert shown  # noqa: S101 - what is cut was shown before
            assert shown.at(now.document, cursor + 1)  # noqa: S101 - the rest of the suggestion

        taken.append(milliseconds(press))
        offset += 1
        line, column = (line + 1, 0) if key == "\n" else (line, column + 1)
    return taken


def _request(syntax: Syntax, offset: int) -> CompletionRequest:
    """As the server asks for somebody who types, with the settings that it has by itself."""
    settings = Settings()
    return CompletionRequest(
        syntax=syntax,
        offset=offset,
        sampling=SamplingOptions(settings.temperature, settings.top_p, settings.seed),
        max_tokens=settings.inline_max_tokens,
        eagerness=Eagerness(settings.eagerness),
        deadline_ms=settings.inline_deadline_ms,
        checker_deadline_ms=settings.checker_deadline_ms,
    )

"""Times suggestions through the whole pipeline at every key of a typing session; for `inscope bench latency`."""

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

_SETTINGS = ModelSettings(device="cpu", idle_unload_seconds=None)


@dataclass(slots=True)
class Measured:
    """What one way of answering took at each key, in milliseconds."""

    first_token: list[float] = field(default_factory=list)
    """Until the first token; keys at which none was written are missing."""
    whole: list[float] = field(default_factory=list)
    """From the key to the suggestion: edit, parse, context, model, verification."""
    forward: list[float] = field(default_factory=list)
    """In the model's forwards."""
    waiting: list[float] = field(default_factory=list)
    """In waiting for a type checker."""
    texts: list[str] = field(default_factory=list)
    """The suggestions, or what was withheld."""
    reused: int = 0
    """Tokens of all prompts that the cache held."""
    tokens: int = 0
    """Tokens of all outputs."""

    @property
    def over_model(self) -> float:
        """How many times longer a suggestion takes than forwards and waiting alone; the median over the keys."""
        times = zip(self.whole, self.forward, self.waiting, strict=True)
        return median(whole / (forward + waiting) for whole, forward, waiting in times)

    @property
    def waiting_share(self) -> float:
        """The share of all suggestions' time in which a type checker was waited for."""
        return sum(self.waiting) / sum(self.whole)

    def add(self, milliseconds_taken: float, suggestion: Suggestion) -> None:
        """Record the answer to another key."""
        self.whole.append(milliseconds_taken)
        self.forward.append(suggestion.forward_ms)
        self.waiting.append(suggestion.checker_ms)
        self.texts.append(suggestion.text or suggestion.withheld_text)
        self.reused += suggestion.reused_tokens
        self.tokens += suggestion.tokens
        if suggestion.first_token_ms is not None:
            self.first_token.append(suggestion.first_token_ms)

    def as_json(self) -> dict[str, object]:
        """The figures as data, for `--json`."""
        return {
            "first_token_ms": spread(self.first_token),
            "whole_suggestion_ms": spread(self.whole),
            "over_model": round(self.over_model, 3),
            "waiting_share": round(self.waiting_share, 3),
            "tokens": self.tokens,
            "reused_prompt_tokens": self.reused,
        }


def compare(typing: TypingSession, root: Path) -> tuple[Measured, Measured]:
    """Answer each key twice on the same model, first with its cache kept and then with it emptied; what both took."""
    host = ModelHost(_SETTINGS)
    service = Service(Workspace([root]), host)
    document = Document(typing.path.as_uri(), Language.PYTHON, typing.before + typing.after)
    syntax, offset = parse(document), len(typing.before)
    service.prepare(document).by_model.result()  # as the server does when a document is opened; loads the model
    service.complete(_request(syntax, offset))
    freeze_objects()  # as the server does when it has indexed a workspace
    warm, cold = Measured(), Measured()
    for key in typing.keys:
        answered: list[tuple[Syntax, Suggestion]] = []

        def answer(syntax: Syntax = syntax, offset: int = offset, key: str = key) -> None:
            edit = Edit(offset, offset, key)
            edited = syntax.edited(syntax.document.edited([edit], syntax.document.revision + 1), [edit])
            answered.append((edited, service.complete(_request(edited, offset + 1))))  # noqa: B023 - called at once

        warm_ms = milliseconds(answer)
        warm.add(warm_ms, answered[-1][1])
        host.submit(lambda model: model.truncate(0)).result()
        cold_ms = milliseconds(answer)
        cold.add(cold_ms, answered[-1][1])
        syntax, offset = answered[-1][0], offset + 1
    host.close()
    return warm, cold


def time_unfinished(typing: TypingSession, root: Path) -> tuple[list[float], list[float]]:
    """Answer each key with the rest of the file below, and with nothing below, in turn; milliseconds of both.

    These are two documents of one workspace. The model's cache is emptied before each answer, so each of them pays for
    reading its prompt.
    """
    host = ModelHost(_SETTINGS)
    service = Service(Workspace([root]), host)
    trees: list[Syntax] = []
    for name, after in (("finished", typing.after), ("unfinished", "")):
        uri = typing.path.with_stem(f"{typing.path.stem}_{name}").as_uri()
        document = Document(uri, Language.PYTHON, typing.before + after)
        service.prepare(document).by_model.result()
        trees.append(parse(document))
        service.complete(_request(trees[-1], len(typing.before)))
    freeze_objects()
    times: tuple[list[float], list[float]] = [], []
    for number, key in enumerate(typing.keys):
        offset = len(typing.before) + number
        edit = Edit(offset, offset, key)
        for index, syntax in enumerate(trees):
            host.submit(lambda model: model.truncate(0)).result()

            def answer(syntax: Syntax = syntax, index: int = index, edit: Edit = edit) -> None:
                edited = syntax.document.edited([edit], syntax.document.revision + 1)
                trees[index] = syntax.edited(edited, [edit])
                service.complete(_request(trees[index], edit.start + 1))

            times[index].append(milliseconds(answer))
    host.close()
    return times


def typed_through(typing: TypingSession) -> list[float]:
    """Milliseconds for each key of a shown suggestion, typed: the tree is updated and the rest shown, without model."""
    uri = typing.path.as_uri()
    session = Session()
    session.open(uri, "python", 1, typing.before + typing.after)
    snapshot = session.snapshot(uri)
    assert isinstance(snapshot, Snapshot)  # noqa: S101 - Python is on by default
    offset = len(typing.before)
    session.show(snapshot, ShownSuggestion(snapshot.document, offset, typing.keys))
    position = snapshot.document.position(offset)
    line, column = position.line, position.column
    times = []
    for version, key in enumerate(typing.keys[:-1], start=2):
        place = ClientPosition(line, column)

        def press(version: int = version, key: str = key, place: ClientPosition = place, cursor: int = offset) -> None:
            session.change(uri, version, [PartialChange(place, place, key)])
            after_key, shown = session.snapshot(uri), session.shown(uri)
            assert isinstance(after_key, Snapshot)  # noqa: S101 - the document is open
            assert shown  # noqa: S101 - what is cut was shown before
            assert shown.at(after_key.document, cursor + 1)  # noqa: S101 - the rest of the suggestion

        times.append(milliseconds(press))
        offset += 1
        line, column = (line + 1, 0) if key == "\n" else (line, column + 1)
    return times


def _request(syntax: Syntax, offset: int) -> CompletionRequest:
    """The server's request while somebody types, with default settings."""
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

"""What the server holds between messages: the only mutable state, and immutable snapshots of it for everyone else.

Belongs to the event loop. Knows documents and settings; knows neither the protocol's types nor models. A document
whose edits stop making sense (a version that goes back, a range that its text does not have) is out of step: no
answer is given from it until the client sends its whole text, as a guess would show nonsense.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from context_index import Document, Edit, Encoding, Syntax, language_of, parse
from lsp_server.config import Settings
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.notebook import Notebook, joined
from lsp_server.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.engine import Engine
    from lsp_server.typed_through import Shown

_log = logging.getLogger(__name__)

LONGEST_TEXT = 1_000_000
"""Characters up to which a document is parsed at every keystroke; as long as the files that are indexed."""
_AGAIN = "close the document and open it again"


class Phase(StrEnum):
    """How far the conversation with the client is."""

    NEW = "new"
    """Nothing but `initialize` may be asked."""
    RUNNING = "running"
    SHUT_DOWN = "shut down"
    """Nothing but `exit` is heard."""


@dataclass(frozen=True, slots=True)
class Client:
    """What the client can do, as far as we make use of it."""

    progress: bool = False
    configuration: bool = False
    """It answers when it is asked for its settings."""
    watches_files: bool = False
    """It can be told which files to watch."""
    pushes_configuration: bool = False
    """It wants to be told that we care for changes of its settings."""
    insert_replace: bool = False
    label_details: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the client's units."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The client sends all of a text again."""

    text: str


@dataclass(frozen=True, slots=True)
class Partial:
    """The client sends what stands from `start` to `end` now."""

    start: Place
    end: Place
    text: str


Change = Whole | Partial


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One document as the client sees it now."""

    uri: str
    version: int
    document: Document | None
    """None where its language is none of ours: its text is not even kept."""
    syntax: Syntax | None
    """None where there is no document, or it is too long to be parsed at every keystroke."""
    out_of_step: str = ""
    """What the client sent that made no sense."""
    notebook: str = ""
    """The notebook of which it is a cell."""


@dataclass(frozen=True, slots=True)
class Off:
    """Nothing is suggested in this document, on purpose."""

    why: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One document and all that answering needs to know of it; stays as it is whatever the client sends next."""

    uri: str
    document: Document
    """The text as the client counts it."""
    alone: Syntax
    """That text, parsed."""
    syntax: Syntax
    """The program that it is a part of: of a notebook, all cells of its language."""
    shift: int
    """Where the document begins in that program."""
    encoding: Encoding
    settings: Settings

    def offset(self, place: Place) -> int:
        """The offset of a client's position in the document.

        Raises:
            RequestError: the document has no such line.
        """
        return _offset(self.document, place, self.encoding)


@dataclass(slots=True)
class Session:
    """Everything that a connection has said so far, in the form in which it is asked for."""

    settings: Settings = field(default_factory=Settings)
    encoding: Encoding = Encoding.UTF16
    roots: tuple[Path, ...] = ()
    client: Client = field(default_factory=Client)
    phase: Phase = Phase.NEW
    engine: Engine | None = None
    status: Status = field(default_factory=Status)
    told: Status | None = None
    """The status as the client knows it."""
    problems: list[str] = field(default_factory=list)
    """What was wrong with settings, and is still to be said."""
    said: str = ""
    """The sentence that was shown to the person last."""
    _documents: dict[str, OpenDocument] = field(default_factory=dict)
    _notebooks: dict[str, Notebook] = field(default_factory=dict)
    _shown: dict[str, Shown] = field(default_factory=dict)

    def open(self, uri: str, language_id: str, version: int, text: str, notebook: str = "") -> OpenDocument:
        """A document is shown in the editor; one that is open already begins anew."""
        if uri in self._documents:
            _log.warning("%s was opened twice; the newer text stands", uri)
        self._shown.pop(uri, None)
        language = language_of(uri, language_id)
        document = None if language is None else Document(uri, language, text, version)
        opened = OpenDocument(uri, version, document, _parsed(document), notebook=notebook)
        self._documents[uri] = opened
        return opened

    def change(self, uri: str, version: int | None, changes: Sequence[Change]) -> OpenDocument:
        """Edits arrive, each for the text that the one before it left.

        Raises:
            RequestError: the document is not open, or is out of step now.
        """
        held = self._held(uri)
        if held.document is None:
            return held
        version = held.version + 1 if version is None else version
        try:
            changed = _changed(held, held.document, version, changes, self.encoding)
        except RequestError as error:
            self._documents[uri] = replace(held, out_of_step=error.message)
            raise
        self._documents[uri] = changed
        return changed

    def close(self, uri: str) -> None:
        """A document is not shown any more.

        Raises:
            RequestError: it was not open.
        """
        self._held(uri)
        del self._documents[uri]
        self._shown.pop(uri, None)

    def open_notebook(self, uri: str, cells: Sequence[str]) -> None:
        """A notebook's cells, in order; their texts are opened one by one."""
        self._notebooks[uri] = Notebook(uri, tuple(cells))

    def change_notebook(self, uri: str, start: int, deleted: int, cells: Sequence[str]) -> None:
        """Cells give way to others.

        Raises:
            RequestError: the notebook is not open.
        """
        if (notebook := self._notebooks.get(uri)) is None:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, f"notebook {uri} is not open; open it first")
        self._notebooks[uri] = notebook.changed(start, deleted, cells)

    def close_notebook(self, uri: str) -> None:
        """A notebook is not shown any more."""
        self._notebooks.pop(uri, None)

    def texts(self) -> tuple[Document, ...]:
        """The documents that are open, as they are now, without cells of notebooks."""
        return tuple(held.document for held in self._documents.values() if held.document and not held.notebook)

    def current(self, uri: str) -> Document | None:
        """The text as it is now; None where it was closed, or is out of step."""
        held = self._documents.get(uri)
        return held.document if held and not held.out_of_step else None

    def show(self, uri: str, shown: Shown) -> None:
        """Remember the suggestion that a person now sees."""
        if uri in self._documents:
            self._shown[uri] = shown

    def shown(self, uri: str) -> Shown | None:
        """The suggestion that was shown last in a document."""
        return self._shown.get(uri)

    def forget_shown(self) -> None:
        """Suggestions made under other settings are worth nothing."""
        self._shown.clear()

    def snapshot(self, uri: str) -> Snapshot | Off:
        """The document as it is now.

        Raises:
            RequestError: it was never opened, or is out of step.
        """
        held = self._held(uri)
        if held.document is None:
            return Off("Inscope completes JavaScript, TypeScript and Python only")
        if held.document.language not in self.settings.languages:
            return Off(f"{held.document.language} is switched off (setting `languages`)")
        if self.engine is not None and (why := self.engine.off(held.notebook or uri)):
            return Off(why)
        if held.out_of_step:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, held.out_of_step)
        if held.syntax is None:
            return Off(f"the document has more than {LONGEST_TEXT:,} characters")
        syntax, shift = held.syntax, 0
        if held.notebook in self._notebooks:
            syntax, shift = joined(self._notebooks[held.notebook], held.document, self.current)
        return Snapshot(uri, held.document, held.syntax, syntax, shift, self.encoding, self.settings)

    def _held(self, uri: str) -> OpenDocument:
        if (held := self._documents.get(uri)) is None:
            raise RequestError(
                ErrorCode.FILE_NOT_FOUND, f"{uri} is not open; send textDocument/didOpen before asking about it"
            )
        return held


def _parsed(document: Document | None) -> Syntax | None:
    return parse(document) if document and len(document.text) <= LONGEST_TEXT else None


def _changed(
    held: OpenDocument, document: Document, version: int, changes: Sequence[Change], encoding: Encoding
) -> OpenDocument:
    """The document after the edits; only what they touched is parsed again."""
    syntax, trouble = held.syntax, held.out_of_step
    edits: list[Edit] = []
    if version < held.version:
        trouble = trouble or f"{held.uri}: version {version} came after {held.version}; {_AGAIN}"
    for change in changes:
        if isinstance(change, Whole):
            document = replace(document, text=change.text, revision=version)
            syntax, trouble, edits = _parsed(document), "", []
        elif trouble:
            continue
        else:
            edit = _edit(document, change, encoding)
            document = document.edited([edit], version)
            edits.append(edit)
    if trouble:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, trouble)
    if syntax is None or len(document.text) > LONGEST_TEXT:
        syntax = _parsed(document)
    elif edits:
        syntax = syntax.edited(document, edits)
    return replace(held, version=version, document=document, syntax=syntax, out_of_step="")


def _edit(document: Document, change: Partial, encoding: Encoding) -> Edit:
    start, end = (_offset(document, place, encoding) for place in (change.start, change.end))
    if end < start:
        why = f"{document.uri}: an edit ends before it begins; {_AGAIN}"
        raise RequestError(ErrorCode.MALFORMED_REQUEST, why)
    return Edit(start, end, change.text)


def _offset(document: Document, place: Place, encoding: Encoding) -> int:
    """A column behind the end of its line means that end, says LSP; the line after the last, the end of the text."""
    lines = len(document.lines)
    if place.line > lines or (place.line == lines and place.character > 0):
        why = f"{document.uri} has no line {place.line + 1}, only {lines}; if it has, {_AGAIN}"
        raise RequestError(ErrorCode.POSITION_OUTSIDE, why)
    if place.line == lines:
        return len(document.text)
    return document.offset_from_client(place.line, place.character, encoding)

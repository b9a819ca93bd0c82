"""A session: what the server remembers between messages, and immutable snapshots of single documents.

This is the server's only mutable state of documents and settings. It belongs to the event loop. Knows neither the
protocol's types nor models.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from context_index import Document, Encoding, language_of
from lsp_server.engine.acceptance import AcceptanceRates, AwaitedSuggestion
from lsp_server.engine.controllers.from_workspace import Trust
from lsp_server.engine.served_languages import missing_parser, served
from lsp_server.engine.suggestion import Trigger
from lsp_server.errors import ErrorCode, RequestError, StaleError
from lsp_server.lsp.documents.notebook import Cell, Notebook, joined
from lsp_server.lsp.documents.open_document import AGAIN, LONGEST_TEXT, OpenDocument, offset_of
from lsp_server.lsp.status import Status
from lsp_server.lsp.word_ranking import WordRanking
from lsp_server.settings.files import ConfigurationFile
from lsp_server.settings.table import Settings, trigger_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from context_index import Syntax
    from decoder import Controller
    from lsp_server.engine.engine import Engine
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion
    from lsp_server.engine.typed_through import ShownSuggestion
    from lsp_server.lsp.documents.open_document import Change, ClientPosition
    from lsp_server.lsp.documents.parsing import Parsing

_log = logging.getLogger(__name__)


class Phase(StrEnum):
    """How far the conversation with the client is."""

    NEW = "new"
    """Only `initialize` and `exit` are served."""
    RUNNING = "running"
    SHUT_DOWN = "shut down"
    """Only `exit` is served."""


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """The client's capabilities that we use."""

    progress: bool = False
    """It shows progress bars."""
    configuration: bool = False
    """It answers when it is asked for its settings."""
    watches_files: bool = False
    """It can report changes of files on disk."""
    pushes_configuration: bool = False
    """It sends changes of settings only to those that registered for them."""
    insert_replace: bool = False
    """It takes two ranges for an entry: of the word up to the cursor, and of the whole word."""
    label_details: bool = False
    """It shows the module of an entry beside the label."""
    resolves_imports: bool = False
    """It asks for the import that an entry of the menu brings once a person looks at the entry."""
    commit_characters: bool = False
    """It lets a typed character accept the selected entry of the menu."""
    label_spans: bool = False
    """It takes the place of a parameter in its signature, not only the parameter's text."""
    markdown: bool = False
    """It shows documentation that is written in Markdown."""
    ghost_items: bool = False
    """It asks for plain completion only; a suggestion reaches it as an item of the menu."""
    applies_edits: bool = False
    """It lets the server edit documents, as a suggestion's import needs once it is accepted."""
    document_changes: bool = False
    """It takes edits that name the version of the document."""
    annotations: bool = False
    """It can ask the person before it makes an annotated edit; this includes `document_changes`."""
    prepares_renames: bool = False
    """It asks whether a name can be renamed before it asks for the new one."""


@dataclass(frozen=True, slots=True)
class NotServed:
    """An open document that is not served: excluded, switched off, too long, out of step, or in another language."""

    why: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One document and all that an answer about it depends on; whatever the client sends next does not change it."""

    uri: str
    document: Document
    """The document itself: of a notebook, this cell alone."""
    cells: tuple[Cell, ...]
    """The parts of the program, of which the document is one; the only one, unless it is a notebook's cell."""
    encoding: Encoding
    """The units of the client's positions."""
    settings: Settings
    settings_revision: int
    """How often the settings, or something else that suggestions depend on, had changed."""
    _alone: Parsing
    """The document."""
    _program: Parsing
    """The program that the document is a part of."""
    brings_imports: bool = False
    """Whether the client can add the import that a suggestion needs when it is accepted."""

    @property
    def shift(self) -> int:
        """The offset at which the document begins in the program that it is a part of; 0 outside of notebooks."""
        return next(cell.start for cell in self.cells if cell.document.uri == self.uri)

    @property
    def alone(self) -> Syntax:
        """The document, parsed. Blocks, so it must not be used on the event loop."""
        return self._alone.syntax

    @property
    def syntax(self) -> Syntax:
        """The program, parsed: all cells of the language, or the document. Blocks, as `alone` does."""
        return self._program.syntax

    def offset(self, place: ClientPosition) -> int:
        """The offset of a client's position in the document.

        Raises:
            StaleError: the document has no such line.
        """
        return offset_of(self.document, place, self.encoding)


@dataclass(slots=True)
class Setup:
    """What a session has done about a missing type checker for JavaScript and TypeScript; see `handlers/setup.offer`.

    Nothing is done before `allowed`, nor while `running`. Then a look for the checker has one of these results:

    - It is there. If it was `missed` before, suggestions are made again.
    - It is missing, although a person named a program for it. A new reason is shown, and kept in `complaint`.
    - It is missing otherwise. The person is `asked`, once.
    """

    allowed: bool = False
    """Whether the client's settings are in force, so that a question may be asked."""
    asked: bool = False
    """Whether a person was asked, in this session, to install TypeScript."""
    complaint: str = ""
    """The last message about the TypeScript that a person named."""
    missed: bool = False
    """Whether the last look found no checker."""
    running: bool = False
    """Whether something is being installed."""


@dataclass(slots=True)
class Session:
    """The mutable state of one connection."""

    settings: Settings = field(default_factory=Settings)
    """The settings in force: those of configuration files, overridden by `options` and these by `client_settings`."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The values that the client sent with `initialize`, by the setting's name."""
    client_settings: Mapping[str, object] = field(default_factory=dict)
    """The values that the client has sent since then."""
    encoding: Encoding = Encoding.UTF16
    roots: tuple[Path, ...] = ()
    client: ClientCapabilities = field(default_factory=ClientCapabilities)
    phase: Phase = Phase.NEW
    engine: Engine | None = None
    status: Status = field(default_factory=Status)
    sent_status: Mapping[str, object] = field(default_factory=dict)
    """The status as the client knows it."""
    problems: list[str] = field(default_factory=list)
    """Sentences about wrong settings that have not been shown yet."""
    file_problems: tuple[str, ...] = ()
    """Sentences about the configuration files as they were last read."""
    files: tuple[ConfigurationFile, ...] = ()
    """The configuration files, as they were last read."""
    option_problems: tuple[str, ...] = ()
    """Sentences about `options`."""
    client_problems: tuple[str, ...] = ()
    """Sentences about `client_settings`."""
    last_message: str = ""
    """The sentence that was shown to the person last."""
    cancels: dict[str | int, Callable[[], object]] = field(default_factory=dict)
    """Functions that cancel the work that a progress bar shows, by the bar's token."""
    controller: Controller | None = None
    """The controller for requests for ghost text that bring none; the client sent it with `initialize`."""
    roots_asked: set[Path] = field(default_factory=set)
    """Roots about whose controllers a person was asked."""
    roots_agreed: set[Path] = field(default_factory=set)
    """Roots whose controllers the person lets run."""
    setup: Setup = field(default_factory=Setup)
    rewriting: bool = False
    """Whether a rewrite is running."""
    ranking: WordRanking = field(default_factory=WordRanking)
    rates: AcceptanceRates = field(default_factory=AcceptanceRates)
    last_completion: tuple[CompletionRequest, Suggestion] | None = None
    """The last request to the model and its answer, for the command `inscope.trace`."""
    # the following are by the URI of a document or notebook
    _documents: dict[str, OpenDocument] = field(default_factory=dict)
    _notebooks: dict[str, Notebook] = field(default_factory=dict)
    _shown: dict[str, ShownSuggestion] = field(default_factory=dict)
    """The suggestion that was shown last."""
    _awaited: dict[str, AwaitedSuggestion] = field(default_factory=dict)
    """The automatic suggestion of which it is not known yet whether it is taken."""
    _listed: dict[str, frozenset[tuple[int, str]]] = field(default_factory=dict)
    """What the menu listed last: where each entry begins, and the text that it puts there."""
    _excluded: dict[str, str] = field(default_factory=dict)
    """Why nothing is suggested in the file; empty if something may be."""
    _dirty: dict[str, Document] = field(default_factory=dict)
    """The text, if the workspace does not know it yet."""
    _settings_revision: int = 0
    """Counts the changes that make older suggestions useless; see `forget_shown`."""

    @property
    def trust(self) -> Trust:
        """Which controllers of the workspace may be run."""
        return Trust(self.settings.workspace_controllers, self.settings.trusted, self.roots_agreed)

    def open(self, uri: str, language_id: str, version: int, text: str, notebook: str = "") -> OpenDocument:
        """Open a document; one that is open already is opened again.

        Args:
            notebook: The URI of the notebook of which it is a cell.
        """
        if uri in self._documents:
            _log.warning("%s was opened twice; the newer text is used", uri)
        self._shown.pop(uri, None)
        language = language_of(uri, language_id)
        document = None if language is None else Document(uri, language, text, version)
        opened = self._documents[uri] = OpenDocument.of(uri, version, document, notebook)
        self._mark_dirty(opened)
        return opened

    def change(self, uri: str, version: int | None, changes: Sequence[Change]) -> None:
        """Apply edits in order, each to the result of the one before.

        Raises:
            RequestError: the document is not open, or is out of step now.
        """
        held = self._held(uri)
        if held.document is None:
            return
        version = held.version + 1 if version is None else version
        try:
            changed = held.changed(held.document, version, changes, self.encoding)
        except RequestError as error:
            self._documents[uri] = replace(held, out_of_step=error.message)
            raise
        self._documents[uri] = changed
        self._mark_dirty(changed)
        self._settle(changed)
        self._forget_unless_typed_along(changed)

    def mark_out_of_step(self, params: object, why: str) -> None:
        """Mark a document of whose edits the parameters could not be read: its text is no longer the client's."""
        match params:
            case {"textDocument": {"uri": str(uri)}} if uri in self._documents:
                self._documents[uri] = replace(self._documents[uri], out_of_step=f"{why}; {AGAIN}")

    def close(self, uri: str) -> None:
        """Forget a document.

        Raises:
            StaleError: it was not open.
        """
        self._held(uri)
        del self._documents[uri]
        for by_uri in (self._shown, self._awaited, self._listed, self._excluded, self._dirty):
            by_uri.pop(uri, None)

    def is_open(self, uri: str) -> bool:
        """Whether a document is shown in the editor."""
        return uri in self._documents

    def open_documents(self) -> list[Document]:
        """The open documents in a supported language that is not switched off."""
        documents = [held.document for held in self._documents.values() if held.document is not None]
        return [document for document in documents if document.language in self.settings.languages]

    def open_notebook(self, uri: str, cells: Sequence[str]) -> None:
        """Remember a notebook's cells, in order; their texts are opened one by one."""
        self._notebooks[uri] = Notebook(uri, tuple(cells))

    def change_notebook(self, uri: str, start: int, deleted: int, cells: Sequence[str]) -> None:
        """Replace `deleted` cells from `start` on by others.

        Raises:
            StaleError: the notebook is not open.
        """
        if (notebook := self._notebooks.get(uri)) is None:
            raise StaleError(ErrorCode.MALFORMED_REQUEST, f"notebook {uri!r} is not open; open it first")
        self._notebooks[uri] = notebook.changed(start, deleted, cells)

    def close_notebook(self, uri: str) -> None:
        """Forget a notebook; its cells are closed one by one."""
        self._notebooks.pop(uri, None)

    def flush_dirty(self) -> None:
        """Hand the texts that changed to the workspace. Called before an answer, not at every keystroke."""
        if self.engine is not None:
            for document in self._dirty.values():
                self.engine.workspace.update(document)
            self._dirty.clear()

    def mark_dirty_again(self, uri: str) -> None:
        """Have the workspace get a text again that it dropped, if the document was opened again meanwhile."""
        if (held := self._documents.get(uri)) is not None:
            self._mark_dirty(held)

    def use(self, engine: Engine) -> None:
        """Serve with another engine from now on; its workspace gets all open texts anew."""
        self.engine = engine
        self._excluded.clear()
        for held in self._documents.values():
            self._mark_dirty(held)

    def _mark_dirty(self, held: OpenDocument) -> None:
        """Have the workspace get the document's text at the next `flush_dirty`; it knows no cells of notebooks."""
        if held.document is not None and not held.notebook:
            self._dirty[held.uri] = held.document

    def current(self, uri: str) -> Document | None:
        """The document as it is now; None if it is closed, out of step or in no supported language."""
        held = self._documents.get(uri)
        return held.document if held and not held.out_of_step else None

    def open_uris(self) -> frozenset[str]:
        """The URIs of all open documents, whatever their language; a later `now` takes them."""
        return frozenset(self._documents)

    def now(self, before: Document, opened: Collection[str]) -> Document | None:
        """A document of the workspace as it is now: itself if the editor has not opened it.

        None if it is out of step, or in no supported language, or was closed: its file may have another text.

        Args:
            opened: What `open_uris` was before the document was read.
        """
        return self.current(before.uri) if before.uri in opened or before.uri in self._documents else before

    def show(self, snapshot: Snapshot, shown: ShownSuggestion) -> None:
        """Remember the suggestion that is shown now, unless it was made under other settings."""
        if snapshot.uri in self._documents and snapshot.settings_revision == self._settings_revision:
            self._shown[snapshot.uri] = shown

    def shown(self, uri: str) -> ShownSuggestion | None:
        """The suggestion that was shown last in a document."""
        return self._shown.get(uri)

    def list(self, uri: str, listed: frozenset[tuple[int, str]]) -> None:
        """Remember what the menu lists now; see `is_listed`."""
        if uri in self._documents:
            self._listed[uri] = listed

    def is_listed(self, document: Document, start: int, text: str) -> bool:
        """Whether the menu's entry that puts `text` at `start` is our own, and not another service's.

        A client may have an entry begin before the place that we gave it; then its text repeats what is there.
        """
        listed = self._listed.get(document.uri, frozenset())
        return any(start <= place and text == document.text[start:place] + written for place, written in listed)

    def await_outcome(self, uri: str, awaited: AwaitedSuggestion) -> None:
        """Have it counted whether an automatic suggestion is taken; an earlier one elsewhere was not."""
        earlier = self._awaited.get(uri)
        if earlier is not None and (earlier.before.text, earlier.offset) != (awaited.before.text, awaited.offset):
            self.rates.note(earlier.kind, earlier.probability, taken=False)
        self._awaited[uri] = awaited

    def _settle(self, changed: OpenDocument) -> None:
        """Count the awaited suggestion of a document if the edit shows whether it was taken."""
        awaited = self._awaited.get(changed.uri)
        if awaited is None or changed.document is None:
            return
        taken = awaited.outcome(changed.document)
        if taken is not None:
            del self._awaited[changed.uri]
            self.rates.note(awaited.kind, awaited.probability, taken=taken)

    def _forget_unless_typed_along(self, changed: OpenDocument) -> None:
        """Forget what was shown if the user has not just typed along it; only if ghost text comes on request alone."""
        shown, document = self._shown.get(changed.uri), changed.document
        if shown is None or document is None or trigger_of(self.settings, document.language) is not Trigger.MANUAL:
            return
        if not shown.is_typed_along(document):
            del self._shown[changed.uri]

    def forget_consent(self, roots: Collection[Path | None]) -> None:
        """Forget what a person answered about the controllers of these folders, which have been removed."""
        self.roots_asked.difference_update(roots)
        self.roots_agreed.difference_update(roots)

    def forget_shown(self) -> None:
        """Forget all suggestions that were shown or are being made, as something that they depend on has changed."""
        self._shown.clear()
        self._settings_revision += 1

    def snapshot(self, uri: str) -> Snapshot | NotServed:
        """A snapshot of a document as it is now, or why it is not served.

        Raises:
            StaleError: it is not open.
        """
        held = self._held(uri)
        if held.document is None:
            return NotServed(missing_parser(uri) or f"Inscope completes {served()} only")
        if held.document.language not in self.settings.languages:
            return NotServed(f"{held.document.language} is switched off (setting `languages`)")
        if uri not in self._excluded and self.engine is not None:
            self._excluded[uri] = self.engine.why_excluded(held.notebook or uri)
        if why := self._excluded.get(uri):
            return NotServed(why)
        if held.out_of_step:
            return NotServed(held.out_of_step)
        if held.parsing is None:
            return NotServed(f"the document has more than {LONGEST_TEXT:,} characters")
        program = held.parsing
        cells: tuple[Cell, ...] = (Cell(0, held.document),)
        if held.notebook in self._notebooks:
            program, cells = joined(self._notebooks[held.notebook], held.parsing, self.current)
        brings_imports = self.client.applies_edits and not held.notebook
        return Snapshot(
            uri=uri,
            document=held.document,
            cells=cells,
            encoding=self.encoding,
            settings=self.settings,
            settings_revision=self._settings_revision,
            brings_imports=brings_imports,
            _alone=held.parsing,
            _program=program,
        )

    def _held(self, uri: str) -> OpenDocument:
        """The open document.

        Raises:
            StaleError: it is not open.
        """
        if (held := self._documents.get(uri)) is None:
            why = f"{uri!r} is not open; send textDocument/didOpen before asking about it"
            raise StaleError(ErrorCode.FILE_NOT_FOUND, why)
        return held

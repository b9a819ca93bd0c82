"""The state of a session between messages, the only mutable one, and immutable snapshots of it.

Belongs to the event loop. Knows documents and settings; knows neither the protocol's types nor models.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from context_index import Document, Encoding, language_of
from lsp_server.config import Settings
from lsp_server.controllers.from_workspace import Trust
from lsp_server.documents.notebook import Cell, Notebook, joined
from lsp_server.documents.open_document import AGAIN, LONGEST_TEXT, OpenDocument, offset_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from context_index import Syntax
    from decoder import Controller
    from lsp_server.documents.open_document import Change, Place
    from lsp_server.documents.parsing import Parsing
    from lsp_server.documents.typed_through import ShownSuggestion
    from lsp_server.engine import Engine
    from lsp_server.suggestion import CompletionRequest, Suggestion

_log = logging.getLogger(__name__)


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
    """It can watch files for us."""
    pushes_configuration: bool = False
    """It sends changes of settings only to those that registered for them."""
    insert_replace: bool = False
    label_details: bool = False
    resolves_imports: bool = False
    """It asks for the edits that an entry of the menu brings when a person looks at it."""
    commit_characters: bool = False
    """It lets a character that is typed accept what is chosen in the menu."""
    markdown: bool = False
    """It shows documentation that is written in Markdown."""
    ghost_items: bool = False
    """It asks for plain completion only; a suggestion reaches it as an item of the menu."""
    applies_edits: bool = False
    """It lets the server edit documents, as a suggestion's import needs once it is accepted."""
    document_changes: bool = False
    """It takes edits of a certain version of a document."""
    annotations: bool = False
    """It can ask the person before it makes an edit."""


@dataclass(frozen=True, slots=True)
class NotServed:
    """A document in which nothing is suggested: it is excluded, switched off, too long or in another language."""

    why: str
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One document and all that answering needs to know of it; stays as it is whatever the client sends next."""

    uri: str
    document: Document
    """The text as the client counts it."""
    cells: tuple[Cell, ...]
    """The parts of the program, of which the document is one; the only one, unless it is a notebook's cell."""
    encoding: Encoding
    settings: Settings
    settings_revision: int
    """How often settings, or what else suggestions depend on, had changed."""
    _alone: Parsing
    _program: Parsing
    brings_imports: bool = False
    """Whether the import that a suggestion needs could be added when it is accepted."""

    @property
    def shift(self) -> int:
        """Where the document begins in the program that it is a part of."""
        return next(cell.start for cell in self.cells if cell.document.uri == self.uri)

    @property
    def alone(self) -> Syntax:
        """The document, parsed; not on the event loop, which this would keep waiting."""
        return self._alone.syntax

    @property
    def syntax(self) -> Syntax:
        """The program, parsed: of a notebook, all cells of the language. Not on the event loop either."""
        return self._program.syntax

    def offset(self, place: Place) -> int:
        """The offset of a client's position in the document.

        Raises:
            RequestError: the document has no such line.
        """
        return offset_of(self.document, place, self.encoding)


@dataclass(slots=True)
class Setup:
    """What a session has done about parts that are not installed."""

    allowed: bool = False
    """Whether the client's settings are in force, so that a question may be asked."""
    asked: bool = False
    """Whether a person was asked to install TypeScript; once a session is enough."""
    complaint: str = ""
    """What was said last about the TypeScript that a person named."""
    missed: bool = False
    """Whether there was no checker when one was looked for last."""
    running: bool = False
    """Whether something is being installed."""


@dataclass(slots=True)
class Session:
    """Everything that a connection has said so far, in the form in which it is asked for."""

    settings: Settings = field(default_factory=Settings)
    """Those in force: what the client gives, over what configuration files say."""
    given: dict[str, object] = field(default_factory=dict)
    """What the client gives, by the setting's name."""
    encoding: Encoding = Encoding.UTF16
    roots: tuple[Path, ...] = ()
    client: Client = field(default_factory=Client)
    phase: Phase = Phase.NEW
    engine: Engine | None = None
    status: Status = field(default_factory=Status)
    reported: Status | None = None
    """The status as the client knows it."""
    problems: list[str] = field(default_factory=list)
    """What was wrong with settings, and is still to be said."""
    file_problems: tuple[str, ...] = ()
    """What was wrong with configuration files when they were last read."""
    last_message: str = ""
    """The sentence that was shown to the person last."""
    cancels: dict[str | int, Callable[[], object]] = field(default_factory=dict)
    """What the person can cancel, by the token of its bar."""
    controller: Controller | None = None
    """The program of all requests for ghost text that bring none, as the client said at the start."""
    asked: set[Path] = field(default_factory=set)
    """Roots about whose controllers a person was asked."""
    agreed: set[Path] = field(default_factory=set)
    """Those whose controllers the person lets run."""
    setup: Setup = field(default_factory=Setup)
    """How far a type checker for JavaScript and TypeScript was looked for, and asked about."""
    rewriting: bool = False
    """Whether a rewrite is being made."""
    last: tuple[CompletionRequest, Suggestion] | None = None
    """What the model was asked last, and what came of it; for people who ask why."""
    _documents: dict[str, OpenDocument] = field(default_factory=dict)
    _notebooks: dict[str, Notebook] = field(default_factory=dict)
    _shown: dict[str, ShownSuggestion] = field(default_factory=dict)
    _settings_revision: int = 0
    _off: dict[str, str] = field(default_factory=dict)
    """Why files are switched off, as the engine said, or nothing."""
    _unread: dict[str, Document] = field(default_factory=dict)
    """Texts that the workspace does not know yet."""

    @property
    def trust(self) -> Trust:
        """Which controllers of the workspace may be run."""
        return Trust(self.settings.workspace_controllers, self.settings.trusted, self.agreed)

    def open(self, uri: str, language_id: str, version: int, text: str, notebook: str = "") -> OpenDocument:
        """Open a document; one that is open already is opened again."""
        if uri in self._documents:
            _log.warning("%s was opened twice; the newer text is used", uri)
        self._shown.pop(uri, None)
        language = language_of(uri, language_id)
        document = None if language is None else Document(uri, language, text, version)
        opened = self._documents[uri] = OpenDocument.of(uri, version, document, notebook)
        self._note(opened)
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
            changed = held.changed(held.document, version, changes, self.encoding)
        except RequestError as error:
            self._documents[uri] = replace(held, out_of_step=error.message)
            raise
        self._documents[uri] = changed
        self._note(changed)
        return changed

    def lose_step(self, params: object, why: str) -> None:
        """Edits came that could not be read: what they are about is no longer what the client sees."""
        match params:
            case {"textDocument": {"uri": str(uri)}} if uri in self._documents:
                self._documents[uri] = replace(self._documents[uri], out_of_step=f"{why}; {AGAIN}")

    def close(self, uri: str) -> None:
        """A document is no longer shown.

        Raises:
            RequestError: it was not open.
        """
        self._held(uri)
        del self._documents[uri]
        for memory in (self._shown, self._off, self._unread):
            memory.pop(uri, None)

    def is_open(self, uri: str) -> bool:
        """Whether a document is shown in the editor."""
        return uri in self._documents

    def open_documents(self) -> list[Document]:
        """The open documents in a supported language that is not switched off."""
        documents = [held.document for held in self._documents.values() if held.document is not None]
        return [one for one in documents if one.language in self.settings.languages]

    def forgotten(self, uri: str) -> None:
        """The workspace dropped a text; if it was opened again meanwhile, the new text is sent again."""
        if (held := self._documents.get(uri)) is not None:
            self._note(held)

    def open_notebook(self, uri: str, cells: Sequence[str]) -> None:
        """A notebook's cells, in order; their texts are opened one by one."""
        self._notebooks[uri] = Notebook(uri, tuple(cells))

    def change_notebook(self, uri: str, start: int, deleted: int, cells: Sequence[str]) -> None:
        """Cells are replaced by others.

        Raises:
            RequestError: the notebook is not open.
        """
        if (notebook := self._notebooks.get(uri)) is None:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, f"notebook {uri} is not open; open it first")
        self._notebooks[uri] = notebook.changed(start, deleted, cells)

    def close_notebook(self, uri: str) -> None:
        """A notebook is no longer shown."""
        self._notebooks.pop(uri, None)

    def flush_dirty(self) -> None:
        """Let the workspace know the texts that are not saved. Asked for before an answer, not at every key."""
        if self.engine is not None:
            for document in self._unread.values():
                self.engine.workspace.update(document)
            self._unread.clear()

    def use(self, engine: Engine) -> None:
        """Another engine serves from now on; what the one before it said counts no more."""
        self.engine = engine
        self._off.clear()
        for held in self._documents.values():
            self._note(held)

    def _note(self, held: OpenDocument) -> None:
        if held.document is not None and not held.notebook:
            self._unread[held.uri] = held.document

    def current(self, uri: str) -> Document | None:
        """The text as it is now; None where it was closed, or is out of step."""
        held = self._documents.get(uri)
        return held.document if held and not held.out_of_step else None

    def show(self, snapshot: Snapshot, shown: ShownSuggestion) -> None:
        """Remember the suggestion that a person now sees, unless it was made under other settings."""
        if snapshot.uri in self._documents and snapshot.settings_revision == self._settings_revision:
            self._shown[snapshot.uri] = shown

    def shown(self, uri: str) -> ShownSuggestion | None:
        """The suggestion that was shown last in a document."""
        return self._shown.get(uri)

    def forget_consent(self, roots: Collection[Path | None]) -> None:
        """Folders were removed: if they come back, a person is asked again."""
        self.asked.difference_update(roots)
        self.agreed.difference_update(roots)

    def forget_shown(self) -> None:
        """Suggestions made under other settings are worth nothing."""
        self._shown.clear()
        self._settings_revision += 1

    def snapshot(self, uri: str) -> Snapshot | NotServed:
        """The document as it is now.

        Raises:
            RequestError: it was never opened, or is out of step.
        """
        held = self._held(uri)
        if held.document is None:
            return NotServed("Inscope completes JavaScript, TypeScript and Python only")
        if held.document.language not in self.settings.languages:
            return NotServed(f"{held.document.language} is switched off (setting `languages`)")
        if uri not in self._off and self.engine is not None:
            self._off[uri] = self.engine.why_excluded(held.notebook or uri)
        if why := self._off.get(uri):
            return NotServed(why)
        if held.out_of_step:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, held.out_of_step)
        if held.parsing is None:
            return NotServed(f"the document has more than {LONGEST_TEXT:,} characters")
        program = held.parsing
        cells: tuple[Cell, ...] = (Cell(0, held.document),)
        if held.notebook in self._notebooks:
            program, cells = joined(self._notebooks[held.notebook], held.parsing, self.current)
        brings_imports = self.client.applies_edits and not held.notebook
        return Snapshot(
            uri, held.document, cells, self.encoding, self.settings, self._settings_revision, held.parsing, program,
            brings_imports,
        )  # fmt: skip

    def _held(self, uri: str) -> OpenDocument:
        if (held := self._documents.get(uri)) is None:
            raise RequestError(
                ErrorCode.FILE_NOT_FOUND, f"{uri} is not open; send textDocument/didOpen before asking about it"
            )
        return held

"""The program around a cursor: the names visible there, and those that could be imported.

`Workspace` is what the other rooms ask. It combines the index, scopes, type checkers, snippets for models, and name
counts. Thread-safe: texts may be updated while the workspace is indexed and queried.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from context_index.checkers import (
    Checker,
    CheckerLimits,
    Checkers,
    CompletionQuestion,
    FileChange,
    World,
)
from context_index.checkers.installed import installed_version
from context_index.checkers.misfits import Misfits, misfits
from context_index.checkers.name_types import TypeCache, TypesAtPlace
from context_index.cursor import Cursor
from context_index.exports import Export, imports_of
from context_index.index import EXTRACTOR_VERSION, MANIFESTS, Index, IndexReport, Progress
from context_index.libraries import Libraries
from context_index.names_around import NamesAround
from context_index.retrieve import Budget, Retriever
from context_index.scan import Exclusion, ScanSettings, SkippedPath, read_text
from context_index.source_text import SourceText, newest_first
from context_index.store import Store
from context_index.symbols import (
    CheckerCompletion,
    Importable,
    Language,
    ModuleKind,
    Name,
    Snippet,
    SymbolContext,
    whole_words,
)
from context_index.syntax import Syntax
from context_index.text import Document, language_of
from context_index.typed_import import TypedImport
from context_index.uris import path_of

if TYPE_CHECKING:
    from context_index.prior import PlacePrior, Prior

_LOG = logging.getLogger(__name__)
_LIBRARIES = "libraries.sqlite"
"""The store of libraries, beside those of workspaces and shared by all of them."""
_IN_NO_INDEX = frozenset({Exclusion.UNKNOWN_LANGUAGE, Exclusion.IGNORED})
"""Why a file is in no index, and yet `others_mentioning` searches it."""
_LARGEST_OTHER = 1_000_000
"""The most bytes of a file that is in no index and is searched for a word all the same."""


class Workspace:
    """One or more root directories, and the documents that an editor has open in them."""

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        settings: ScanSettings | None = None,
        typescript: Path | None = None,
        trusted: bool = False,
        store: Path | None = None,
        notify: Callable[[str], None] = _LOG.warning,
        limits: CheckerLimits | None = None,
    ) -> None:
        """Nothing is read and nothing is started until it is asked for.

        Args:
            typescript: where TypeScript 7 is, as a person set it; otherwise see `parts`.
            trusted: whether that may be in the workspace.
            store: the file that keeps what was read until the next start, see `default_store`; None keeps nothing.
            notify: called with a sentence where the store cannot be used as it is.
            limits: how much a type checker may take; benchmarks wait longer than editors do.
        """
        index_store = None if store is None else Store(store, EXTRACTOR_VERSION, notify)
        self._index = Index(roots, settings or ScanSettings(), index_store)
        self._checkers = Checkers(self._index.scanner.roots, typescript=typescript, trusted=trusted, limits=limits)
        self._types = TypeCache()
        self._retriever = Retriever(self._index, lambda path: self.skipped(path) is None)
        library_store = None if store is None else Store(store.with_name(_LIBRARIES), EXTRACTOR_VERSION, notify)
        self._store = index_store
        self._prior: Prior | None = None
        self._prior_lock = Lock()
        self._libraries = Libraries(self._index.scanner.roots, library_store)
        self._names = NamesAround(self._index, self._libraries)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The root directories."""
        return self._index.scanner.roots

    # What is read, and when

    def index(
        self, progress: Progress | None = None, cancel: Event | None = None, *, list_skipped: bool = False
    ) -> IndexReport:
        """Read the workspace. A second pass reads only what changed.

        Args:
            progress: called with (files done, files in all).
            cancel: set by anyone to stop; what was read stays known.
            list_skipped: whether the report lists each skipped path, besides their number.
        """
        report = self._index.read_all(progress, cancel, list_skipped=list_skipped)
        if self._prior is not None:
            self._prior.learn()
        return report

    def update(self, document: Document) -> None:
        """The editor's text replaces what is on disk, until `forget`."""
        if (path := path_of(document.uri)) is not None:
            self._checkers.world.open(document)
            self._index.open(path, document)

    def forget(self, uri: str) -> None:
        """The editor closed a document."""
        if (path := path_of(uri)) is not None:
            self._checkers.world.close(uri)
            self._index.close(path)

    def refresh(self, paths: Iterable[Path]) -> None:
        """Files were made, changed or deleted on disk."""
        paths = tuple(paths)
        self._checkers.world.files_changed(change for path in paths for change in _changes_of(path))
        if any(path.name in MANIFESTS for path in paths):
            self._libraries.forget()
        self._index.refresh(paths)
        if self._prior is not None:
            self._prior.learn()

    def read_libraries(self, document: Document, seconds: float) -> None:
        """Read what is installed for a document's project now; otherwise it is read when it is first asked for.

        Blocks, but no longer than so many seconds.
        """
        if (path := path_of(document.uri)) is not None:
            self._libraries.wait(path, document.language, seconds)

    # Files and modules

    def excluded(self, path: Path) -> Exclusion | None:
        """Why a file must be neither read nor completed: it is a secret, or switched off. None where it may be read.

        Files that git ignores, and other people's code, are not indexed; see `skipped`. They are completed when they
        are opened.
        """
        why = self._index.scanner.excluded(path)
        return why if why is not None and why.withholds else None

    def skipped(self, path: Path) -> Exclusion | None:
        """Why a file is not indexed, by its name and place; None where it is indexed."""
        return self._index.scanner.excluded(path)

    def exports(self, path: Path) -> tuple[Export, ...]:
        """What a file of the workspace exports."""
        return self._index.exports(path)

    def module_file(self, path: Path, module: str) -> Path | None:
        """The file of the workspace that a specifier in a file names; None where it names no such file."""
        resolved = self._index.resolve_module(path, module)
        return None if resolved is None else resolved[0]

    def declared(self, path: Path, module: str, name: str) -> tuple[Path, Export] | None:
        """The file that declares what a file imports, and the declared name; files that re-export it are followed."""
        return self._index.declared(path, module, name)

    def importers(self, *paths: Path, indirect: bool = False) -> tuple[Path, ...]:
        """The files that import from one of some files, or from one that re-exports its names; direct importers first.

        Args:
            indirect: Whether the importers of importers follow too, whatever these re-export.
        """
        return self._index.importers(*paths, indirect=indirect)

    def document(self, path: Path) -> Document | None:
        """A file of the workspace as it is now, in the editor or on disk; None where it cannot be read as UTF-8."""
        if (opened := self._index.opened(path)) is not None:
            return opened
        language = language_of(path.name)
        if language is None:
            return None
        try:
            return Document(path.as_uri(), language, path.read_bytes().decode("utf-8-sig"))
        except (OSError, UnicodeDecodeError):
            return None

    def shown(self, path: Path) -> str:
        """A path for people: relative to the innermost folder that holds all roots, with forward slashes.

        It stays absolute if it is in no root, or if the roots are on several drives.
        """
        if self._index.scanner.root_of(path) is None:
            return str(path)
        above = set.intersection(*({root, *root.parents} for root in self.roots))
        folder = max(above, key=lambda folder: len(folder.parts), default=None)  # none for roots on several drives
        return str(path) if folder is None else path.relative_to(folder).as_posix()

    def texts(self) -> list[SourceText]:
        """The present texts of all known files, the last changed first."""
        return newest_first(self._index.files(), dict(self._index.opened_documents()))

    def mentioning(self, words: Collection[str], document: Document) -> list[Document]:
        """The other files of the workspace, in the same family of languages, whose text has one of some words."""
        document_path, family = path_of(document.uri), document.language.family
        others = (self.document(path) for path in self._index.files() if path != document_path)
        return [
            other
            for other in others
            if other and other.language.family == family and any(word in other.text for word in words)
        ]

    def unread_mentioning(self, word: str, language: Language) -> list[tuple[Path, Exclusion]]:
        """The files of a family of languages that are not read although a word stands in them, and why they are not."""
        unread = []
        for path, why in sorted(self._index.skipped().items()):
            other = language_of(path.name)
            with suppress(OSError):
                if other and other.family == language.family and _has_word(path, word):
                    unread.append((path, why))
        return unread

    def others_mentioning(self, word: str) -> list[Path]:
        """The text files in which a word stands and that no index has: those of other kinds, and what Git ignores."""
        paths = []
        for each in self._index.scanner.walk():
            if isinstance(each, SkippedPath) and each.why in _IN_NO_INDEX and each.path.is_file():
                text = read_text(each.path, _LARGEST_OTHER)
                if isinstance(text, str) and next(whole_words(text, word), None) is not None:
                    paths.append(each.path)
        return paths

    # Names at a place

    def context(self, syntax: Syntax, offset: int) -> SymbolContext:
        """The names that can be used at an offset, and those that an import would make usable."""
        context = self._names.at(syntax, offset)
        return replace(context, types=TypesAtPlace(self._checkers, self._types, syntax, offset, context.names))

    def exporters(self, syntax: Syntax, statement: TypedImport) -> tuple[tuple[str, ...], bool]:
        """The modules that export the names of an import, nearest first, and whether there may be more."""
        return self._names.exporters(syntax, statement)

    def module_called(self, language: Language, name: str) -> Importable | None:
        """The module that most files of a family of languages import as a whole by a name; None where no module is."""
        return self._index.module_called(language, name)

    def names_at(self, syntax: Syntax, offset: int) -> Mapping[str, Name]:
        """The names that can be used at an offset; much faster than `context`."""
        return self._names.names_at(syntax, offset)

    def module_kind(self, document: Document) -> ModuleKind | None:
        """The kind of a script that does not state its own, by its package and the files around it."""
        return self._names.module_kind(document.language, path_of(document.uri))

    # What models are shown, and how probable names are

    def snippets(self, syntax: Syntax, cursor: Cursor, budget: Budget) -> tuple[Snippet, ...]:
        """What a model should see of the rest of the program when it writes at a cursor, most useful first."""
        path = path_of(syntax.document.uri)
        if path is None or self.excluded(path) is not None:
            return ()
        self._index.keep(path, syntax)
        return self._retriever.snippets(syntax, path, cursor, imports_of(syntax), budget)

    def prior(self, document: Document, offset: int, visible: Mapping[str, Name], after: str = "") -> PlacePrior:
        """How probable names are at an offset where none has begun, without a model.

        Args:
            visible: The names in scope.
            after: The text that will follow the name, as far as it is known.
        """
        return self._name_counts().at(document, path_of(document.uri), offset, visible, after)

    def read_name_counts(self, seconds: float) -> None:
        """Count the workspace's files for `prior` now; otherwise they are counted after `prior` is first asked for.

        Blocks, but no longer than so many seconds.
        """
        self._name_counts().learn(seconds)

    def forget_name_counts(self) -> None:
        """Forget what was counted for `prior`, here and on disk, and count the present files anew."""
        self._name_counts().forget()
        self._name_counts().learn()

    def _name_counts(self) -> Prior:
        """The prior of the workspace, made and set to count when it is first needed."""
        from context_index.prior import Prior  # noqa: PLC0415 -- numpy, for which those who list names need not wait

        with self._prior_lock:
            if self._prior is None:
                self._prior = Prior(self._index.files, self._store)
                self._prior.learn()
            return self._prior

    # Type checkers

    def completions(
        self, question: CompletionQuestion, *, typed: bool = False
    ) -> Future[tuple[CheckerCompletion, ...]]:
        """Ask the checker what may be at a place, without waiting.

        Args:
            typed: whether each completion is to have its type.

        Raises:
            CheckerAbsentError: there is no checker; the message says what to do.
        """
        document = question.document
        return self._checkers.of(document).ask(document, partial(question.ask, typed=typed))

    def misfits(self, syntax: Syntax, offset: int, texts: Sequence[str], seconds: float) -> Misfits:
        """Which texts, such as names and `limit=`, the checker refuses as the argument that is typed at an offset.

        Raises:
            CheckerError: there is no checker, or it fails.
            TimeoutError: the checker takes longer.
        """
        return misfits(self._checkers.of(syntax.document), syntax, offset, texts, seconds)

    @property
    def checker_world(self) -> World:
        """What all checkers get: the editor's buffers, and what changed on disk."""
        return self._checkers.world

    def checker_of(self, document: Document) -> Checker:
        """The checker of a document's own project.

        Raises:
            CheckerAbsentError: there is no checker; the message says what to do.
        """
        return self._checkers.of(document)

    def missing_checker(self, language: Language) -> str:
        """Why no type checker answers for a language, in a sentence that says what to do; empty where one does."""
        return self._checkers.missing(language)

    def checker_version(self, language: Language) -> str:
        """The checker of a language, its version and its program, such as `TypeScript 7.0.2, /path/tsc`.

        The program is started to ask for its version.

        Raises:
            CheckerError: there is no checker, or it does not run, or is too old.
        """
        program = self._checkers.program(language)
        return f"{program.title.partition(' ')[0]} {installed_version(program)}, {program.command[0]}"

    def close(self) -> None:
        """Stop the type checkers that were started, and save what was read."""
        if self._prior is not None:
            self._prior.close()
        self._libraries.close()
        self._checkers.close()
        self._index.stop()


def _has_word(path: Path, word: str) -> bool:
    """Whether a word stands in a file of any encoding that has ASCII's letters, and of any size.

    Raises:
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    return word.encode() in data and next(whole_words(data.decode("utf-8", "replace"), word), None) is not None


def _changes_of(path: Path) -> Iterator[tuple[Path, FileChange]]:
    """The changes to report for a file: it is reported as new and as changed, as only the checker knows which it is."""
    if path.exists():
        yield path, FileChange.CREATED
        yield path, FileChange.CHANGED
    else:
        yield path, FileChange.DELETED

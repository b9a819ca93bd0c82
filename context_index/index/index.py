"""The facts of a whole workspace, from disk and from the editor's open documents. Thread-safe.

`Workspace` owns the `Index`, which guards the `Catalog` by a lock. Files are read outside of the lock, so indexing
delays a keystroke only while facts are put in place.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, RLock
from types import MappingProxyType

from context_index.exports import Export, Import, Imported
from context_index.index.catalog import Catalog, kind_around
from context_index.index.facts import facts_of
from context_index.index.importable import Importables
from context_index.index.outline import symbols
from context_index.index.reading import FileReader, IndexReport, Progress, ReadFile
from context_index.languages.python.modules import module_name, package_of
from context_index.recently_used import remember
from context_index.scan import Exclusion, FoundFile, ScanSettings, SkippedPath, WorkspaceScanner
from context_index.store import Store
from context_index.symbols import Importable, Language, ModuleKind, NameKind
from context_index.syntax import Syntax, parse
from context_index.text import Document, difference, language_of

_MOST_IMPORTABLES = 32
"""The most files for which the importable names are kept ready."""
_MOST_TREES = 8
"""The most open documents whose trees are kept; a tree takes some ten times the memory of its text."""
_BATCH = 200
"""The most files that are put in place at once, while a keystroke may wait."""
MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "pyproject.toml", "setup.py", "setup.cfg"})
"""The names of files that say how modules are named, and what is installed."""


class Index:
    """What every file of the workspace exports, and what each could import."""

    def __init__(self, roots: Sequence[Path], settings: ScanSettings, store: Store | None = None) -> None:
        self.scanner = WorkspaceScanner(roots, settings)
        self._reader = FileReader(self.scanner, store)
        self._catalog = Catalog(self.scanner.roots, self._reader)
        self._open: dict[Path, Document] = {}
        """The documents that the editor has open."""
        self._unread: dict[Path, Document] = {}
        """Open documents whose newest text has not been asked for yet."""
        self._trees: dict[Path, Syntax] = {}
        """The trees of open documents, as they were when their exports were last asked for."""
        self._importables: dict[Path, Importables] = {}
        """What a file could import, by its path; kept ready for the files asked about last."""
        self._ambient: tuple[int, Mapping[str, Export]] = (-1, {})
        """The ambient names, after the catalogue's `ambient_clock` for which they hold."""
        self._skipped: dict[Path, Exclusion] = {}
        """Files of a known language that are not read, for their size or what is in them."""
        self._refreshed: set[str] = set()
        """Files that were refreshed since the last listing of the workspace, which may not have them."""
        self._is_read = False
        """Whether the whole workspace has been read once."""
        self._lock = RLock()

    def read_all(
        self,
        progress: Progress | None = None,
        cancel: Event | None = None,
        *,
        list_skipped: bool = False,
        workers: int | None = None,
    ) -> IndexReport:
        """Read the whole workspace; files that have not changed since the last time are not read again.

        Args:
            progress: called with (files done, files in all).
            cancel: set by anyone to stop.
            list_skipped: whether the report lists each skipped path, besides their number.
            workers: how many processes read, 0 for this one alone; None for as many as make sense.
        """
        start = time.perf_counter()
        cancel, progress = cancel or Event(), progress or _no_progress
        skipped = _SkippedPaths(list_skipped)
        with self._lock:
            self._refreshed.clear()
        files = self._reader.listing(skipped.add, cancel)
        reused = self._read_files(files, skipped, progress, cancel, workers)
        if not cancel.is_set():
            self._keep_only({file.path for file in files})
            self._is_read = True
        with self._lock:
            outlines = dict(self._catalog.outlines())
        return IndexReport(
            files=len(outlines),
            symbols=sum(map(symbols, outlines.values())),
            languages=MappingProxyType(dict(_files_by_language(outlines))),
            skipped=MappingProxyType(dict(skipped.counts)),
            skipped_paths=tuple(skipped.paths),
            reused=reused,
            seconds=time.perf_counter() - start,
            cancelled=cancel.is_set(),
        )

    def _read_files(
        self, files: Sequence[FoundFile], skipped: _SkippedPaths, progress: Progress, cancel: Event, workers: int | None
    ) -> int:
        """Put files into the catalogue, and read those of them that have changed; returns how many had not."""
        unchanged, changed = self._reader.unchanged(files)
        for at in range(0, len(unchanged), _BATCH):
            self._put(unchanged[at : at + _BATCH])
        progress(len(unchanged), len(files))
        reused = len(unchanged)
        for done, read in enumerate(self._reader.read(changed, cancel, workers), len(unchanged) + 1):
            if isinstance(read, SkippedPath):
                skipped.add(read)
                self._drop(read.path, read.why)
            else:
                self._put([read])
                reused += read.reused
            progress(done, len(files))
        return reused

    def stop(self) -> None:
        """Save what was read since the last time, and close the store."""
        self._reader.close()

    def refresh(self, paths: Iterable[Path]) -> None:
        """Read files that were made, changed or deleted on disk."""
        for path in paths:
            if path.name == ".gitignore":
                self.scanner.forget_ignore_rules()
            elif path.name in MANIFESTS:
                with self._lock:
                    self._catalog.forget_manifests()
                    self._importables.clear()
            if self.scanner.root_of(path) is not None and self.scanner.excluded(path) is None:
                with self._lock:
                    self._refreshed.add(str(path))
                self._read_one(path)

    def open(self, path: Path, document: Document) -> None:
        """Use an editor's text in place of the file on disk. It is parsed when its facts are first needed."""
        if self.scanner.root_of(path) is None or self.scanner.excluded(path) is not None:
            return
        with self._lock:
            self._open[path] = document
            self._unread[path] = document

    def keep(self, path: Path, syntax: Syntax) -> None:
        """Keep the tree of an editor's text, so that it need not be parsed again for files that import from it."""
        with self._lock:
            if path in self._open:
                remember(self._trees, path, syntax, _MOST_TREES)
            else:
                self._trees.pop(path, None)

    def close(self, path: Path) -> None:
        """Use the file on disk again: the editor closed it."""
        with self._lock:
            self._unread.pop(path, None)
            self._trees.pop(path, None)
            self._importables.pop(path, None)
            if self._open.pop(path, None) is None:
                return
        self._read_one(path)

    def opened(self, path: Path) -> Document | None:
        """The editor's text of a file; None where the editor has not opened it."""
        with self._lock:
            return self._open.get(path)

    def opened_documents(self) -> list[tuple[Path, Document]]:
        """The editor's texts, each with its path."""
        with self._lock:
            return list(self._open.items())

    def importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: Iterable[str], word: str = ""
    ) -> tuple[Importable, ...]:
        """What the file at `path` could import from the workspace, nearest first.

        Args:
            taken: Names that are in scope, and so left out.
            word: The half-typed name; of names from farther modules, only those that begin with it are offered.
        """
        root = self.scanner.root_of(path)
        if root is None:
            return ()
        self._read_unread(path)
        with self._lock:
            importables = self._importables.get(path)
            if importables is None or importables.language is not language:
                importables = Importables(self._catalog, path, language, root)
            remember(self._importables, path, importables, _MOST_IMPORTABLES)
            return importables.names(imports, taken, word)

    def lacks_files(self, path: Path) -> bool:
        """Whether the workspace of a file has not been read to its end, so that the file may import more."""
        return not self._is_read and self.scanner.root_of(path) is not None

    def module_kind(self, path: Path) -> ModuleKind | None:
        """The kind of a script by its package and the files around it; None where these do not decide."""
        with self._lock:
            return kind_around(self._catalog, path)

    def resolve_module(self, path: Path, module: str) -> tuple[Path, tuple[Export, ...]] | None:
        """The file that a specifier in `path` names, and its exports; None where that is no file of the workspace."""
        self._read_unread(path)
        with self._lock:
            target = self._catalog.resolver.resolve(path, module)
            return None if target is None else (target, self._catalog.exports_of(target))

    def declared(self, path: Path, module: str, name: str) -> tuple[Path, Export] | None:
        """The file that declares what a file imports, and the declared name; files that re-export it are followed.

        None where the workspace has no such file.
        """
        self._read_unread(path)
        with self._lock:
            target = self._catalog.resolver.resolve(path, module)
            return None if target is None else self._catalog.declared(target, name)

    def packages_with(self, path: Path, name: str, imports: Sequence[Import]) -> list[str]:
        """The packages of Python from which a file can import a module with a name, as it would write them."""
        with self._lock:
            style = self._catalog.resolver.style(path, imports)
            files = [  # `exports_imports` is true of the files of Python alone
                file
                for file in self._catalog.paths()
                if file != path and self._catalog.exports_imports(file) and module_name(file) == name
            ]
            specifiers = (self._catalog.resolver.specifier(path, file, style) for file in sorted(files))
            return [package for module in specifiers if module is not None and (package := package_of(module))]

    def files_called(self, path: Path, imported: Imported, imports: Sequence[Import]) -> list[str]:
        """The files that others import as a whole by a name, as the file at `path` would write them.

        The file that most import comes first.
        """
        self._read_unread(path)
        with self._lock:
            style = self._catalog.resolver.style(path, imports)
            files = [target for target, _ in self._catalog.files_called(imported).most_common() if target != path]
            specifiers = (self._catalog.resolver.specifier(path, target, style) for target in files)
            return [specifier for specifier in specifiers if specifier is not None]

    def module_called(self, language: Language, name: str) -> Importable | None:
        """The module that most files of a family of languages import as a whole by a name; None where none does."""
        counts = self.modules_called(language, name)
        if not counts:
            return None
        module, imported = max(counts, key=counts.__getitem__)
        is_whole = imported.name == "*"
        return Importable(name, NameKind.MODULE, module, is_default=not is_whole, is_module=is_whole)

    def modules_called(self, language: Language, name: str) -> Mapping[tuple[str, Imported], int]:
        """How often the files of a family of languages import each module as a whole by a name.

        The keys are specifiers, each with the `Imported` that says how.
        """
        self._read_unread(None)
        with self._lock:
            return self._catalog.modules_called(name, language.family)

    def tree(self, path: Path) -> Syntax | None:
        """The tree of the editor's text of a file; None where the editor has not opened it."""
        document = self.opened(path)
        return None if document is None else self._parsed(path, document)

    def files(self) -> list[Path]:
        """Every file that is known."""
        with self._lock:
            return list(self._catalog.paths())

    def skipped(self) -> Mapping[Path, Exclusion]:
        """The files of a known language that are not read, for their size or what is in them, and why."""
        with self._lock:
            return {path: why for path, why in self._skipped.items() if path not in self._open}

    def exports(self, path: Path) -> tuple[Export, ...]:
        """What a file exports."""
        self._read_unread(None)
        with self._lock:
            return self._catalog.exports_of(path)

    def importers(self, *paths: Path, indirect: bool = False) -> tuple[Path, ...]:
        """See `Workspace.importers`."""
        self._read_unread(None)
        with self._lock:
            return tuple(self._catalog.importers(*paths, indirect=indirect))

    def ambient(self) -> Mapping[str, Export]:
        """Names that declaration files give to every script file; the same mapping until one changes."""
        with self._lock:
            if self._ambient[0] != self._catalog.ambient_clock:
                self._ambient = (self._catalog.ambient_clock, MappingProxyType(self._catalog.ambient()))
            return self._ambient[1]

    def _put(self, files: Iterable[ReadFile]) -> None:
        """Put files from disk into the catalogue, except those that the editor has open."""
        with self._lock:
            for file in files:
                self._skipped.pop(file.path, None)
                if file.path not in self._open:
                    self._catalog.put_stored(file.path, file.key, file.outline)

    def _drop(self, path: Path, why: Exclusion) -> None:
        """Forget a file that can or may not be read any more, and remember why."""
        with self._lock:
            self._skipped.pop(path, None)
            if why is not Exclusion.UNREADABLE:  # it may be gone
                self._skipped[path] = why
            if path not in self._open:
                self._reader.forget(path)
                self._catalog.remove(path)

    def _read_one(self, path: Path) -> None:
        """Read a file from disk again, if it has changed."""
        read = self._reader.read_one(path)
        if isinstance(read, SkippedPath):
            self._drop(path, read.why)
        else:
            self._put([read])

    def _read_unread(self, asker: Path | None) -> None:
        """Read the newest texts of open documents, except the asker's own: a file does not import from itself."""
        with self._lock:
            unread = [(path, document) for path, document in self._unread.items() if path != asker]
        for path, document in unread:
            facts = facts_of(self._parsed(path, document))
            with self._lock:
                if self._unread.get(path) is document:
                    del self._unread[path]
                    self._catalog.put(path, facts)

    def _parsed(self, path: Path, document: Document) -> Syntax:
        """The syntax of an open document: of its last text only what changed is parsed again."""
        with self._lock:
            known = self._trees.get(path)
        if known is not None and known.document is document:
            return known
        if known is None or known.language is not document.language:
            syntax = parse(document)
        else:
            syntax = known.edited(document, [difference(known.document.text, document.text)])
        self.keep(path, syntax)
        return syntax

    def _keep_only(self, paths: set[str]) -> None:
        """Drop the files that are neither among the paths, nor open, nor newer than the listing of the paths."""
        with self._lock:
            paths |= self._refreshed
            gone = [path for path in self._catalog.paths() if str(path) not in paths and path not in self._open]
            for path in gone:
                self._catalog.remove(path)
            self._skipped = {path: why for path, why in self._skipped.items() if str(path) in paths}
            self._reader.keep_only(paths)


class _SkippedPaths:
    """What a pass skips: how many paths for each reason, and which if the report lists them."""

    def __init__(self, with_paths: bool) -> None:  # noqa: FBT001 -- its only argument
        self.counts: Counter[Exclusion] = Counter()
        self.paths: list[SkippedPath] = []
        self._with_paths = with_paths

    def add(self, skipped: SkippedPath) -> None:
        """Count one more path."""
        self.counts[skipped.why] += 1
        if self._with_paths:
            self.paths.append(skipped)


def _files_by_language(paths: Iterable[Path]) -> Counter[Language]:
    """The number of files of each language."""
    suffixes = Counter(path.suffix for path in paths)
    counts: Counter[Language] = Counter()
    for suffix, count in suffixes.items():
        if (language := language_of(suffix)) is not None:
            counts[language] += count
    return counts


def _no_progress(_done: int, _total: int) -> None:
    """Report no progress."""

"""The facts of a whole workspace, on disk and as open in the editor, for any number of threads.

Extraction happens outside of the lock, so that an indexing pass never keeps a keystroke waiting for longer than it
takes to put one file's facts in place.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, RLock
from types import MappingProxyType

from context_index.index.catalog import Catalog
from context_index.index.facts import facts_of
from context_index.index.importable import Importables
from context_index.index.reading import IndexReport, Progress, Reader, numbered
from context_index.scan import Exclusion, Scanner, ScanSettings
from context_index.store import Store
from context_index.surfaces import Export, Import
from context_index.symbols import Importable, Language
from context_index.syntax import parse
from context_index.text import Document

_MOST_IMPORTERS = 32
"""Files for which the importable names are kept ready."""
_MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "pyproject.toml", "setup.py", "setup.cfg"})


class Index:
    """What every file of the workspace offers, and what each could import."""

    def __init__(self, roots: Sequence[Path], settings: ScanSettings, store: Store | None = None) -> None:
        self.scanner = Scanner(roots, settings)
        self._reader = Reader(self.scanner, store)
        self._catalog = Catalog(self.scanner.roots)
        self._open: dict[Path, Document] = {}
        self._unread: dict[Path, Document] = {}
        """Open documents whose newest text has not been asked for yet."""
        self._importers: OrderedDict[Path, Importables] = OrderedDict()
        self._ambient: tuple[int, Mapping[str, Export]] = (-1, {})
        self._lock = RLock()

    def read_all(self, progress: Progress | None = None, cancel: Event | None = None) -> IndexReport:
        """Read the whole workspace; files that have not changed since the last time are not read again."""
        start = time.perf_counter()
        cancel = cancel or Event()
        skipped: Counter[Exclusion] = Counter()
        paths = self._reader.listing(skipped, cancel)
        reused = 0
        for path in numbered(paths, progress, cancel):
            found = self._read(path)
            if isinstance(found, Exclusion):
                skipped[found] += 1
            else:
                reused += found
        if not cancel.is_set():
            self._keep_only(set(paths))
        known = [facts for path in self._warmed() if (facts := self._catalog.facts(path)) is not None]
        return IndexReport(
            files=len(known),
            symbols=sum(len(facts.surface.exports) for facts in known),
            skipped=MappingProxyType(dict(skipped)),
            reused=reused,
            seconds=time.perf_counter() - start,
            cancelled=cancel.is_set(),
        )

    def stop(self) -> None:
        """Save what was read since the last time, and let go of the store."""
        self._reader.close()

    def refresh(self, paths: Iterable[Path]) -> None:
        """Files were made, changed or deleted on disk."""
        for path in paths:
            if path.name == ".gitignore":
                self.scanner.forget_ignore_rules()
            elif path.name in _MANIFESTS:
                with self._lock:
                    self._catalog.forget_manifests()
                    self._importers.clear()
            if self.scanner.root_of(path) is not None and self.scanner.excluded(path) is None:
                self._read(path)

    def open(self, path: Path, document: Document) -> None:
        """An editor's text takes the place of what is on disk. Costs nothing until somebody asks."""
        if self.scanner.root_of(path) is None or self.scanner.excluded(path) is not None:
            return
        with self._lock:
            self._open[path] = document
            self._unread[path] = document

    def close(self, path: Path) -> None:
        """The editor let go of a file: what is on disk counts again."""
        with self._lock:
            self._unread.pop(path, None)
            self._importers.pop(path, None)
            if self._open.pop(path, None) is None:
                return
        self._read(path)

    def importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: Iterable[str]
    ) -> tuple[Importable, ...]:
        """What the file at `path` could import, nearest first; nothing outside of the workspace."""
        root = self.scanner.root_of(path)
        if root is None:
            return ()
        self._catch_up(path)
        with self._lock:
            importer = self._importers.get(path)
            if importer is None or importer.language is not language:
                importer = self._importers[path] = Importables(self._catalog, path, language, root)
            self._importers.move_to_end(path)
            while len(self._importers) > _MOST_IMPORTERS:
                self._importers.popitem(last=False)
            return importer.names(imports, taken)

    def offered(self, path: Path, module: str) -> tuple[Path, tuple[Export, ...]] | None:
        """The file that a specifier in `path` names and what it offers; None where it is not of the workspace."""
        self._catch_up(path)
        with self._lock:
            target = self._catalog.resolver.resolve(path, module)
            return None if target is None else (target, self._catalog.offers(target))

    def exports(self, path: Path) -> tuple[Export, ...]:
        """What a file offers."""
        self._catch_up(None)
        with self._lock:
            return self._catalog.offers(path)

    def ambient(self) -> Mapping[str, Export]:
        """Names that declaration files give to every script file; the same mapping until one changes."""
        with self._lock:
            if self._ambient[0] != self._catalog.ambient_clock:
                self._ambient = (self._catalog.ambient_clock, MappingProxyType(self._catalog.ambient()))
            return self._ambient[1]

    def _warmed(self) -> list[Path]:
        """Follow every re-export now, file by file, so that the first keystroke need not."""
        with self._lock:
            paths = list(self._catalog.paths())
        for path in paths:
            with self._lock:
                self._catalog.offers(path)
        return paths

    def _read(self, path: Path) -> bool | Exclusion:
        """Put in place what is on disk, unless the editor has the file open; True where it was known."""
        found = self._reader.read(path)
        with self._lock:
            if path in self._open:
                return True
            if isinstance(found, Exclusion):
                self._reader.forget(path)
                self._catalog.remove(path)
                return found
            facts, known = found
            self._catalog.put(path, facts)
            return known

    def _catch_up(self, asker: Path | None) -> None:
        """Read the newest texts of open documents, except the asker's own: its exports are of no use to itself."""
        with self._lock:
            due = [(path, document) for path, document in self._unread.items() if path != asker]
        for path, document in due:
            facts = facts_of(parse(document))
            with self._lock:
                if self._unread.get(path) is document:
                    del self._unread[path]
                    self._catalog.put(path, facts)

    def _keep_only(self, paths: set[Path]) -> None:
        """Drop the files that are gone."""
        with self._lock:
            for path in [path for path in self._catalog.paths() if path not in paths and path not in self._open]:
                self._reader.forget(path)
                self._catalog.remove(path)
            self._reader.trim()

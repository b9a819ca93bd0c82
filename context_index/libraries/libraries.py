"""What can be imported from installed packages and the standard library: read in the background, stored, looked up.

A question never waits: until a project's packages are read, it gets no answers. Where reading fails it is tried again,
after pauses that grow.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

from context_index.backoff import Backoff
from context_index.disk import innermost_root
from context_index.exports import Import
from context_index.globals import NODE_PREFIX, PREFIXED_MODULES, node_modules
from context_index.languages.parts import part
from context_index.libraries.package_exports import PackageExport, PackageExports, importable
from context_index.libraries.package_reader import PackageReader
from context_index.modules import Manifests
from context_index.store import Store
from context_index.symbols import Importable, Language, Name

_LOG = logging.getLogger(__name__)

_MOST = 100
"""Names listed for one beginning."""
_MOST_EXPORTS = 200_000
"""Names kept of one project's libraries, some 60 MB; what would be more is left out."""
_SHORTEST = 2
"""Letters of a word; a shorter one is not looked up."""
_NOTHING: Mapping[str, Name] = {}
_FIRST = {language.family: language for language in reversed(Language)}


class _Project(NamedTuple):
    """A directory whose libraries some files see, and which libraries these are."""

    directory: Path
    language: Language
    """One of the family whose libraries they are."""


class Libraries:
    """The libraries of every project in a workspace. Thread-safe."""

    def __init__(self, roots: Sequence[Path], store: Store | None) -> None:
        """Nothing is read before the first question.

        Args:
            store: where what was read is kept; ours alone, opened when first needed.
        """
        self._roots = tuple(roots)
        self._manifests = Manifests(self._roots)
        self._store = store
        self._package_exports: dict[_Project, PackageExports] = {}
        self._readers: dict[_Project, Thread] = {}
        self._failures = Backoff[_Project]()
        self._forgotten = 0
        self._closed = Event()
        self._reader = PackageReader(store, self._closed)
        self._lock = Lock()

    def importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: Iterable[str], word: str
    ) -> tuple[Importable, ...]:
        """Names that begin with a word, those from what the file imports already first, and shorter before longer.

        In Python also every module, whatever the word is: code names `json` more often than anything in it.
        """
        exports = self._exports_of(self._project(path, language))
        if exports is None:
            return ()
        hidden = frozenset(taken)
        modules = exports.modules.without(hidden)
        if len(word) < _SHORTEST:
            return modules
        used = {_first(found.module) for found in imports}
        plain = any(found.module in node_modules() and found.module not in PREFIXED_MODULES for found in imports)
        found = [export for export in exports.beginning(word, language) if export.text not in hidden]
        found.sort(key=lambda export: (_first(export.module) not in used, len(export.text), export.module))
        listed = (importable(export, language, plain=plain) for export in found if not (export.is_module and modules))
        matching = [*dict.fromkeys(listed)]  # a package may have the name of a module of Node's
        return (*matching[:_MOST], *modules) if matching else modules

    def has_more(self, path: Path, language: Language, word: str) -> bool:
        """Whether `importable` may have more: when the packages are read, or for a longer word."""
        project = self._project(path, language)
        if project is None:
            return False
        if self._exports_of(project) is None:
            return self._readers[project].is_alive() if project in self._readers else False
        return len(word) < _SHORTEST

    def given(self, path: Path | None, language: Language) -> Mapping[str, Name]:
        """Names that packages of types give to every file; the same mapping as long as nothing changes."""
        exports = None
        if path is not None and language.record.has_ambient_names:
            exports = self._exports_of(self._project(path, language))
        return _NOTHING if exports is None else exports.given

    def wait(self, path: Path, language: Language, seconds: float) -> None:
        """Have the libraries of a file's project read; for those who ask only once."""
        project = self._project(path, language)
        if project is not None and self._exports_of(project) is None:
            reader = self._readers.get(project)
            if reader is not None:
                reader.join(seconds)

    def forget(self) -> None:
        """Read everything again when next asked: a manifest changed."""
        with self._lock:
            self._manifests.forget()
            self._package_exports.clear()
            self._forgotten += 1
            self._failures.forget()

    def close(self) -> None:
        """Stop reading."""
        self._closed.set()
        for reader in list(self._readers.values()):
            reader.join()
        if self._store is not None:
            self._store.close()

    def _project(self, path: Path, language: Language) -> _Project | None:
        root = innermost_root(path, self._roots)
        rules = part(language, "libraries")
        if root is None or rules is None:
            return None
        return _Project(rules.folder_of(root, path, self._manifests), _FIRST[language.family])

    def _exports_of(self, project: _Project | None) -> PackageExports | None:
        """What a project's libraries export; None until they are read, which this starts."""
        if project is None:
            return None
        with self._lock:
            if project in self._package_exports:
                return self._package_exports[project]
            reader = self._readers.get(project)
            is_reading = reader is not None and reader.is_alive()
            if not self._closed.is_set() and not is_reading and self._failures.pause(project) is None:
                self._readers[project] = Thread(target=self._try, args=(project,), name="library-reader", daemon=True)
                self._readers[project].start()
            return None

    def _try(self, project: _Project) -> None:
        """Read, and let ever more time pass before it is tried again where that fails."""
        try:
            self._read(project)
        except Exception as fault:  # noqa: BLE001 -- logged; whatever is wrong with packages, other names remain
            with self._lock:
                pause = self._failures.failed(project)
            again = f"tried again in {pause.seconds:.0f} s at the earliest"
            result = "the libraries of %s could not be read (%s: %s); %s"
            first = pause.failures == 1
            _LOG.warning(result, project.directory, type(fault).__name__, fault, again, exc_info=first)

    def _read(self, project: _Project) -> None:
        self._reader.open()
        forgotten = self._forgotten
        directory, language = project
        rules = part(language, "libraries")
        assert rules is not None  # noqa: S101 -- else there is no project
        found: Iterable[Sequence[PackageExport]] = rules.read(self._reader, directory, self._manifests)
        kept: list[PackageExport] = []
        for some in found:
            kept.extend(some[: _MOST_EXPORTS - len(kept)])
            if self._closed.is_set():
                return
        exports = PackageExports.of(kept, has_node_types=rules.has_node_types(directory))
        with self._lock:
            if self._forgotten != forgotten:  # a manifest changed meanwhile; the next question has it read again
                return
            self._package_exports[project] = exports
            self._failures.succeeded(project)
        _LOG.info("%d names can be imported from the libraries of %s", len(kept), directory)


def _first(module: str) -> str:
    """The package of a Python module; a module of Node's by its name alone."""
    return module.removeprefix(NODE_PREFIX).partition(".")[0]

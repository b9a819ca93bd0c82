"""Looks up what can be imported from a project's installed packages and the standard library.

The packages are read on a thread in the background when they are first asked for, and kept in the store. A question
never waits: until the packages are read, it gets no names. If reading fails, it is tried again after growing pauses.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

from context_index.backoff import Backoff
from context_index.disk import innermost_root
from context_index.exports import Import
from context_index.globals import NODE_PREFIX, PREFIXED_MODULES, node_exports
from context_index.languages.parts import part
from context_index.libraries.package_exports import PackageExport, PackageExports, importable
from context_index.libraries.package_reader import PackageReader
from context_index.modules import Manifests
from context_index.store import Store
from context_index.symbols import Importable, Language, Name

_LOG = logging.getLogger(__name__)

_MOST = 100
"""The most names that are listed for one prefix."""
_MOST_EXPORTS = 200_000
"""The most names that are kept of one project's libraries, some 60 MB; further ones are left out."""
_SHORTEST = 2
"""The characters that a prefix needs to be looked up."""
_NOTHING: Mapping[str, Name] = {}
# the first of a family in `Language`: its languages share their packages, which are read for one of them
_FIRST_OF_FAMILY = {language.family: language for language in reversed(Language)}


class _Project(NamedTuple):
    """A directory with libraries, and the languages that they are for."""

    directory: Path
    language: Language
    """The first language of the family."""


class Libraries:
    """The libraries of every project in a workspace. Thread-safe."""

    def __init__(self, roots: Sequence[Path], store: Store | None) -> None:
        """Nothing is read before the first question.

        Args:
            roots: The folders of the workspace.
            store: Keeps what was read; used by nobody else, and opened when first needed. None to keep nothing.
        """
        self._roots = tuple(roots)
        self._manifests = Manifests(self._roots)
        self._store = store
        self._package_exports: dict[_Project, PackageExports] = {}
        """The projects whose libraries are read."""
        self._threads: dict[_Project, Thread] = {}
        """The last thread that read, or is reading, each project's libraries."""
        self._failures = Backoff[_Project]()
        self._forgotten = 0
        """How often `forget` was called, so that a reading that began before a call is dropped."""
        self._closed = Event()
        self._reader = PackageReader(store, self._closed)
        self._lock = Lock()

    def importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: Iterable[str], word: str
    ) -> tuple[Importable, ...]:
        """The names that begin with a prefix and can be imported by a file; none until the packages are read.

        Names from packages that the file imports already come first, and shorter names before longer ones. In Python
        all modules follow, whatever the prefix is: code names `json` more often than anything in it.

        Args:
            path: The file.
            imports: The file's imports.
            taken: Names that are left out, as they are visible in the file.
            word: The prefix. If it is shorter than two characters, only modules are listed.
        """
        exports = self._exports_of(self._project(path, language))
        if exports is None:
            return ()
        hidden = frozenset(taken)
        modules = exports.modules.without(hidden)
        if len(word) < _SHORTEST:
            return modules
        specifiers = [statement.module for statement in imports]
        used = {_package_name(specifier, language) for specifier in specifiers}
        without_prefix = any(module in node_exports() and module not in PREFIXED_MODULES for module in specifiers)
        matching = [export for export in exports.beginning(word, language) if export.text not in hidden]
        matching.sort(
            key=lambda export: (_package_name(export.module, language) not in used, len(export.text), export.module)
        )
        others = (export for export in matching if not (export.is_module and modules))
        # each once: a package may have the name of one of Node's modules
        names = [*dict.fromkeys(importable(export, language, without_prefix=without_prefix) for export in others)]
        return (*names[:_MOST], *modules) if names else modules

    def has_more(self, path: Path, language: Language, word: str) -> bool:
        """Whether `importable` may list more names later, when the packages are read, or for a longer prefix."""
        project = self._project(path, language)
        if project is None:
            return False
        exports = self._exports_of(project)
        if exports is None:
            return self._threads[project].is_alive() if project in self._threads else False
        return len(word) < _SHORTEST or len([*islice(exports.beginning(word, language), _MOST + 1)]) > _MOST

    def given(self, path: Path | None, language: Language) -> Mapping[str, Name]:
        """The names that packages of types give to every file; the same mapping as long as nothing changes."""
        exports = None
        if path is not None and language.record.has_ambient_names:
            exports = self._exports_of(self._project(path, language))
        return _NOTHING if exports is None else exports.given

    def wait(self, path: Path, language: Language, seconds: float) -> None:
        """Wait, for some seconds at most, until the libraries of a file's project are read; for who asks only once."""
        project = self._project(path, language)
        if project is not None and self._exports_of(project) is None:
            thread = self._threads.get(project)
            if thread is not None:
                thread.join(seconds)

    def forget(self) -> None:
        """Drop all that was read, as a manifest changed; the next question has it read again."""
        with self._lock:
            self._manifests.forget()
            self._package_exports.clear()
            self._forgotten += 1
            self._failures.forget()

    def close(self) -> None:
        """Stop reading, wait for the threads, and close the store."""
        self._closed.set()
        with self._lock:  # else one may not be started yet
            threads = list(self._threads.values())
        for thread in threads:
            thread.join()
        if self._store is not None:
            self._store.close()

    def _project(self, path: Path, language: Language) -> _Project | None:
        """The project whose libraries a file sees; None for a file outside of the roots, or without libraries."""
        root = innermost_root(path, self._roots)
        rules = part(language, "libraries")
        if root is None or rules is None:
            return None
        return _Project(rules.folder_of(root, path, self._manifests), _FIRST_OF_FAMILY[language.family])

    def _exports_of(self, project: _Project | None) -> PackageExports | None:
        """What a project's libraries export. None until they are read; starts a thread that reads them."""
        if project is None:
            return None
        with self._lock:
            if project in self._package_exports:
                return self._package_exports[project]
            thread = self._threads.get(project)
            is_reading = thread is not None and thread.is_alive()
            if not self._closed.is_set() and not is_reading and self._failures.pause(project) is None:
                thread = Thread(target=self._try_to_read, args=(project,), name="library-reader", daemon=True)
                self._threads[project] = thread
                thread.start()
            return None

    def _try_to_read(self, project: _Project) -> None:
        """Read the libraries of a project; if that fails, log it and count the failure, which sets the next pause."""
        try:
            self._read(project)
        except Exception as fault:  # noqa: BLE001 -- logged; whatever is wrong with packages, other names remain
            with self._lock:
                pause = self._failures.record_failure(project)
            again = f"tried again in {pause.seconds:.0f} s at the earliest"
            result = "the libraries of %s could not be read (%s: %s); %s"
            first = pause.failures == 1
            _LOG.warning(result, project.directory, type(fault).__name__, fault, again, exc_info=first)

    def _read(self, project: _Project) -> None:
        """Read the libraries of a project, unless it is closed or a manifest changes meanwhile."""
        self._reader.open()
        forgotten = self._forgotten
        directory, language = project
        rules = part(language, "libraries")
        assert rules is not None  # noqa: S101 -- else there is no project
        packages: Iterable[Sequence[PackageExport]] = rules.read(self._reader, directory, self._manifests)
        exports: list[PackageExport] = []
        for package in packages:
            exports.extend(package[: _MOST_EXPORTS - len(exports)])
            if self._closed.is_set():
                return
        table = PackageExports.of(exports, has_node_types=rules.has_node_types(directory))
        with self._lock:
            if self._forgotten != forgotten:  # the next question has it read again
                return
            self._package_exports[project] = table
            self._failures.record_success(project)
        _LOG.info("%d names can be imported from the libraries of %s", len(exports), directory)


def _package_name(module: str, language: Language) -> str:
    """The package that a module is of: `shop` of `shop.cart`.

    Where modules are named by paths: `kit` of `kit/cart`, `@scope/kit` of `@scope/kit/cart`, `fs` of
    `node:fs/promises`.
    """
    if not language.record.specifiers_are_paths:
        return module.partition(".")[0]
    parts = module.removeprefix(NODE_PREFIX).split("/")
    return "/".join(parts[: 2 if module.startswith("@") else 1])

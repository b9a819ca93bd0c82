"""What can be imported from installed packages and the standard library: read in the background, stored, looked up.

A question never waits: until a project's packages are read, it gets no answers. Where reading fails it is tried again,
after pauses that grow.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Event, Lock, Thread

from context_index.backoff import Backoff
from context_index.environments import find_environment
from context_index.exports import Import
from context_index.globals import PREFIXED_MODULES, node_modules
from context_index.index.codec import decode as decode_facts
from context_index.index.extract import Extract
from context_index.index.facts import EXTRACTOR_VERSION, Facts
from context_index.index.pool import extracted
from context_index.libraries import package_exports, python, script
from context_index.libraries.package_exports import PackageExport, PackageExports, importable
from context_index.libraries.script import untyped
from context_index.modules import Manifests, Package
from context_index.store import Store
from context_index.symbols import Importable, Language, Name, NameKind

_LOG = logging.getLogger(__name__)

_MOST = 100
"""Names listed for one beginning."""
_MOST_EXPORTS = 200_000
"""Names kept of one project's libraries, some 60 MB; what would be more is left out."""
_SHORTEST = 2
"""Letters of a word; a shorter one is not looked up."""
_NOTHING: Mapping[str, Name] = {}


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
        self._package_exports: dict[tuple[bool, Path], PackageExports] = {}
        self._readers: dict[tuple[bool, Path], Thread] = {}
        self._failures = Backoff[tuple[bool, Path]]()
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
        project = self._project(path, language)
        exports = self._exports_of(project, language) if project is not None else None
        if exports is None:
            return ()
        modules = exports.modules.without(frozenset(taken))
        if len(word) < _SHORTEST:
            return modules
        used = {found.module.removeprefix("node:").partition(".")[0] for found in imports}
        plain = any(found.module in node_modules() and found.module not in PREFIXED_MODULES for found in imports)
        hidden = frozenset(taken)
        found = [
            export
            for export in exports.beginning(word, language)
            if export.text not in hidden and not (export.is_type and language is Language.JAVASCRIPT)
        ]
        found.sort(key=lambda export: (export.module.partition(".")[0] not in used, len(export.text), export.module))
        matching = [importable(export, language, plain=plain) for export in found if not (export.is_module and modules)]
        return (*matching[:_MOST], *modules) if matching else modules

    def given(self, path: Path | None, language: Language) -> Mapping[str, Name]:
        """Names that packages of types give to every file; the same mapping as long as nothing changes."""
        project = None if path is None or language.is_python else self._project(path, language)
        exports = self._exports_of(project, language) if project is not None else None
        return _NOTHING if exports is None else exports.given

    def wait(self, path: Path, language: Language, seconds: float) -> None:
        """Have the libraries of a file's project read; for those who ask only once."""
        project = self._project(path, language)
        if project is not None and self._exports_of(project, language) is None:
            reader = self._readers.get((language.is_python, project))
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

    def _project(self, path: Path, language: Language) -> Path | None:
        """The directory whose libraries a file sees."""
        root = max((one for one in self._roots if path.is_relative_to(one)), key=lambda r: len(r.parts), default=None)
        if root is None or language.is_python:
            return root
        package = self._manifests.package(path.parent)
        return package.directory if package is not None else root

    def _exports_of(self, project: Path, language: Language) -> PackageExports | None:
        key = (language.is_python, project)
        with self._lock:
            if key in self._package_exports:
                return self._package_exports[key]
            reader = self._readers.get(key)
            is_reading = reader is not None and reader.is_alive()
            if not self._closed.is_set() and not is_reading and self._failures.pause(key) is None:
                self._readers[key] = Thread(target=self._try, args=key, name="library-reader", daemon=True)
                self._readers[key].start()
            return None

    def _try(self, is_python: bool, project: Path) -> None:  # noqa: FBT001 -- half of a key
        """Read, and let ever more time pass before it is tried again where that fails."""
        try:
            self._read(is_python, project)
        except Exception as fault:  # noqa: BLE001 -- logged; whatever is wrong with packages, other names remain
            with self._lock:
                pause = self._failures.failed((is_python, project))
            again = f"tried again in {pause.seconds:.0f} s at the earliest"
            result = "the libraries of %s could not be read (%s: %s); %s"
            _LOG.warning(result, project, type(fault).__name__, fault, again, exc_info=pause.failures == 1)

    def _read(self, is_python: bool, project: Path) -> None:  # noqa: FBT001 -- likewise
        self._reader.open()
        forgotten = self._forgotten
        package = None if is_python else self._manifests.package(project)
        found = self._reader.of_python(project) if is_python else self._reader.of_scripts(package, project)
        kept: list[PackageExport] = []
        for some in found:
            kept.extend(some[: _MOST_EXPORTS - len(kept)])
            if self._closed.is_set():
                return
        exports = PackageExports.of(kept, is_python=is_python, untyped=frozenset() if is_python else untyped(project))
        with self._lock:
            if self._forgotten != forgotten:  # a manifest changed meanwhile; the next question has it read again
                return
            self._package_exports[is_python, project] = exports
            self._failures.succeeded((is_python, project))
        _LOG.info("%d names can be imported from the libraries of %s", len(kept), project)


_LARGEST = 1 << 20
_MANY = 20
"""Files; more are read in another process, as reading them here would delay keystrokes."""
_PULSE_SECONDS = 0.1
"""How often a waiting reader checks whether its workspace was closed."""
_standard: dict[bytes, Sequence[PackageExport]] = {}
"""The standard library, the same for all workspaces of this process."""
_reading_python = Lock()


class PackageReader:
    """Reads the packages of one workspace, or loads what was stored earlier. Thread-safe.

    Args:
        store: Holds what was read before; opened when first needed.
        closed: Once it is set, nothing more is read.
    """

    def __init__(self, store: Store | None, closed: Event) -> None:
        self._store = store
        self._closed = closed
        self._opening = Lock()
        self._is_open = False

    def open(self) -> None:
        """Load what an earlier reading stored."""
        with self._opening:
            if self._store is not None and not self._is_open:
                self._store.load()
                self._is_open = True

    def of_python(self, project: Path) -> Iterator[Sequence[PackageExport]]:
        """What Python's standard library and a project's environment export, package by package."""
        environment = find_environment(project)
        packages = [] if environment is None else list(python.installed(environment, project))
        version = python.version_of(environment)
        if (standard := python.standard_library(version)) is not None:
            packages.insert(0, standard)
        target = f"{version[0]}.{version[1]} {sys.platform}"
        while not _reading_python.acquire(timeout=_PULSE_SECONDS):  # the next workspace finds the standard library read
            if self._closed.is_set():
                return
        try:
            yield from self._python_packages(packages, target)
        finally:
            _reading_python.release()

    def _python_packages(
        self, packages: Sequence[python.PythonPackage], target: str
    ) -> Iterator[Sequence[PackageExport]]:
        due = []
        for package in packages:
            key = _key("python", target, package.name, package.version, *map(str, package.modules.values()))
            if (kept := self._recalled(key)) is not None:
                yield kept
            else:
                due.append((key, package))
        paths = [str(path) for _, package in due for path in package.modules.values()]
        by_path = self._facts(paths, target) if paths else {}
        for key, package in due:
            facts = {name: by_path[str(path)] for name, path in package.modules.items() if str(path) in by_path}
            found = self._keep(key, python.exports_of(package, facts))
            if package.name == python.STANDARD and not self._closed.is_set():
                _standard[key] = found
            yield found

    def of_scripts(self, project: Package | None, directory: Path) -> Iterator[Sequence[PackageExport]]:
        """What Node's own modules and the packages of a project export, and what typed packages give to every file."""
        yield [
            PackageExport(name, kind, module, is_default=kind is NameKind.MODULE)
            for module, names in node_modules().items()
            for name, kind in names.items()
        ]
        for package in script.typed(directory):
            key = _key("given", package.name, package.version, *map(str, package.entries.values()))
            kept = self._recalled(key)
            yield self._keep(key, script.given_by(package, self._facts)) if kept is None else kept
        for package in script.installed(project) if project is not None else ():
            key = _key("script", package.name, package.version, *map(str, package.entries.values()))
            kept = self._recalled(key)
            yield self._keep(key, script.exports_of(package, self._facts)) if kept is None else kept

    def _recalled(self, key: bytes) -> Sequence[PackageExport] | None:
        if key in _standard:
            return _standard[key]
        data = self._store.library(key) if self._store is not None else None
        try:
            return None if data is None else package_exports.decode(data)
        except ValueError:  # an older version may have stored it; it is read again
            return None

    def _keep(self, key: bytes, found: list[PackageExport]) -> Sequence[PackageExport]:
        if self._store is not None and not self._closed.is_set():  # what was cut short is not kept
            self._store.save_library(key, package_exports.encode(found))
        return found

    def _facts(self, paths: list[str], stubs: str = "") -> Mapping[str, Facts]:
        """The facts of files, read in another process where that is worth its start."""
        results = extracted(paths, _LARGEST, self._closed, int(bool(stubs) or len(paths) > _MANY), stubs)
        return {path: decode_facts(result.data) for path, result in results if isinstance(result, Extract)}


def _key(*parts: str) -> bytes:
    return blake2b(
        "\0".join((str(EXTRACTOR_VERSION), *parts)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()

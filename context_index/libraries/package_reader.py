"""Reads the exports of a project's packages, or loads those that an earlier reading stored.

`libraries` calls it on a background thread; the parts `libraries` of the languages find the packages and their files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Event, Lock

from context_index.environments import find_environment
from context_index.globals import NODE_PREFIX, node_exports
from context_index.index.codec import decode as decode_facts
from context_index.index.extract import Extract
from context_index.index.facts import EXTRACTOR_VERSION, FileFacts
from context_index.index.pool import extracted
from context_index.languages.ecmascript import libraries as script
from context_index.languages.python import libraries as python
from context_index.libraries import package_exports
from context_index.libraries.package_exports import PackageExport
from context_index.modules import Package
from context_index.store import Store
from context_index.symbols import NameKind

_LARGEST = 1 << 20
"""The most bytes of a file that is read."""
_MANY = 20
"""The most files that are read in this process; more are read in another one, as they would delay keystrokes."""
_PULSE_SECONDS = 0.1
"""How often a waiting reader checks whether its workspace was closed."""
_standard: dict[bytes, Sequence[PackageExport]] = {}
"""The exports of the standard library, by the keys of `_key`; shared by all workspaces of this process."""
_reading_python = Lock()
"""Held while packages of Python are read, so that only one workspace reads the standard library."""


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
        """Load the store, if there is one and it is not loaded yet."""
        with self._opening:
            if self._store is not None and not self._is_open:
                self._store.load()
                self._is_open = True

    def of_python(self, project: Path) -> Iterator[Sequence[PackageExport]]:
        """The exports of Python's standard library and of a project's environment, one sequence for each package."""
        environment = find_environment(project)
        packages = [] if environment is None else list(python.installed(environment, project))
        version = python.version_of(environment)
        if (standard := python.standard_library(version)) is not None:
            packages.insert(0, standard)
        target = f"{version[0]}.{version[1]} {sys.platform}"
        while not _reading_python.acquire(timeout=_PULSE_SECONDS):
            if self._closed.is_set():
                return
        try:
            yield from self._python_packages(packages, target)
        finally:
            _reading_python.release()

    def _python_packages(
        self, packages: Sequence[python.PythonPackage], target: str
    ) -> Iterator[Sequence[PackageExport]]:
        """The exports of packages: first those that are stored, then those that must be read, all files at once.

        Args:
            target: The Python version and the platform, by which the conditions in stubs are decided.
        """
        unread = []
        for package in packages:
            key = _key("python", target, package.name, package.version, *map(str, package.modules.values()))
            if (stored := self._stored(key)) is not None:
                yield stored
            else:
                unread.append((key, package))
        paths = [str(path) for _, package in unread for path in package.modules.values()]
        by_path = self._facts(paths, target) if paths else {}
        for key, package in unread:
            facts = {name: by_path[str(path)] for name, path in package.modules.items() if str(path) in by_path}
            exports = python.exports_of(package, facts)
            self._save(key, exports)
            if package.name == python.STANDARD and not self._closed.is_set():
                _standard[key] = exports
            yield exports

    def of_scripts(self, project: Package | None, directory: Path) -> Iterator[Sequence[PackageExport]]:
        """The exports of Node's modules and of a project's packages, and the names that packages of types give.

        Args:
            project: The package whose dependencies are read; None if there is none.
            directory: The folder around which packages of types are looked for.
        """
        yield [
            PackageExport(name, kind, f"{NODE_PREFIX}{module}", is_default=kind is NameKind.MODULE)
            for module, names in node_exports().items()
            for name, kind in names.items()
        ]
        for package in script.typed(directory):
            key = _key("given", package.name, package.version, *map(str, package.entries.values()))
            yield self._stored_or_read(key, partial(script.given_by, package, self._facts))
        for package in script.installed(project) if project is not None else ():
            key = _key("script", package.name, package.version, *map(str, package.entries.values()))
            yield self._stored_or_read(key, partial(script.exports_of, package, self._facts))

    def _stored_or_read(self, key: bytes, read: Callable[[], Sequence[PackageExport]]) -> Sequence[PackageExport]:
        """The stored exports of a key; if there are none, those that a function reads, which are then stored."""
        if (stored := self._stored(key)) is not None:
            return stored
        exports = read()
        self._save(key, exports)
        return exports

    def _stored(self, key: bytes) -> Sequence[PackageExport] | None:
        """The exports that an earlier reading stored; None if there are none."""
        if key in _standard:
            return _standard[key]
        data = self._store.library(key) if self._store is not None else None
        try:
            return None if data is None else package_exports.decode(data)
        except ValueError:  # stored by an older version
            return None

    def _save(self, key: bytes, exports: Sequence[PackageExport]) -> None:
        """Store the exports of a package, unless the workspace was closed: then not all files were read."""
        if self._store is not None and not self._closed.is_set():
            self._store.save_library(key, package_exports.encode(exports))

    def _facts(self, paths: list[str], stubs: str = "") -> Mapping[str, FileFacts]:
        """The facts of files, by path; a file that cannot be read, or is too large, is missing.

        Args:
            stubs: The target of `_python_packages`, if the files may be stubs; these are read in another process.
        """
        workers = 1 if stubs or len(paths) > _MANY else 0
        results = extracted(paths, _LARGEST, self._closed, workers, stubs)
        return {path: decode_facts(result.data) for path, result in results if isinstance(result, Extract)}


def _key(*parts: str) -> bytes:
    """The key under which the exports of a package are stored: a hash of all that they depend on."""
    return blake2b(
        "\0".join((str(EXTRACTOR_VERSION), *parts)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()

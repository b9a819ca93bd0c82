"""Reads the packages of a project, package by package, or loads what was stored of them earlier."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Event, Lock

from context_index.environments import find_environment
from context_index.globals import NODE_PREFIX, node_modules
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
"""Bytes of a file; larger ones are not read."""
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
            PackageExport(name, kind, f"{NODE_PREFIX}{module}", is_default=kind is NameKind.MODULE)
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

    def _facts(self, paths: list[str], stubs: str = "") -> Mapping[str, FileFacts]:
        """The facts of files, read in another process where that is worth its start, or where it must be: stubs."""
        workers = 1 if stubs or len(paths) > _MANY else 0
        results = extracted(paths, _LARGEST, self._closed, workers, stubs)
        return {path: decode_facts(result.data) for path, result in results if isinstance(result, Extract)}


def _key(*parts: str) -> bytes:
    return blake2b(
        "\0".join((str(EXTRACTOR_VERSION), *parts)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()

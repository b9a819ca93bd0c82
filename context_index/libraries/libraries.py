"""What can be imported from outside of the workspace: found in the background, kept on disk, looked up by beginning.

A question never waits: until a project's libraries are read it has no answers, and the next question has them. Where
reading fails it is tried again ever later, not at the next key.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, Lock, Thread

from context_index.backoff import Backoff
from context_index.exports import Import
from context_index.globals import PREFIXED_MODULES, node_modules
from context_index.libraries.offers import Offer
from context_index.libraries.package_exports import PackageExports, importable
from context_index.libraries.reading import Reading
from context_index.libraries.script import untyped
from context_index.modules import Manifests
from context_index.store import Store
from context_index.symbols import Importable, Language, Name

_LOG = logging.getLogger(__name__)

_MOST = 100
"""Names offered for one beginning."""
_MOST_OFFERS = 200_000
"""Names kept of one project's libraries, some 60 MB; what would be more is left out."""
_SHORTEST = 2
"""Letters from which on libraries are searched."""
_NOTHING: Mapping[str, Name] = {}


class Libraries:
    """The libraries of every project in a workspace. Any thread may ask."""

    def __init__(self, roots: Sequence[Path], store: Store | None) -> None:
        """Nothing is looked at until somebody asks.

        Args:
            store: where what was read is kept; ours alone, opened when first needed.
        """
        self._roots = tuple(roots)
        self._manifests = Manifests(self._roots)
        self._store = store
        self._package_exports: dict[tuple[bool, Path], PackageExports] = {}
        self._readers: dict[tuple[bool, Path], Thread] = {}
        self._failures = Backoff[tuple[bool, Path]]()
        self._closed = Event()
        self._reading = Reading(store, self._closed)
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
        modules = exports.modules_without(frozenset(taken))
        if len(word) < _SHORTEST:
            return modules
        used = {found.module.removeprefix("node:").partition(".")[0] for found in imports}
        plain = any(found.module in node_modules() and found.module not in PREFIXED_MODULES for found in imports)
        hidden = frozenset(taken)
        found = [
            offer
            for offer in exports.beginning(word, language)
            if offer.text not in hidden and not (offer.is_type and language is Language.JAVASCRIPT)
        ]
        found.sort(key=lambda offer: (offer.module.partition(".")[0] not in used, len(offer.text), offer.module))
        matching = [importable(offer, language, plain=plain) for offer in found if not (offer.is_module and modules)]
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
        """Read everything anew when next asked: a manifest changed."""
        with self._lock:
            self._manifests.forget()
            self._package_exports.clear()
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
        except Exception as fault:  # noqa: BLE001 -- told, not hidden; whatever is installed, there are other names
            with self._lock:
                pause = self._failures.failed((is_python, project))
            again = f"tried again in {pause.seconds:.0f} s at the earliest"
            result = "the libraries of %s could not be read (%s: %s); %s"
            _LOG.warning(result, project, type(fault).__name__, fault, again, exc_info=pause.failures == 1)

    def _read(self, is_python: bool, project: Path) -> None:  # noqa: FBT001 -- likewise
        self._reading.open()
        package = None if is_python else self._manifests.package(project)
        found = self._reading.of_python(project) if is_python else self._reading.of_scripts(package, project)
        kept: list[Offer] = []
        for some in found:
            kept.extend(some[: _MOST_OFFERS - len(kept)])
            if self._closed.is_set():
                return
        exports = PackageExports.of(kept, is_python=is_python, untyped=frozenset() if is_python else untyped(project))
        with self._lock:
            self._package_exports[is_python, project] = exports
            self._failures.succeeded((is_python, project))
        _LOG.info("%d names can be imported from the libraries of %s", len(kept), project)

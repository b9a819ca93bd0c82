"""What can be imported from outside of the workspace: found in the background, kept on disk, looked up by beginning.

A question never waits: until a project's libraries are read it has no answers, and the next question has them. Where
reading fails it is tried again ever later, not at the next key.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread

from context_index.backoff import Backoff
from context_index.globals import DISTANCE, PREFIXED_MODULES, node_modules
from context_index.index.codec import decode as decode_facts
from context_index.index.extract import Extract
from context_index.index.facts import EXTRACTOR_VERSION, Facts
from context_index.index.names import NameIndex
from context_index.index.processes import extracted
from context_index.libraries import offers, python, script
from context_index.libraries.offers import GIVEN, Offer
from context_index.modules import Manifests, Package
from context_index.oracles.environments import find_environment
from context_index.oracles.places import Places
from context_index.store import Store
from context_index.surfaces import Import
from context_index.symbols import Importable, Language, Name, NameKind, Origin

_LOG = logging.getLogger(__name__)

_MOST = 100
"""Names offered for one beginning."""
_MOST_LOOKED_AT = 3_000
_MOST_OFFERS = 200_000
"""Names kept of one project's libraries, some 60 MB; what would be more is left out."""
_SHORTEST = 2
"""Letters from which on libraries are searched."""
_LARGEST = 1 << 20
_MANY = 20
"""Files from which on reading them in this process would hold up keystrokes."""
_PULSE_SECONDS = 0.1
_NODE = "node"
_NOTHING: Mapping[str, Name] = {}
_standard: dict[bytes, Sequence[Offer]] = {}
"""The standard library, the same for all workspaces of this process."""
_reading_python = Lock()


@dataclass(slots=True)
class _Shelf:
    """The libraries of one project."""

    by_name: dict[str, list[Offer]] = field(default_factory=dict)
    names: NameIndex[str] = field(default_factory=NameIndex)
    modules: tuple[Importable, ...] = ()
    """Python's modules."""
    given: Mapping[str, Name] = field(default_factory=dict)
    """Names that every file has: a test runner's `describe`."""
    packages: frozenset[str] = frozenset()
    """The modules that export anything."""
    _without: tuple[frozenset[str], tuple[Importable, ...]] = (frozenset(), ())

    def modules_without(self, taken: frozenset[str]) -> tuple[Importable, ...]:
        """The modules whose names are free; the same tuple as long as these are."""
        hidden = frozenset(one.text for one in self.modules if one.text in taken)
        if not hidden:
            return self.modules
        if self._without[0] != hidden:
            self._without = (hidden, tuple(one for one in self.modules if one.text not in hidden))
        return self._without[1]


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
        self._shelves: dict[tuple[bool, Path], _Shelf] = {}
        self._readers: dict[tuple[bool, Path], Thread] = {}
        self._failures = Backoff[tuple[bool, Path]]()
        self._opening = Lock()
        self._is_open = False
        self._closed = Event()
        self._lock = Lock()

    def importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: Iterable[str], word: str
    ) -> tuple[Importable, ...]:
        """Names that begin with a word, those from what the file imports already first, and shorter before longer.

        In Python also every module, whatever the word is: code names `json` more often than anything in it.
        """
        project = self._project(path, language)
        shelf = self._shelf(project, language) if project is not None else None
        if shelf is None:
            return ()
        modules = shelf.modules_without(frozenset(taken))
        if len(word) < _SHORTEST:
            return modules
        used = {found.module.removeprefix("node:").partition(".")[0] for found in imports}
        plain = any(found.module in node_modules() and found.module not in PREFIXED_MODULES for found in imports)
        hidden = frozenset(taken)
        found = [
            offer
            for offer in _beginning(shelf, word)
            if offer.text not in hidden and not (offer.is_type and language is Language.JAVASCRIPT)
        ]
        found.sort(key=lambda offer: (offer.module.partition(".")[0] not in used, len(offer.text), offer.module))
        matching = [_importable(offer, language, plain=plain) for offer in found if not (offer.is_module and modules)]
        return (*matching[:_MOST], *modules) if matching else modules

    def packages(self, path: Path, language: Language) -> frozenset[str] | None:
        """The modules that export anything; None before they are read."""
        project = self._project(path, language)
        shelf = self._shelf(project, language) if project is not None else None
        return None if shelf is None else shelf.packages

    def exported(self, path: Path, language: Language, modules: frozenset[str] | None = None) -> dict[str, NameKind]:
        """The names that scripts can import in braces, of some modules or of all; nothing before they are read."""
        project = self._project(path, language)
        shelf = self._shelf(project, language) if project is not None else None
        offers = () if shelf is None else (offer for some in shelf.by_name.values() for offer in some)
        wanted = None if modules is None else {module.removeprefix(_NODE + ":") for module in modules}
        untyped = language is Language.JAVASCRIPT
        return {
            offer.text: offer.kind
            for offer in offers
            if not (offer.is_default or offer.is_module or (offer.is_type and untyped))
            and (wanted is None or offer.module in wanted)
        }

    def given(self, path: Path | None, language: Language) -> Mapping[str, Name]:
        """Names that packages of types give to every file; the same mapping as long as nothing changes."""
        project = None if path is None or language.is_python else self._project(path, language)
        shelf = self._shelf(project, language) if project is not None else None
        return _NOTHING if shelf is None else shelf.given

    def wait(self, path: Path, language: Language, seconds: float) -> None:
        """Have the libraries of a file's project read; for those who ask only once."""
        project = self._project(path, language)
        if project is not None and self._shelf(project, language) is None:
            reader = self._readers.get((language.is_python, project))
            if reader is not None:
                reader.join(seconds)

    def forget(self) -> None:
        """Read everything anew when next asked: a manifest changed."""
        with self._lock:
            self._manifests.forget()
            self._shelves.clear()
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

    def _shelf(self, project: Path, language: Language) -> _Shelf | None:
        key = (language.is_python, project)
        with self._lock:
            if key in self._shelves:
                return self._shelves[key]
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
            told = "the libraries of %s could not be read (%s: %s); %s"
            _LOG.warning(told, project, type(fault).__name__, fault, again, exc_info=pause.failures == 1)

    def _read(self, is_python: bool, project: Path) -> None:  # noqa: FBT001 -- likewise
        with self._opening:
            if self._store is not None and not self._is_open:
                self._store.load()
                self._is_open = True
        package = None if is_python else self._manifests.package(project)
        found = self._python(project) if is_python else self._script(package, project)
        kept: list[Offer] = []
        for some in found:
            kept.extend(some[: _MOST_OFFERS - len(kept)])
            if self._closed.is_set():
                return
        shelf = _Shelf(given={offer.text: _name(offer) for offer in kept if offer.module == GIVEN})
        shelf.packages = frozenset(offer.module for offer in kept if offer.module != GIVEN)
        for offer in (one for one in kept if one.module != GIVEN):
            shelf.by_name.setdefault(offer.text.lower(), []).append(offer)
        for name in shelf.by_name:
            shelf.names.put(name, [name])
        modules = [offer for offer in kept if offer.is_module] if is_python else []
        shelf.modules = tuple(_importable(offer, Language.PYTHON, plain=True) for offer in modules)
        list(shelf.names.starting_with("a"))  # sorted here, not at a keystroke
        with self._lock:
            self._shelves[is_python, project] = shelf
            self._failures.succeeded((is_python, project))
        _LOG.info("%d names can be imported from the libraries of %s", len(kept), project)

    def _python(self, project: Path) -> Iterator[Sequence[Offer]]:
        environment = find_environment(Places((project,)))
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

    def _python_packages(self, packages: Sequence[python.PythonPackage], target: str) -> Iterator[Sequence[Offer]]:
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
            found = self._keep(key, python.offers_of(package, facts))
            if package.name == python.STANDARD and not self._closed.is_set():
                _standard[key] = found
            yield found

    def _script(self, project: Package | None, directory: Path) -> Iterator[Sequence[Offer]]:
        yield [
            Offer(name, kind, module, is_default=kind is NameKind.MODULE)
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
            yield self._keep(key, script.offers_of(package, self._facts)) if kept is None else kept

    def _recalled(self, key: bytes) -> Sequence[Offer] | None:
        if key in _standard:
            return _standard[key]
        data = self._store.library(key) if self._store is not None else None
        try:
            return None if data is None else offers.decode(data)
        except ValueError:  # an older version of ours may have kept it; it is read again
            return None

    def _keep(self, key: bytes, found: list[Offer]) -> Sequence[Offer]:
        if self._store is not None and not self._closed.is_set():  # what was cut short is not kept
            self._store.save_library(key, offers.encode(found))
        return found

    def _facts(self, paths: list[str], stubs: str = "") -> Mapping[str, Facts]:
        """The facts of files, read in another process where that is worth its start."""
        results = extracted(paths, _LARGEST, self._closed, int(bool(stubs) or len(paths) > _MANY), stubs)
        return {path: decode_facts(result.data) for path, result in results if isinstance(result, Extract)}


def _beginning(shelf: _Shelf, word: str) -> Iterator[Offer]:
    for name, _ in islice(shelf.names.starting_with(word), _MOST_LOOKED_AT):
        yield from shelf.by_name[name]


def _importable(offer: Offer, language: Language, *, plain: bool) -> Importable:
    module = offer.module
    if not language.is_python and module in node_modules() and (not plain or module in PREFIXED_MODULES):
        module = f"{_NODE}:{module}"
    whole = offer.is_module
    if offer.kind is NameKind.MODULE and offer.is_default and language is not Language.JAVASCRIPT:
        whole = True  # `import fs from` needs a setting of TypeScript's, `import * as fs from` none
    return Importable(offer.text, offer.kind, module, offer.detail, offer.is_default and not whole, whole)


def _name(offer: Offer) -> Name:
    return Name(offer.text, offer.kind, Origin.GLOBAL, DISTANCE, detail=offer.detail, is_type=offer.is_type)


def _key(*parts: str) -> bytes:
    return blake2b(
        "\0".join((str(EXTRACTOR_VERSION), *parts)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()

"""The program around a cursor, on one screen: what is visible there, and what could be imported.

Composes scopes, globals and the index. Thread-safe: texts may be updated while the workspace is indexed and asked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event
from types import MappingProxyType

from context_index.globals import DISTANCE, global_names
from context_index.index import EXTRACTOR_VERSION, Index, IndexReport, Progress
from context_index.oracles import Oracles, Pending
from context_index.scan import Exclusion, ScanSettings
from context_index.scopes import caveats_at, names_at
from context_index.store import Store
from context_index.surfaces import Export, Import, imports_of
from context_index.symbols import Importable, Language, Name, Origin, SymbolContext
from context_index.syntax import Syntax
from context_index.text import Document
from context_index.uris import path_of

_LOG = logging.getLogger(__name__)
_STAR_DISTANCE = DISTANCE - 1
"""Names of a star import are those of the module's own scope, as far out as that may be."""


class Workspace:
    """One or more root directories, and the documents that an editor has open in them."""

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        settings: ScanSettings | None = None,
        typescript: Path | None = None,
        store: Path | None = None,
        notify: Callable[[str], None] = _LOG.warning,
    ) -> None:
        """Nothing is read and nothing is started until it is asked for.

        Args:
            typescript: where TypeScript 7 or newer is installed, if not where it is looked for.
            store: the file that keeps what was read until the next start, see `default_store`; None keeps nothing.
            notify: told one sentence where the store cannot be used as it is.
        """
        kept = None if store is None else Store(store, EXTRACTOR_VERSION, notify)
        self._index = Index(roots, settings or ScanSettings(), kept)
        self._oracles = Oracles(self._index.scanner.roots, typescript=typescript)
        self._bases: dict[Language, tuple[Mapping[str, Export], Mapping[str, Name]]] = {}

    @property
    def roots(self) -> tuple[Path, ...]:
        """The root directories."""
        return self._index.scanner.roots

    def index(self, progress: Progress | None = None, cancel: Event | None = None) -> IndexReport:
        """Read the workspace. A second pass reads only what changed.

        Args:
            progress: told (files done, files in all) as it goes on.
            cancel: set by anyone to stop; what was read stays known.
        """
        return self._index.read_all(progress, cancel)

    def update(self, document: Document) -> None:
        """The editor's text takes the place of what is on disk, until `forget`."""
        if (path := path_of(document.uri)) is not None:
            self._index.open(path, document)

    def forget(self, uri: str) -> None:
        """The editor closed a document."""
        if (path := path_of(uri)) is not None:
            self._index.close(path)

    def refresh(self, paths: Iterable[Path]) -> None:
        """Files were made, changed or deleted on disk."""
        self._index.refresh(paths)

    def excluded(self, path: Path) -> Exclusion | None:
        """Why a file must be neither read nor completed: a secret, or switched off. None where it is fine.

        What git ignores and what others wrote is not indexed, yet whoever opens it may complete in it: see `skipped`.
        """
        why = self._index.scanner.excluded(path)
        return why if why is not None and why.withholds else None

    def skipped(self, path: Path) -> Exclusion | None:
        """Why a file is not indexed, by its name and place; None where it is."""
        return self._index.scanner.excluded(path)

    def exports(self, path: Path) -> tuple[Export, ...]:
        """What a file of the workspace offers to others."""
        return self._index.exports(path)

    def context(self, syntax: Syntax, offset: int) -> SymbolContext:
        """The names that can be used at an offset, and those that an import would make usable."""
        path = path_of(syntax.document.uri)
        imports = imports_of(syntax)
        visible = names_at(syntax, offset)
        starred, caveats = self._starred(path, imports)
        importable: tuple[Importable, ...] = ()
        if path is not None:
            importable = self._index.importable(path, syntax.language, imports, [*starred, *visible])
        if not syntax.language.is_python:  # whose only caveats are star imports, which are followed here
            caveats.extend(caveats_at(syntax, offset))
        return SymbolContext(
            syntax.language,
            MappingProxyType({**self._base(syntax.language), **starred, **visible}),
            importable,
            complete=not caveats,
            caveats=tuple(caveats),
        )

    def members(self, document: Document, offset: int) -> Pending:
        """Ask the type checker which members may follow the dot just before `offset`, without waiting."""
        return self._oracles.members(document, offset)

    def prepare(self, document: Document) -> Pending:
        """Start the type checker for a document, so that the first question about it is answered as fast as any."""
        return self._oracles.prepare(document)

    def checkers(self) -> Mapping[str, tuple[str, ...]]:
        """Who answers for members, by family of languages; empty where no checker is found."""
        return self._oracles.names()

    def close(self) -> None:
        """Stop the type checkers that were started, and save what was read."""
        self._oracles.close()
        self._index.stop()

    def _base(self, language: Language) -> Mapping[str, Name]:
        """Globals of the language and of the workspace's declaration files."""
        if language.is_python:
            return global_names(language)
        ambient = self._index.ambient()
        known = self._bases.get(language)
        if known is None or known[0] is not ambient:
            own = {
                text: Name(text, e.kind, Origin.GLOBAL, DISTANCE, detail=e.detail, is_type=e.is_type)
                for text, e in ambient.items()
                if not (e.is_type and language is Language.JAVASCRIPT)
            }
            known = self._bases[language] = (ambient, MappingProxyType({**global_names(language), **own}))
        return known[1]

    def _starred(self, path: Path | None, imports: Iterable[Import]) -> tuple[dict[str, Name], list[str]]:
        """The names of star imports, and a caveat for each whose module is not of the workspace."""
        names: dict[str, Name] = {}
        caveats: list[str] = []
        for found in imports:
            if not found.star:
                continue
            offered = self._index.offered(path, found.module) if path is not None else None
            if offered is None:
                caveats.append(f"`from {found.module} import *` brings names that are not known here")
                continue
            for e in offered[1]:
                detail = f"from {found.module}"
                names[e.name] = Name(e.name, e.kind, Origin.IMPORT, _STAR_DISTANCE, found.line, detail)
        return names, caveats

"""Who answers for which language in a workspace; found and started when first needed."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from context_index.oracles.environments import find_environment, package_folders
from context_index.oracles.jedi import Jedi, JediWorker
from context_index.oracles.module_paths import PathsOnDisk
from context_index.oracles.oracle import Oracle, Source
from context_index.oracles.places import Places
from context_index.oracles.server import Server
from context_index.oracles.supervised import Limits
from context_index.oracles.ty import find_ty
from context_index.oracles.typescript import TypeScript, find_typescript
from context_index.parts import PartMissingError
from context_index.symbols import Language
from context_index.text import Document
from context_index.uris import path_of

_LOG = logging.getLogger(__name__)


class Oracles:
    """One oracle for each root and family of languages."""

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        typescript: Path | None = None,
        trusted: bool = False,
        limits: Limits | None = None,
        opened: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        """Nothing is looked for before the first question.

        Args:
            typescript: where TypeScript is, as a person set it.
            trusted: whether a program that lies in the workspace may be started, if a setting names it.
            limits: how much a checker may take.
            opened: the files that an editor has open.
        """
        self._roots = tuple(roots)
        self._typescript = typescript
        self._trusted = trusted
        self._limits = limits
        self._opened = opened
        self._oracles: dict[tuple[Path, bool], Oracle] = {}
        self._lock = threading.Lock()

    def of(self, document: Document) -> Oracle:
        """Who answers about a document."""
        key = (self._root(document), document.language.is_python)
        with self._lock:
            if key not in self._oracles:
                sources = self._sources(key[0], path_of(document.uri), is_python=key[1])
                paths = None if key[1] else PathsOnDisk(self._roots, self._opened)
                absent = "" if sources else self.missing(document.language)
                self._oracles[key] = Oracle(sources, paths=paths, absent=absent)
            return self._oracles[key]

    def by(self) -> dict[str, tuple[str, ...]]:
        """Who would be asked, by family of languages; for people who wonder why so little is known."""
        roots = self._roots or (Path.cwd(),)
        return {
            "JavaScript and TypeScript": tuple(
                source.name for source in self._sources(roots[0], None, is_python=False)
            ),
            "Python": tuple(source.name for source in self._sources(roots[0], None, is_python=True)),
        }

    def _find_typescript(self, workspaces: Sequence[Path]) -> TypeScript | None:
        """TypeScript 7, if it may be used; `missing` says why not."""
        try:
            return find_typescript(self._typescript, workspaces, trusted=self._trusted)
        except PartMissingError as fault:
            _LOG.info("%s", fault)
            return None

    def missing(self, language: Language) -> str:
        """Why no checker answers for a language, in a sentence that says what to do; empty where one does."""
        if language.is_python:
            return "" if find_ty(Places(self._roots, self._roots)) else "ty is not installed. Run 'pip install ty'."
        try:
            find_typescript(self._typescript, self._roots, trusted=self._trusted)
        except PartMissingError as fault:
            return str(fault)
        return ""

    def find_again(self) -> None:
        """Look for a checker of JavaScript and TypeScript anew at the next question: one was installed meanwhile."""
        with self._lock:
            found = [key for key in self._oracles if not key[1]]
            oracles = [self._oracles.pop(key) for key in found]
        for oracle in oracles:
            oracle.close()

    def close(self) -> None:
        """Stop everything that was started."""
        with self._lock:
            oracles = list(self._oracles.values())
            self._oracles.clear()
        for oracle in oracles:
            oracle.close()

    def _sources(self, root: Path, path: Path | None, *, is_python: bool) -> list[Source]:
        workspaces = tuple(dict.fromkeys((*self._roots, root)))  # whoever opens one file has not trusted its folder
        places = Places((root,), workspaces, None if path is None else path.parent)
        checker = find_ty(places) if is_python else self._find_typescript(workspaces)
        sources: list[Source] = [] if checker is None else [Server(checker, root, self._limits)]
        if is_python:
            environment = find_environment(places) or Path(sys.prefix)  # without one, what we are installed beside
            worker = JediWorker(root, tuple(package_folders(environment)), workspaces)
            sources.append(Jedi(worker, root, *([] if self._limits is None else [self._limits])))
        return sources

    def _root(self, document: Document) -> Path:
        """The root that a document lies in; for one outside of all, its directory."""
        path = path_of(document.uri)
        if path is None:
            return self._roots[0] if self._roots else Path.cwd()
        holding = [root for root in self._roots if path.is_relative_to(root)]
        return max(holding, key=lambda root: len(root.parts), default=path.parent)

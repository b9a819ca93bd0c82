"""The checkers of a workspace: one for each project and family of languages. A document's file decides which."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from context_index.checkers.checker import Checker, CheckerLimits
from context_index.checkers.copies import placed
from context_index.checkers.errors import CheckerAbsentError
from context_index.checkers.programs import CheckerProgram, program_for, project_of
from context_index.checkers.world import World
from context_index.symbols import Language
from context_index.text import Document
from context_index.uris import path_of

_MOST = 8
"""The most checkers of one workspace; with more projects, the checker that was asked longest ago is closed."""


class Checkers:
    """Finds and keeps the checkers of a workspace. Thread-safe."""

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        typescript: Path | None = None,
        trusted: bool = False,
        limits: CheckerLimits | None = None,
    ) -> None:
        """Nothing is started before the first question.

        Args:
            roots: The folders of the workspace.
            typescript: Where TypeScript 7 is, as a person set it; None to look for it as `parts` does.
            trusted: Whether the workspace is trusted, so that a program in it may be started.
        """
        self._roots = tuple(root.absolute() for root in roots)  # not resolved, as the paths of documents are not
        self._typescript, self._trusted, self._limits = typescript, trusted, limits or CheckerLimits()
        self.world = World()
        """The state that all checkers share."""
        self._checkers: dict[tuple[str, Path], Checker] = {}
        """By family of languages and project, the one that was asked last at the end."""
        self._lock = threading.Lock()
        self._closed = False

    def of(self, document: Document) -> Checker:
        """The checker that answers for a document.

        Raises:
            CheckerAbsentError: there is none; the sentence says what to do.
        """
        path = path_of(placed(document, self._roots[0]).uri) if self._roots else path_of(document.uri)
        if path is None:
            raise CheckerAbsentError("the document is in no file and no folder: no project says how to check it")
        family = document.language.family
        project = project_of(path, self._roots, document.language)
        with self._lock:
            if self._closed:  # a request that is still served must not start a process that nobody ends
                raise CheckerAbsentError("the workspace was closed")
            checker = self._checkers.pop((family, project), None)
            if checker is None:
                workspaces = tuple(dict.fromkeys((*self._roots, project)))
                program = program_for(document.language, project, workspaces, self._typescript, trusted=self._trusted)
                checker = Checker(program, project, self.world, self._limits)
            self._checkers[family, project] = checker
            surplus = [self._checkers.pop(key) for key in list(self._checkers)[:-_MOST]]
        for other in surplus:
            other.close()
        return checker

    def missing(self, language: Language) -> str:
        """Why there is no checker for a language, in a sentence that says what to do; empty if there is one."""
        try:
            self.program(language)
        except CheckerAbsentError as absent:
            return str(absent)
        return ""

    def program(self, language: Language) -> CheckerProgram:
        """The program of a language's checker, for the workspace's first root.

        Raises:
            CheckerAbsentError: there is none; the sentence says what to do.
        """
        project = self._roots[0] if self._roots else Path.cwd()
        return program_for(language, project, self._roots, self._typescript, trusted=self._trusted)

    def close(self) -> None:
        """End all processes; no checker is started afterwards."""
        with self._lock:
            self._closed = True
            checkers = list(self._checkers.values())
            self._checkers.clear()
        for checker in checkers:
            checker.close()

"""All checkers of a session and what they share: the buffers that are open, and what happened on disk."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.checkers import programs
from context_index.checkers.checker import Checker, FileEvent, Limits
from context_index.checkers.projects import project_of, workspace_of
from context_index.checkers.worker import CheckerWorker
from context_index.parts import PartMissingError, find, part
from context_index.text import Document
from context_index.uris import path_of

_Key = tuple[Path, bool]


@dataclass(frozen=True, slots=True)
class Absent:
    """No checker can be asked about a document; `why` is shown to people."""

    why: str


class Checkers:
    """Finds the checker of a document, and keeps every checker's world that of the editor. For any thread."""

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        trusted: bool = True,
        typescript: Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Nothing is looked for or started before the first question.

        Args:
            roots: the folders that are open in the editor.
            trusted: whether programs that lie in them may be started, if a person named them.
            typescript: where TypeScript is, if not where it is looked for.
        """
        self._roots = tuple(root.absolute() for root in roots)
        self._trusted = trusted
        self._typescript = typescript
        self._limits = limits or Limits()
        self._buffers: dict[str, Document] = {}
        self._workers: dict[_Key, CheckerWorker | Absent] = {}
        self._lock = threading.Lock()

    @property
    def buffers(self) -> Mapping[str, Document]:
        """What is open in the editor, by URI: a copy."""
        with self._lock:
            return dict(self._buffers)

    def update(self, document: Document) -> None:
        """A text was opened or changed in the editor."""
        with self._lock:
            self._buffers[document.uri] = document

    def forget(self, uri: str) -> None:
        """A text was closed in the editor: what is on disk counts again."""
        with self._lock:
            self._buffers.pop(uri, None)

    def files_changed(self, events: Sequence[FileEvent]) -> None:
        """Something happened on disk; every checker that runs learns of it before its next question."""
        with self._lock:
            workers = [worker for worker in self._workers.values() if isinstance(worker, CheckerWorker)]
        for worker in workers:
            worker.submit(lambda checker: checker.files_changed(events))

    def of(self, document: Document) -> CheckerWorker | Absent:
        """The checker of a document's own project."""
        path = path_of(document.uri)
        is_python = document.language.is_python
        if path is None:
            if not self._roots:
                return Absent("the text is in no folder, so no project says how to check it")
            folder = root = self._roots[0]
        else:
            folder = project_of(path, self._roots, is_python=is_python)
            root = workspace_of(path, self._roots) or folder
        # TypeScript's server reads each file's own tsconfig, so that one serves a workspace; ty's reads one project
        key = (folder if is_python else root, is_python)
        with self._lock:
            if (known := self._workers.get(key)) is None:
                known = self._workers[key] = self._found(key[0], root, is_python=is_python)
            return known

    def close(self) -> None:
        """End every checker; blocks until they have answered what was asked."""
        with self._lock:
            workers = list(self._workers.values())
            self._workers.clear()
        for worker in workers:
            if isinstance(worker, CheckerWorker):
                worker.close()

    def _found(self, folder: Path, root: Path, *, is_python: bool) -> CheckerWorker | Absent:
        if is_python:
            program = programs.ty(folder, root)
            if program is None:
                return Absent("ty is not installed")
        else:
            try:
                program = programs.typescript(find(part("typescript"), self._typescript, self._roots))
            except PartMissingError as missing:
                return Absent(str(missing))
        outside_of = () if program.named and self._trusted else self._roots
        return CheckerWorker(Checker(program, folder, self._limits, outside_of))

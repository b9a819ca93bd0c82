"""One checker's process and its world: exactly the buffers that are open in the editor, and at most one overlay.

An overlay is a text that no editor holds, put in place of a buffer for some questions and undone after them. Belongs to
one thread: a checker is changed and asked in one go, because ty answers from its newest text whatever was asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import psutil

from context_index.backoff import FIRST_SECONDS, LONGEST_SECONDS, Backoff
from context_index.checkers import answers
from context_index.checkers.answers import Diagnostic, QuickFix, Ruler
from context_index.checkers.connection import Connection
from context_index.checkers.errors import CheckerAbsentError, CheckerDiedError, CheckerError, CheckerStalledError
from context_index.checkers.programs import Program, language_id
from context_index.text import Document, Encoding, difference

_MEMORY_EVERY = 5.0
"""Seconds between two looks at the process's size."""
_CAPABILITIES = {
    "general": {"positionEncodings": [str(Encoding.UTF8), str(Encoding.UTF16)]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
    },
    "textDocument": {
        "diagnostic": {"dynamicRegistration": True},
        "hover": {"contentFormat": ["plaintext"]},
        "definition": {"linkSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "dataSupport": True,
            "isPreferredSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}
"""A client that forwards file events keeps TypeScript from polling the disk."""


class FileChange(IntEnum):
    """What happened to a file on disk, as LSP counts."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


@dataclass(frozen=True, slots=True)
class FileEvent:
    """Something that happened on disk. Neither checker looks at the disk by itself."""

    uri: str
    change: FileChange


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a checker may take, in seconds and bytes."""

    start: float = 20.0
    first_answer: float = 120.0
    """The checker reads a whole project for it."""
    answer: float = 15.0
    idle: float = 900.0
    """Without a question for so long, the process is ended; the next question starts another."""
    first_pause: float = FIRST_SECONDS
    longest_pause: float = LONGEST_SECONDS
    memory: int = 3 << 30
    young: float = 600.0
    """A process that outgrows `memory` when it is younger is not started again: the project is too large for it."""


class Checker:
    """A language server with pull diagnostics, for one project."""

    def __init__(self, program: Program, root: Path, limits: Limits, outside_of: Sequence[Path]) -> None:
        """Nothing is started before the first question.

        Args:
            root: the folder that the server is told of.
            outside_of: the workspaces that the program may not come from.
        """
        self._program = program
        self._root = root
        self._limits = limits
        self._outside_of = outside_of
        self._connection: Connection | None = None
        self._encoding = Encoding.UTF16
        self._buffers: dict[str, Document] = {}
        """What the server has open, by URI."""
        self._versions: dict[str, int] = {}
        self._failures = Backoff[str](limits.first_pause, limits.longest_pause)
        """By document: one that kills the server must not cost the others their answers; "" is the start."""
        self._absent = ""
        self._measured = 0.0
        self._started_at = 0.0
        self._warm = False
        self.starts = 0
        """How often the process was started."""
        self.file_events = 0
        """How many events the server was told of, which may have changed all its answers."""
        self.waited = 0.0
        """Seconds for which answers were waited for: the checker's own time, messages included."""

    @property
    def name(self) -> str:
        """The checker's name and version."""
        return self._program.title

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        connection = self._connection
        return connection.pid if connection is not None and connection.alive else None

    @property
    def warm(self) -> bool:
        """Whether it has answered since it was started: a first answer takes long, as it reads the project."""
        return self._warm

    @property
    def absent(self) -> str:
        """Why it is not asked any more; empty while it is."""
        return self._absent

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question to stop it; None while it is not running."""
        return self._limits.idle if self._connection is not None else None

    @property
    def memory(self) -> int:
        """Bytes of main memory that the process has; 0 where there is none."""
        connection = self._connection
        try:
            return 0 if connection is None else int(psutil.Process(connection.pid).memory_info().rss)
        except psutil.Error:  # it has just ended; the next question finds out
            return 0

    def stop(self) -> None:
        """End the process; the next question starts another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._buffers.clear()
        self._versions.clear()

    def files_changed(self, events: Sequence[FileEvent]) -> None:
        """Forward what happened on disk; a process that is yet to be started will read the disk as it is then."""
        self.file_events += len(events)
        if self._connection is not None and self._connection.alive:
            changes = [{"uri": event.uri, "type": int(event.change)} for event in events]
            self._connection.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    @contextmanager
    def showing(self, buffers: Mapping[str, Document], overlay: Document) -> Iterator[Shown]:
        """Have the server hold these buffers, by URI, and `overlay` in place of its own; then undo the overlay.

        A server that died since the last question is started again and gets all buffers.

        Raises:
            CheckerError: it cannot be asked, or what is asked within has no answer.
        """
        for key in ("", overlay.uri):
            if (pause := self._failures.pause(key)) is not None:
                raise CheckerAbsentError(
                    f"{self.name} failed {pause.failures} times; it is tried again in {pause.seconds:.0f} s"
                )
        key = ""
        try:
            connection = self._running()
            key = overlay.uri
            self._hold(connection, {**buffers, overlay.uri: overlay})
            yield Shown(self._ask, Ruler(overlay, self._encoding))
            self._hold(connection, buffers)
        except CheckerError as error:
            if isinstance(error, CheckerDiedError | CheckerStalledError):
                self._failures.failed(key)
            self.stop()
            raise
        self._failures.succeeded("")
        self._failures.succeeded(overlay.uri)
        self._watch_memory()

    def _running(self) -> Connection:
        if self._absent:
            raise CheckerAbsentError(self._absent)
        if self._connection is not None and self._connection.alive:
            return self._connection
        self.stop()
        connection = Connection(
            self._program.command, self._answer, outside_of=self._outside_of, variables=self._program.variables
        )
        self._connection, self._warm = connection, False
        self._started_at = time.monotonic()
        self.starts += 1
        uri = self._root.as_uri()
        params = {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._root.name}],
            "capabilities": _CAPABILITIES,
        }
        match connection.request("initialize", params).wait(self._limits.start):
            case {"capabilities": {"positionEncoding": Encoding.UTF8.value}}:
                self._encoding = Encoding.UTF8
            case _:
                self._encoding = Encoding.UTF16
        connection.notify("initialized", {})
        return connection

    def _hold(self, connection: Connection, wanted: Mapping[str, Document]) -> None:
        """Send what differs between what the server has open and what it shall have open."""
        for uri in [uri for uri in self._buffers if uri not in wanted]:
            connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            del self._buffers[uri]
        for uri, document in wanted.items():
            held = self._buffers.get(uri)
            if held is document or (held is not None and held.text == document.text):
                continue
            self._versions[uri] = version = self._versions.get(uri, 0) + 1
            if held is None:
                item = {"uri": uri, "languageId": language_id(document), "version": version, "text": document.text}
                connection.notify("textDocument/didOpen", {"textDocument": item})
            else:
                edit = difference(held.text, document.text)
                change = {"range": Ruler(held, self._encoding).range(edit.start, edit.end), "text": edit.text}
                identifier = {"uri": uri, "version": version}
                params = {"textDocument": identifier, "contentChanges": [change]}
                connection.notify("textDocument/didChange", params)
            self._buffers[uri] = document

    def _ask(self, method: str, params: object) -> object:
        """The server's answer; within `showing`."""
        if (connection := self._connection) is None:
            raise CheckerDiedError("the process is not running")
        limits, asked = self._limits, time.perf_counter()
        try:
            answer = connection.request(method, params).wait(limits.answer if self._warm else limits.first_answer)
        finally:
            self.waited += time.perf_counter() - asked
        self._warm = True
        return answer

    def _answer(self, method: str, params: object) -> object:
        """What the server is told when it asks; everything but settings is answered with nothing."""
        if method != "workspace/configuration" or not isinstance(params, dict):
            return None
        items = params.get("items")
        sections = [item.get("section") if isinstance(item, dict) else "" for item in items or ()]
        return [self._program.settings.get(str(section)) for section in sections]

    def _watch_memory(self) -> None:
        """End a process that has grown too large; one that did so at once would do so again."""
        now = time.monotonic()
        if now - self._measured < _MEMORY_EVERY and self._measured > self._started_at:
            return
        self._measured = now
        if (size := self.memory) <= self._limits.memory:
            return
        if now - self._started_at < self._limits.young:
            self._absent = (
                f"{self.name} used {size / 1e6:,.0f} MB of memory for this project, "
                f"more than the limit of {self._limits.memory / 1e6:,.0f} MB"
            )
        self.stop()


@dataclass(frozen=True, slots=True)
class Shown:
    """An overlay while the server holds it. Every method raises CheckerError where there is no answer."""

    _ask: Callable[[str, object], object]
    _ruler: Ruler

    @property
    def document(self) -> Document:
        """The overlay."""
        return self._ruler.document

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the server says of the text: every severity."""
        return tuple(answers.diagnostics(self._ask("textDocument/diagnostic", self._named()), self._ruler))

    def has_definition(self, offset: int) -> bool:
        """Whether the server knows where the name at an offset is declared."""
        return answers.has_place(self._ask("textDocument/definition", self._at(offset)))

    def hover(self, offset: int) -> str:
        """What the server says of the name at an offset; empty where that is nothing."""
        return answers.hover_text(self._ask("textDocument/hover", self._at(offset)))

    def quick_fixes(self, diagnostic: Diagnostic) -> Iterator[QuickFix]:
        """Repairs of one error that change this text alone, in the server's order."""
        place = self._ruler.range(diagnostic.start, diagnostic.end)
        code = int(diagnostic.code) if diagnostic.code.isdecimal() else diagnostic.code
        about = {"range": place, "severity": int(diagnostic.severity), "code": code, "message": diagnostic.message}
        context = {"diagnostics": [about], "only": ["quickfix"]}
        found = self._ask("textDocument/codeAction", {**self._named(), "range": place, "context": context})
        for fix in answers.quick_fixes(found, self._ruler):
            if isinstance(fix, QuickFix):
                yield fix
            elif (resolved := answers.quick_fix(self._ask("codeAction/resolve", fix), self._ruler)) is not None:
                yield resolved

    def _named(self) -> dict[str, object]:
        return {"textDocument": {"uri": self._ruler.document.uri}}

    def _at(self, offset: int) -> dict[str, object]:
        return {**self._named(), "position": self._ruler.position(offset)}

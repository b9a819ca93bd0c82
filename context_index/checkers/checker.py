"""One checker of one project, asked about a document with other text in it.

While it is asked, the checker holds exactly the editor's open buffers and the overlay that the question is about. The
overlay stays until the next question, which may be about the same text. One change-and-ask at a time, on a thread of
the checker's own: ty answers from its newest text, whatever was asked. A checker that dies is started again, and the
buffers are sent again. A document that made it fail is not asked about for a while. A checker whose process grows above
the limit of memory again and again is absent with its reason.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event
from typing import Generic, TypeVar

import psutil

from context_index.backoff import FIRST_SECONDS, Backoff
from context_index.checkers.cancellation import Cancellation
from context_index.checkers.connection import Connection
from context_index.checkers.copies import CheckerCopy, language_id, placed
from context_index.checkers.errors import (
    CheckerAbsentError,
    CheckerCancelledError,
    CheckerDiedError,
    CheckerError,
    CheckerRefusedError,
)
from context_index.checkers.programs import CheckerProgram
from context_index.checkers.query import Query
from context_index.checkers.world import World
from context_index.text import Document, Encoding

T = TypeVar("T")
_CLOSED = "it was closed"
_CAPABILITIES = {
    "general": {"positionEncodings": [str(Encoding.UTF8), str(Encoding.UTF16)]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceEdit": {"documentChanges": True},
    },
    "textDocument": {
        "diagnostic": {},
        "publishDiagnostics": {"versionSupport": True, "categorySupport": True},
        "hover": {"contentFormat": ["markdown"]},
        "definition": {},
        "completion": {
            "completionItem": {
                "commitCharactersSupport": True,
                "documentationFormat": ["markdown"],
                "resolveSupport": {"properties": ["detail", "documentation"]},
            },
            "completionList": {"itemDefaults": ["commitCharacters"]},
        },
        "signatureHelp": {
            "signatureInformation": {
                "activeParameterSupport": True,
                "documentationFormat": ["markdown"],
                "parameterInformation": {"labelOffsetSupport": True},
            },
        },
        "rename": {"prepareSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
        },
    },
}


@dataclass(frozen=True, slots=True)
class CheckerLimits:
    """How much a checker may take: seconds, bytes, and how often it may outgrow them."""

    start: float = 20.0
    first_answer: float = 120.0
    """For the first one, for which it reads the project: 2,000 files took TypeScript 1.5 s (`bench cold_project`)."""
    answer: float = 20.0
    """For each later one; whoever asks may wait for less."""
    memory: int = 2 << 30
    first_pause: float = FIRST_SECONDS
    """After a failure the same document is not asked about for so long; each further one in a row doubles it."""
    memory_interval: float = 5.0
    """Seconds between two looks at its memory."""
    most_outgrown: int = 3
    """So often above the limit of memory, and it is not started again."""


@dataclass(frozen=True, slots=True)
class _Question(Generic[T]):
    """What is asked about documents, the first of which is blamed for a failure."""

    documents: Sequence[Document]
    ask: Callable[[Sequence[Query]], T]
    cancellation: Cancellation
    as_it_is: bool = False
    """Without the lines that have plain JavaScript checked."""


class Checker:
    """One process, and the thread that speaks with it."""

    def __init__(self, program: CheckerProgram, root: Path, world: World, limits: CheckerLimits) -> None:
        """Nothing is started before the first question."""
        self.title = program.title
        """As people know it, with its version."""
        self._program, self._root, self._world, self._limits = program, root, world, limits
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=program.title)
        self._connection: Connection | None = None
        self._encoding = Encoding.UTF16
        self._shown: dict[str, tuple[str, int]] = {}
        """Text and version of each document that the process has open."""
        self._versions = count(1)
        """Of all documents together: one that is opened again has a version that none of its texts had."""
        self._known_buffers: tuple[int, Mapping[str, Document]] = -1, {}
        """A revision of the world, and the buffers of then."""
        self._changes_sent = 0
        """How many of the world's changes on disk the process knows."""
        self._failures = Backoff[str](limits.first_pause)
        """By document: one that kills or stalls the process must not cost the others their answers; "" is the start."""
        self._faults: dict[str, str] = {}
        """By document: the last failure."""
        self._outgrown = 0
        """How often a process was ended as it used too much memory."""
        self._closed = Event()
        self._is_started = False
        """Whether the process has answered `initialize`: until then a failure is that of the start."""
        self.has_answered = False
        """Whether the process has answered yet: it reads the project first."""
        self._measured = 0.0
        """When the process's memory was last looked at."""
        self.starts = 0
        """How often the process was started."""

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        connection = self._connection
        return connection.pid if connection is not None and connection.alive else None

    def ask(
        self,
        document: Document,
        question: Callable[[Query], T],
        *,
        as_it_is: bool = False,
        cancellation: Cancellation | None = None,
    ) -> Future[T]:
        """Have a question asked about a document, which need not be the text of the editor's buffer.

        The future has the answer, or a `CheckerError`; it may be cancelled before the question's turn comes.

        Args:
            as_it_is: without the lines that have plain JavaScript checked.
            cancellation: ends the question at once, even while the process looks for the answer; not the first one of a
                process, for which it reads the project.
        """
        cancellation, documents = cancellation or Cancellation(), [placed(document, self._root)]
        whole = _Question(documents, lambda asked: question(asked[0]), cancellation, as_it_is)
        answer = self._submit(whole)
        cancellation.on_cancel(answer.cancel)
        return answer

    def ask_together(self, documents: Sequence[Document], question: Callable[[Sequence[Query]], T]) -> Future[T]:
        """The same about several documents at once: the checker has all of their texts while it is asked."""
        return self._submit(_Question([placed(one, self._root) for one in documents], question, Cancellation()))

    def _submit(self, question: _Question[T]) -> Future[T]:
        """Have the thread ask; once the checker is closed, the question is cancelled like those that waited then."""
        try:
            return self._thread.submit(self._ask, question)
        except RuntimeError:
            closed = Future[T]()
            closed.cancel()
            return closed

    def close(self) -> None:
        """End the process and all questions; one that is being asked starts no new process."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        connection = self._connection
        if connection is not None:
            connection.close()

    def _ask(self, question: _Question[T]) -> T:
        uri = question.documents[0].uri
        for key in ("", uri):
            if (pause := self._failures.pause(key)) is not None:
                raise CheckerAbsentError(
                    f"{self.title} failed ({self._faults[key]}); it is tried again in {max(1, round(pause.seconds))} s"
                )
        try:
            try:
                found = self._answer(question)
            except CheckerDiedError:  # once more, in a new process: it may have been ended from outside
                self._stop()
                found = self._answer(question)
        except (CheckerAbsentError, CheckerCancelledError, CheckerRefusedError):
            raise
        except CheckerError as error:
            key = uri if self._is_started else ""
            self._failures.failed(key)
            self._faults[key] = str(error)
            self._stop()
            raise
        self._failures.succeeded("")
        self._failures.succeeded(uri)
        self._watch_memory()
        return found

    def _answer(self, question: _Question[T]) -> T:
        connection = self._running()
        has_read = self.has_answered
        cancellation = question.cancellation if has_read else Cancellation()  # what it reads is of use to the next
        seconds = self._limits.answer if has_read else self._limits.first_answer
        head = "" if question.as_it_is else self._program.head
        copies = [CheckerCopy.of(document, head) for document in question.documents]
        self._flush_dirty(connection, [copy.document for copy in copies])
        query = partial(
            Query,
            connection,
            encoding=self._encoding,
            seconds=seconds,
            cancellation=cancellation,
            source=self._program.name,
        )
        with cancellation.calling(connection.cancel_requests):
            found = question.ask([query(copy, version=self._version_of(copy)) for copy in copies])
        self.has_answered = True
        return found

    def _version_of(self, copy: CheckerCopy) -> int | None:
        """The version of which the process publishes diagnostics; None where it is asked for them."""
        return self._shown[copy.document.uri][1] if self._program.publishes else None

    def _running(self) -> Connection:
        """The connection to the process, which is started where there is none."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        self._stop()
        self._is_started = self.has_answered = False
        if self._closed.is_set():
            raise CheckerDiedError(_CLOSED)
        if self._outgrown >= self._limits.most_outgrown:
            raise CheckerAbsentError(
                f"{self.title} used more than {self._limits.memory >> 20} MiB {self._outgrown} times; "
                "it is not started again unless the setting checker.memoryMb is raised"
            )
        with self._world.lock:
            self._changes_sent = len(self._world.changes)  # a new process reads the disk as it is from now on
        program = self._program
        connection = Connection(
            program.command, self._answer_server, outside_of=program.outside_of, variables=program.variables
        )
        self._connection = connection
        self.starts += 1
        if self._closed.is_set():  # while the process was started: `close` has found no connection
            self._stop()
            raise CheckerDiedError(_CLOSED)
        self._initialize(connection)
        return connection

    def _initialize(self, connection: Connection) -> None:
        uri = self._root.as_uri()
        params = {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._root.name}],
            "capabilities": _CAPABILITIES,
            "initializationOptions": self._program.options,
        }
        answer = connection.request("initialize", params).wait(self._limits.start)
        match answer:
            case {"capabilities": {"positionEncoding": str(encoding)}} if encoding in set(Encoding):
                self._encoding = Encoding(encoding)
            case _:
                self._encoding = Encoding.UTF16
        connection.notify("initialized", {})
        self._is_started = True

    def _flush_dirty(self, connection: Connection, overlays: Iterable[Document]) -> None:
        """Have the process hold exactly the editor's buffers with the overlays, and know what happened on disk."""
        asked = {each.uri: each for each in overlays}
        wanted = {**self._buffers(), **asked}
        changed = {uri for uri, (text, _) in self._shown.items() if uri not in wanted or wanted[uri].text != text}
        changed |= wanted.keys() - self._shown.keys()
        for uri in self._shown.keys() - wanted.keys():
            del self._shown[uri]
            connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        with self._world.lock:
            changes, self._changes_sent = self._world.changes[self._changes_sent :], len(self._world.changes)
        if changes:
            events = [{"uri": uri, "type": int(change)} for uri, change in changes]
            connection.notify("workspace/didChangeWatchedFiles", {"changes": events})
            changed.add("")
        for document in wanted.values():
            self._show(connection, document)
        for document in asked.values() if self._program.publishes else ():
            if changed - {document.uri}:
                self._show(connection, document, again=True)

    def _buffers(self) -> Mapping[str, Document]:
        """The editor's buffers of the checker's languages, as the process is shown them, by the URI that it has."""
        with self._world.lock:
            if self._world.revision != self._known_buffers[0]:
                program = self._program
                ours = (one for one in self._world.buffers.values() if one.language.family == program.family)
                asked = (CheckerCopy.of(placed(one, self._root), program.head).document for one in ours)
                self._known_buffers = self._world.revision, {one.uri: one for one in asked}
        return self._known_buffers[1]

    def _show(self, connection: Connection, document: Document, *, again: bool = False) -> None:
        """Have the process hold a text; `again` where what it published of the same text may have become wrong."""
        uri, text = document.uri, document.text
        version = next(self._versions)
        if (known := self._shown.get(uri)) is None:
            if (settings := self._program.configure(document)) is not None:
                connection.notify("workspace/didChangeConfiguration", {"settings": settings})
            item = {"uri": uri, "languageId": language_id(document), "version": version, "text": text}
            connection.notify("textDocument/didOpen", {"textDocument": item})
        elif known[0] == text and not again:
            return
        else:
            identifier = {"uri": uri, "version": version}
            params: dict[str, object] = {"textDocument": identifier, "contentChanges": [{"text": text}]}
            if self._program.publishes:  # of each version, at once (clangd's extensions)
                params |= {"wantDiagnostics": True, "forceRebuild": known[0] == text}
            connection.notify("textDocument/didChange", params)
        self._shown[uri] = (text, version)

    def _answer_server(self, method: str, params: object) -> object:
        """The answer to a request of the process: its settings, or nothing."""
        match method, params:
            case "workspace/configuration", {"items": list(items)}:
                sections = [str(item.get("section", "")) if isinstance(item, dict) else "" for item in items]
                return [self._program.settings.get(section) for section in sections]
        return None

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._shown.clear()

    def _watch_memory(self) -> None:
        now, pid = time.monotonic(), self.pid
        if pid is None or now - self._measured < self._limits.memory_interval:
            return
        self._measured = now
        try:
            size = psutil.Process(pid).memory_info().rss
        except psutil.Error:  # it has just ended; the next question starts another
            return
        if size > self._limits.memory:
            self._outgrown += 1
            self._stop()

"""One checker of one project: its process, and the thread on which it is asked about documents.

Before each question the process gets the documents that the question is about (`ShownDocuments`). Questions are asked
one at a time, as ty answers from its newest text, whatever was asked.

A process that ends is started again and gets the documents again. A document that made it fail is not asked about for
a while. A checker whose process outgrows the memory limit again and again is not started again, and says why.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Generic, TypeVar

import psutil

from context_index.backoff import FIRST_SECONDS, Backoff
from context_index.checkers.cancellation import Cancellation
from context_index.checkers.connection import Connection
from context_index.checkers.copies import CheckerCopy, placed
from context_index.checkers.errors import (
    CheckerAbsentError,
    CheckerCancelledError,
    CheckerDiedError,
    CheckerError,
    CheckerRefusedError,
)
from context_index.checkers.programs import CheckerProgram
from context_index.checkers.query import Query
from context_index.checkers.shown_documents import ShownDocuments
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
        "typeDefinition": {},
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
    """How much time and memory a checker may take. Times are in seconds."""

    start: float = 20.0
    """For the answer to `initialize`."""
    first_answer: float = 120.0
    """For a process's first answer, for which it reads the project: 2,000 files took TypeScript 1.5 s (`bench
    cold_project`)."""
    answer: float = 20.0
    """For each later answer; whoever asks may wait for less."""
    memory: int = 2 << 30
    """Bytes of the process's resident memory."""
    first_pause: float = FIRST_SECONDS
    """How long a document that made the checker fail is not asked about; each further failure in a row doubles it."""
    memory_interval: float = 5.0
    """The time between two looks at the process's memory."""
    most_outgrown: int = 3
    """How often a process may outgrow the memory limit before no other is started."""


@dataclass(frozen=True, slots=True)
class _Question(Generic[T]):
    """A question about documents; a failure counts against the first of them."""

    documents: Sequence[Document]
    ask: Callable[[Sequence[Query]], T]
    """Asks, with a query for each document, and returns the answer."""
    cancellation: Cancellation
    as_it_is: bool = False
    """Whether the documents lack the lines that make the checker check plain JavaScript. Other buffers have them."""


class Checker:
    """One process, and the thread that asks it. Thread-safe."""

    def __init__(self, program: CheckerProgram, root: Path, world: World, limits: CheckerLimits) -> None:
        """Nothing is started before the first question."""
        self.title = program.title
        """The name that people know, with the version."""
        self._program, self._root, self._world, self._limits = program, root, world, limits
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=program.title)
        self._connection: Connection | None = None
        self._encoding = Encoding.UTF16
        self._shown = ShownDocuments(program, root, world)
        """What the process has; a new one for each process."""
        self._failures = Backoff[str](limits.first_pause)
        """The failures by the document's URI, so that one document that kills or stalls the process does not block the
        others; those of the start under ""."""
        self._faults: dict[str, str] = {}
        """The message of the last failure, by the same keys."""
        self._outgrown = 0
        """How often a process was ended because it outgrew the memory limit."""
        self._closed = Event()
        self._is_started = False
        """Whether the process has answered `initialize`; until then a failure counts against the start."""
        self.has_answered = False
        """Whether the process has answered a question; before the first answer it reads the project."""
        self._measured = 0.0
        """When the process's memory was last looked at, by the monotonic clock."""
        self.starts = 0
        """How often a process was started."""

    @property
    def pid(self) -> int | None:
        """The number of the process; None if there is none at present."""
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
        """Ask a question about a document, whose text may differ from the editor's buffer.

        The future has the answer, or a `CheckerError`. It may be cancelled until the question's turn comes.

        Args:
            question: Asks on the checker's thread, by methods of the query, and returns the answer.
            as_it_is: Whether the document lacks the lines that make the checker check plain JavaScript.
            cancellation: Ends the question at once, even while the process looks for the answer; but not a process's
                first question, for which it reads the project.
        """
        cancellation, documents = cancellation or Cancellation(), [placed(document, self._root)]
        answer = self._submit(_Question(documents, lambda queries: question(queries[0]), cancellation, as_it_is))
        cancellation.on_cancel(answer.cancel)
        return answer

    def ask_together(self, documents: Sequence[Document], question: Callable[[Sequence[Query]], T]) -> Future[T]:
        """As `ask`, about several documents: the process has the texts of all of them while it is asked."""
        overlays = [placed(document, self._root) for document in documents]
        return self._submit(_Question(overlays, question, Cancellation()))

    def _submit(self, question: _Question[T]) -> Future[T]:
        """Have the thread ask a question; the future is a cancelled one if the checker is closed."""
        try:
            return self._thread.submit(self._ask, question)
        except RuntimeError:
            cancelled = Future[T]()
            cancelled.cancel()
            return cancelled

    def close(self) -> None:
        """End the process and all questions; a question that is being asked starts no new process."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        connection = self._connection
        if connection is not None:
            connection.close()

    def _ask(self, question: _Question[T]) -> T:
        """The answer to a question, on the checker's thread; failures are counted, and their pauses kept.

        Raises:
            CheckerError: there is no answer.
        """
        uri = question.documents[0].uri
        for key in ("", uri):
            if (pause := self._failures.pause(key)) is not None:
                raise CheckerAbsentError(
                    f"{self.title} failed ({self._faults[key]}); it is tried again in {max(1, round(pause.seconds))} s"
                )
        try:
            try:
                answer = self._answer(question)
            except CheckerDiedError:  # once more, in a new process: it may have been ended from outside
                self._stop()
                answer = self._answer(question)
        except (CheckerAbsentError, CheckerCancelledError, CheckerRefusedError):
            raise
        except CheckerError as error:
            key = uri if self._is_started else ""
            self._failures.record_failure(key)
            self._faults[key] = str(error)
            self._stop()
            raise
        self._failures.record_success("")
        self._failures.record_success(uri)
        self._watch_memory()
        return answer

    def _answer(self, question: _Question[T]) -> T:
        """The answer of the process, which is started and shown the texts first.

        Raises:
            CheckerError: there is no answer.
        """
        connection = self._running()
        has_read = self.has_answered
        # not cancelled while it reads the project, which later questions need as well
        cancellation = question.cancellation if has_read else Cancellation()
        seconds = self._limits.answer if has_read else self._limits.first_answer
        head = "" if question.as_it_is else self._program.head
        copies = [CheckerCopy.of(document, head) for document in question.documents]
        self._shown.flush_dirty(connection, [copy.document for copy in copies])
        query = partial(
            Query,
            connection,
            encoding=self._encoding,
            seconds=seconds,
            cancellation=cancellation,
            source=self._program.name,
        )
        with cancellation.calling(connection.cancel_requests):
            answer = question.ask([query(copy, version=self._version_of(copy)) for copy in copies])
        self.has_answered = True
        return answer

    def _version_of(self, copy: CheckerCopy) -> int | None:
        """The version of a copy, if the process publishes diagnostics; None if it is asked for them."""
        return self._shown.version_of(copy.document.uri) if self._program.publishes else None

    def _running(self) -> Connection:
        """The connection to the process, which is started if there is none.

        Raises:
            CheckerError: it does not start, or is not started any more.
        """
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
        program = self._program
        self._shown = ShownDocuments(program, self._root, self._world)
        connection = Connection(
            program.command, self._answer_server, outside_of=program.outside_of, variables=program.variables
        )
        self._connection = connection
        self.starts += 1
        if self._closed.is_set():  # `close` was called before there was a connection that it could close
            self._stop()
            raise CheckerDiedError(_CLOSED)
        self._initialize(connection)
        return connection

    def _initialize(self, connection: Connection) -> None:
        """Do LSP's handshake, which also decides the encoding of positions."""
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

    def _answer_server(self, method: str, params: object) -> object:
        """The answer to a request of the process: the settings that it asks for; None for any other request."""
        match method, params:
            case "workspace/configuration", {"items": list(items)}:
                sections = [str(item.get("section", "")) if isinstance(item, dict) else "" for item in items]
                return [self._program.settings.get(section) for section in sections]
        return None

    def _stop(self) -> None:
        """End the process, if there is one; the next question starts another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _watch_memory(self) -> None:
        """End the process if it outgrew the memory limit; looks only once in `memory_interval`."""
        now, pid = time.monotonic(), self.pid
        if pid is None or now - self._measured < self._limits.memory_interval:
            return
        self._measured = now
        try:
            size = psutil.Process(pid).memory_info().rss
        except psutil.Error:  # it has just ended
            return
        if size > self._limits.memory:
            self._outgrown += 1
            self._stop()

"""One checker of one project, asked about a document with other text in it.

While it is asked, the checker holds exactly the editor's open buffers and the overlay that the question is about. The
overlay stays until the next question, which may be about the same text. One change-and-ask at a time, on a thread of
the checker's own: ty answers from its newest text, whatever was asked. A checker that dies is started again, and the
buffers are sent again. A document that made it fail is not asked about for a while; one that grows above its limit
again and again is absent with its reason.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import psutil

from context_index.backoff import FIRST_SECONDS, LONGEST_SECONDS, Backoff
from context_index.checkers.answers import (
    Description,
    Diagnostic,
    Item,
    QuickFix,
    Ruler,
    completion_item,
    completion_items,
    data_members,
    described,
    diagnostics,
    edits_by_uri,
    quick_fix,
    quick_fixes,
    signatures,
    text_edit,
)
from context_index.checkers.connection import Connection, Reply
from context_index.checkers.errors import (
    CheckerAbsentError,
    CheckerCancelledError,
    CheckerDiedError,
    CheckerError,
    CheckerRefusedError,
)
from context_index.checkers.programs import CheckerProgram, head_of, language_id, placed, with_head
from context_index.symbols import NameKind, Signatures
from context_index.text import Document, Edit, Encoding

T = TypeVar("T")
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
        "publishDiagnostics": {},
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


class FileChange(IntEnum):
    """What happened to a file on disk, as LSP counts."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


@dataclass(frozen=True, slots=True)
class CheckerLimits:
    """How much a checker may take: seconds, bytes, and how often it may outgrow them."""

    start: float = 20.0
    first_answer: float = 120.0
    """For the first one, for which it reads the project: 2,000 files took TypeScript 17 s (`bench cold_project`)."""
    answer: float = 20.0
    """For each later one; whoever asks may wait for less."""
    memory: int = 2 << 30
    first_pause: float = FIRST_SECONDS
    """After a failure the same is not asked for so long, and after each further one in a row for twice as long."""
    longest_pause: float = LONGEST_SECONDS
    memory_interval: float = 5.0
    """Seconds between two looks at its memory."""
    most_outgrown: int = 3
    """So often above the limit of memory, and it is not started again."""


@dataclass
class World:
    """What every checker of a workspace is to know: the editor's open buffers, and what happened on disk."""

    buffers: dict[str, Document] = field(default_factory=dict)
    """By URI."""
    revision: int = 0
    """Grows with each change; what a checker said of an older one may be wrong."""
    changes: list[tuple[str, FileChange]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _changed: dict[str, int] = field(default_factory=dict)
    """The revision of each buffer's last change, by URI; that of the disk's last change under ""."""

    def open(self, document: Document) -> None:
        """The editor shows a document, or its text has changed."""
        with self.lock:
            if self.buffers.get(document.uri) != document:
                self.buffers[document.uri] = document
                self._change(document.uri)

    def close(self, uri: str) -> None:
        """The editor no longer shows it: what is on disk counts again."""
        with self.lock:
            if self.buffers.pop(uri, None) is not None:
                self._change(uri)

    def files_changed(self, changes: Iterable[tuple[Path, FileChange]]) -> None:
        """Files were created, changed or deleted on disk."""
        with self.lock:
            self.changes += [(path.as_uri(), change) for path, change in changes]
            self._change("")

    def revision_besides(self, uri: str) -> int:
        """The revision of everything but one buffer."""
        with self.lock:
            return max((revision for changed, revision in self._changed.items() if changed != uri), default=0)

    def _change(self, what: str) -> None:
        self.revision += 1
        self._changed[what] = self.revision


class Cancellation:
    """Whether the answers to some questions are still wanted. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self.is_cancelled = False
        """Whether the questions were cancelled."""

    def cancel(self) -> None:
        """Cancel the questions."""
        with self._lock:
            self.is_cancelled = True
            for callback in self._callbacks:
                callback()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have a function called, now if they are cancelled already. It must be short."""
        with self._lock:
            self._callbacks.append(callback)
            if self.is_cancelled:
                callback()

    @contextmanager
    def calling(self, callback: Callable[[], object]) -> Iterator[None]:
        """The same, and no call after the block."""
        self.on_cancel(callback)
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)


class Query:
    """What may be asked of a checker that holds the overlay, by a function that is given to `Checker.ask`."""

    def __init__(
        self,
        connection: Connection,
        document: Document,
        *,
        encoding: Encoding,
        seconds: float,
        head: str,
        cancellation: Cancellation,
    ) -> None:
        self._connection, self._cancellation = connection, cancellation
        self._at, self._head = head_of(document, head)
        self.shown = with_head(document, head)
        self._ruler = Ruler(self.shown, encoding)
        self._seconds = seconds
        self._identifier = {"uri": document.uri}

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that the checker has to say of the document; offsets are of the document."""
        return self.judgement(())[0]

    def judgement(self, names: Iterable[int]) -> tuple[tuple[Diagnostic, ...], tuple[int, ...]]:
        """The same, and which of the names at some offsets have no definition; asked together, answered in one wait."""
        document = {"textDocument": self._identifier}
        asked = self._request("textDocument/diagnostic", document)
        places = {name: self._request("textDocument/definition", self._place(name)) for name in names}
        found = (self._mapped(one) for one in diagnostics(asked.wait(self._seconds), self._ruler))
        undefined = tuple(name for name, place in places.items() if not place.wait(self._seconds))
        return tuple(one for one in found if one is not None), undefined

    def import_fixes(self, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
        """The repairs that the checker offers for an error, the best first; edits have offsets of the document."""
        start, end = self._inward(diagnostic.start), self._inward(diagnostic.end)
        place = self._ruler.range(start, end)
        reported = {
            "range": place,
            "severity": int(diagnostic.severity),
            "code": int(diagnostic.code) if diagnostic.code.isdigit() else diagnostic.code,
            "message": diagnostic.message,
            "source": "ts" if diagnostic.code.isdigit() else "ty",
        }
        params = {
            "textDocument": self._identifier,
            "range": place,
            "context": {"diagnostics": [reported], "only": ["quickfix"]},
        }
        answer = self._result("textDocument/codeAction", params)
        fixes = []
        for found in quick_fixes(answer, self._ruler):
            fix: QuickFix | None
            if isinstance(found, QuickFix):
                fix = found
            else:
                fix = quick_fix(self._result("codeAction/resolve", found), self._ruler)
            if fix is not None:
                edits = (Edit(self._outward(edit.start), self._outward(edit.end), edit.text) for edit in fix.edits)
                fixes.append(QuickFix(fix.title, tuple(edits)))
        return tuple(fixes)

    def descriptions(self, places: Iterable[int]) -> tuple[Description | None, ...]:
        """What the checker says of the names at some offsets; None where it says nothing. Asked together."""
        asked = [self._request("textDocument/hover", self._place(place)) for place in places]
        return tuple(described(one.wait(self._seconds)) for one in asked)

    def completions(self, offset: int, *, typed: bool = False) -> tuple[Item, ...]:
        """What the checker lists at an offset, in its own order; `start` is an offset of the document.

        Args:
            typed: whether the checker is asked about each item whose type its list does not say.
        """
        found = completion_items(self._result("textDocument/completion", self._place(offset)))
        if typed:
            later = {at: item for at, item in enumerate(found) if "detail" not in item and "data" in item}
            asked = {at: self._request("completionItem/resolve", item) for at, item in later.items()}
            for at, reply in asked.items():
                answer = reply.wait(self._seconds)
                found[at] = answer if isinstance(answer, dict) else found[at]
        items = (completion_item(item, self._ruler) for item in found)
        return tuple(item if item.start is None else replace(item, start=self._outward(item.start)) for item in items)

    def signatures(self, offset: int) -> Signatures | None:
        """The ways to call the function in whose call an offset is; None where the checker knows of none."""
        return signatures(self._result("textDocument/signatureHelp", self._place(offset)))

    def members(self, places: Iterable[int]) -> tuple[Mapping[str, NameKind], ...]:
        """The public members, without methods, of what ends with the dot before each offset. Asked together."""
        asked = [self._request("textDocument/completion", self._place(place)) for place in places]
        return tuple(dict(data_members(one.wait(self._seconds))) for one in asked)

    def rename(self, offset: int, new: str) -> Mapping[str, Sequence[object]]:
        """By URI, LSP's edits that rename what is meant by the name at an offset, in all files that the checker knows.

        Raises:
            CheckerRefusedError: it cannot be renamed; the checker says why.
        """
        return edits_by_uri(self._result("textDocument/rename", {**self._place(offset), "newName": new}))

    def edit(self, found: object) -> Edit | None:
        """LSP's edit as one of the document; None where it is none, or of our own lines."""
        edit = text_edit(found, self._ruler)
        return None if edit is None else Edit(self._outward(edit.start), self._outward(edit.end), edit.text)

    def _place(self, offset: int) -> Mapping[str, object]:
        return {"textDocument": self._identifier, "position": self._ruler.position(self._inward(offset))}

    def _request(self, method: str, params: object) -> Reply:
        reply = self._connection.request(method, params)
        if self._cancellation.is_cancelled:  # perhaps since the request before
            self._connection.cancel_requests()
        return reply

    def _result(self, method: str, params: object) -> object:
        return self._request(method, params).wait(self._seconds)

    def _mapped(self, found: Diagnostic) -> Diagnostic | None:
        if self._head and found.start < self._at + len(self._head) and found.end > self._at:
            return None  # of our own lines
        start, end = self._outward(found.start), self._outward(found.end)
        return replace(found, start=start, end=end)

    def _inward(self, offset: int) -> int:
        return offset + len(self._head) if offset >= self._at else offset

    def _outward(self, offset: int) -> int:
        return max(self._at, offset - len(self._head)) if offset > self._at else offset


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
        self._program, self._root, self._world, self._limits = program, root, world, limits
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=program.title)
        self._connection: Connection | None = None
        self._encoding = Encoding.UTF16
        self._shown: dict[str, tuple[str, int]] = {}
        """Text and version of each document that the process has open."""
        self._read: tuple[int, Mapping[str, Document]] = -1, {}
        """A revision of the world, and the buffers of then."""
        self._sent = 0
        """Changes on disk that the process knows."""
        self._failures = Backoff[str](limits.first_pause, limits.longest_pause)
        """By document: one that kills or stalls the process must not cost the others their answers; "" is the start."""
        self._faults: dict[str, str] = {}
        """By document: the last failure."""
        self._outgrown = 0
        self._closed = False
        self._is_started = False
        self.has_answered = False
        """Whether the process has answered yet: it reads the project first."""
        self._measured = 0.0
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
            cancellation: ends the question at once, even while the process looks for the answer.
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
        """End the process and all questions; one that is being asked starts no other."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        connection = self._connection
        if connection is not None:
            connection.close()

    def _ask(self, question: _Question[T]) -> T:
        uri = question.documents[0].uri
        for key in ("", uri):
            if (pause := self._failures.pause(key)) is not None:
                raise CheckerAbsentError(
                    f"{self.title} failed ({self._faults[key]}); it is tried again in {pause.seconds:.1f} s"
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
        with_limits = partial(
            Query,
            connection,
            encoding=self._encoding,
            seconds=self._limits.answer if has_read else self._limits.first_answer,
            head="" if question.as_it_is else self._program.head,
            cancellation=cancellation,
        )
        asked = [with_limits(one) for one in question.documents]
        self._flush_dirty(connection, [one.shown for one in asked])
        with cancellation.calling(connection.cancel_requests):
            found = question.ask(asked)
        self.has_answered = True
        return found

    def _running(self) -> Connection:
        if self._connection is not None and self._connection.alive:
            return self._connection
        self._stop()
        self._is_started = self.has_answered = False
        if self._closed:
            raise CheckerDiedError("it was closed")
        if self._outgrown >= self._limits.most_outgrown:
            raise CheckerAbsentError(
                f"{self.title} used more than {self._limits.memory >> 20} MiB {self._outgrown} times; "
                "it is not started again unless the setting checker.memoryMb is raised"
            )
        program, uri = self._program, self._root.as_uri()
        connection = Connection(
            program.command, self._answer_server, outside_of=program.outside_of, variables=program.variables
        )
        self._connection = connection
        self.starts += 1
        params = {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": self._root.name}],
            "capabilities": _CAPABILITIES,
            "initializationOptions": program.options,
        }
        answer = connection.request("initialize", params).wait(self._limits.start)
        match answer:
            case {"capabilities": {"positionEncoding": str(encoding)}} if encoding in set(Encoding):
                self._encoding = Encoding(encoding)
            case _:
                self._encoding = Encoding.UTF16
        connection.notify("initialized", {})
        self._is_started = True
        with self._world.lock:
            self._sent = len(self._world.changes)  # a new process reads the disk as it is
        return connection

    def _flush_dirty(self, connection: Connection, overlays: Iterable[Document]) -> None:
        """Have the process hold exactly the editor's buffers with the overlays, and know what happened on disk."""
        wanted = {**self._buffers(), **{each.uri: each for each in overlays}}
        for uri in self._shown.keys() - wanted.keys():
            del self._shown[uri]
            connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        with self._world.lock:
            changes, self._sent = self._world.changes[self._sent :], len(self._world.changes)
        if changes:
            events = [{"uri": uri, "type": int(change)} for uri, change in changes]
            connection.notify("workspace/didChangeWatchedFiles", {"changes": events})
        for document in wanted.values():
            self._show(connection, document)

    def _buffers(self) -> Mapping[str, Document]:
        """The editor's buffers of the checker's languages, as the process is shown them, by the URI that it has."""
        with self._world.lock:
            if self._world.revision != self._read[0]:
                program = self._program
                ours = (one for one in self._world.buffers.values() if one.language.is_python is program.is_python)
                asked = (with_head(placed(one, self._root), program.head) for one in ours)
                self._read = self._world.revision, {one.uri: one for one in asked}
        return self._read[1]

    def _show(self, connection: Connection, document: Document) -> None:
        uri, text = document.uri, document.text
        if (known := self._shown.get(uri)) is None:
            version = 1
            item = {"uri": uri, "languageId": language_id(document), "version": version, "text": text}
            connection.notify("textDocument/didOpen", {"textDocument": item})
        elif known[0] == text:
            return
        else:
            version = known[1] + 1
            identifier = {"uri": uri, "version": version}
            params = {"textDocument": identifier, "contentChanges": [{"text": text}]}
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

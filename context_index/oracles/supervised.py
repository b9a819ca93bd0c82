"""One supervised language server: started when first asked, restarted when dead, replaced when stuck or too large.

Belongs to one thread. It changes the text and asks in one go, because ty answers from its newest text whatever was
asked.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from context_index.backoff import FIRST_SECONDS, LONGEST_SECONDS, Backoff
from context_index.oracles.connection import Connection, Reply
from context_index.oracles.errors import DiedError, OracleError, PutOffError, StalledError
from context_index.oracles.protocol import Program
from context_index.symbols import Open
from context_index.text import Document

_MOST_OPEN = 16
_MEMORY_EVERY = 5.0
_AT_WORK = 0.05
"""The share of a processor that a process has which is at work: two cores with a load of 12 leave it 0.16."""
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": False}},
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "signatureHelp": {
            "signatureInformation": {
                "activeParameterSupport": True,
                "documentationFormat": ["plaintext"],
                "parameterInformation": {"labelOffsetSupport": True},
            },
        },
    },
}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a checker may take, in seconds and bytes."""

    start: float = 20.0
    """Also for the first answer: the checker reads a whole program for it."""
    answer: float = 3.0
    busy: float = 15.0
    """Until then an answer is waited for while the process is at work: on a machine that does much else, it is slow."""
    proof: float = 1.5
    """Until then a list is proven, or counts as one that may not be complete. Who waits has it before."""
    idle: float = 900.0
    first_pause: float = FIRST_SECONDS
    longest_pause: float = LONGEST_SECONDS
    memory: int = 2 << 30


class Supervised:
    """A checker's server for one root directory."""

    def __init__(self, checker: Program, root: Path, limits: Limits | None = None) -> None:
        self._checker = checker
        self._root = root
        self.limits = limits or Limits()
        self._connection: Connection | None = None
        self._shown: OrderedDict[str, tuple[str, int]] = OrderedDict()
        """Text and version of each document that the server has open."""
        self._failures = Backoff[str](self.limits.first_pause, self.limits.longest_pause)
        """By document: one that kills or stalls the server must not cost the others their answers; "" is the start."""
        self._measured = 0.0
        self._warm = False
        self._awaited: Reply | None = None
        self._put_off = False
        self.starts = 0
        """How often the server was started."""
        self.seconds = 0.0
        """How long it has been waited for, in all; it is not our time."""

    @property
    def name(self) -> str:
        """The checker's name and version."""
        return self._checker.name

    @property
    def pid(self) -> int | None:
        """The server's process, while there is one."""
        connection = self._connection
        return connection.pid if connection is not None and connection.alive else None

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question it is to be stopped; None while it is not running."""
        return self.limits.idle if self._connection is not None else None

    def ask(self, document: Document, question: Callable[[], T], *, first: bool = False) -> T | Open:
        """What `question` finds out while the server runs; `Open` where it fails, or failed too shortly before.

        Args:
            first: whether another may follow about the same place, for which a server that has grown is kept.

        Raises:
            PutOffError: see `put_off`.
        """
        for pause in (self._failures.pause(""), self._failures.pause(document.uri)):
            if pause is not None:
                return Open(f"{self.name} failed {pause.failures} times; it is tried again in {pause.seconds:.0f} s")
        key = ""
        try:
            connection = self._running()
            key = document.uri
            found = question()
        except PutOffError:
            raise
        except OracleError as fault:
            self._fail(key)
            return Open(f"{self.name}: {fault}")
        self._warm = True
        self._failures.succeeded("")
        self._failures.succeeded(document.uri)
        if not first:
            self._watch_memory(connection)
        return found

    def put_off(self, *, due: bool) -> None:
        """Have what is being asked raise `PutOffError`, until that is no longer due. From any thread."""
        self._put_off, awaited = due, self._awaited
        if due and awaited is not None:
            awaited.put_off()

    @property
    def _patience(self) -> float:
        """How long an answer may take, in seconds."""
        return self.limits.answer if self._warm else max(self.limits.start, self.limits.answer)

    def stop(self) -> None:
        """End the process; the next question starts another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._shown.clear()

    def result(self, method: str, params: object, timeout: float | None = None) -> object:
        """What the server answers; only within `ask`.

        Args:
            timeout: in seconds; None: as long as one can be patient with it.

        Raises:
            OracleError: it does not.
        """
        connection, asked = self._talking(), time.perf_counter()
        number, reply = connection.request(method, params)
        self._awaited = reply
        if self._put_off:  # it was asked for before there was a reply to put off
            reply.put_off()
        try:
            return self._patiently(connection, reply) if timeout is None else reply.wait(timeout)
        except (StalledError, PutOffError):
            connection.cancel(number)
            raise
        finally:
            self._awaited = None
            self.seconds += time.perf_counter() - asked

    def _patiently(self, connection: Connection, reply: Reply) -> object:
        """The answer, waited for longer while the process works on it: a new one would begin from nothing."""
        patience, used = self._patience, _used(connection)
        try:
            return reply.wait(patience)
        except StalledError:
            if patience >= self.limits.busy or _used(connection) - used < patience * _AT_WORK:
                raise
            return reply.wait(self.limits.busy - patience)

    def _talking(self) -> Connection:
        if self._connection is None:
            raise DiedError("the process is not running")
        return self._connection

    def _running(self) -> Connection:
        """The server, started if need be."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        self.stop()
        checker, uri = self._checker, self._root.as_uri()
        self._warm = False
        connection = Connection(checker, self._configuration)
        self._connection = connection
        self.starts += 1
        _, reply = connection.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self._root.name}],
                "capabilities": _CAPABILITIES,
            },
        )
        reply.wait(self.limits.start)
        connection.notify("initialized", {})
        return connection

    def show(self, document: Document, text: str) -> None:
        """Bring the server's view of a document up to date; only within `ask`.

        Whole texts: they cost no more than ranges.
        """
        connection, uri = self._talking(), document.uri
        known = self._shown.pop(uri, None)
        if known is None:
            version = 1
            item = {"uri": uri, "languageId": self._checker.language_id(document), "version": version, "text": text}
            connection.notify("textDocument/didOpen", {"textDocument": item})
        else:
            version = known[1]
            if known[0] != text:
                version += 1
                identifier = {"uri": uri, "version": version}
                params = {"textDocument": identifier, "contentChanges": [{"text": text}]}
                connection.notify("textDocument/didChange", params)
        self._shown[uri] = (text, version)
        while len(self._shown) > _MOST_OPEN:
            oldest, _ = self._shown.popitem(last=False)
            connection.notify("textDocument/didClose", {"textDocument": {"uri": oldest}})

    def _configuration(self, method: str, params: object) -> object:
        """What the server is told when it asks; everything but settings is answered with nothing."""
        if method != "workspace/configuration" or not isinstance(params, dict):
            return None
        items = params.get("items")
        if not isinstance(items, list):
            return None
        sections = [str(item.get("section")) if isinstance(item, dict) else "" for item in items]
        return [self._checker.settings.get(section) for section in sections]

    def _fail(self, key: str) -> None:
        """Stop a server that is dead or stuck, and let ever more time pass before it is asked the same again."""
        self.stop()
        self._failures.failed(key)

    def _watch_memory(self, connection: Connection) -> None:
        now = time.monotonic()
        if now - self._measured < _MEMORY_EVERY:
            return
        self._measured = now
        try:
            size = psutil.Process(connection.pid).memory_info().rss
        except psutil.Error:  # it has just ended; the next question notices
            return
        if size > self.limits.memory:
            self.stop()


def _used(connection: Connection) -> float:
    """Seconds of a processor that a process has used."""
    try:
        times = psutil.Process(connection.pid).cpu_times()
    except psutil.Error:  # it has just ended; whoever waits for it notices
        return 0.0
    return float(times.user + times.system)

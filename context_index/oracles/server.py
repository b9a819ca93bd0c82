"""One supervised language server: started when first asked, restarted when dead, replaced when stuck or too large.

Belongs to one thread. It changes the text and asks in one go, because ty answers from its newest text whatever was
asked.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from context_index.oracles.connection import Connection
from context_index.oracles.errors import OracleError, StalledError
from context_index.oracles.protocol import Checker, Item
from context_index.symbols import Closed, Listed, Members, Open
from context_index.text import Document, Encoding

_MOST_OPEN = 16
_MEMORY_EVERY = 5.0
_PLAIN_TEXT = 1
"""LSP's kind of an item that is a mere word of the file."""
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {"completion": {"completionItem": {"snippetSupport": False}}},
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a checker may take, in seconds and bytes."""

    start: float = 20.0
    answer: float = 3.0
    proof: float = 0.3
    """A second question, whether a list is complete; without an answer it counts as one that may not be."""
    idle: float = 900.0
    first_pause: float = 0.5
    longest_pause: float = 60.0
    memory: int = 2 << 30


@dataclass(frozen=True, slots=True)
class _Failures:
    """How often something failed, and when it is tried again."""

    count: int
    until: float


class Server:
    """A checker's server for one root directory."""

    def __init__(self, checker: Checker, root: Path, limits: Limits | None = None) -> None:
        self._checker = checker
        self._root = root
        self._limits = limits or Limits()
        self._connection: Connection | None = None
        self._shown: OrderedDict[str, tuple[str, int]] = OrderedDict()
        """Text and version of each document that the server has open."""
        self._failures: dict[str, _Failures] = {}
        """By document: one that kills or stalls the server must not cost the others their answers; "" is the start."""
        self._measured = 0.0
        self.starts = 0
        """How often the server was started."""

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
        return self._limits.idle if self._connection is not None else None

    def members(self, document: Document, offset: int | None) -> Members:
        """The members of what stands before `offset`; with None, the document is only made known."""
        for failed in (self._failures.get(""), self._failures.get(document.uri)):
            if failed is not None and (wait := failed.until - time.monotonic()) > 0:
                return Open(f"{self.name} failed {failed.count} times; it is tried again in {wait:.0f} s")
        key = ""
        try:
            connection = self._running()
            key = document.uri
            members = self._ask(connection, document, offset)
        except OracleError as fault:
            self._fail(key)
            return Open(f"{self.name}: {fault}")
        self._failures.pop("", None)
        self._failures.pop(document.uri, None)
        self._watch_memory(connection)
        return members

    def stop(self) -> None:
        """End the process; the next question starts another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._shown.clear()

    def _ask(self, connection: Connection, document: Document, offset: int | None) -> Members:
        checker = self._checker
        overlay = checker.overlay(document, len(document.text) if offset is None else offset)
        self._show(connection, document, overlay.text)
        if offset is None:
            return Open("nothing was asked")
        shown = Document(document.uri, document.language, overlay.text)
        line, character = shown.client_position(overlay.offset, Encoding.UTF16)
        place = {"textDocument": {"uri": document.uri}, "position": {"line": line, "character": character}}
        result = self._result(connection, "textDocument/completion", place, self._limits.answer)
        members = checker.members(list(_items(result)), document, offset)
        if isinstance(members, Closed) and (probe := checker.probe(document, offset)) is not None:
            self._show(connection, document, probe)
            if not self._is_refused(connection, document):
                return Listed(members.names)
        return members

    def _is_refused(self, connection: Connection, document: Document) -> bool:
        """Whether the made-up member in the document is found to be one; no where that takes too long."""
        params = {"textDocument": {"uri": document.uri}}
        try:
            remarks = self._result(connection, "textDocument/diagnostic", params, self._limits.proof)
        except StalledError:
            return False
        return self._checker.refuses_probe(list(_messages(remarks)))

    def _result(self, connection: Connection, method: str, params: object, timeout: float) -> object:
        number, reply = connection.request(method, params)
        try:
            return reply.wait(timeout)
        except StalledError:
            connection.cancel(number)
            raise

    def _running(self) -> Connection:
        """The server, started if need be."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        self.stop()
        checker, uri = self._checker, self._root.as_uri()
        connection = Connection(checker.command, self._root, {**os.environ, **checker.environment}, self._configuration)
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
        reply.wait(self._limits.start)
        connection.notify("initialized", {})
        return connection

    def _show(self, connection: Connection, document: Document, text: str) -> None:
        """Bring the server's view of a document up to date. Whole texts: they cost no more than ranges."""
        uri = document.uri
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
        failures = self._failures[key].count + 1 if key in self._failures else 1
        pause = min(self._limits.first_pause * 2 ** (failures - 1), self._limits.longest_pause)
        self._failures[key] = _Failures(failures, time.monotonic() + pause)

    def _watch_memory(self, connection: Connection) -> None:
        now = time.monotonic()
        if now - self._measured < _MEMORY_EVERY:
            return
        self._measured = now
        try:
            size = psutil.Process(connection.pid).memory_info().rss
        except psutil.Error:  # it has just ended; the next question notices
            return
        if size > self._limits.memory:
            self.stop()


def _messages(result: object) -> Iterator[str]:
    """The remarks of a diagnostics answer."""
    items = result.get("items") if isinstance(result, dict) else None
    yield from (str(item.get("message")) for item in items or () if isinstance(item, dict))


def _items(result: object) -> Iterator[Item]:
    """The completion items of an answer, whichever of its two shapes it has."""
    items = result.get("items") if isinstance(result, dict) else result
    for item in items if isinstance(items, list) else ():
        edit, data = item.get("textEdit") or {}, item.get("data")
        insert = edit.get("newText") or item.get("insertText") or item["label"].removesuffix("?")
        is_import = bool(item.get("additionalTextEdits")) or (isinstance(data, dict) and bool(data.get("autoImport")))
        yield Item(insert, item.get("kind", _PLAIN_TEXT), item.get("sortText", ""), is_import)

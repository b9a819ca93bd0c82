"""A language server in a process of its own, and what an editor says to it: requests, edits, answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import IO, Any, Self

import psutil

from context_index import Edit, Position
from context_index.text import Document

Json = Any
_PATIENCE = 120.0
"""Seconds after which the server counts as stuck."""
_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-32"]},
    "workspace": {"applyEdit": True, "workspaceFolders": True, "workspaceEdit": {"documentChanges": True}},
    "textDocument": {"inlineCompletion": {}, "synchronization": {}},
}


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is shown: `text` at the cursor in place of so many characters after it."""

    text: str
    replaces: int
    command: Json = None


class Client:
    """Speaks with `inscope lsp --stdio`."""

    def __init__(self, folder: Path, cache: Path, settings: Json) -> None:
        command = [sys.executable, "-m", "lsp_server", "lsp", "--stdio"]
        self._log = (cache / "log").open("wb")
        self._process = subprocess.Popen(  # noqa: S603 - this very package
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "INSCOPE_CACHE": str(cache)},
        )
        assert self._process.stdin is not None  # noqa: S101 - a pipe, as asked for
        assert self._process.stdout is not None  # noqa: S101 - likewise
        self._stdin: IO[bytes] = self._process.stdin
        self._heard: Queue[Json] = Queue()
        self._ident = 0
        self.silence: Json = {"reason": "", "message": ""}
        """Why the last answer was silence."""
        self._reader = Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        roots = [{"uri": folder.as_uri(), "name": folder.name}]
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "workspaceFolders": roots,
                "capabilities": _CAPABILITIES,
                "initializationOptions": settings,
            },
        )
        self.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self._process.wait(_PATIENCE)
        else:
            self._process.kill()
            self._process.wait()
        self._reader.join(_PATIENCE)
        self._stdin.close()
        self._log.close()

    def notify(self, method: str, params: Json) -> None:
        """Tell something."""
        self._send({"method": method, **({} if params is None else {"params": params})})

    def send(self, method: str, params: Json) -> int:
        """Ask; the number of the request."""
        self._ident += 1
        self._send({"id": self._ident, "method": method, **({} if params is None else {"params": params})})
        return self._ident

    def ask(self, method: str, params: Json) -> Json:
        """The result of a request."""
        return self.answer(self.send(method, params))

    def answer(self, ident: int) -> Json:
        """Wait for the result of a request that was sent.

        Raises:
            AssertionError: the server refused, or is stuck.
        """
        until = time.monotonic() + _PATIENCE
        while True:
            message = self._next(until - time.monotonic())
            if "method" not in message and message.get("id") == ident:
                if "error" in message:
                    raise AssertionError(f"the server refused: {message['error']}")
                return message.get("result")

    def cancel(self, ident: int) -> None:
        """Take a request back; its answer is passed over."""
        self.notify("$/cancelRequest", {"id": ident})

    def open(self, document: Document, language_id: str) -> None:
        """Show a document."""
        result = {"uri": document.uri, "languageId": language_id, "version": 0, "text": document.text}
        self.notify("textDocument/didOpen", {"textDocument": result})

    def change(self, document: Document, version: int, edits: Sequence[Edit]) -> None:
        """Tell edits, each of the text that the one before it left; `document` is the text before them."""
        result = []
        for edit in edits:
            result.append({"range": _range(document, edit.start, edit.end), "text": edit.text})
            document = document.edited([edit], version)
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": document.uri, "version": version}, "contentChanges": result},
        )

    def send_inline(self, document: Document, cursor: int) -> int:
        """Ask for ghost text, as an editor does by itself."""
        at = _place(document.position(cursor))
        params = {"textDocument": {"uri": document.uri}, "position": at, "context": {"triggerKind": 2}}
        return self.send("textDocument/inlineCompletion", params)

    def ghost(self, ident: int, document: Document, cursor: int) -> Ghost | None:
        """What an editor shows of the answer."""
        items = (self.answer(ident) or {}).get("items", [])
        if not items:
            return None
        item, start, end = items[0], cursor, cursor
        if item.get("range"):
            start, end = (_offset(document, item["range"][side]) for side in ("start", "end"))
        kept = document.text[start:cursor]
        unread = iter(item["insertText"][len(kept) :])
        if not item["insertText"].startswith(kept) or not all(one in unread for one in document.text[cursor:end]):
            return None  # an editor shows nothing but insertions
        return Ghost(item["insertText"][len(kept) :], end - cursor, item.get("command"))

    def settle(self) -> None:
        """Read what has been told, without waiting."""
        while not self._heard.empty():
            self._next(0)

    def busy_seconds(self) -> float:
        """Processor time of the server and the processes that it started, so far."""
        mine = psutil.Process(self._process.pid)
        times = [one.cpu_times() for one in (mine, *mine.children(recursive=True)) if one.is_running()]
        return float(sum(one.user + one.system for one in times))

    def _next(self, seconds: float) -> Json:
        try:
            message = self._heard.get(timeout=max(seconds, 0.01))
        except Empty:
            raise AssertionError("the server is stuck") from None
        if "id" in message and "method" in message:
            self._send({"id": message["id"], "result": None})
        elif message.get("method") == "inscope/status":
            self.silence = message["params"]["lastWithheld"] or self.silence
        return message

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stdin.flush()

    def _read(self, stream: IO[bytes]) -> None:
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            stream.readline()
            self._heard.put(json.loads(stream.read(length)))


def _range(document: Document, start: int, end: int) -> Json:
    return {"start": _place(document.position(start)), "end": _place(document.position(end))}


def _place(position: Position) -> Json:
    return {"line": position.line, "character": position.column}


def _offset(document: Document, place: Json) -> int:
    return document.offset(Position(place["line"], place["character"]))

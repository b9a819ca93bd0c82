"""A client for the real server, or for another one, over a real pipe. It counts answers, and can break the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

    from tests.lsp_server.forked import Child, Forked

Json = Any
ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which something hangs; generous, as it only bounds a failing test."""

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {"workspaceFolders": True, "didChangeWatchedFiles": {"dynamicRegistration": True}},
    "notebookDocument": {"synchronization": {}},
}


class Process:
    """`inscope lsp --stdio`, and everything that it has sent."""

    def __init__(
        self,
        log: Path,
        *arguments: str,
        directory: Path = ROOT,
        environment: Mapping[str, str] = {},
        python: Sequence[str] = ("-m", "lsp_server"),
        interpreter: Sequence[str] = (sys.executable,),
        command: Sequence[str] = (),
        forked: Forked | None = None,
    ) -> None:
        """Start it as the program `inscope` is started: nothing is imported from the working directory.

        Args:
            directory: Its working directory.
            environment: Variables that differ from ours.
            python: The interpreter's arguments for what is run instead of `inscope`.
            interpreter: The command that runs Python.
            command: Another server's, instead of all that.
            forked: What forks it, instead of a start of its own.
        """
        self._log = log.open("wb")
        self.log = log
        own = {"OMP_NUM_THREADS": "1", "INSCOPE_CACHE": str(log.parent / "cache"), "PYTHONPATH": str(ROOT)}
        arguments = ("lsp", *(arguments or ("--stdio",)))
        self._process: Child | subprocess.Popen[bytes]
        if forked is not None:
            variables = {**own, **environment}
            self._process = forked.start(*arguments, stderr=self._log, directory=directory, environment=variables)
        else:
            self._process = subprocess.Popen(
                command or [*interpreter, "-P", *python, *arguments],
                cwd=directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, **own, **environment},
            )
        self.pid = self._process.pid
        assert self._process.stdin
        assert self._process.stdout
        self.stdin, self._stdout = self._process.stdin, self._process.stdout
        self._start()

    def _start(self) -> None:
        self.sent: list[Json] = []
        self.asked: list[int | str] = []
        self.replies: dict[str, Json] = {}
        self._answers: dict[object, list[Json]] = defaultdict(list)
        self.answered: dict[object, float] = {}
        """When each first answer came, on `time.perf_counter`'s clock."""
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, args=(self._stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        self.stdin.close()
        self._stdout.close()
        self._log.close()

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def message(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, **params: Json) -> None:
        self.message({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, method: str, **params: Json) -> int:
        ident = len(self.asked) + 1
        self.asked.append(ident)
        self.message({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        return ident

    def answer(self, ident: object) -> Json:
        """The first answer to a request."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._answers[ident], PATIENCE), self.log.read_text("utf-8")
            return self._answers[ident][0]

    def ask(self, method: str, **params: Json) -> Json:
        answer = self.answer(self.send(method, **params))
        assert "error" not in answer, answer
        return answer["result"]

    def heard(self, method: str, count: int = 1) -> list[Json]:
        """The parameters of at least `count` notifications."""

        def found() -> list[Json]:
            return [one["params"] for one in self.sent if one.get("method") == method]

        with self._changed:
            assert self._changed.wait_for(lambda: len(found()) >= count, PATIENCE), self.log.read_text("utf-8")
            return found()

    def start(self, *roots: Path, capabilities: Json = None, **params: Json) -> Json:
        """Begin a session. Unless a test asks otherwise, no suggestion is late in it: time decides no test."""
        params = {"initializationOptions": {"inline": {"deadlineMs": 60_000}}} | params
        folders = [{"uri": root.as_uri(), "name": root.name} for root in roots]
        params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": folders or None} | params
        result = self.ask("initialize", capabilities=capabilities or CAPABILITIES, **params)
        self.notify("initialized")
        return result

    def open(self, uri: str, language: str, text: str) -> None:
        self.notify(
            "textDocument/didOpen",
            textDocument={"uri": uri, "languageId": language, "version": 1, "text": text},
        )

    def edit(self, uri: str, version: int, place: tuple[int, int], text: str, end: tuple[int, int] = (-1, 0)) -> None:
        last = place if end[0] < 0 else end
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=[{"range": {"start": at(*place), "end": at(*last)}, "text": text}],
        )

    def send_inline(self, uri: str, line: int, character: int, *, invoked: bool = False) -> int:
        return self.send(
            "textDocument/inlineCompletion",
            textDocument={"uri": uri},
            position=at(line, character),
            context={"triggerKind": 1 if invoked else 2},
        )

    def send_menu(self, uri: str, line: int, character: int) -> int:
        return self.send("textDocument/completion", textDocument={"uri": uri}, position=at(line, character))

    def inline(self, uri: str, line: int, character: int) -> Json:
        return self.answer(self.send_inline(uri, line, character))["result"]["items"]

    def menu(self, uri: str, line: int, character: int) -> Json:
        return self.answer(self.send_menu(uri, line, character))["result"]

    def leave(self) -> int:
        """Shut the server down as LSP demands, with every request answered exactly once; returns the exit code."""
        assert self.ask("shutdown") is None
        self.notify("exit")
        code = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        counts = {ident: len(self._answers[ident]) for ident in self.asked}
        assert set(counts.values()) == {1}, counts
        return code

    def wait(self) -> int:
        return self._process.wait(PATIENCE)

    def _read(self, stream: IO[bytes]) -> None:
        while header := stream.readline():
            name, _, length = header.partition(b":")
            assert name == b"Content-Length", header
            assert stream.readline() == b"\r\n"
            message = json.loads(stream.read(int(length)))
            if "id" in message and "method" in message:
                reply = self.replies.get(message["method"])
                with suppress(ValueError, OSError):  # a test closed the pipe
                    self.message({"jsonrpc": "2.0", "id": message["id"], "result": reply})
            with self._changed:
                self.sent.append(message)
                if "method" not in message:
                    self._answers[message["id"]].append(message)
                    self.answered.setdefault(message["id"], time.perf_counter())
                self._changed.notify_all()


def at(line: int, character: int) -> Json:
    return {"line": line, "character": character}

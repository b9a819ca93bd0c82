"""From the start of a process to its first suggestion: on the command line, and as a language server.

A function in a file of its own is completed by the embedded model, as it is loaded by default and through transformers
(`bfloat16`), in turn. `busy` is the processor time of the process and its children until they have ended. `waited` is
the time on the clock until the suggestion. Both include Python's own start. The first round is not counted, as the
system reads the files from disk in it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Any

from benchmarks.timing import line, machine, machine_line

TEXT = "import os\n\n\ndef area(width, height):\n    return width * he"
"""The file up to the cursor."""
LINE, COLUMN = TEXT.count("\n"), len(TEXT) - TEXT.rindex("\n") - 1
"""The cursor's place, from 0."""
_REST = "ight"
"""The rest of `height`, with which a suggestion must begin."""
WITH_TRANSFORMERS = "bfloat16"
"""A number type that only transformers computes in."""
PATIENCE_MS = 30_000
"""Milliseconds until the server's deadline for ghost text. The default would pass while a busy machine starts it."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times that all take their turn (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    with TemporaryDirectory() as directory:
        file = Path(directory) / "area.py"
        file.write_text(TEXT + "\n", encoding="utf-8")
        runs: dict[str, Callable[[], float]] = {
            "inscope complete": lambda: _command(file, "auto"),
            "the same through transformers": lambda: _command(file, WITH_TRANSFORMERS),
            "inscope lsp": lambda: _server(file, "auto"),
            "that through transformers": lambda: _server(file, WITH_TRANSFORMERS),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for number in range(arguments.rounds + 1):
            for name, run in runs.items():
                before = os.times()
                waited = run()
                after = os.times()
                busy = after.children_user + after.children_system - before.children_user - before.children_system
                if number:
                    times[name].append((busy, waited))
    figures = {name: [round(median(clock), 2) for clock in zip(*rows, strict=True)] for name, rows in times.items()}
    if arguments.json:
        print(json.dumps({"machine": machine(), "seconds": figures}))
        return 0
    print(machine_line())
    line("start to first suggestion, s", "busy", "waited", width=12)
    for name, clocks in figures.items():
        line(name, *(f"{seconds:.2f}" for seconds in clocks), width=12)
    return 0


def _command(file: Path, dtype: str) -> float:
    """Seconds until `inscope complete` has answered and ended.

    Raises:
        AssertionError: it suggested something else.
    """
    place = f"{file}:{LINE + 1}:{COLUMN + 1}"
    started = time.perf_counter()
    process = subprocess.run(  # noqa: S603 - this very package
        [sys.executable, "-m", "lsp_server", "complete", place, "--json", "--dtype", dtype],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    _check_suggestion(str(json.loads(process.stdout)["text"]))
    return seconds


def _server(file: Path, dtype: str) -> float:
    """Seconds until `inscope lsp` has answered with ghost text, without the time for its shutdown.

    Raises:
        AssertionError: it suggested something else, or refused a request.
    """
    document = {"uri": file.as_uri()}
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "lsp_server", "lsp", "--stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "INSCOPE_CACHE": str(file.parent / "cache")},
    ) as process:  # fmt: skip
        assert process.stdin is not None  # noqa: S101 - a pipe, as asked for
        assert process.stdout is not None  # noqa: S101 - likewise
        settings = {"dtype": dtype, "inline": {"deadlineMs": PATIENCE_MS}}
        _ask(process.stdin, process.stdout, 1, "initialize", {
            "processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": settings,
        })  # fmt: skip
        _send(process.stdin, {"method": "initialized", "params": {}})
        opened = {**document, "languageId": "python", "version": 1, "text": TEXT}
        _send(process.stdin, {"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        answer: Any = _ask(process.stdin, process.stdout, 2, "textDocument/inlineCompletion", {
            "textDocument": document,
            "position": {"line": LINE, "character": COLUMN},
            "context": {"triggerKind": 2},
        })  # fmt: skip
        seconds = time.perf_counter() - started
        _check_suggestion(_text_after_cursor(answer["items"][0]) if answer["items"] else "")
        _ask(process.stdin, process.stdout, 3, "shutdown", None)
        _send(process.stdin, {"method": "exit"})
    return seconds


def _text_after_cursor(item: Mapping[str, Any]) -> str:
    """What an item of ghost text adds after the cursor; the item may also repeat the line's text before it."""
    start = item["range"]["start"]["character"] if item.get("range") else COLUMN
    return str(item["insertText"])[COLUMN - start :]


def _check_suggestion(text: str) -> None:
    """Raise an error unless a suggestion begins with the rest of `height`."""
    if not text.startswith(_REST):
        raise AssertionError(f"{text!r} was suggested, which does not begin with {_REST!r}")


def _send(stream: IO[bytes], message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def _ask(requests: IO[bytes], replies: IO[bytes], ident: int, method: str, params: object) -> object:
    """Send a request, and wait for its result; requests and notifications from the server are ignored."""
    _send(requests, {"id": ident, "method": method, **({"params": params} if params is not None else {})})
    while True:
        length = 0
        while header := replies.readline().strip():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
        message = json.loads(replies.read(length))
        if message.get("id") == ident and "method" not in message:
            if "error" in message:
                raise AssertionError(f"the server refused: {message['error']}")
            return message.get("result")


if __name__ == "__main__":
    raise SystemExit(main())

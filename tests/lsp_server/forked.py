"""Command lines in processes of their own, forked from one that has imported what all of them need.

A process that imports anew needs a second before it can say that a file is missing. What becomes of its arguments, its
two streams and its exit code is the same either way; tests of closed streams, signals and imports start real processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]
_COMMANDS = ("complete", "generate", "index", "lower", "rewrite", "symbols", "train")
_PARENT = """
import gc, json, os, sys
from importlib import import_module
from lsp_server.cli import entry, main
for name in json.loads(sys.argv[1]):
    import_module(entry.COMMANDS[name])
gc.freeze()  # else each child copies what it only looks at
for line in sys.stdin:
    arguments, *paths = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream, path in enumerate(paths, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.exit(main(arguments))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Forked:
    """`inscope ...`, once for each call; as a process that imports anew where the system cannot fork.

    Args:
        folder: For what is written to the two streams.
    """

    def __init__(self, folder: Path) -> None:
        self._paths = [folder / "stdout", folder / "stderr"]
        self._parent: subprocess.Popen[str] | None = None
        if hasattr(os, "fork"):
            self._parent = subprocess.Popen(
                [sys.executable, "-c", _PARENT, json.dumps(_COMMANDS)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
            )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._parent is not None:
            self._parent.communicate()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Exit code and output of a command line."""
        if self._parent is None:
            command = [sys.executable, "-m", "lsp_server", *arguments]
            return subprocess.run(command, capture_output=True, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
        asked: list[Any] = [arguments, *map(str, self._paths)]
        assert self._parent.stdin
        assert self._parent.stdout
        print(json.dumps(asked), file=self._parent.stdin, flush=True)
        status = int(self._parent.stdout.readline())
        return subprocess.CompletedProcess(arguments, status, *(path.read_bytes() for path in self._paths))

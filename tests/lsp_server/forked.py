"""Command lines and servers in processes of their own, forked from one that has imported what they need.

A process that imports anew needs a second before it can say that a file is missing. What becomes of its arguments, its
streams, its variables and its exit code is the same either way; tests of closed streams, signals and imports start real
processes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds after which something hangs."""
COMMANDS = ("complete", "generate", "index", "lower", "rewrite", "symbols", "train")
_PARENT = """
import gc, json, os, socket, sys
from importlib import import_module
from lsp_server.cli import entry, run_process
for name in json.loads(sys.argv[2]):
    import_module(entry.COMMANDS[name])
gc.freeze()  # else each child copies what it only looks at
asking = socket.socket(fileno=int(sys.argv[1]))
asking.send(b".")  # all is imported
while True:
    asked, streams, *_ = socket.recv_fds(asking, 1 << 16, 4)
    if not asked:
        break
    while not asked.endswith(b"\\n"):
        asked += asking.recv(1 << 16)
    if not os.fork():  # waits for the child, and tells of it
        child = os.fork()
        if not child:
            for number, stream in enumerate(streams[:3]):
                os.dup2(stream, number)
            for stream in (*streams, asking.fileno()):
                os.close(stream)
            asking.detach()
            sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # what they are of may differ
            sys.stderr = open(2, "w", buffering=1, closefd=False)
            sys.argv[1:], directory, variables = json.loads(asked)
            os.chdir(directory)
            os.environ.update(variables)
            run_process()
        for stream in streams[:3]:
            os.close(stream)
        os.write(streams[3], b"%d\\n" % child)
        os.write(streams[3], b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os._exit(0)
    for stream in streams:
        os.close(stream)
    while True:  # those that have told
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                break
        except ChildProcessError:
            break
"""


class Child:
    """A forked process; what tests use of `subprocess.Popen`.

    Args:
        told: A pipe on which come its number and, at its end, its exit code.
        stdin: Our end of its input.
        stdout: Our end of its output.
    """

    def __init__(self, told: IO[bytes], stdin: IO[bytes] | None = None, stdout: IO[bytes] | None = None) -> None:
        self._told = told
        self.pid = int(told.readline())
        self.stdin, self.stdout = stdin, stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait so many seconds for its end; returns the exit code.

        Raises:
            TimeoutExpired: it still runs.
        """
        if self.returncode is None:
            if timeout is not None and not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("forked", timeout)
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def kill(self) -> None:
        """End it at once."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Forked:
    """`inscope ...`, once for each call; as a process that imports anew where the system cannot fork.

    Args:
        commands: What is imported once.
        interpreter: The command that runs Python.
        environment: Variables that differ from ours.
    """

    def __init__(
        self,
        commands: Sequence[str] = COMMANDS,
        interpreter: Sequence[str] = (sys.executable,),
        environment: Mapping[str, str] = {},
    ) -> None:
        self._interpreter, self._environment = interpreter, {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self._parent: subprocess.Popen[bytes] | None = None
        if hasattr(os, "fork"):
            self._asking, other = socket.socketpair()
            with other:
                self._parent = subprocess.Popen(
                    [*interpreter, "-P", "-c", _PARENT, str(other.fileno()), json.dumps(commands)],
                    stdin=subprocess.DEVNULL, cwd=ROOT, env=self._environment, pass_fds=[other.fileno()],
                )  # fmt: skip
            assert self._asking.recv(1), "it ended before it had imported all"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._parent is not None:
            self._asking.shutdown(socket.SHUT_RDWR)  # to close it would not do: other forked processes may have it
            self._asking.close()
            self._parent.wait()

    def start(
        self, *arguments: str, stderr: IO[bytes], directory: Path = ROOT, environment: Mapping[str, str] = {}
    ) -> Child | subprocess.Popen[bytes]:
        """Start a command line; its input and its output are pipes."""
        if self._parent is None:
            return subprocess.Popen(
                self._command(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=directory,
                env={**self._environment, **environment},
            )  # fmt: skip
        (its_input, stdin), (stdout, its_output) = os.pipe(), os.pipe()
        told = self._fork(arguments, (its_input, its_output, stderr.fileno()), directory, environment)
        os.close(its_input)
        os.close(its_output)
        return Child(told, os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"))

    def run(
        self, *arguments: str, data: bytes = b"", directory: Path = ROOT, environment: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[bytes]:
        """Exit code and output of a command line that reads `data`."""
        if self._parent is None:
            return subprocess.run(
                self._command(arguments), input=data, capture_output=True, cwd=directory,
                env={**self._environment, **environment}, check=False,
            )  # fmt: skip
        with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
            stdin.write(data)
            stdin.seek(0)
            streams = stdin.fileno(), stdout.fileno(), stderr.fileno()
            child = Child(self._fork(arguments, streams, directory, environment))
            try:
                code = child.wait(PATIENCE)
            finally:
                child.kill()  # no effect if it has ended
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(arguments, code, stdout.read(), stderr.read())

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [*self._interpreter, "-P", "-m", "lsp_server", *arguments]

    def _fork(
        self, arguments: Sequence[str], streams: Sequence[int], directory: Path, environment: Mapping[str, str]
    ) -> IO[bytes]:
        """Have a child forked; returns the pipe on which the parent tells of it."""
        told, telling = os.pipe()
        asked = json.dumps([arguments, str(directory), dict(environment)]).encode() + b"\n"
        sent = socket.send_fds(self._asking, [asked], [*streams, telling])
        self._asking.sendall(asked[sent:])
        os.close(telling)
        return os.fdopen(told, "rb", 0)

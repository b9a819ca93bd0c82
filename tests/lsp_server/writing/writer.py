"""The real writer in a process of its own, which a test can stop at any of its steps, and kill there."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lsp_server.errors import RequestError
from lsp_server.writing.interrupts import WaitingSignals
from lsp_server.writing.recovery import recover
from lsp_server.writing.sets import write_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DONE, FAILED, INTERRUPTED = 0, 1, 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, minus the signal that ended it, and its sentence."""

    status: int
    message: str


class Child:
    """A function in a forked process. It stops before the steps of these numbers, until `go_on`."""

    def __init__(self, run: Callable[[], None], *stops: int) -> None:
        self._from_child, to_test = os.pipe()
        from_test, self._to_child = os.pipe()
        self._said, saying = os.pipe()
        # A signal waits until the child can take it: before that it would end the child as a worker of pytest.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self.pid = os.fork()
        if self.pid:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            for end in (to_test, from_test, saying):
                os.close(end)
            return
        for end in (self._from_child, self._to_child, self._said):
            os.close(end)
        steps = 0

        def watch(event: str, values: tuple[object, ...]) -> None:
            nonlocal steps
            if event != "inscope.write":
                return
            if steps in stops:
                os.write(to_test, f"{values[0]}\n".encode())
                os.read(from_test, 1)
            steps += 1

        sys.addaudithook(watch)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
                run()
            finally:
                signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        except RequestError as error:
            os.write(saying, str(error).encode())
            os._exit(FAILED)
        except KeyboardInterrupt:
            os._exit(INTERRUPTED)
        except BaseException as error:  # noqa: BLE001 - a forked process must not go on as pytest
            os.write(saying, repr(error).encode())
            os._exit(99)
        os._exit(steps if COUNT in stops else DONE)

    def step(self) -> str:
        """Wait until it stops; the step's name, empty where it has ended before."""
        return os.read(self._from_child, 100).decode().strip()

    def go_on(self) -> None:
        os.write(self._to_child, b".")

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def end(self) -> Ended:
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        message = os.read(self._said, 10_000).decode()
        return Ended(status, message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        for end in (self._from_child, self._to_child, self._said):
            os.close(end)


COUNT = -1
"""Stops nowhere; the exit code is the number of steps."""


def writing(root: Path, changes: Sequence[tuple[Path, str, str]], *, follow: bool = False) -> Callable[[], None]:
    def run() -> None:
        with WaitingSignals() as signals:
            write_set(changes, root, signals, follow=follow)

    return run


def recovering(root: Path, *, forward: bool) -> Callable[[], None]:
    def run() -> None:
        with WaitingSignals() as signals:
            recover(root, signals, forward=forward)

    return run


def steps_of(run: Callable[[], None]) -> int:
    with Child(run, COUNT) as child:
        ended = child.end()
    assert not ended.message, ended
    return ended.status


def lay_out(root: Path, texts: Mapping[str, bytes]) -> None:
    """Make a folder hold these files and nothing else."""
    for path in root.iterdir():
        path.unlink()
    for name, text in texts.items():
        (root / name).write_bytes(text)


def read_all(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}

"""The real writer in a process of its own, which a test can stop at any of its steps, and kill there."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lsp_server.errors import RequestError
from lsp_server.writing.interrupts import WaitingSignals
from lsp_server.writing.recovery import recover
from lsp_server.writing.sets import write_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.connection import Connection

DONE, FAILED, INTERRUPTED = 0, 1, 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, minus the signal that ended it, and its sentence."""

    status: int
    message: str


_FORKING = multiprocessing.get_context("forkserver")
"""Children are forked from a process that has imported the writer and nothing else: pytest's own has a gigabyte."""
_FORKING.set_forkserver_preload([__name__])


class Child:
    """A function in a forked process. It stops before the steps of these numbers, until `go_on`.

    Args:
        run: Can be pickled, unless the child is forked from the test's own process.
        of_test: Whether it is.
    """

    def __init__(self, run: Callable[[], None], *stops: int, of_test: bool = False) -> None:
        forking = multiprocessing.get_context("fork") if of_test else _FORKING
        self._from_child, to_test = forking.Pipe(duplex=False)
        from_test, self._to_child = forking.Pipe(duplex=False)
        self._said, saying = forking.Pipe(duplex=False)
        cache = os.environ["INSCOPE_CACHE"]
        self._process = forking.Process(target=_run, args=(run, stops, cache, to_test, from_test, saying))
        # A signal waits until the child can take it: the process that it is forked from has this mask, too.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self._process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for end in (to_test, from_test, saying):
            end.close()

    @property
    def pid(self) -> int:
        """The child's process."""
        assert self._process.pid is not None
        return self._process.pid

    def step(self) -> str:
        """Wait until it stops; the step's name, empty where it has ended before."""
        return _received(self._from_child)

    def go_on(self) -> None:
        self._to_child.send_bytes(b".")

    def kill(self, number: int = signal.SIGKILL) -> None:
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self.pid, number)

    def end(self) -> Ended:
        self._process.join()
        assert self._process.exitcode is not None
        return Ended(self._process.exitcode, _received(self._said))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        for end in (self._from_child, self._to_child, self._said):
            end.close()


def _run(  # noqa: PLR0917 - each is an end of a pipe
    run: Callable[[], None],
    stops: Sequence[int],
    cache: str,
    to_test: Connection,
    from_test: Connection,
    saying: Connection,
) -> None:
    """What a child does; it never returns."""
    os.environ["INSCOPE_CACHE"] = cache
    steps = 0

    def watch(event: str, values: tuple[object, ...]) -> None:
        nonlocal steps
        if event != "inscope.write":
            return
        if steps in stops:
            to_test.send_bytes(str(values[0]).encode())
            from_test.recv_bytes()
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
        saying.send_bytes(str(error).encode())
        os._exit(FAILED)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except BaseException as error:  # noqa: BLE001 - it is the test that reports it
        saying.send_bytes(repr(error).encode())
        os._exit(99)
    os._exit(steps if COUNT in stops else DONE)


def _received(pipe: Connection) -> str:
    try:
        return pipe.recv_bytes().decode()
    except EOFError:
        return ""


COUNT = -1
"""Stops nowhere; the exit code is the number of steps."""


def writing(root: Path, changes: Sequence[tuple[Path, str, str]], *, follow: bool = False) -> Callable[[], None]:
    return partial(_write, root, changes, follow=follow)


def _write(root: Path, changes: Sequence[tuple[Path, str, str]], *, follow: bool) -> None:
    with WaitingSignals() as signals:
        write_set(changes, root, signals, follow=follow)


def recovering(root: Path, *, forward: bool) -> Callable[[], None]:
    return partial(_recover, root, forward=forward)


def _recover(root: Path, *, forward: bool) -> None:
    with WaitingSignals() as signals:
        recover(root, signals, forward=forward)


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

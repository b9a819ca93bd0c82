"""Reads many files in several processes, or a few in this one.

The processes are plain children that communicate over pipes: they import nothing of the program that started us, and
each ends when its input does. If one dies, its files are read in this process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from context_index.index.extract import Extract, extract
from context_index.index.worker import receive_result, send_paths
from context_index.processes import Process, cores, exit_code_within, start_python
from context_index.scan import Exclusion

_FEW = 400
"""Fewer files than this are read in this process: starting others (0.2 s each) costs more than it saves."""
_BATCH = 24
"""The files in one request: few, so that no process is still busy alone at the end."""
_MOST_WORKERS = 8
_END_SECONDS = 5.0
"""How long a process may take to end once its input has ended."""
_PULSE_SECONDS = 0.1
"""How long a cancellation may go unnoticed."""

Result = tuple[str, Extract | Exclusion]
"""A file's path, and what was read of it or why it was not read."""


def extracted(
    paths: Sequence[str], max_bytes: int, cancel: Event, workers: int | None = None, stubs: str = ""
) -> Iterator[Result]:
    """Each file's path and what was read of it, in any order, until cancelled.

    Args:
        workers: how many processes; None for as many as the machine and the number of files make sensible.
        stubs: for stubs of several versions of Python, the version and platform to read them for, as "3.11 linux".
            Only worker processes do: Python 3.11 cannot parse in two threads at once (CPython issue 106905).
    """
    count = _worker_count(len(paths)) if workers is None else workers
    if count == 0:
        for path in paths:
            if cancel.is_set():
                return
            yield path, extract(Path(path), max_bytes)
        return
    pool = _WorkerPool(paths, max_bytes, count, stubs)
    try:
        yield from pool.results(cancel)
    finally:
        pool.stop()


def _worker_count(files: int) -> int:
    """How many processes are sensible for so many files; 0 to read them in this one."""
    usable = cores()
    return 0 if files < _FEW or usable == 1 else min(_MOST_WORKERS, usable, files * 2 // _FEW)


class _WorkerPool:
    """Some processes, each with a thread that hands it work and collects the answers."""

    def __init__(self, paths: Sequence[str], max_bytes: int, count: int, stubs: str) -> None:
        self._batches = [list(paths[at : at + _BATCH]) for at in range(0, len(paths), _BATCH)][::-1]
        """The paths that no thread has taken yet, the next batch last."""
        self._remaining = len(self._batches)
        """The number of batches whose results have not been collected."""
        self._max_bytes = max_bytes
        self._done: SimpleQueue[list[Result] | Exception] = SimpleQueue()
        self._stopped = Event()
        self._lock = Lock()
        self._processes = [started for _ in range(count) if (started := _started(max_bytes, stubs)) is not None]
        readers: Sequence[Process | None] = self._processes or [None]
        self._threads = [
            Thread(target=self._work_or_report, args=(process,), name="index-reader", daemon=True)
            for process in readers
        ]
        for thread in self._threads:
            thread.start()

    def results(self, cancel: Event) -> Iterator[Result]:
        """All results as they come; an error that a thread of the pool raises is raised here."""
        while self._remaining and not cancel.is_set():
            try:
                results = self._done.get(timeout=_PULSE_SECONDS)
            except Empty:
                continue
            if isinstance(results, Exception):
                raise results
            self._remaining -= 1
            for result in results:
                if cancel.is_set():
                    return
                yield result

    def stop(self) -> None:
        """Let the processes end, and kill those that do not."""
        self._stopped.set()
        with self._lock:
            self._batches.clear()
        for process in self._processes:
            with suppress(OSError):  # it died before: its last bytes cannot be delivered
                process.stdin.close()  # type: ignore[union-attr]  # it was started with a pipe
            if self._remaining:
                process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            if exit_code_within(process, _END_SECONDS) is None:
                process.kill()
                process.wait()
            process.stdout.close()  # type: ignore[union-attr]  # likewise

    def _work_or_report(self, process: Process | None) -> None:
        """What a thread of the pool runs; `process` is None for a thread that reads the files itself."""
        try:
            self._work_off_batches(process)
        except Exception as fault:  # noqa: BLE001 -- raised where the results are read; else that would wait for ever
            self._done.put(fault)

    def _work_off_batches(self, process: Process | None) -> None:
        """Have the process read batches until none is left; if it dies, read the rest here."""
        while not self._stopped.is_set():
            with self._lock:
                if not self._batches:
                    return
                batch = self._batches.pop()
            results: list[Result] = []
            if process is not None:
                try:
                    send_paths(process.stdin, batch)  # type: ignore[arg-type]  # likewise
                    while len(results) < len(batch):
                        results.append((batch[len(results)], receive_result(process.stdout)))  # type: ignore[arg-type]
                except (OSError, EOFError, ValueError):  # it is gone, or its pipe was closed by `stop`
                    process = None
            for path in batch[len(results) :]:
                if self._stopped.is_set():
                    return
                results.append((path, extract(Path(path), self._max_bytes)))
            self._done.put(results)


def _started(max_bytes: int, stubs: str) -> Process | None:
    """A process, or None where the system lets us have none."""
    try:
        return start_python("context_index.index.worker", str(max_bytes), *([stubs] if stubs else []))
    except OSError:
        return None

"""Divides a forward of many tokens among threads, each of which computes a slice of the tokens.

A token attends only to those before it, so at each layer a slice waits for the keys and values of the slices before
it, and for nothing else. Waiting threads sleep. `Network.forward` says what is computed; nothing of it is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Condition

_SHORTEST_SLICE = 64
"""The fewest tokens of a slice. Each product copies its matrix first: two slices of 32 took a quarter more processor
time than 64 tokens at once, and longer on a busy machine; with 480 tokens neither was longer."""

LayerDone = Callable[[int], None]
"""Called with the number of a layer once a slice has written its keys and values there.

It returns when all slices before it have written theirs.
"""

ReadSlice = Callable[[int, int, LayerDone], None]
"""Reads the tokens from the first index up to the second, which is not included."""


class AbandonedError(Exception):
    """Another slice has failed, so this one ends; the error of the other is the one to report."""


class Slices:
    """A pool of threads that read slices.

    Args:
        threads: The number of threads, the caller's own included.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._others = ThreadPoolExecutor(max(1, threads - 1), "inscope-slice")  # starts none before it is needed

    def read(self, count: int, read_slice: ReadSlice) -> None:
        """Read `count` tokens in slices, the first on the caller's thread.

        The division depends on `count` and the number of threads alone. If slices fail, the error of one is raised once
        all threads have ended.
        """
        slices = max(1, min(self._threads, count // _SHORTEST_SLICE))
        if slices == 1:
            read_slice(0, count, lambda _layer: None)
            return
        bounds = [count * number // slices for number in range(slices + 1)]
        progress = _Progress(slices)

        def read_numbered(number: int) -> None:
            try:
                read_slice(bounds[number], bounds[number + 1], lambda layer: progress.layer_done(number, layer))
            except BaseException:  # the other slices must not wait for this one
                progress.abandon()
                raise

        others = [self._others.submit(read_numbered, number) for number in range(1, slices)]
        try:
            read_numbered(0)
        except AbandonedError:
            pass  # one of the others has failed; its error is raised below
        finally:
            wait(others)  # even after an error: no thread may write into the cache afterwards
        faults = [fault for other in others if (fault := other.exception()) is not None]
        for fault in sorted(faults, key=lambda fault: isinstance(fault, AbandonedError)):
            raise fault


class _Progress:
    """The number of layers that each slice has done, so that slices after it can wait for them."""

    def __init__(self, slices: int) -> None:
        self._layers = [0] * slices
        self._abandoned = False
        self._changed = Condition()

    def layer_done(self, number: int, layer: int) -> None:
        """Note that slice `number` has done `layer`, and wait until all slices before it have.

        Raises:
            AbandonedError: another slice has failed.
        """
        with self._changed:
            self._layers[number] = layer + 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._abandoned or min(self._layers[:number], default=layer + 1) > layer)
            if self._abandoned:
                raise AbandonedError

    def abandon(self) -> None:
        """End all slices that wait, as one has failed."""
        with self._changed:
            self._abandoned = True
            self._changed.notify_all()

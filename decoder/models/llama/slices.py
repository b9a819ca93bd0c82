"""A forward of many tokens on several threads, each of which computes a slice of them.

A token attends only to those before it, so at each layer a slice waits for the keys and values of the slices before
it, and for nothing else. Waiting threads sleep. Knows nothing of what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Condition

_LEAST = 64
"""Tokens of a slice. For each product its matrix is copied first: two slices of 32 took a quarter more processor time
than 64 tokens at once, and on a busy machine longer; 480 tokens took neither more of one nor of the other."""

Written = Callable[[int], None]
"""Told by a slice that its keys and values of a layer are there; returns when those of all slices before it are."""

Read = Callable[[int, int, Written], None]
"""Reads the tokens from a place to another, and keeps what is asked of them."""


class AbandonedError(Exception):
    """Another slice has failed; its error is the one to report."""


class Slices:
    """The threads, which sleep until they are needed.

    Args:
        threads: How many, the caller's among them.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._others = ThreadPoolExecutor(max(1, threads - 1), "inscope-slice")  # starts none before it is needed

    def read(self, count: int, read: Read) -> None:
        """Have `count` tokens read; how they are divided depends on `count` alone."""
        slices = max(1, min(self._threads, count // _LEAST))
        if slices == 1:
            read(0, count, lambda _layer: None)
            return
        bounds = [count * place // slices for place in range(slices + 1)]
        order = _Order(slices)

        def part(place: int) -> None:
            try:
                read(bounds[place], bounds[place + 1], lambda layer: order.written(place, layer))
            except BaseException:
                order.abandon()
                raise

        others = [self._others.submit(part, place) for place in range(1, slices)]
        try:
            part(0)
        except AbandonedError:
            pass  # one of the others has failed, and is asked below
        finally:
            wait(others)  # in any case, no thread writes into the cache afterwards
        faults = [fault for other in others if (fault := other.exception()) is not None]
        for fault in sorted(faults, key=lambda fault: isinstance(fault, AbandonedError)):
            raise fault


class _Order:
    """Of which layers each slice has written its keys and values."""

    def __init__(self, slices: int) -> None:
        self._layers = [0] * slices
        self._abandoned = False
        self._changed = Condition()

    def written(self, place: int, layer: int) -> None:
        with self._changed:
            self._layers[place] = layer + 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._abandoned or min(self._layers[:place], default=layer + 1) > layer)
            if self._abandoned:
                raise AbandonedError

    def abandon(self) -> None:
        with self._changed:
            self._abandoned = True
            self._changed.notify_all()

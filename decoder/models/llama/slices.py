"""A forward of many tokens on several threads, each of which computes a slice of the tokens.

A token attends only to those before it, so at each layer a slice waits for the keys and values of the slices before
it, and for nothing else. Waiting threads sleep. Knows nothing of what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Condition

_SHORTEST_SLICE = 64
"""Tokens. Each product copies its matrix first: two slices of 32 took a quarter more processor time than 64 tokens at
once, and longer on a busy machine; with 480 tokens neither was longer."""

LayerDone = Callable[[int], None]
"""Called with a layer when a slice has written its keys and values there; returns when all slices before it have."""

ReadSlice = Callable[[int, int, LayerDone], None]
"""Reads the tokens from the first number up to the second."""


class AbandonedError(Exception):
    """Another slice has failed; its error is the one to report."""


class Slices:
    """A pool of threads that read slices.

    Args:
        threads: Their number, the caller's own included.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._others = ThreadPoolExecutor(max(1, threads - 1), "inscope-slice")  # starts none before it is needed

    def read(self, count: int, read_slice: ReadSlice) -> None:
        """Read `count` tokens; how they are divided depends on `count` alone."""
        slices = max(1, min(self._threads, count // _SHORTEST_SLICE))
        if slices == 1:
            read_slice(0, count, lambda _layer: None)
            return
        bounds = [count * place // slices for place in range(slices + 1)]
        order = _Order(slices)

        def part(place: int) -> None:
            try:
                read_slice(bounds[place], bounds[place + 1], lambda layer: order.layer_done(place, layer))
            except BaseException:  # the other slices must not wait for this one
                order.abandon()
                raise

        others = [self._others.submit(part, place) for place in range(1, slices)]
        try:
            part(0)
        except AbandonedError:
            pass  # one of the others has failed; its error is raised below
        finally:
            wait(others)  # whatever happened: no thread may write into the cache afterwards
        faults = [fault for other in others if (fault := other.exception()) is not None]
        for fault in sorted(faults, key=lambda fault: isinstance(fault, AbandonedError)):
            raise fault


class _Order:
    """The layers that each slice has done, so that slices after it can wait for them."""

    def __init__(self, slices: int) -> None:
        self._layers = [0] * slices
        self._abandoned = False
        self._changed = Condition()

    def layer_done(self, place: int, layer: int) -> None:
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

"""Questions in, answers out, for any number of threads: one thread of its own asks the sources, one after the other.

Nobody waits longer than they want to: see `Waiting`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from context_index.oracles.description import Description
from context_index.oracles.pending import Pending, Waiting
from context_index.oracles.protocol import Remark
from context_index.symbols import Listed, Members, NameKind, Open, Position, Signature
from context_index.text import Document

T = TypeVar("T")
SoFar = Callable[[Listed], None]
"""Takes what is known until more is."""


class Source(Protocol):
    """Somebody who knows types. Only ever called by the oracle's own thread; `Open` says why something is not known."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question `stop` is due; None where there is nothing to stop."""

    def names(self, document: Document, offset: int, position: Position, so_far: SoFar) -> Members:
        """The names that may stand at `offset`. A list whose proof takes longer is told to `so_far`."""

    def prepare(self, document: Document) -> Open | None:
        """Make a document known, so that the first question about it is answered as fast as any."""

    def signature(self, document: Document, offset: int) -> Signature | Open:
        """The function in whose call `offset` is."""

    def describe(self, document: Document, offset: int) -> Description | Open:
        """What is known of the name at `offset`, for people."""

    def remarks(self, document: Document) -> Sequence[Remark] | Open:
        """What is wrong with the whole document."""

    def globals(self, document: Document) -> Mapping[str, NameKind] | Open:
        """The names that every file like the document can use."""

    def stop(self) -> None:
        """Let go of what it holds; the next question begins anew."""


class _Job(Generic[T]):
    """One question, and where its answer goes."""

    __slots__ = ("ask", "waiting")

    def __init__(self, ask: Callable[[Source], T | Open], waiting: Waiting[T]) -> None:
        self.ask = ask
        self.waiting = waiting

    def settle(self, sources: Sequence[Source]) -> None:
        """Answer the question: the first source that knows anything has the word."""
        whys = []
        for source in sources:
            if not self.waiting.wanted:
                whys.append("no longer wanted")
                break
            found = self.ask(source)
            if not isinstance(found, Open):
                self.waiting.settle(found, source.name)
                return
            whys.append(found.why)
        self.waiting.settle(Open("; ".join(whys) or "there is no type checker for this language"))

    def run(self, sources: Sequence[Source]) -> None:
        """Answer, whatever happens."""
        try:
            self.settle(sources)
        except Exception as fault:  # noqa: BLE001 -- told to whoever asked, where it is raised
            self.waiting.fail(fault)


class Oracle:
    """Asks its sources in order until one knows."""

    def __init__(self, sources: Sequence[Source]) -> None:
        """The first of `sources` is asked first."""
        self._sources = tuple(sources)
        self._jobs: queue.SimpleQueue[Callable[[Sequence[Source]], None] | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name=" and ".join(self.by) or "oracle", daemon=True)
        self._worker.start()

    @property
    def by(self) -> tuple[str, ...]:
        """Who is asked."""
        return tuple(source.name for source in self._sources)

    def names(self, document: Document, offset: int, position: Position) -> Pending:
        """Ask for the names that may stand at `offset`."""
        pending = Pending(self._first)
        self._put(_Job(lambda source: self._names(source, document, offset, position, pending), pending))
        return pending

    def prepare(self, document: Document) -> Waiting[None]:
        """Make a document known, so that the first question about it is answered as fast as any."""
        waiting = Waiting[None](self._first)
        self._put(_Job(lambda source: source.prepare(document), waiting))
        return waiting

    def signature(self, document: Document, offset: int) -> Waiting[Signature]:
        """Ask for the function in whose call `offset` is."""
        waiting = Waiting[Signature](self._first)
        self._put(_Job(lambda source: source.signature(document, offset), waiting))
        return waiting

    def describe(self, document: Document, offset: int) -> Waiting[Description]:
        """Ask what the name at `offset` is."""
        waiting = Waiting[Description](self._first)
        self._put(_Job(lambda source: source.describe(document, offset), waiting))
        return waiting

    def remarks(self, document: Document) -> Waiting[Sequence[Remark]]:
        """Ask what is wrong with a document."""
        waiting = Waiting[Sequence[Remark]](self._first)
        self._put(_Job(lambda source: source.remarks(document), waiting))
        return waiting

    def globals(self, document: Document) -> Waiting[Mapping[str, NameKind]]:
        """Ask for the names that every file like the document can use."""
        waiting = Waiting[Mapping[str, NameKind]](self._first)
        self._put(_Job(lambda source: source.globals(document), waiting))
        return waiting

    def close(self) -> None:
        """Stop the sources and the thread. Questions asked until now are answered."""
        self._jobs.put(None)
        self._worker.join()

    def _names(self, source: Source, document: Document, offset: int, position: Position, pending: Pending) -> Members:
        return source.names(document, offset, position, lambda listed: pending.so_far(listed, source.name))

    @property
    def _first(self) -> str:
        return self._sources[0].name if self._sources else "nobody"

    def _put(self, job: _Job[T]) -> None:
        self._jobs.put(job.run)

    def _work(self) -> None:
        while True:
            limits = [source.idle_limit for source in self._sources]
            try:
                job = self._jobs.get(timeout=min((limit for limit in limits if limit is not None), default=None))
            except queue.Empty:
                self._stop()
                continue
            if job is None:
                self._stop()
                return
            job(self._sources)

    def _stop(self) -> None:
        for source in self._sources:
            source.stop()

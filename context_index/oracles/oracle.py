"""Questions in, answers out, for any number of threads: one thread of its own asks the sources, one after the other.

Nobody waits longer than they want to: see `Pending`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from context_index.oracles.protocol import Pending
from context_index.symbols import Members, Open
from context_index.text import Document


class Source(Protocol):
    """Somebody who knows members. Only ever called by the oracle's own thread."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question `stop` is due; None where there is nothing to stop."""

    def members(self, document: Document, offset: int | None) -> Members:
        """The members of what stands before `offset`; with None, the document is only made known."""

    def stop(self) -> None:
        """Let go of what it holds; the next question begins anew."""


@dataclass(slots=True)
class _Job:
    document: Document
    offset: int | None
    pending: Pending


class Oracle:
    """Asks its sources in order until one knows."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name=" and ".join(self.names) or "oracle", daemon=True)
        self._worker.start()

    @property
    def names(self) -> tuple[str, ...]:
        """Who is asked."""
        return tuple(source.name for source in self._sources)

    def members(self, document: Document, offset: int) -> Pending:
        """Ask for the members of what stands before `offset`, which is just behind the dot."""
        return self._put(document, offset)

    def prepare(self, document: Document) -> Pending:
        """Make a document known, so that the first question about it is answered as fast as any."""
        return self._put(document, None)

    def close(self) -> None:
        """Stop the sources and the thread. Questions asked until now are answered."""
        self._jobs.put(None)
        self._worker.join()

    def _put(self, document: Document, offset: int | None) -> Pending:
        pending = Pending(self._sources[0].name if self._sources else "nobody")
        self._jobs.put(_Job(document, offset, pending))
        return pending

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
            try:
                self._settle(job)
            except Exception as fault:  # noqa: BLE001 -- told to whoever asked, where it is raised
                job.pending.fail(fault)

    def _settle(self, job: _Job) -> None:
        """Answer one question: the first source that knows anything has the word."""
        whys = []
        for source in self._sources:
            if not job.pending.wanted:
                whys.append("no longer wanted")
                break
            members = source.members(job.document, job.offset)
            if not isinstance(members, Open):
                job.pending.settle(members, source.name)
                return
            whys.append(members.why)
        job.pending.settle(Open("; ".join(whys) or "there is no type checker for this language"))

    def _stop(self) -> None:
        for source in self._sources:
            source.stop()

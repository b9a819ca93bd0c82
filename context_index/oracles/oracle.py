"""Questions in, answers out, for any number of threads: the sources are asked one after the other, until one knows.

Each source has a thread of its own, so that one that is slow keeps nobody waiting for the others. Nobody waits longer
than they want to: see `Waiting`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from context_index.oracles.description import Description
from context_index.oracles.errors import PutOffError
from context_index.oracles.lanes import Asked, Lane, Urgency
from context_index.oracles.pending import Pending, Waiting
from context_index.oracles.protocol import Remark, Unproven
from context_index.oracles.recent import Recent
from context_index.symbols import Members, NameKind, Open, Position, Signature
from context_index.text import Document

T = TypeVar("T")
_REMEMBERED = 10.0
"""Seconds in which files on disk are taken not to change."""


class Source(Protocol):
    """Somebody who knows types. Only ever called by its own thread; `Open` says why something is not known."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a question `stop` is due; None where there is nothing to stop."""

    def names(self, document: Document, offset: int, position: Position) -> Members | Unproven[Members]:
        """The names that may stand at `offset`."""

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

    def put_off(self, *, due: bool) -> None:
        """Whether the question on its way shall give way, by raising `PutOffError`, if it can. From any thread."""

    def stop(self) -> None:
        """Let go of what it holds; the next question begins anew."""


class Paths(Asked, Protocol):
    """Somebody who knows the paths of modules without knowing types. Only ever called by its own thread."""

    def names(self, document: Document, offset: int) -> Members:
        """What may follow in the path at `offset`."""

    def prepare(self, document: Document) -> None:
        """Look at what will be asked for."""


class _Question(Generic[T]):
    """One question, and where its answer goes."""

    __slots__ = ("ask", "urgency", "waiting", "whys")

    def __init__(
        self, ask: Callable[[Source], T | Open | Unproven[T]], waiting: Waiting[T], urgency: Urgency = Urgency.NOW
    ) -> None:
        self.ask = ask
        self.waiting = waiting
        self.urgency = urgency
        self.whys: list[str] = []


class Oracle:
    """Asks its sources in order until one knows."""

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        remembers: float = _REMEMBERED,
        paths: Paths | None = None,
        absent: str = "there is no type checker for this language",
    ) -> None:
        """The first of `sources` is asked first; what it said is said again for some seconds.

        Args:
            paths: who is asked for the paths of modules before any of them.
            absent: why there are no sources.
        """
        self._sources = tuple(sources)
        self._absent = absent
        self._lanes = tuple(map(Lane, sources))
        self._paths = None if paths is None else (paths, Lane(paths))
        self._recent = Recent(remembers)

    @property
    def by(self) -> tuple[str, ...]:
        """Who is asked."""
        return tuple(source.name for source in self._sources)

    def names(self, document: Document, offset: int, position: Position) -> Pending:
        """Ask for the names that may stand at `offset`."""
        urgency = Urgency.AHEAD if position is Position.KEYWORD_ARGUMENT else Urgency.NOW

        def ask() -> Waiting[Members]:
            if position is Position.MODULE and self._paths is not None:
                return self._ask_for_path(*self._paths, document, offset)
            return self._put(lambda source: source.names(document, offset, position), urgency)

        return Pending(self._recent.share(document, offset, position, ask))

    def prepare(self, document: Document) -> Waiting[None]:
        """Make a document known, so that the first question about it is answered as fast as any."""
        if self._paths is not None:
            paths, lane = self._paths
            lane.put(Urgency.IDLE, partial(paths.prepare, document))
        return self._put(lambda source: source.prepare(document), Urgency.IDLE)

    def signature(self, document: Document, offset: int) -> Waiting[Signature]:
        """Ask for the function in whose call `offset` is."""
        return self._put(lambda source: source.signature(document, offset))

    def describe(self, document: Document, offset: int) -> Waiting[Description]:
        """Ask what the name at `offset` is."""
        return self._put(lambda source: source.describe(document, offset))

    def remarks(self, document: Document) -> Waiting[Sequence[Remark]]:
        """Ask what is wrong with a document."""
        return self._put(lambda source: source.remarks(document))

    def globals(self, document: Document) -> Waiting[Mapping[str, NameKind]]:
        """Ask for the names that every file like the document can use."""
        return self._put(lambda source: source.globals(document))

    def close(self) -> None:
        """Stop the sources and their threads. Questions asked until now are answered."""
        if self._paths is not None:
            self._paths[1].close()  # it passes questions on to the others
        for lane in self._lanes:
            lane.close()

    def _put(self, ask: Callable[[Source], T | Open | Unproven[T]], urgency: Urgency = Urgency.NOW) -> Waiting[T]:
        waiting = Waiting[T](self._sources[0].name if self._sources else "nobody")
        self._pass_on(_Question(ask, waiting, urgency), 0)
        return waiting

    def _ask_for_path(self, paths: Paths, lane: Lane, document: Document, offset: int) -> Waiting[Members]:
        """Ask for the path of a module, others only where nothing is known of it."""
        waiting = Waiting[Members](paths.name)
        question = _Question(lambda source: source.names(document, offset, Position.MODULE), waiting)

        def settle() -> None:
            if not waiting.begin():
                waiting.settle(Open("no longer wanted"))
                return
            try:
                found = paths.names(document, offset)
            except Exception as fault:  # noqa: BLE001 -- told to whoever asked, where it is raised
                waiting.fail(fault)
                return
            if not isinstance(found, Open):
                waiting.settle(found, paths.name)
                return
            question.whys.append(found.why)
            if self._sources:
                waiting.passed_on(self._sources[0].name)
            self._pass_on(question, 0)

        lane.put(Urgency.NOW, settle)
        return waiting

    def _pass_on(self, question: _Question[T], number: int) -> None:
        """Have a source asked, where there is one."""
        if number < len(self._lanes):
            self._lanes[number].put(question.urgency, partial(self._settle, question, number))
        else:
            question.waiting.settle(Open("; ".join(question.whys) or self._absent))

    def _settle(self, question: _Question[T], number: int) -> None:
        """Ask one source: the first that knows anything has the word."""
        source, waiting = self._sources[number], question.waiting
        if not waiting.begin():
            waiting.settle(Open("; ".join([*question.whys, "no longer wanted"])))
            return
        try:
            found = question.ask(source)
        except PutOffError:
            self._pass_on(question, number)
        except Exception as fault:  # noqa: BLE001 -- told to whoever asked, where it is raised
            waiting.fail(fault)
        else:
            if isinstance(found, Unproven):
                waiting.so_far(found.so_far, source.name)
                self._have_proven(found, waiting, number)
            elif isinstance(found, Open):
                question.whys.append(found.why)
                are_more = number + 1 < len(self._sources)
                if are_more:
                    waiting.passed_on(self._sources[number + 1].name)
                pass_on = partial(self._pass_on, question, number + 1)
                if are_more and question.urgency is Urgency.AHEAD:
                    waiting.hold(pass_on)
                else:
                    pass_on()
            else:
                waiting.settle(found, source.name)

    def _have_proven(self, found: Unproven[T], waiting: Waiting[T], number: int) -> None:
        self._lanes[number].put(Urgency.PROOF, partial(self._prove, found, waiting, number))

    def _prove(self, found: Unproven[T], waiting: Waiting[T], number: int) -> None:
        """Find out the rest, if anybody still wants to know."""
        try:
            proven = found.prove() if waiting.begin() else found.so_far
        except PutOffError:
            self._have_proven(found, waiting, number)
        except Exception as fault:  # noqa: BLE001 -- as above
            waiting.fail(fault)
        else:
            waiting.settle(proven, self._sources[number].name)

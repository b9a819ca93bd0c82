"""A cache of what the checkers report of texts; a report holds as long as nothing else changes that they know.

The same texts come again: while a person types what would be suggested, the document with the rest of it inserted stays
the same, and once a suggestion is accepted, the document is the text that was verified. `CheckedDocument` and `Forms`
ask it.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from context_index import remember

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_index import Cancellation, Checker, Diagnostic, Document, Query, World

T = TypeVar("T")
_KEPT = 32
"""The most reports that are kept, of all documents together: a request needs few."""


@dataclass(frozen=True, slots=True)
class CheckerReport:
    """What a checker reports of a document."""

    diagnostics: tuple[Diagnostic, ...]
    definitions: Mapping[int, Sequence[int | None]] = field(default_factory=dict)
    """The offsets of the definitions of each name that it was asked about, by the name's offset.

    A definition in another file is None; a name without a definition has an empty sequence.
    """


@dataclass(frozen=True, slots=True)
class _CachedReport:
    """A report, or the question that will bring it."""

    revision: int
    """The revision of everything that the checker knows but the document, when it was asked."""
    names: frozenset[int]
    """The offsets of the names whose definitions were asked for."""
    cancellation: Cancellation
    """Ends the question, if the document changes before the answer is there."""
    answer: Future[CheckerReport]

    def answers(self, revision: int, names: frozenset[int], cancellation: Cancellation) -> bool:
        """Whether it may be used: nothing has changed, all names were asked about, and no other baseline can cancel it.

        Args:
            cancellation: The asking baseline's own.
        """
        is_safe = self.answer.done() or self.cancellation is cancellation
        return self.revision == revision and names <= self.names and is_safe and not has_failed(self.answer)


class Reports:
    """Asks checkers for reports, for each text once. Thread-safe."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = Lock()
        self._cache: dict[tuple[Checker, str, str], _CachedReport] = {}
        """By checker, URI and text."""

    def of(
        self, checker: Checker, document: Document, cancellation: Cancellation, names: Iterable[int] = ()
    ) -> Future[CheckerReport]:
        """What a checker reports of a document, with the definitions of the names at some offsets.

        The future fails with a `CheckerError`, or is cancelled.

        Args:
            cancellation: Ends the question once nobody needs the answer.
            names: Offsets of names; the report may have the definitions of others, too.
        """
        key, wanted = (checker, document.uri, document.text), frozenset(names)
        revision = self._world.revision_besides(document.uri)
        with self._lock:
            cached = self._cache.get(key)
            if cached is None or not cached.answers(revision, wanted, cancellation):
                question = partial(_report, names=sorted(wanted))
                answer = checker.ask(document, question, cancellation=cancellation)
                cached = _CachedReport(revision, wanted, cancellation, answer)
            remember(self._cache, key, cached, _KEPT)
        return cached.answer


def has_failed(answer: Future[T]) -> bool:
    """Whether a question has no answer and will have none: it was cancelled, or ended with an error."""
    return answer.done() and (answer.cancelled() or answer.exception() is not None)


def _report(query: Query, names: Iterable[int]) -> CheckerReport:
    return CheckerReport(*query.diagnostics_and_definitions(names))

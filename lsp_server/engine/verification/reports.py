"""What the checkers report of texts, kept for as long as nothing else changes that they know.

While one types what would have been suggested, the document with the rest of it inserted stays the same text; once a
suggestion is accepted, the document is the text that was verified.
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
    """Of the names that it was asked about, by their offsets: where they are defined; None in another file."""


@dataclass(frozen=True, slots=True)
class _CachedReport:
    """A report, or the question that will bring it."""

    basis: int
    """The revision of everything but the document."""
    names: frozenset[int]
    """The offsets of those whose definitions were asked for."""
    cancellation: Cancellation
    answer: Future[CheckerReport]

    def answers(self, basis: int, names: frozenset[int], cancellation: Cancellation) -> bool:
        """Whether it may be used: nothing has changed, and no other baseline may cancel it."""
        is_safe = self.answer.done() or self.cancellation is cancellation
        return self.basis == basis and names <= self.names and is_safe and not has_failed(self.answer)


class Reports:
    """Asks for reports, each once. Thread-safe."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = Lock()
        self._cache: dict[tuple[Checker, str, str], _CachedReport] = {}

    def of(
        self, checker: Checker, document: Document, cancellation: Cancellation, names: Iterable[int] = ()
    ) -> Future[CheckerReport]:
        """What a checker reports of a document, and of the definitions of some names in it at least."""
        key, wanted = (checker, document.uri, document.text), frozenset(names)
        basis = self._world.revision_besides(document.uri)
        with self._lock:
            cached = self._cache.get(key)
            if cached is None or not cached.answers(basis, wanted, cancellation):
                question = partial(_report, names=sorted(wanted))
                answer = checker.ask(document, question, cancellation=cancellation)
                cached = _CachedReport(basis, wanted, cancellation, answer)
            remember(self._cache, key, cached, _KEPT)
        return cached.answer


def has_failed(answer: Future[T]) -> bool:
    """Whether a question has no answer, and will have none."""
    return answer.done() and (answer.cancelled() or answer.exception() is not None)


def _report(asked: Query, names: Iterable[int]) -> CheckerReport:
    return CheckerReport(*asked.diagnostics_and_definitions(names))

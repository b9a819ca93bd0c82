"""What somebody who asks gets where nothing that the model writes is accepted: what the menu brings, in time.

Asks the service about the place, and judges every text before it is shown; knows neither models nor clients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from context_index import CursorKind, NameKind, closers, open_brackets
from decoder import SearchBudget, Stop
from lsp_server.engine.answer import listed_entry, silent, suggested
from lsp_server.engine.menu.candidates import unclosed_quote
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from threading import Event

    from decoder import Completion, CompletionTask
    from lsp_server.engine.menu.candidates import MenuCandidates
    from lsp_server.engine.site import Site
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion
    from lsp_server.engine.verification.judge import Judge

_MODELS_SHARE, _CONTINUED_SHARE = 0.5, 0.65
"""Of the time of somebody who asks: until when the model searches, and until when it goes on with texts of the menu. In
the rest, texts of the menu are verified as they are."""
_MOST_CONTINUED = 5
"""Texts of a menu with which the model begins where nothing that it wrote is accepted."""
_FROM_MENU = SearchBudget(forwards=20)
"""The budget for what the model writes after each of these."""
_MOST_LISTED = 30
"""Texts of a menu that are verified as they are."""
_BEGINNINGS = 6
"""Beginnings that are judged of a text that is not accepted, the longest first."""
_CALLED = frozenset({NameKind.FUNCTION, NameKind.METHOD, NameKind.CLASS})


class PlaceService(Protocol):
    """What is asked of the service about a place; each method is described there."""

    def candidates(self, site: Site, patience: float | None = None) -> MenuCandidates:
        """What a menu may list."""

    def rank(
        self, site: Site, start: int, names: Sequence[str], cancel: Event, *, seconds: float | None = None
    ) -> dict[str, float]:
        """The model's log-probability of each name."""

    def prior_scores(self, site: Site, found: MenuCandidates) -> dict[str, float]:
        """How much more probable than the others each text of a menu is, by the prior."""

    def write(self, request: CompletionRequest, task: CompletionTask, seconds: float | None) -> Completion | None:
        """What the model writes; None where it has not ended by then."""


def asks_menu(request: CompletionRequest) -> bool:
    """Whether the menu may bring a text: somebody asks, and neither a controller nor a selected item decides."""
    is_free = request.controller is None and not request.beginning
    return request.eagerness is None and is_free and request.is_verified


def model_share(request: CompletionRequest) -> float:
    """Until which share of the time the model may search, so that the menu has the rest."""
    return _MODELS_SHARE if asks_menu(request) else 1.0


@dataclass(frozen=True, slots=True)
class Fallback:
    """A request that the model has been asked about, and who is asked next."""

    service: PlaceService
    task: CompletionTask
    judge: Judge

    def answered(self, completion: Completion | None) -> Suggestion:
        """What the model has written, if it is accepted; else, for somebody who asks, what the menu brings.

        That is what the model writes after one of its first entries; where that is not accepted, the longest beginning
        of what it wrote that is; where there is none, the first entry that is.

        Args:
            completion: None where the model has not answered in time.
        """
        judge, clock = self.judge, self.judge.clock
        rejected = None if completion is None else judge.of(completion.text).rejected
        is_done = completion is not None and (rejected is None or rejected.final)
        if not is_done and asks_menu(judge.request) and not clock.is_over():
            listed = self._listed(is_model_free=completion is not None)
            if completion is not None:
                with_entry = self._begun_with(completion, listed)
                if with_entry is not None:
                    return suggested(*with_entry, judge)
            accepted = self._accepted_form(listed)
            if accepted is not None:
                return listed_entry(judge.of(accepted), judge)
        if completion is None:
            return silent(Withheld.EMPTY, "Time ran out before the model wrote anything.", clock, Stop.DEADLINE)
        return suggested(self.task, completion, judge)

    def _listed(self, *, is_model_free: bool) -> Sequence[_Listed]:
        """The first entries of the menu in its order; none inside of a word.

        Args:
            is_model_free: Whether the model can be asked; otherwise the checker's order counts, and the prior's.
        """
        service, request, site, clock = self.service, self.judge.request, self.judge.site, self.judge.clock
        text, offset = site.document.text, site.offset
        if site.rest:
            return ()
        found = service.candidates(site, clock.for_checkers())
        typed = text[found.start : offset]
        names = list(dict.fromkeys(item.text for item in found.items if item.text.startswith(typed)))
        scores: Mapping[str, float] = {}
        if is_model_free and names:
            left = clock.left(_CONTINUED_SHARE)
            scores = service.rank(site, found.start, names, request.cancel, seconds=left)
        prior = service.prior_scores(site, found)
        best = ordered(found.items, scores, text, found.start, offset, prior=prior)
        begun = (item for item in best if item.written.startswith(typed) and item.written != typed)
        is_key = found.kind is CursorKind.OBJECT_KEY and not site.cursor.callee
        listed = (
            _Listed(
                item.written.removeprefix(typed),
                is_called=item.listed is not None and item.kind in _CALLED,
                is_key=is_key and item.listed is not None,
            )
            for item in sorted(begun, key=lambda item: item.text.endswith("="))  # the name of an argument is no value
        )
        return list(dict.fromkeys(listed))[:_MOST_LISTED]

    def _begun_with(
        self, completion: Completion, listed: Sequence[_Listed]
    ) -> tuple[CompletionTask, Completion] | None:
        """What the model writes after one of the first entries of a menu; else the longest accepted beginning of that.

        Args:
            completion: What it wrote without them, of which a beginning may be accepted.
        """
        judge, clock = self.judge, self.judge.clock
        tried = [(self.task, completion)]
        until = clock.until(_CONTINUED_SHARE)
        task = replace(self.task, budget=_FROM_MENU, verify=judge.verify_strictly, deadline=until)
        for entry in listed[:_MOST_CONTINUED]:
            if clock.is_over(_CONTINUED_SHARE):
                break
            with_entry = replace(task, beginning=entry.text)
            other = self.service.write(judge.request, with_entry, clock.left(_CONTINUED_SHARE))
            if other is None:
                break
            if judge.verify_strictly(other.text) is None:
                return with_entry, other
            tried.append((with_entry, other))
        for with_entry, other in tried:
            if (length := self._accepted_length(other)) is not None:
                return with_entry, other.up_to(length)
        return None

    def _accepted_length(self, completion: Completion) -> int | None:
        """The length of the longest beginning of a rejected text that is accepted, of the few longest ones."""
        why = self.judge.of(completion.text).rejected
        lengths = [] if why is not None and why.whole else [beginning.length for beginning in completion.beginnings]
        for length in lengths[: -_BEGINNINGS - 1 : -1]:
            if self.judge.clock.is_over(_CONTINUED_SHARE):
                return None
            if self.judge.verify(completion.text[:length]) is None:
                return length
        return None

    def _accepted_form(self, listed: Sequence[_Listed]) -> str | None:
        """The first form of an entry that is accepted as it is, in the time that is left."""
        for form in _forms(listed, self._closing()):
            if self.judge.clock.is_over():
                return None
            why = self.judge.verify_strictly(form.text) if form.is_whole else self.judge.verify(form.text)
            if why is None or (form.goes_on and why.last_resort):
                return form.text
        return None

    def _closing(self) -> str:
        """What closes the string that the place is in, and the brackets that its line has opened."""
        site = self.judge.site
        line = site.document.lines[site.document.position(site.offset).line]
        brackets = [bracket for bracket in open_brackets(site.syntax, site.offset) if bracket.start >= line]
        return unclosed_quote(site) + closers(reversed(brackets))


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of a menu."""

    text: str
    """What it writes after what is typed of it."""
    is_called: bool
    """Whether it may be called."""
    is_key: bool
    """Whether a value follows it."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A text in which an entry of a menu may be shown alone."""

    text: str
    is_whole: bool = False
    """Whether it closes what is open, so that nothing may be wrong with what follows."""
    goes_on: bool = False
    """Whether more may have to follow."""


def _forms(listed: Iterable[_Listed], closing: str) -> Iterator[_Form]:
    """The forms in which each entry of a menu may be shown alone.

    Args:
        closing: What closes the string, or the brackets, that the entries are in.
    """
    for entry in listed:
        yield _Form(entry.text)
        if entry.is_key:
            yield _Form(f"{entry.text}: ", goes_on=True)
        if closing:
            yield _Form(entry.text + closing, is_whole=True)
        if entry.is_called:
            yield _Form(f"{entry.text}()", goes_on=True)

"""What an explicit request is answered where nothing that the model wrote is accepted: a text with the menu's help.

`Service.complete` hands every completion to `Fallback.answered`. An automatic request gets no fallback. Every text is
judged before it is shown. Knows neither models nor clients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf
from typing import TYPE_CHECKING, Protocol

from context_index import CursorKind, NameKind, closers, open_brackets
from decoder import SearchBudget, Stop
from lsp_server.engine.answer import listed_entry, silent, suggested
from lsp_server.engine.menu.candidates import unclosed_quote
from lsp_server.engine.menu.order import ordered
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from decoder import Completion, CompletionTask
    from lsp_server.engine.menu.candidates import MenuCandidate, MenuCandidates
    from lsp_server.engine.menu.name_ranker import NameRanker
    from lsp_server.engine.site import Site
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion
    from lsp_server.engine.verification.judge import Judge

_MODELS_SHARE, _CONTINUED_SHARE = 0.5, 0.65
"""Shares of an explicit request's time: until the first, the model searches; until the second, it continues entries of
the menu. In the rest, entries are verified as they are."""
_MOST_CONTINUED = 5
"""The most entries that the model continues."""
_FROM_MENU = SearchBudget(forwards=20)
"""The budget for continuing one entry."""
_MOST_LISTED = 30
"""The most entries that are verified as they are."""
_BEGINNINGS = 6
"""The most beginnings of a rejected text that are judged, the longest first."""
_LEAST_SCORE = -10.0
"""The least log-probability (natural) of an entry at `_ANYWHERE` where nothing is typed: any name in scope is accepted
there. At 292 pauses of replays (`inscope bench replays --set fitting`) on empty lines and after finished ones, entries
brought 25 texts, none of them right. After the finished lines, where nothing more came, all 22 had -13 and less; on the
empty ones they had -7 and more."""
_ANYWHERE = frozenset({CursorKind.NAME, CursorKind.BLANK_LINE})
"""Places of which no checker says what fits."""
_CALLED = frozenset({NameKind.FUNCTION, NameKind.METHOD, NameKind.CLASS})
"""Kinds of names that may be called."""


class PlaceService(Protocol):
    """The methods of `Service` that are used here; they are described there."""

    def candidates(self, site: Site, patience: float | None = None) -> MenuCandidates:
        """What a menu may list."""

    def ranker(self, site: Site, start: int, *, max_tokens: int) -> NameRanker:
        """What has the model rank names."""

    def known_scores(self, site: Site, start: int) -> Mapping[str, float]:
        """What the model has said of the names there already."""

    def prior_scores(self, site: Site, menu: MenuCandidates) -> dict[str, float]:
        """How much more probable than the others each text of a menu is, in nats, by the prior."""

    def write(self, request: CompletionRequest, task: CompletionTask, seconds: float | None) -> Completion | None:
        """What the model writes; None where it has not ended after `seconds`."""


def asks_menu(request: CompletionRequest) -> bool:
    """Whether the menu may help: the request is explicit and verified, without a controller."""
    return request.eagerness is None and request.controller is None and request.is_verified


def model_share(request: CompletionRequest) -> float:
    """The share of the time in which the model searches; the rest is for the menu."""
    return _MODELS_SHARE if asks_menu(request) else 1.0


@dataclass(frozen=True, slots=True)
class Fallback:
    """Answers one request after the model's search."""

    service: PlaceService
    task: CompletionTask
    judge: Judge

    def answered(self, completion: Completion | None) -> Suggestion:
        """The model's text if it is accepted; else, for an explicit request, a text with the menu's help.

        The first of these that is accepted:

        1. a text that the model writes after one of the menu's first entries;
        2. the longest beginning of a text that it wrote, without an entry or after one;
        3. an entry of the menu alone;
        4. an entry that is right as far as it goes, and leaves open what stands before it.

        If an item of the menu is selected, it is the only entry.

        Args:
            completion: None where the model has not answered in time; then only entries are tried.
        """
        judge, clock = self.judge, self.judge.clock
        rejected = None if completion is None else judge.of(completion.text).rejected
        is_settled = completion is not None and (rejected is None or rejected.final)
        if not is_settled and asks_menu(judge.request) and not clock.is_over():
            listed = self._listed(is_model_free=completion is not None)
            if completion is not None:
                continued = self._continued(completion, listed)
                if continued is not None:
                    task, written, score = continued
                    suggestion = suggested(task, written, judge)
                    return replace(suggestion, probability=suggestion.probability * exp(min(score, 0.0)))
            accepted = self._accepted_form(listed)
            if accepted is not None:
                return listed_entry(judge.of(accepted), judge)
        if completion is None:
            return silent(Withheld.EMPTY, "Time ran out before the model wrote anything.", clock, Stop.DEADLINE)
        return suggested(self.task, completion, judge)

    def _listed(self, *, is_model_free: bool) -> Sequence[_MenuEntry]:
        """The first entries of the menu, in its order, that begin with what is typed; none inside of a word.

        If an item is selected, only what begins as it does, or the item itself, which another service may list alone.

        If the typed word is a name in scope itself, what must be imported is among them only if it is more probable:
        `max` is no beginning of a name that only some module has.

        Where nothing is typed, and no checker says what fits, the model must find an entry possible (`_LEAST_SCORE`).

        Args:
            is_model_free: Whether the model can rank them; otherwise what it said of them in the menu counts, or the
                prior and the checker's order.
        """
        service, request, site, clock = self.service, self.judge.request, self.judge.site, self.judge.clock
        text, offset = site.document.text, site.offset
        if site.rest:
            return ()
        menu = service.candidates(site, clock.for_checkers())
        typed = text[menu.start : offset]
        start = typed + request.beginning
        names = list(dict.fromkeys(item.text for item in menu.items if item.text.startswith(start)))
        scores = service.known_scores(site, menu.start)  # else its first entry might not be the open menu's
        if is_model_free and names:
            left = clock.left(_CONTINUED_SHARE)
            ranker = service.ranker(site, menu.start, max_tokens=request.max_tokens)
            scores = ranker.rank(names, request.cancel, seconds=left)
        prior = service.prior_scores(site, menu)
        best = ordered(menu.items, scores, text, menu.start, offset, prior=prior)
        begun = [item for item in best if item.written and item.written.startswith(start)]
        if request.beginning and not begun:
            return (_MenuEntry(request.beginning),)
        begun = list(_without_imports_below(typed, begun))
        is_key = menu.kind is CursorKind.OBJECT_KEY and not site.cursor.callee
        entries = (
            _MenuEntry(
                item.written.removeprefix(typed),
                is_called=item.listed is not None and item.kind in _CALLED,
                is_key=is_key and item.listed is not None,
                score=scores.get(item.text, -inf),
            )
            for item in sorted(begun, key=lambda item: item.text.endswith("="))  # `limit=` comes last: it is no value
        )
        is_anywhere = menu.kind is None and site.cursor.kind in _ANYWHERE and not typed
        least = _LEAST_SCORE if is_anywhere and scores else -inf
        return list(dict.fromkeys(entry for entry in entries if entry.score >= least))[:_MOST_LISTED]

    def _continued(
        self, completion: Completion, listed: Sequence[_MenuEntry]
    ) -> tuple[CompletionTask, Completion, float] | None:
        """The first accepted text that the model writes after an entry; else an accepted beginning of a rejected text.

        None where nothing is accepted in time.

        Args:
            completion: What the model wrote without an entry; it is rejected, but a beginning of it may be accepted.

        Returns:
            The task, the completion, and the score of the entry that it was written after, which the completion's own
            probability takes for given; 0 without an entry.
        """
        judge, clock = self.judge, self.judge.clock
        rejected = [(self.task, completion, 0.0)]
        until = clock.until(_CONTINUED_SHARE)
        task = replace(self.task, budget=_FROM_MENU, verify=judge.verify_strictly, deadline=until)
        # after the selected item the model has written already
        for entry in [entry for entry in listed if entry.text not in {"", self.task.beginning}][:_MOST_CONTINUED]:
            if clock.is_over(_CONTINUED_SHARE):
                break
            with_entry = replace(task, beginning=entry.text)
            continued = self.service.write(judge.request, with_entry, clock.left(_CONTINUED_SHARE))
            if continued is None:
                break
            if judge.verify_strictly(continued.text) is None:
                return with_entry, continued, entry.score
            rejected.append((with_entry, continued, entry.score))
        for written_for, written, score in rejected:
            if (length := self._accepted_length(written)) is not None:
                return written_for, written.up_to(length), score
        return None

    def _accepted_length(self, completion: Completion) -> int | None:
        """The length of the longest accepted beginning of a rejected text; None where the longest few are rejected.

        The item that is selected in the menu is in it.
        """
        why = self.judge.of(completion.text).rejected
        beginnings = () if why is not None and why.whole else completion.beginnings
        least = len(self.judge.request.beginning)
        lengths = [beginning.length for beginning in beginnings if beginning.length >= least]
        for length in lengths[: -_BEGINNINGS - 1 : -1]:
            if self.judge.clock.is_over(_CONTINUED_SHARE):
                return None
            if self.judge.verify(completion.text[:length]) is None:
                return length
        return None

    def _accepted_form(self, listed: Sequence[_MenuEntry]) -> str | None:
        """The text of the first form of an entry that is accepted; None where none is in the time that is left.

        If all are rejected, the first last resort, unless the line must open what lines below close.
        """
        resort: str | None = None
        may_stay_open = not self.judge.site.opening
        for form in _forms(listed, self._closing()):
            if self.judge.clock.is_over():
                break
            why = self.judge.verify_strictly(form.text) if form.is_whole else self.judge.verify(form.text)
            if why is None or (form.goes_on and why.last_resort):
                return form.text
            if why.last_resort and may_stay_open and resort is None:
                resort = form.text
        return resort

    def _closing(self) -> str:
        """The quote and the brackets that close what is open at the cursor: an import's path, the line's brackets."""
        site = self.judge.site
        line = site.document.lines[site.document.position(site.offset).line]
        brackets = [bracket for bracket in open_brackets(site.syntax, site.offset) if bracket.start >= line]
        return unclosed_quote(site) + closers(reversed(brackets))


@dataclass(frozen=True, slots=True)
class _MenuEntry:
    """An entry of a menu."""

    text: str
    """What it writes at the cursor: the entry without what is typed of it; empty if all of it is typed."""
    is_called: bool = False
    """Whether it may be called."""
    is_key: bool = False
    """Whether it is a key that a value must follow."""
    score: float = -inf
    """The model's log-probability (natural) of it; minus infinity where it is not known."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A text in which an entry of a menu may be shown alone."""

    text: str
    is_whole: bool = False
    """Whether it closes what is open; then it is verified strictly, with what follows in the file."""
    goes_on: bool = False
    """Whether it may be shown as a last resort though something must follow it, as a value follows `size: `."""


def _without_imports_below(typed: str, items: Iterable[MenuCandidate]) -> Iterator[MenuCandidate]:
    """Candidates in their order; below the typed word itself, if it is a name in scope, only those in scope.

    A word of the grammar does not count: `get` begins many names.
    """
    is_below = False
    for item in items:
        is_name = item.importable is None and item.kind is not NameKind.KEYWORD
        is_below = is_below or (is_name and item.written == typed)
        if not is_below or item.importable is None:
            yield item


def _forms(listed: Iterable[_MenuEntry], closing: str) -> Iterator[_Form]:
    """The forms in which each entry of a menu may be shown alone, such as `size`, `size: `, `size)` and `size()`.

    Args:
        closing: What closes the string, or the brackets, that the entries are in.
    """
    for entry in listed:
        if entry.text:
            yield _Form(entry.text)
        if entry.is_key:
            yield _Form(f"{entry.text}: ", goes_on=True)
        if closing:
            yield _Form(entry.text + closing, is_whole=True)
        if entry.is_called:
            yield _Form(f"{entry.text}()", goes_on=True)

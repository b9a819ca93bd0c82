"""`textDocument/completion`: names in scope, names that other files export, and members, the most probable first.

**Time.** Of `completion.deadlineMs`, a type checker gets a share and the model the rest. The menu does not wait for a
model that is loading, and for a busy one at most twice its time. If another service lists names in the same file, the
editor shows nothing before it has both lists: then checker and model together get three tenths of the deadline, and the
model reads no names of several tokens to their ends, which does not change which ones are the most probable. If it is
late all the same, it goes on computing for the word's next menu.

**Ghost text** that is shown at the place begins with the first entry: who opens the menu beside it sees them agree.

**What is late** is missing: a checker's entries, or the model's order. Then the list is marked incomplete, so that the
editor asks again at the next keystroke, and gets what was computed since. Only while its document is read for the first
time, a menu that would be empty waits for the checker. Where nothing can be listed (strings, comments, new names), the
list is empty.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from context_index import CursorKind
from lsp_server.engine.clock import Clock
from lsp_server.engine.menu import order
from lsp_server.engine.menu.candidates import replaced_length, words_beside
from lsp_server.engine.menu.name_ranker import RANKING_FORWARDS, WordPlace
from lsp_server.engine.menu.separator import missing_comma
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import MenuMode
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers import resolve
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document
from lsp_server.lsp.word_ranking import NameScores, RankedWord, Ranking
from lsp_server.settings.table import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_index import Edit, Misfits
    from lsp_server.engine.menu.candidates import Listing, MenuCandidate, MenuCandidates
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

TRIGGERS = (".", "'", '"')
"""Characters that open the menu, as a type checker may know what follows. Letters of a name open it without these."""
_AFTER_DOT = frozenset({CursorKind.MEMBER, CursorKind.IMPORT_PATH})
_AFTER_QUOTE = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.OBJECT_KEY})
"""The kinds of places at which a dot or a quote opens the menu."""
_PATIENCE = 2
"""The menu waits for the model for this many times what is left of the deadline once the names are listed."""
_CHECKERS_SHARE = 0.6
"""The checker's share of the deadline; the rest is the model's."""
_BESIDE_SHARE = 0.3
"""The share of the deadline that a menu has beside another service: the editor shows nothing before it has both."""
_FIRST_SECONDS = 3.0
"""How long a menu that would be empty waits while its document is read for the first time. Beside another service it
does not wait, as that one's list would wait with it."""
_BESIDE_FORWARDS = 0
"""See `RANKING_FORWARDS`. Of 187 fitting places the first entry was right at 71 with 0 and with 8, and at 60 without
the model. 0 take 4 to 12 ms of processor time, and 8 take 29 to 45."""
_NOTHING = types.CompletionList(is_incomplete=False, items=[])
_SUPERSEDED = types.CompletionList(is_incomplete=True, items=[])


@about_document(lambda _server, _why: _NOTHING)
def complete(
    server: Server, params: types.CompletionParams, snapshot: Snapshot
) -> types.CompletionList | Later[types.CompletionList]:
    """The menu at the cursor; an incomplete, empty one for a request that a newer one has replaced."""
    if mode_of(snapshot.settings, snapshot.document.language) is MenuMode.OFF:
        return _NOTHING
    trigger = params.context.trigger_character if params.context else None
    menu = _Menu(server, snapshot, snapshot.offset(from_proto.place(params.position)), trigger)
    return partial(server.schedule.newest, (complete, snapshot.uri), menu.answer, lambda: _SUPERSEDED)


class _WordRanker:
    """Has the model rank the names of a menu; it may read the prompt while the checker still lists them."""

    def __init__(self, server: Server, snapshot: Snapshot, listing: Listing) -> None:
        self.site = site = listing.site
        self._server = server
        self._word = RankedWord(WordPlace.at(site, listing.start), snapshot.settings_revision)
        most = snapshot.settings.inline_max_tokens
        self._ranker = server.engine.service.ranker(site, listing.start, max_tokens=most)

    def read_ahead(self, stop: Event) -> None:
        """Have the model read the prompt, unless it ranks names of the word already.

        Args:
            stop: Once it is set, the model reads no further.
        """
        if self._server.engine.has_model and not self._server.session.ranking.has(self._word):
            self._ranker.read_ahead(stop)

    def ranking(self, candidates: Sequence[MenuCandidate], *, seconds: float, forwards: int) -> Ranking | None:
        """The ranking of the candidates, which goes on for the word's next menus; None without a model.

        Args:
            seconds: How long the model may take.
            forwards: See `RANKING_FORWARDS`.
        """
        engine = self._server.engine
        if not engine.has_model:
            return None
        texts = list(dict.fromkeys(candidate.text for candidate in candidates))

        def rank(give_up: Event) -> NameScores:
            scores = self._ranker.rank(texts, give_up, forwards=forwards)
            return NameScores(scores, not give_up.is_set())

        rank_in_time = partial(self._server.schedule.blocking, rank, seconds=seconds)
        return self._server.session.ranking.of(self._word, texts, rank_in_time)


class _Scores(NamedTuple):
    """By what the candidates of a menu are ordered; `order.ranked` says what each counts."""

    by_model: Mapping[str, float]
    is_final: bool
    """Whether asking again would bring no more from the model."""
    misfits: Misfits
    prior: Mapping[str, float]


class _Menu:
    """One menu at an offset of the client's document: its names are listed, then scored, then the entries are chosen.

    **Two deadlines,** in seconds. `_whole` is the setting's. `_own` is the menu's, by which it is answered; it is
    shorter beside another service. The model may go on until `_whole` has passed, for the word's next menu.

    **Two kinds of offsets.** A cell of a notebook is completed within the program of all its cells. A `Site` and
    `MenuCandidates` count from the program's start. `_offset` and `snapshot.alone`, the cell by itself, count from the
    cell's. They differ by `snapshot.shift`, which is 0 for all other documents.
    """

    def __init__(self, server: Server, snapshot: Snapshot, offset: int, trigger: str | None) -> None:
        """Compute nothing yet.

        Args:
            trigger: The character whose typing opened the menu; None where the client asks for another reason.
        """
        self._server, self._snapshot, self._offset, self._trigger = server, snapshot, offset, trigger
        settings = snapshot.settings
        self._is_beside = mode_of(settings, snapshot.document.language) is MenuMode.BEST
        """Whether another service lists names in the same file."""
        self._whole = settings.completion_deadline_ms / 1000
        self._own = self._whole * _BESIDE_SHARE if self._is_beside else self._whole
        self._stop_reading = Event()
        """Set once nobody waits for the menu: the model reads no further ahead."""

    async def answer(self) -> types.CompletionList:
        """The menu. Called once."""
        try:
            ranker, candidates, left = await self._list()
            if not candidates.items or not _is_wanted(candidates.kind, self._trigger):
                return types.CompletionList(is_incomplete=not candidates.complete, items=[])
            compared, scores = await self._score(ranker, candidates, left)
            return await self._show(ranker.site, candidates, compared, scores)
        finally:
            self._stop_reading.set()

    async def _list(self) -> tuple[_WordRanker, MenuCandidates, float]:
        """What may be listed, who ranks it, and the seconds that are left of the menu's own deadline.

        The deadline begins anew if the menu waited for its document to be read.
        """
        loop, blocking = asyncio.get_running_loop(), self._server.schedule.blocking
        until = loop.time() + self._own
        ranker, candidates = await blocking(self._list_once)
        waits = not (candidates.items or candidates.complete or self._is_beside)
        if waits and await self._server.readings.wait(self._snapshot.uri, _FIRST_SECONDS):
            until = loop.time() + self._own
            ranker, candidates = await blocking(self._list_once)
        return ranker, candidates, max(until - loop.time(), 0.0)

    def _list_once(self, _give_up: Event) -> tuple[_WordRanker, MenuCandidates]:
        """What may be listed by the end of the checker's share, and who ranks it; blocks."""
        engine, snapshot = self._server.engine, self._snapshot
        clock = Clock(self._own * _CHECKERS_SHARE)
        # beside another service nobody waits for what the ghost text's request learns of newer syntax a moment later
        patience = 0.0 if self._is_beside else clock.left()
        site = Site(engine.workspace, snapshot.syntax, snapshot.shift + self._offset)
        listing = engine.service.listing(site, patience)
        ranker = _WordRanker(self._server, snapshot, listing)
        if listing.may_list and _is_wanted(listing.kind, self._trigger):
            ranker.read_ahead(self._stop_reading)
        return ranker, listing.finished(clock.left())

    async def _score(
        self, ranker: _WordRanker, candidates: MenuCandidates, left: float
    ) -> tuple[MenuCandidates, _Scores]:
        """What model, checker and prior say of the candidates, all asked at once.

        Beside another service the grammar's words are scored, too. That service lists them, and one that begins with
        what is typed may be more probable than what would get a star: it is among the candidates that are returned.

        Args:
            left: Seconds that are left of the menu's own deadline.
        """
        service, blocking, site = self._server.engine.service, self._server.schedule.blocking, ranker.site
        words = words_beside(site, candidates) if self._is_beside else ()
        ranking = ranker.ranking(
            (*candidates.items, *words),
            seconds=left + self._whole - self._own,
            forwards=_BESIDE_FORWARDS if self._is_beside else RANKING_FORWARDS,
        )
        typed = site.document.text[candidates.start : site.offset]
        begun = tuple(word for word in words if typed and word.text.startswith(typed))
        compared = replace(candidates, items=candidates.items + begun)
        (by_model, is_final), misfits, prior = await asyncio.gather(
            _model_scores(self._server, ranking, left if self._is_beside else _PATIENCE * left),
            blocking(lambda _give_up: service.misfits(site, compared, left)),
            blocking(lambda _give_up: service.prior_scores(site, compared)),
        )
        return compared, _Scores(by_model, is_final, misfits, prior)

    async def _show(
        self, site: Site, candidates: MenuCandidates, compared: MenuCandidates, scores: _Scores
    ) -> types.CompletionList:
        """The menu for the client, which is remembered as listed.

        Args:
            compared: The candidates, and the words among which they are ordered.
        """
        server, snapshot, offset = self._server, self._snapshot, self._offset
        start = candidates.start - snapshot.shift
        end = offset + replaced_length(snapshot.document.text, offset, candidates.kind)
        ghost_text = _shown(server, snapshot, offset, start)

        def choose(_give_up: Event) -> tuple[list[order.MenuEntry], int, Edit | None]:
            """The entries to show, how many of the first ones get a star, and a missing comma before them."""
            ranked = order.led_by(_ranked(site, compared, scores), ghost_text)
            chosen, stars = [candidate for candidate, _ in ranked], 0
            if self._is_beside:
                chosen, stars = order.best(ranked, snapshot.document.text[start:offset])
            comma = missing_comma(snapshot.alone, start, end) if candidates.kind is CursorKind.OBJECT_KEY else None
            return _entries(server, snapshot, chosen[: snapshot.settings.completion_limit]), stars, comma

        entries, stars, comma = await server.schedule.blocking(choose)
        server.session.list(snapshot.uri, _listed(entries, start))
        return to_proto.menu(
            entries,
            (start, offset, end),
            snapshot=snapshot,
            client=server.session.client,
            stars=stars,
            comma=comma,
            incomplete=len(candidates.items) > len(entries) or not scores.is_final or not candidates.complete,
            data=resolve.data(snapshot.uri, site.document.text, candidates),
        )


def _ranked(site: Site, candidates: MenuCandidates, scores: _Scores) -> list[tuple[MenuCandidate, float]]:
    """The candidates with their probabilities, most probable first."""
    return order.ranked(
        candidates.items,
        scores.by_model,
        site.document.text,
        candidates.start,
        site.offset,
        prior=scores.prior,
        misfits=scores.misfits,
    )


def _shown(server: Server, snapshot: Snapshot, offset: int, start: int) -> str:
    """The ghost text that is shown at an offset, with the half-typed word from `start` on; empty where none is."""
    shown = server.session.shown(snapshot.uri)
    ghost = None if shown is None else shown.at(snapshot.document, offset)
    return "" if ghost is None else snapshot.document.text[start:offset] + ghost.text


def _entries(server: Server, snapshot: Snapshot, candidates: Sequence[MenuCandidate]) -> list[order.MenuEntry]:
    """The entries of candidates, with their imports unless the client asks for these later."""
    if server.session.client.resolves_imports:
        return [order.MenuEntry(candidate) for candidate in candidates]
    return order.entries(snapshot.alone, candidates, server.engine.workspace.module_kind(snapshot.document))


def _listed(entries: Iterable[order.MenuEntry], start: int) -> frozenset[tuple[int, str]]:
    """Where each entry begins and what it writes: by this a client later names the selected entry."""
    return frozenset(to_proto.written(entry.candidate, start) for entry in entries)


def _is_wanted(kind: CursorKind | None, trigger: str | None) -> bool:
    """Whether a menu should open: a dot or a quote may also end something, such as a number or a string."""
    if trigger is None:
        return True
    return kind in (_AFTER_DOT if trigger == "." else _AFTER_QUOTE)


async def _model_scores(server: Server, ranking: Ranking | None, seconds: float) -> NameScores:
    """What the model knows after at most `seconds`.

    Texts that it has not ranked by then are missing. After a RequestError all are; any other error is raised.
    """
    if ranking is None:
        is_loading = server.engine.warm_up() is not None  # then later menus may have its scores
        return NameScores(is_final=not is_loading)
    await asyncio.wait({ranking.task}, timeout=seconds)
    if not ranking.task.done() or ranking.task.cancelled():  # late, or another word is being completed
        return ranking.scores
    if (fault := ranking.task.exception()) is not None:
        if not isinstance(fault, RequestError):
            raise fault
        return NameScores(is_final=True)  # the model's own event reports the error
    return ranking.scores

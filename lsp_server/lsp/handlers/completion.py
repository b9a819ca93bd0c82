"""`textDocument/completion`: names in scope, names that other files export, and members, the most probable first.

**Time.** Of `completion.deadlineMs`, a type checker gets a share and the model the rest. The menu does not wait for a
model that is loading, and for a busy one at most twice its time. If another service lists names in the same file, the
editor shows nothing before it has both lists: then checker and model together get a quarter of the deadline, and the
model reads no names of several tokens to their ends, which does not change which ones are the most probable. If it is
late all the same, it goes on computing for the word's next menu.

**What is late** is missing: a checker's entries, or the model's order. Then the list is marked incomplete, so that the
editor asks again at the next keystroke, and gets what was computed since. Where nothing can be listed (strings,
comments, new names), the list is empty.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from context_index import CursorKind
from lsp_server.engine.menu import order
from lsp_server.engine.menu.candidates import replaced_length
from lsp_server.engine.menu.separator import missing_comma
from lsp_server.engine.service import RANKING_FORWARDS
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import MenuMode
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers import resolve
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document
from lsp_server.lsp.word_ranking import NameScores, Ranking, WordPlace
from lsp_server.settings.table import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from threading import Event

    from context_index import Edit, Misfits
    from lsp_server.engine.engine import Engine
    from lsp_server.engine.menu.candidates import MenuCandidate, MenuCandidates
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

TRIGGERS = (".", "'", '"')
"""Characters that open the menu, as a type checker may know what follows. Letters of a name open it without these."""
_AFTER_DOT = frozenset({CursorKind.MEMBER, CursorKind.IMPORT_PATH})
_AFTER_QUOTE = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.OBJECT_KEY})
"""The kinds of places at which a dot or a quote opens the menu."""
_PATIENCE = 2
"""The menu waits for the model for this many times what the checker has left of the deadline."""
_CHECKERS_SHARE = 0.6
"""The checker's share of the deadline; the rest is the model's."""
_BESIDE_SHARE = 0.25
"""The share of the deadline that a menu has beside another service: the editor shows nothing before it has both."""
_BESIDE_FORWARDS = 0
"""See `RANKING_FORWARDS`. Of 187 fitting places the first entry was right at 71 with 0 and with 8, for 4 to 12 ms of
processor time and 29 to 45; without the model at 60."""
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
    menu = partial(_menu, server, snapshot, snapshot.offset(from_proto.place(params.position)), trigger)
    return partial(server.schedule.newest, (complete, snapshot.uri), menu, lambda: _SUPERSEDED)


class _Scores(NamedTuple):
    """By what the candidates of a menu are ordered; `order.ranked` says what each counts."""

    by_model: Mapping[str, float]
    is_final: bool
    """Whether asking again would bring no more from the model."""
    misfits: Misfits
    prior: Mapping[str, float]


async def _menu(server: Server, snapshot: Snapshot, offset: int, trigger: str | None) -> types.CompletionList:
    """The menu at an offset of the client's document.

    **Two deadlines.** `whole` is the setting's. `own` is the menu's, by which it is answered; it is shorter beside
    another service. The model may go on until `whole` has passed, for the word's next menu.

    **Two kinds of offsets.** A cell of a notebook is completed within the program of all its cells. `program_offset`,
    `site` and `candidates` count from the program's start. `offset`, `start`, `end` and `snapshot.alone`, the cell by
    itself, count from the cell's. They differ by `snapshot.shift`, which is 0 for all other documents.

    Args:
        trigger: The character whose typing opened the menu; None where the client asks for another reason.
    """
    engine, settings, loop = server.engine, snapshot.settings, asyncio.get_running_loop()
    program_offset = snapshot.shift + offset
    is_beside = mode_of(settings, snapshot.document.language) is MenuMode.BEST  # beside another service
    whole = settings.completion_deadline_ms / 1000
    own = whole * _BESIDE_SHARE if is_beside else whole
    until = loop.time() + own

    def list_candidates(_give_up: Event) -> tuple[Site, MenuCandidates]:
        site = Site(engine.workspace, snapshot.syntax, program_offset)
        return site, engine.service.candidates(site, own * _CHECKERS_SHARE)

    site, candidates = await server.schedule.blocking(list_candidates)
    if not candidates.items or not _is_wanted(candidates, trigger):
        return types.CompletionList(is_incomplete=not candidates.complete, items=[])
    left = max(until - loop.time(), 0.0)
    forwards = _BESIDE_FORWARDS if is_beside else RANKING_FORWARDS
    ranking = _ranking(server, snapshot, site, candidates, seconds=left + whole - own, forwards=forwards)
    patience = left if is_beside else _PATIENCE * left
    scores = await _scores(server, site, candidates, ranking, patience=patience, checker_seconds=left)

    length = replaced_length(snapshot.document.text, offset, candidates.kind)
    start, end = candidates.start - snapshot.shift, offset + length

    def choose_entries(_give_up: Event) -> tuple[list[order.MenuEntry], int, Edit | None]:
        """The entries to show, how many of the first ones get a star, and a missing comma before them."""
        ranked = _ranked(site, candidates, scores)
        chosen, stars = [candidate for candidate, _ in ranked], 0
        if is_beside:
            chosen, stars = order.best(ranked, site.document.text[candidates.start : program_offset])
        comma = missing_comma(snapshot.alone, start, end) if candidates.kind is CursorKind.OBJECT_KEY else None
        return _entries(server, engine, snapshot, chosen[: settings.completion_limit]), stars, comma

    entries, stars, comma = await server.schedule.blocking(choose_entries)
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


async def _scores(
    server: Server,
    site: Site,
    candidates: MenuCandidates,
    ranking: Ranking | None,
    *,
    patience: float,
    checker_seconds: float,
) -> _Scores:
    """What the model, the checker and the prior say of the candidates, all asked at once.

    Args:
        ranking: The model's, which has begun already; None without a model.
        patience: How many seconds to wait for it.
        checker_seconds: How many seconds the checker may take.
    """
    service, blocking = server.engine.service, server.schedule.blocking
    (by_model, is_final), misfits, prior = await asyncio.gather(
        _model_scores(server, ranking, patience),
        blocking(lambda _give_up: service.misfits(site, candidates, checker_seconds)),
        blocking(lambda _give_up: service.prior_scores(site, candidates)),
    )
    return _Scores(by_model, is_final, misfits, prior)


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


def _entries(
    server: Server, engine: Engine, snapshot: Snapshot, candidates: Sequence[MenuCandidate]
) -> list[order.MenuEntry]:
    """The entries of candidates, with their imports unless the client asks for these later."""
    if server.session.client.resolves_imports:
        return [order.MenuEntry(candidate) for candidate in candidates]
    return order.entries(snapshot.alone, candidates, engine.workspace.module_kind(snapshot.document))


def _listed(entries: Iterable[order.MenuEntry], start: int) -> frozenset[tuple[int, str]]:
    """Where each entry begins and what it writes: by this a client later names the selected entry."""
    return frozenset(to_proto.written(entry.candidate, start) for entry in entries)


def _is_wanted(candidates: MenuCandidates, trigger: str | None) -> bool:
    """Whether a menu should open: a dot or a quote may also end something, such as a number or a string."""
    if trigger is None:
        return True
    return candidates.kind in (_AFTER_DOT if trigger == "." else _AFTER_QUOTE)


def _ranking(
    server: Server, snapshot: Snapshot, site: Site, candidates: MenuCandidates, *, seconds: float, forwards: int
) -> Ranking | None:
    """The model's ranking of the candidates, which goes on for the word's next menus; None without a model.

    Args:
        seconds: How long the model may take.
        forwards: See `RANKING_FORWARDS`.
    """
    engine, text = server.engine, site.document.text
    if not engine.has_model:
        return None
    texts = list(dict.fromkeys(candidate.text for candidate in candidates.items))

    def rank(give_up: Event) -> NameScores:
        scores = engine.service.rank(site, candidates.start, texts, give_up, forwards=forwards)
        return NameScores(scores, not give_up.is_set())

    word = WordPlace(snapshot.uri, text[: candidates.start], text[site.offset :], snapshot.settings_revision)
    return server.session.ranking.of(word, texts, lambda: server.schedule.blocking(rank, seconds=seconds))


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

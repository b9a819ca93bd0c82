"""`textDocument/completion`: names in scope, names that other files export, and members, the most probable first.

Of `completion.deadlineMs`, a type checker gets a share and the model the rest. A model that is loading is not waited
for, and one that is busy for twice its time at most. Where another service lists names in the same file, the editor
shows nothing before it has both lists. There the checker and the model together get a quarter of the deadline: the menu
has what the model knows by then, and the model computes on for the word's next menu. What is late, or not read yet, is
missing, or the entries are ordered without the model; then the list is marked incomplete, so that the editor asks again
at the next keystroke, and has what was computed since.
Where nothing can be listed (strings, comments, new names), the list is empty.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import CursorKind
from lsp_server.engine.menu import order
from lsp_server.engine.menu.candidates import replaced_length
from lsp_server.engine.menu.separator import missing_comma
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import MenuMode
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers import resolve
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document
from lsp_server.lsp.word_ranking import Ranking, WordPlace
from lsp_server.settings.table import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from threading import Event

    from context_index import Edit
    from lsp_server.engine.menu.candidates import MenuCandidates
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

TRIGGERS = (".", "'", '"')
"""Characters after which a type checker may know what follows. Clients ask for other names as these are typed."""
_AFTER_DOT = frozenset({CursorKind.MEMBER, CursorKind.IMPORT_PATH})
_AFTER_QUOTE = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.OBJECT_KEY})
_PATIENCE = 2
"""How many times its deadline the ranking may take; after that it is not waited for."""
_CHECKERS_SHARE = 0.6
"""The checker's share of the deadline; the rest is the model's."""
_BESIDE_SHARE = 0.25
"""The share of the deadline that a menu has beside another service: the editor shows nothing before it has both."""
_NOTHING = types.CompletionList(is_incomplete=False, items=[])
_SUPERSEDED = types.CompletionList(is_incomplete=True, items=[])


@about_document(lambda _server, _why: _NOTHING)
def complete(
    server: Server, params: types.CompletionParams, snapshot: Snapshot
) -> types.CompletionList | Later[types.CompletionList]:
    """What completes the word at the cursor."""
    if mode_of(snapshot.settings, snapshot.document.language) is MenuMode.OFF:
        return _NOTHING
    trigger = params.context.trigger_character if params.context else None
    menu = partial(_menu, server, snapshot, snapshot.offset(from_proto.place(params.position)), trigger)
    return partial(server.schedule.newest, (complete, snapshot.uri), menu, lambda: _SUPERSEDED)


async def _menu(server: Server, snapshot: Snapshot, offset: int, trigger: str | None) -> types.CompletionList:
    engine, settings = server.engine, snapshot.settings
    # A cell of a notebook is completed within the program of all its cells. `place`, `site` and `found` count from the
    # program's start; `offset`, `start` and `snapshot.alone`, the cell by itself, from the cell's, as the client does.
    place, loop = snapshot.shift + offset, asyncio.get_running_loop()
    is_beside = mode_of(settings, snapshot.document.language) is MenuMode.BEST
    whole = settings.completion_deadline_ms / 1000
    deadline = whole * _BESIDE_SHARE if is_beside else whole
    until = loop.time() + deadline

    def list_candidates(_give_up: Event) -> tuple[Site, MenuCandidates]:
        site = Site(engine.workspace, snapshot.syntax, place)
        return site, engine.service.candidates(site, deadline * _CHECKERS_SHARE)

    site, found = await server.schedule.blocking(list_candidates)
    if not found.items or not _is_wanted(found, trigger):
        return types.CompletionList(is_incomplete=not found.complete, items=[])
    left = max(until - loop.time(), 0.0)
    unfit = server.schedule.blocking(lambda _give_up: engine.service.misfits(site, found, left))
    # The menu waits for what is left of its own deadline; the model may take what is left of the whole one, for the
    # word's next menu.
    ranking = _ranking(server, snapshot, site, found, left + whole - deadline)
    waited = left if is_beside else _PATIENCE * left
    weighed = server.schedule.blocking(lambda _give_up: engine.service.prior_scores(site, found))
    (scores, ranked), misfits, prior = await asyncio.gather(_scores(server, ranking, waited), unfit, weighed)

    start, end = found.start - snapshot.shift, offset + replaced_length(snapshot.document.text, offset, found.kind)

    def best(_give_up: Event) -> tuple[list[order.MenuEntry], int, Edit | None]:
        text = site.document.text
        in_order = order.ranked(found.items, scores, text, found.start, place, prior=prior, misfits=misfits)
        wanted, stars = [candidate for candidate, _ in in_order], 0  # stars: how many of the first entries get one
        if is_beside:
            wanted, stars = order.best(in_order, text[found.start : place])
        shown = wanted[: settings.completion_limit]
        comma = missing_comma(snapshot.alone, start, end) if found.kind is CursorKind.OBJECT_KEY else None
        if server.session.client.resolves_imports:
            return [order.MenuEntry(candidate) for candidate in shown], stars, comma
        return order.entries(snapshot.alone, shown, engine.workspace.module_kind(snapshot.document)), stars, comma

    entries, stars, comma = await server.schedule.blocking(best)
    server.session.list(snapshot.uri, _listed(entries, start))
    return to_proto.menu(
        entries,
        (start, offset, end),
        snapshot=snapshot,
        client=server.session.client,
        stars=stars,
        comma=comma,
        incomplete=len(found.items) > len(entries) or not ranked or not found.complete,
        data=resolve.data(snapshot.uri, site.document.text, found),
    )


def _listed(entries: Iterable[order.MenuEntry], start: int) -> frozenset[tuple[int, str]]:
    """Each entry by where it begins and what it writes, as clients name the one that is selected."""
    return frozenset(to_proto.written(entry.candidate, start) for entry in entries)


def _is_wanted(found: MenuCandidates, trigger: str | None) -> bool:
    """Whether a menu should open: a dot or a quote may also end something, such as a number or a string."""
    if trigger is None:
        return True
    return found.kind in (_AFTER_DOT if trigger == "." else _AFTER_QUOTE)


def _ranking(server: Server, snapshot: Snapshot, site: Site, found: MenuCandidates, seconds: float) -> Ranking | None:
    """The model's ranking of what may be listed, which goes on for the word's next menus; None without a model.

    Args:
        seconds: How long the model may take.
    """
    engine, text = server.engine, site.document.text
    if not engine.has_model:
        return None
    texts = list(dict.fromkeys(item.text for item in found.items))

    async def fill(ranking: Ranking) -> None:
        def rank(give_up: Event) -> None:
            ranking.note(engine.service.rank(site, found.start, texts, give_up, notify=ranking.note))
            ranking.is_final = not give_up.is_set()

        await server.schedule.blocking(rank, seconds=seconds)

    word = WordPlace(snapshot.uri, text[: found.start], text[site.offset :], snapshot.settings_revision)
    return server.session.ranking.of(word, texts, fill)


async def _scores(server: Server, ranking: Ranking | None, seconds: float) -> tuple[Mapping[str, float], bool]:
    """What the model knows after so many seconds at most, and whether asking again would bring no more."""
    if ranking is None:
        return {}, server.engine.warm_up() is None  # else a model is being loaded: later menus may have its scores
    await asyncio.wait({ranking.task}, timeout=seconds)
    if not ranking.task.done():
        return ranking.scores, False
    if ranking.task.cancelled():  # another word is being completed
        return {}, False
    if (fault := ranking.task.exception()) is not None:
        if not isinstance(fault, RequestError):
            raise fault
        return {}, True  # the model's own event reports the error
    return ranking.scores, ranking.is_final

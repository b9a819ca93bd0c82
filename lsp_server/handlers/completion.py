"""`textDocument/completion`: names in scope, names that other files export, and members, the most probable first.

Of `completion.deadlineMs`, a type checker gets a share and the model the rest. A model that is loading is not waited
for, and one that is busy for twice its time at most. What is late, or not read yet, is missing, or the entries are
ordered without the model; then the list is marked incomplete, so that the editor asks again at the next keystroke.
Where nothing can be listed (strings, comments, new names), the list is empty.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import CursorKind
from lsp_server.errors import RequestError
from lsp_server.handlers import resolve
from lsp_server.menu import order
from lsp_server.menu.candidates import replaced_length
from lsp_server.protocol import from_proto, to_proto
from lsp_server.schedule import SupersededError
from lsp_server.session import NotServed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from threading import Event

    from lsp_server.menu.candidates import Candidates
    from lsp_server.server import Later, Server
    from lsp_server.session import Snapshot

TRIGGERS = (".", "'", '"')
"""Characters after which a type checker may know what follows. Clients ask for other names as these are typed."""
_AFTER_DOT = frozenset({CursorKind.MEMBER, CursorKind.IMPORT_PATH})
_AFTER_QUOTE = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.OBJECT_KEY})
_PATIENCE = 2
"""How many times its deadline the ranking may take; after that it is not waited for."""
_CHECKERS_SHARE = 0.6
"""The checker's share of the deadline; the rest is the model's."""
_NOTHING = types.CompletionList(is_incomplete=False, items=[])


def complete(server: Server, params: types.CompletionParams) -> types.CompletionList | Later[types.CompletionList]:
    """What completes the word at the cursor."""
    snapshot = server.session.snapshot(params.text_document.uri)
    if isinstance(snapshot, NotServed) or not snapshot.settings.completion:
        return _NOTHING
    server.session.flush_dirty()
    trigger = params.context.trigger_character if params.context else None
    return partial(_newest, server, snapshot, snapshot.offset(from_proto.place(params.position)), trigger)


async def _newest(server: Server, snapshot: Snapshot, offset: int, trigger: str | None) -> types.CompletionList:
    try:
        return await server.schedule.run((complete, snapshot.uri), partial(_menu, server, snapshot, offset, trigger))
    except SupersededError:
        return types.CompletionList(is_incomplete=True, items=[])


async def _menu(server: Server, snapshot: Snapshot, offset: int, trigger: str | None) -> types.CompletionList:
    engine, settings = server.engine, snapshot.settings
    place, loop = snapshot.shift + offset, asyncio.get_running_loop()
    deadline = settings.completion_deadline_ms / 1000
    until = loop.time() + deadline
    found = await server.schedule.blocking(
        lambda _give_up: engine.service.candidates(snapshot.syntax, place, deadline * _CHECKERS_SHARE)
    )
    if not found.items or not _is_wanted(found, trigger):
        return types.CompletionList(is_incomplete=not found.complete, items=[])
    left = max(until - loop.time(), 0.0)
    unfit = server.schedule.blocking(lambda _give_up: engine.service.misfits(snapshot.syntax, found, place, left))
    (scores, ranked), misfits = await asyncio.gather(_scores(server, snapshot, place, found, left), unfit)

    def best(_give_up: Event) -> list[order.Entry]:
        prior = engine.service.prior_scores(snapshot.syntax, found, place)
        text = snapshot.syntax.document.text
        ordered = order.ordered(found.items, scores, text, found.start, place, prior=prior, misfits=misfits)
        shown = ordered[: settings.completion_limit]
        if server.session.client.resolves_imports:
            return [order.Entry(one) for one in shown]
        return order.entries(snapshot.alone, shown, engine.workspace.module_kind(snapshot.document))

    entries = await server.schedule.blocking(best)
    rest = replaced_length(snapshot.document.text, offset, found.kind)
    return to_proto.menu(
        entries,
        (found.start - snapshot.shift, offset, offset + rest),
        snapshot=snapshot,
        client=server.session.client,
        incomplete=len(found.items) > len(entries) or not ranked or not found.complete,
        data=resolve.data(snapshot.uri, snapshot.syntax.document.text, found),
    )


def _is_wanted(found: Candidates, trigger: str | None) -> bool:
    """Whether a menu should open: a dot or a quote may also end something, such as a number or a string."""
    if trigger is None:
        return True
    return found.kind in (_AFTER_DOT if trigger == "." else _AFTER_QUOTE)


async def _scores(
    server: Server, snapshot: Snapshot, place: int, found: Candidates, seconds: float
) -> tuple[Mapping[str, float], bool]:
    """The model's log-probability of each text, and whether asking again would bring no more."""
    engine = server.engine
    if not engine.has_model:
        return {}, engine.warm_up() is None
    texts = list(dict.fromkeys(one.text for one in found.items))

    def rank(give_up: Event) -> tuple[Mapping[str, float], bool]:
        scores = engine.service.rank(snapshot.syntax, found.start, place, texts, give_up)
        return scores, not give_up.is_set()

    try:
        async with asyncio.timeout(_PATIENCE * seconds):
            return await server.schedule.blocking(rank, seconds=seconds)
    except TimeoutError:
        return {}, False
    except RequestError:  # the model's own event reports the error
        return {}, True

"""`textDocument/completion`: names in scope and names that other files export, the most probable first.

The menu does not wait for a model that is still loading, nor longer than `completion.deadlineMs` for one that is
busy; names then come by nearness, as an incomplete list, so that the editor asks again at the next keystroke. Where
no names are listed at all (members, strings, comments, names that are being made), an empty list is all there is.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import CursorKind
from lsp_server import from_proto, menu, to_proto
from lsp_server.errors import RequestError
from lsp_server.schedule import SupersededError
from lsp_server.session import Off

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from threading import Event

    from lsp_server.handlers import Later
    from lsp_server.server import Server
    from lsp_server.service import Candidate
    from lsp_server.session import Snapshot

_LISTED = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
"""Where names are listed."""
_PATIENCE = 2
"""How many times its deadline ranking may take to return what it has, before it is left alone."""


def complete(server: Server, params: types.CompletionParams) -> types.CompletionList | Later[types.CompletionList]:
    """Names for the word at the cursor."""
    snapshot = server.session.snapshot(params.text_document.uri)
    if isinstance(snapshot, Off) or not snapshot.settings.completion:
        return types.CompletionList(is_incomplete=False, items=[])
    server.session.catch_up()
    return partial(_newest, server, snapshot, snapshot.offset(from_proto.place(params.position)))


async def _newest(server: Server, snapshot: Snapshot, offset: int) -> types.CompletionList:
    try:
        return await server.schedule.run((complete, snapshot.uri), partial(_menu, server, snapshot, offset))
    except SupersededError:
        return types.CompletionList(is_incomplete=True, items=[])


async def _menu(server: Server, snapshot: Snapshot, offset: int) -> types.CompletionList:
    engine, limit = server.engine, snapshot.settings.completion_limit
    place = snapshot.shift + offset

    found = await server.schedule.blocking(lambda _give_up: engine.service.candidates(snapshot.syntax, place))
    candidates, typed = found.items, len(found.cursor.word)
    if not candidates and (found.cursor.kind not in _LISTED or found.cursor.binding):
        return types.CompletionList(is_incomplete=False, items=[])
    scores, ranked = await _scores(server, snapshot, place, candidates)
    best = menu.ordered(candidates, scores)[:limit]
    entries = await server.schedule.blocking(lambda _give_up: menu.entries(snapshot.alone, best))
    document, encoding = snapshot.document, snapshot.encoding
    end = offset + _word_rest(document.text, offset)
    return to_proto.menu(
        entries,
        to_proto.text_range(document, offset - typed, offset, encoding),
        to_proto.text_range(document, offset - typed, end, encoding),
        snapshot=snapshot,
        client=server.session.client,
        # names to import are listed once something is typed
        incomplete=len(candidates) > limit or not ranked or not found.complete or not typed,
    )


async def _scores(
    server: Server, snapshot: Snapshot, place: int, candidates: Sequence[Candidate]
) -> tuple[Mapping[str, float], bool]:
    """The model's log-probability of each name, and whether asking again would bring no more."""
    engine, deadline = server.engine, snapshot.settings.completion_deadline_ms / 1000
    names = list(dict.fromkeys(one.name.text for one in candidates))
    if not names:
        return {}, True
    if not engine.has_model:
        return {}, engine.warm_up() is None

    def rank(give_up: Event) -> tuple[Mapping[str, float], bool]:
        scores = engine.service.rank(snapshot.syntax, place, names, give_up)
        return scores, not give_up.is_set()

    try:
        async with asyncio.timeout(_PATIENCE * deadline):
            return await server.schedule.blocking(rank, seconds=deadline)
    except TimeoutError:
        return {}, False
    except RequestError:  # what went wrong with the model is told by its own event
        return {}, True


def _word_rest(text: str, offset: int) -> int:
    """Characters behind the cursor that belong to the word at it."""
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] in "_$"):
        end += 1
    return end - offset

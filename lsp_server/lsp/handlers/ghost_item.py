"""`textDocument/completion`; for clients without ghost text, the suggestion is the first item of the menu.

Helix, Zed and others support plain completion only. The item holds the whole text, and the list is marked incomplete:
so they ask again at each keystroke. Clients that support `textDocument/inlineCompletion` get the menu alone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import word_start
from lsp_server.engine.indentation import Indentation
from lsp_server.lsp.handlers import completion, inline_completion
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.session import NotServed

if TYPE_CHECKING:
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_FIRST = "!"
"""The item's sort key: it sorts before the digits with which the keys of names begin."""

Menu = types.CompletionList


def complete(server: Server, params: types.CompletionParams) -> Menu | Later[Menu]:
    """The menu, with the suggestion as its first item if the client cannot show ghost text."""
    menu = completion.complete(server, params)
    if not server.session.client.ghost_items:
        return menu
    return partial(_with_suggestion, server, params, menu)


async def _with_suggestion(server: Server, params: types.CompletionParams, menu: Menu | Later[Menu]) -> Menu:
    """The menu with the suggestion before its entries; the menu alone if nothing is suggested or the text changed."""
    uri = params.text_document.uri
    document = server.session.current(uri)
    names = await menu() if callable(menu) else menu
    if document is None or server.session.current(uri) is not document:  # the client asks again for the newer text
        return names
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
    question = types.InlineCompletionParams(
        context=context, text_document=params.text_document, position=params.position
    )
    answer = inline_completion.complete(server, question)
    ghosts = await answer() if callable(answer) else answer
    if not ghosts.items or server.session.current(uri) is not document:
        return names
    snapshot = server.session.snapshot(uri)
    if isinstance(snapshot, NotServed):
        return names
    return Menu(is_incomplete=True, items=[_item(snapshot, params.position, ghosts.items[0]), *names.items])


def _item(snapshot: Snapshot, position: types.Position, ghost: types.InlineCompletionItem) -> types.CompletionItem:
    r"""The suggestion as an item. It includes the half-typed word, with which clients compare their items.

    The lines of ghost text end with "\n". Clients insert an item as it is, so its lines end as the document's do.
    """
    text, place = snapshot.document.text, snapshot.offset(from_proto.place(position))
    start = word_start(text, place)
    whole = text[start:place] + str(ghost.insert_text)
    first, *more = whole.split("\n")
    newline = Indentation.at(text, place, language=snapshot.document.language).newline
    end = ghost.range.end if ghost.range else position
    span = types.Range(to_proto.text_range(snapshot.document, start, place, snapshot.encoding).start, end)
    return types.CompletionItem(
        label=label_of(whole),
        kind=types.CompletionItemKind.Text,
        detail="suggestion" if ghost.command is None else f"suggestion ({ghost.command.title})",
        documentation=whole if more else None,
        sort_text=_FIRST,
        filter_text=first,
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(span, whole.replace("\n", newline)),
        command=ghost.command,
    )


def label_of(text: str) -> str:
    """What the menu shows of a text that is not blank: its first line that is not, and `…` for the lines around it."""
    lines = text.split("\n")
    number, line = next((number, line.strip()) for number, line in enumerate(lines) if line.strip())
    return f"{'… ' * (number > 0)}{line}{' …' * (number < len(lines) - 1)}"

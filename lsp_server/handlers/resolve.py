"""`completionItem/resolve`: the signature and the documentation of one entry of the menu.

The type checker describes the name in the text as it would be with the entry accepted, its import included, whatever
was typed meanwhile. Nothing is kept for that: an entry carries its place, and a mark of the text above, which tells
whether the place is still the same.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from context_index import NamePosition, Open, import_edit
from lsp_server.errors import RequestError
from lsp_server.handlers.commands import as_json, importable
from lsp_server.menu.candidates import rest_of_word
from lsp_server.protocol import to_proto
from lsp_server.schedule import SupersededError
from lsp_server.session import Off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lsprotocol import types

    from context_index import Importable, ModuleKind, Syntax
    from lsp_server.menu.order import Entry
    from lsp_server.server import Later, Server
    from lsp_server.session import Snapshot

_SECONDS = 2.0
"""How long a type checker may take to describe a name."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry of the menu would be put."""

    uri: str
    start: int
    """In the program, in code points."""
    mark: int
    """Of the text before."""
    position: NamePosition | None = None
    importable: Importable | None = None

    def beside(self, detail: str) -> str:
        """What is told beside a checker's signature, of what the entry says already."""
        if self.importable is not None:
            return f" (from {self.importable.module})"
        return f" ({detail})" if detail and self.position is not None else ""

    def is_in(self, text: str) -> bool:
        """Whether the text still has the place."""
        return self.start <= len(text) and _mark(text, self.start) == self.mark


def data(uri: str, text: str, start: int) -> Callable[[Entry], Mapping[str, Any]]:
    """What the client gives back when it asks for more of an entry."""
    place = {"uri": uri, "start": start, "mark": _mark(text, start)}

    def of(entry: Entry) -> Mapping[str, Any]:
        position, wanted = entry.candidate.position, entry.candidate.importable
        found = place if position is None else {**place, "position": position}
        return found if wanted is None else {**found, "import": as_json(wanted)}

    return of


def resolve(server: Server, item: types.CompletionItem) -> types.CompletionItem | Later[types.CompletionItem]:
    """The entry with what is known of it; as it came where that is nothing new."""
    origin = _origin(item.data)
    if origin is None:
        return item
    try:
        snapshot = server.session.snapshot(origin.uri)
    except RequestError:  # closed meanwhile
        return item
    return item if isinstance(snapshot, Off) else partial(_newest, server, snapshot, origin, item)


async def _newest(
    server: Server, snapshot: Snapshot, origin: Origin, item: types.CompletionItem
) -> types.CompletionItem:
    try:
        return await server.schedule.run((resolve, snapshot.uri), partial(_described, server, snapshot, origin, item))
    except SupersededError:
        return item


async def _described(
    server: Server, snapshot: Snapshot, origin: Origin, item: types.CompletionItem
) -> types.CompletionItem:
    workspace = server.engine.workspace

    def ask() -> tuple[str, str]:
        syntax = snapshot.syntax
        if not origin.is_in(syntax.document.text):
            return "", ""
        text, offset = _accepted(syntax, origin, item.label, workspace.module_kind(syntax.document))
        told = workspace.types(syntax.document).describe(text, offset).wait(_SECONDS)
        return ("", "") if isinstance(told.value, Open) else (told.value.signature, told.value.documentation)

    signature, documentation = await server.schedule.blocking(lambda _give_up: ask())
    if signature:
        item.detail = " ".join(signature.split()) + origin.beside(item.detail or "")
    if documentation:
        item.documentation = to_proto.documentation(documentation, server.session.client)
    return item


def _accepted(syntax: Syntax, origin: Origin, label: str, around: ModuleKind | None) -> tuple[str, int]:
    """The text with an entry in it, and the place of the name."""
    text = syntax.document.text
    end = origin.start + rest_of_word(text, origin.start, origin.position)
    written = text[: origin.start] + label + text[end:]
    edit = None if origin.importable is None else import_edit(syntax, origin.importable, around)
    if edit is None or edit.end > origin.start:  # imports that stand below the place
        return written, origin.start
    moved = origin.start + len(edit.text) - (edit.end - edit.start)
    return written[: edit.start] + edit.text + written[edit.end :], moved


def _origin(told: object) -> Origin | None:
    """What `data` made; None for entries of somebody else."""
    match told:
        case {"uri": str(uri), "start": int(start), "mark": int(mark), **rest}:
            position, wanted = rest.get("position"), rest.get("import")
            known = {str(one): one for one in NamePosition}.get(str(position))
            return Origin(uri, start, mark, known, None if wanted is None else importable(wanted))
    return None


def _mark(text: str, end: int) -> int:
    return zlib.crc32(text[:end].encode("utf-8", "surrogatepass"))

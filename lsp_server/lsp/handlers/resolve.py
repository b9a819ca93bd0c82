"""`completionItem/resolve`: the signature, the documentation and the import of one entry of the menu.

The type checker describes the name in the text with the entry accepted, its import included, whatever was typed since.
The server keeps no state for that: an entry carries its place and a hash of the text before it, which shows whether the
place is still the same.

The checker knows the program, of which the client's document may be one part: a cell of a notebook. Places are offsets
in the program; the edits of an import are of the document.
"""

from __future__ import annotations

import zlib
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from context_index import CheckerError, CursorKind, import_edit
from lsp_server.engine.menu.candidates import replaced_length
from lsp_server.engine.menu.imports import offered_import
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers.commands import as_json, importable
from lsp_server.lsp.protocol import to_proto
from lsp_server.lsp.session import NotServed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lsprotocol import types

    from context_index import Edit, Importable, Workspace
    from lsp_server.engine.menu.candidates import MenuCandidates
    from lsp_server.engine.menu.order import MenuEntry
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_SECONDS = 2.0
"""How long a type checker may take for each answer: the import of a name, and its description."""


@dataclass(frozen=True, slots=True)
class MenuOrigin:
    """An entry of the menu and the place that it was made for."""

    uri: str
    text: str
    """The entry's text; its label may have a star before it."""
    start: int
    """Where the half-typed word begins, in the program."""
    mark: int
    """A hash of the program's text before `start`."""
    kind: CursorKind | None = None
    """The kind of the place, if a checker listed the entry."""
    importable: Importable | None = None
    """What the entry imports."""

    def module_note(self) -> str:
        """The module that the entry comes from, shown after a checker's signature."""
        return "" if self.importable is None else f" (from {self.importable.module})"

    def is_in(self, text: str) -> bool:
        """Whether a text of the program still has the place."""
        return self.start <= len(text) and _mark(text, self.start) == self.mark


def data(uri: str, text: str, menu: MenuCandidates) -> Callable[[MenuEntry], Mapping[str, Any]]:
    """A function that returns an entry's data, which the client sends back when it asks for more; see `MenuOrigin`."""
    place = {"uri": uri, "start": menu.start, "mark": _mark(text, menu.start)}

    def data_of(entry: MenuEntry) -> Mapping[str, Any]:
        wanted = entry.candidate.importable
        kind = {} if entry.candidate.listed is None else {"kind": menu.kind}
        entry_data = {**place, "text": entry.candidate.text, **kind}
        return entry_data if wanted is None else {**entry_data, "import": as_json(wanted)}

    return data_of


def resolve(server: Server, item: types.CompletionItem) -> types.CompletionItem | Later[types.CompletionItem]:
    """The entry with its signature, documentation and import; as it came where nothing more is known."""
    origin = _origin(item.data)
    if origin is None:
        return item
    try:
        snapshot = server.session.snapshot(origin.uri)
    except RequestError:  # closed meanwhile
        return item
    if isinstance(snapshot, NotServed):
        return item
    # a newer request replaces an older one, unless it is for an entry with an import, which is useless without that
    slot = (resolve, snapshot.uri, origin.text if origin.importable else None)
    return partial(server.schedule.newest, slot, partial(_described, server, snapshot, origin, item), lambda: item)


async def _described(
    server: Server, snapshot: Snapshot, origin: MenuOrigin, item: types.CompletionItem
) -> types.CompletionItem:
    """Complete the item with what is known of its entry."""
    details = await server.schedule.blocking(lambda _give_up: _details(server.engine.workspace, snapshot, origin))
    if details.signature:
        item.detail = " ".join(details.signature.split()) + origin.module_note()
    if details.documentation:
        item.documentation = to_proto.documentation(details.documentation, server.session.client)
    if details.edits and server.session.client.resolves_imports:
        item.additional_text_edits = [to_proto.text_edit(edit, snapshot) for edit in details.edits]
    return item


@dataclass(frozen=True, slots=True)
class _Details:
    """What is known of an entry; all is empty if nothing is."""

    signature: str = ""
    documentation: str = ""
    edits: tuple[Edit, ...] = ()
    """The import, as edits of the client's document."""


def _details(workspace: Workspace, snapshot: Snapshot, origin: MenuOrigin) -> _Details:
    """What the checker says of an entry, asked about the text with the entry and its import in it."""
    syntax = snapshot.syntax
    if not origin.is_in(syntax.document.text):
        return _Details()
    rest = replaced_length(syntax.document.text, origin.start, origin.kind)
    candidate = Candidate(origin.start, origin.text, rest)
    program_edits, client_edits = _imports(workspace, snapshot, candidate, origin.importable)
    accepted = Applied(syntax, replace(candidate, edits=program_edits))
    place = accepted.inserted[0]
    with suppress(CheckerError, TimeoutError, CancelledError):
        checker = workspace.checker_of(accepted.document)
        answer = checker.ask(accepted.document, lambda query: query.descriptions([place]))
        if (description := answer.result(_SECONDS)[0]) is not None:
            return _Details(description.signature, description.documentation, client_edits)
    return _Details(edits=client_edits)


def _imports(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, wanted: Importable | None
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """The edits that import a name: of the program, and the same of the client's document.

    They are the checker's own, if it offers some that lie in the document; else the index writes them.
    """
    if wanted is None:
        return (), ()
    syntax, document = snapshot.syntax, snapshot.document
    with suppress(CheckerError, TimeoutError, CancelledError):
        checker = workspace.checker_of(syntax.document)
        edits = offered_import(workspace, checker, Applied(syntax, candidate), wanted, _SECONDS)
        shift = snapshot.shift
        shifted = tuple(replace(edit, start=edit.start - shift, end=edit.end - shift) for edit in edits)
        if shifted and all(0 <= edit.start <= edit.end <= len(document.text) for edit in shifted):
            return edits, shifted
    around = workspace.module_kind(syntax.document)
    return (import_edit(syntax, wanted, around),), (import_edit(snapshot.alone, wanted, around),)


def _origin(item_data: object) -> MenuOrigin | None:
    """What `data` wrote into an item; None for items of another server."""
    match item_data:
        case {"uri": str(uri), "text": str(text), "start": int(start), "mark": int(mark), **rest}:
            wanted = rest.get("import")
            kind = next((kind for kind in CursorKind if kind == rest.get("kind")), None)
            return MenuOrigin(uri, text, start, mark, kind, None if wanted is None else importable(wanted))
    return None


def _mark(text: str, end: int) -> int:
    """A hash of a text up to an offset."""
    return zlib.crc32(text[:end].encode("utf-8", "surrogatepass"))

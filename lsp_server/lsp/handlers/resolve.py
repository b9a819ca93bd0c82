"""`completionItem/resolve`: the signature, the documentation and the import of one entry of the menu.

The type checker describes the name in the text with the entry accepted, its import included, whatever was typed
since. No state is kept for that: an entry carries its place and a hash of the text above, which shows whether the
place is still the same.
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
from lsp_server.engine.verification.candidate import Applied, Candidate
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
"""How long a type checker may take to describe a name."""


@dataclass(frozen=True, slots=True)
class MenuOrigin:
    """The place that an entry of the menu was made for."""

    uri: str
    text: str
    """What the entry stands for; its label may be marked."""
    start: int
    """In the program, in code points."""
    mark: int
    """A hash of the text before."""
    kind: CursorKind | None = None
    """The kind of the place, where a checker was asked."""
    importable: Importable | None = None

    def module_note(self) -> str:
        """The module that the entry comes from, shown after a checker's signature."""
        return "" if self.importable is None else f" (from {self.importable.module})"

    def is_in(self, text: str) -> bool:
        """Whether the text still has the place."""
        return self.start <= len(text) and _mark(text, self.start) == self.mark


def data(uri: str, text: str, found: MenuCandidates) -> Callable[[MenuEntry], Mapping[str, Any]]:
    """The data of each entry, which the client sends back when it asks for more."""
    place = {"uri": uri, "start": found.start, "mark": _mark(text, found.start)}

    def of(entry: MenuEntry) -> Mapping[str, Any]:
        wanted = entry.candidate.importable
        kind = {} if entry.candidate.listed is None else {"kind": found.kind}
        shown = {**place, "text": entry.candidate.text, **kind}
        return shown if wanted is None else {**shown, "import": as_json(wanted)}

    return of


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
    # the newest is answered, and every one for an entry with an import, which does not work without it
    slot = (resolve, snapshot.uri, origin.text if origin.importable else None)
    return partial(server.schedule.newest, slot, partial(_described, server, snapshot, origin, item), lambda: item)


async def _described(
    server: Server, snapshot: Snapshot, origin: MenuOrigin, item: types.CompletionItem
) -> types.CompletionItem:
    found = await server.schedule.blocking(lambda _give_up: _resolved(server.engine.workspace, snapshot, origin))
    if found.signature:
        item.detail = " ".join(found.signature.split()) + origin.module_note()
    if found.documentation:
        item.documentation = to_proto.documentation(found.documentation, server.session.client)
    if found.edits and server.session.client.resolves_imports:
        item.additional_text_edits = [to_proto.text_edit(edit, snapshot) for edit in found.edits]
    return item


@dataclass(frozen=True, slots=True)
class _Resolved:
    """What is known of an entry."""

    signature: str = ""
    documentation: str = ""
    edits: tuple[Edit, ...] = ()
    """The import, as edits of the client's document."""


def _resolved(workspace: Workspace, snapshot: Snapshot, origin: MenuOrigin) -> _Resolved:
    """Ask the checker about the text with an entry in it, its import included."""
    syntax = snapshot.syntax
    if not origin.is_in(syntax.document.text):
        return _Resolved()
    rest = replaced_length(syntax.document.text, origin.start, origin.kind)
    candidate = Candidate(origin.start, origin.text, rest)
    brought, own = _imports(workspace, snapshot, candidate, origin.importable)
    accepted = Applied(syntax, replace(candidate, edits=brought))
    place = accepted.inserted[0]
    with suppress(CheckerError, TimeoutError, CancelledError):
        checker = workspace.checker_of(accepted.document)
        asked = checker.ask(accepted.document, lambda one: one.descriptions([place]))
        if (found := asked.result(_SECONDS)[0]) is not None:
            return _Resolved(found.signature, found.documentation, own)
    return _Resolved(edits=own)


def _imports(
    workspace: Workspace, snapshot: Snapshot, candidate: Candidate, wanted: Importable | None
) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """The edits that import a name: of the program, and of the client's document, which may be a part of it."""
    if wanted is None:
        return (), ()
    syntax, document = snapshot.syntax, snapshot.document
    with suppress(CheckerError, TimeoutError, CancelledError):
        checker = workspace.checker_of(syntax.document)
        edits = offered_import(workspace, checker, Applied(syntax, candidate), wanted, _SECONDS)
        own = tuple(replace(one, start=one.start - snapshot.shift, end=one.end - snapshot.shift) for one in edits)
        if own and all(0 <= one.start <= one.end <= len(document.text) for one in own):
            return edits, own
    around = workspace.module_kind(syntax.document)
    return (import_edit(syntax, wanted, around),), (import_edit(snapshot.alone, wanted, around),)


def _origin(answer: object) -> MenuOrigin | None:
    """The data made by `data`; None for entries of another server."""
    match answer:
        case {"uri": str(uri), "text": str(text), "start": int(start), "mark": int(mark), **rest}:
            kind, wanted = rest.get("kind"), rest.get("import")
            known = next((one for one in CursorKind if one == kind), None)
            return MenuOrigin(uri, text, start, mark, known, None if wanted is None else importable(wanted))
    return None


def _mark(text: str, end: int) -> int:
    return zlib.crc32(text[:end].encode("utf-8", "surrogatepass"))

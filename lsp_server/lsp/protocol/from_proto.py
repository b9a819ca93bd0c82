"""From LSP's types to ours; `to_proto` goes the other way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import path_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.documents.open_document import Change, ClientPosition, FullText, PartialChange
from lsp_server.lsp.session import ClientCapabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.lsp.session import Snapshot

_IMPORT_EDITS = "additionalTextEdits"


def client(capabilities: types.ClientCapabilities) -> ClientCapabilities:
    """The client's capabilities that we use, from those that it declares; each is False if it says nothing."""
    window, workspace = capabilities.window, capabilities.workspace
    completion = capabilities.text_document and capabilities.text_document.completion
    inline = capabilities.text_document and capabilities.text_document.inline_completion
    item = completion.completion_item if completion else None
    watched = workspace.did_change_watched_files if workspace else None
    changed = workspace.did_change_configuration if workspace else None
    edit = workspace.workspace_edit if workspace else None
    rename = capabilities.text_document and capabilities.text_document.rename
    help_ = capabilities.text_document and capabilities.text_document.signature_help
    signature = help_.signature_information if help_ else None
    parameter = signature.parameter_information if signature else None
    return ClientCapabilities(
        progress=bool(window and window.work_done_progress),
        configuration=bool(workspace and workspace.configuration),
        watches_files=bool(watched and watched.dynamic_registration),
        pushes_configuration=bool(changed and changed.dynamic_registration),
        insert_replace=bool(item and item.insert_replace_support),
        label_details=bool(item and item.label_details_support),
        resolves_imports=_IMPORT_EDITS in ((item and item.resolve_support and item.resolve_support.properties) or ()),
        commit_characters=bool(item and item.commit_characters_support),
        label_spans=bool(parameter and parameter.label_offset_support),
        markdown=types.MarkupKind.Markdown in ((item and item.documentation_format) or ()),
        document_changes=bool(edit and edit.document_changes),
        annotations=bool(edit and edit.document_changes and edit.change_annotation_support),
        prepares_renames=bool(rename and rename.prepare_support),
        ghost_items=completion is not None and inline is None,
        applies_edits=bool(workspace and workspace.apply_edit),
    )


def roots(params: types.InitializeParams) -> tuple[Path, ...]:
    """The workspace's folders that are on disk; an older client sends one root, as a URI or a path."""
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    if not uris and params.root_path:
        return (Path(params.root_path),)
    return tuple(path for uri in uris if (path := path_of(uri)) is not None)


def place(position: types.Position) -> ClientPosition:
    """A position in the client's units."""
    return ClientPosition(position.line, position.character)


def span(given: types.Range, snapshot: Snapshot) -> tuple[int, int]:
    """The offsets of a range in the client's document.

    Raises:
        RequestError: the document has no such lines, or the range ends before it begins.
    """
    start, end = snapshot.offset(place(given.start)), snapshot.offset(place(given.end))
    if end < start:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "the range ends before it begins")
    return start, end


def changes(events: Sequence[types.TextDocumentContentChangeEvent]) -> list[Change]:
    """The edits of a document, in the order in which they are applied."""
    return [
        PartialChange(place(event.range.start), place(event.range.end), event.text)
        if isinstance(event, types.TextDocumentContentChangePartial)
        else FullText(event.text)
        for event in events
    ]

"""`notebookDocument/didOpen`, `didChange` and `didClose`: each code cell is a document, and all form one program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.lsp.protocol import from_proto

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsprotocol import types

    from lsp_server.lsp.server import Server


def did_open(server: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    """Open a notebook with all its cells."""
    notebook = params.notebook_document
    server.session.open_notebook(notebook.uri, [cell.document for cell in notebook.cells])
    _open(server, notebook.uri, params.cell_text_documents)
    server.engine.warm_up()


def did_change(server: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    """Follow a notebook whose cells were added, removed, moved or edited."""
    uri, cells = params.notebook_document.uri, params.change.cells
    if cells is None:  # metadata only
        return
    if structure := cells.structure:
        array = structure.array
        added = [cell.document for cell in array.cells or ()]
        server.session.change_notebook(uri, array.start, array.delete_count, added)
        for closed in structure.did_close or ():
            server.session.close(closed.uri)
        _open(server, uri, structure.did_open or ())
    for content in cells.text_content or ():
        changes = from_proto.changes(content.changes)
        server.session.change(content.document.uri, content.document.version, changes)


def did_close(server: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    """Close a notebook and its cells."""
    for cell in params.cell_text_documents:
        server.session.close(cell.uri)
    server.session.close_notebook(params.notebook_document.uri)


def _open(server: Server, notebook: str, cells: Sequence[types.TextDocumentItem]) -> None:
    for cell in cells:
        server.session.open(cell.uri, cell.language_id, cell.version, cell.text, notebook)

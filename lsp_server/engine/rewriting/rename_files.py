"""Which files a rename asks the checker about, and which files are the project's own.

The index says which files have a name or import others. A checker may name more files in its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index import path_of
from lsp_server.engine.rewriting.breaks import MOST_FILES
from lsp_server.engine.rewriting.listing import listed
from lsp_server.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from context_index import Document, Workspace
    from lsp_server.engine.rewriting.rename_request import RenameRequest

_MOST_SEARCHED: Final = 400
"""The most other files with the old name, and with the new one only, that are searched."""


@dataclass(frozen=True, slots=True)
class RenameFiles:
    """The files to ask about, and what is left out."""

    documents: Sequence[Document]
    """The request's own is the first."""
    unasked_importers: Sequence[Path]
    """The files that import one with the old name, directly or not, and for which there is no room."""
    dangers: Sequence[str]
    """Why uses of the name may be missed; parts of a sentence for people."""


def files_to_ask(workspace: Workspace, request: RenameRequest) -> RenameFiles:
    """The files that a rename asks the checker about, as far as the index knows them.

    First are the documents with the old name, the request's own before all. Then come those that import them, also by
    others, as a file need not say a name to use it: as many as may be asked for errors. Last are those that have the
    new name alone.
    """
    document = request.document
    path = path_of(document.uri)
    file = None if path is None else path.resolve()
    either = workspace.mentioning((request.old, request.new), document)
    either = [other for other in either if not _is_at(other, file)]
    with_old = [other for other in either if request.old in other.text]
    only_new = [other for other in either if request.old not in other.text]
    changed = [document, *with_old[:_MOST_SEARCHED]]
    room = max(MOST_FILES - len(changed), 0)
    importers = workspace.importers(*filter(None, (path_of(each.uri) for each in changed)), indirect=True)
    read = [each for path in importers[:room] if (each := workspace.document(path)) is not None]
    uris = {each.uri for each in read}
    others = (other for other in only_new[:_MOST_SEARCHED] if other.uri not in uris)
    dangers = tuple(_unsearched(workspace, request, len(with_old)))
    return RenameFiles([*changed, *read, *others], importers[room:], dangers)


def _unsearched(workspace: Workspace, request: RenameRequest, with_old: int) -> Iterator[str]:
    """Which files with the old name are not asked about, as parts of a sentence.

    Args:
        with_old: The number of other files with the old name that the index has.
    """
    if (left_out := with_old - _MOST_SEARCHED) > 0:
        yield f"the search left out {counted(left_out, 'file')} with the name"
    if unread := workspace.unread_mentioning(request.old, request.document.language):
        names = listed(f"{workspace.shown(file_path)} ({why})" for file_path, why in unread)
        yield f"the name is in files that were not searched: {names}"


def _is_at(document: Document, file: Path | None) -> bool:
    """Whether a document is a file; it may lead there by a link.

    Args:
        file: A path without links; None is no file.
    """
    path = path_of(document.uri)
    return path is not None and path.resolve() == file


def unskipped_documents(workspace: Workspace, uris: Iterable[str]) -> list[Document]:
    """The documents at some URIs that no rule leaves out of the index, also outside of the project's folders."""
    paths = [path for path in map(path_of, uris) if path is not None and not workspace.skipped(path)]
    return [document for path in paths if (document := workspace.document(path)) is not None]


def own_documents(workspace: Workspace, uris: Iterable[str]) -> list[Document]:
    """The documents at some URIs that are the project's own."""
    paths = [path for path in map(path_of, uris) if path is not None and is_own(workspace, path)]
    return [document for path in paths if (document := workspace.document(path)) is not None]


def is_own(workspace: Workspace, path: Path) -> bool:
    """Whether a file is one of the project's, and not installed in it."""
    return any(map(path.is_relative_to, workspace.roots)) and not workspace.skipped(path)

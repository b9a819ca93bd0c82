"""The documents that a checker's process has open: before each question, exactly the editor's buffers and the overlays.

Overlays are the documents that the question is about. They stay until the next question, which may be about the same
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path

from context_index.checkers.connection import Connection
from context_index.checkers.copies import CheckerCopy, language_id, placed
from context_index.checkers.programs import CheckerProgram
from context_index.checkers.world import World
from context_index.text import Document


class ShownDocuments:
    """What one process was sent of documents and of changes on disk. Used on the checker's thread alone."""

    def __init__(self, program: CheckerProgram, root: Path, world: World) -> None:
        """Nothing is sent yet; the process must start after this, and reads the disk as it is then."""
        self._program, self._root, self._world = program, root, world
        self._sent: dict[str, tuple[str, int]] = {}
        """The text and the version of each open document, by URI."""
        self._versions = count(1)
        """Shared by all documents, so that a document that is opened again gets a version that it never had."""
        self._known_buffers: tuple[int, Mapping[str, Document]] = -1, {}
        """The result of `_buffers`, and the revision of the world that it is for."""
        with world.lock:
            self._known_changes = len(world.changes)
            """How many of the world's changes on disk the process knows."""

    def version_of(self, uri: str) -> int:
        """The version of an open document that was sent last."""
        return self._sent[uri][1]

    def flush_dirty(self, connection: Connection, overlays: Iterable[Document]) -> None:
        """Send what has changed: the editor's buffers, the overlays, and which files changed on disk.

        A checker that publishes does so only for a document that is sent. So it gets each overlay once more if anything
        else has changed, after that.
        """
        overlaid = {document.uri: document for document in overlays}
        wanted = {**self._buffers(), **overlaid}
        dirty = {uri for uri, (text, _) in self._sent.items() if uri not in wanted or wanted[uri].text != text}
        dirty |= wanted.keys() - self._sent.keys()
        for uri in self._sent.keys() - wanted.keys():
            del self._sent[uri]
            connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        has_disk_changed = self._send_changes(connection)
        for document in wanted.values():
            self._send(connection, document)
        for document in overlaid.values() if self._program.publishes else ():
            if has_disk_changed or dirty - {document.uri}:
                self._send(connection, document, again=True)

    def _send_changes(self, connection: Connection) -> bool:
        """Send which files changed on disk since the last time; returns whether any did."""
        with self._world.lock:
            changes, self._known_changes = self._world.changes[self._known_changes :], len(self._world.changes)
        if changes:
            events = [{"uri": uri, "type": int(change)} for uri, change in changes]
            connection.notify("workspace/didChangeWatchedFiles", {"changes": events})
        return bool(changes)

    def _buffers(self) -> Mapping[str, Document]:
        """The copies that the process gets of the editor's buffers in the checker's languages, by their URIs."""
        with self._world.lock:
            if self._world.revision != self._known_buffers[0]:
                family, head = self._program.family, self._program.head
                buffers = (buffer for buffer in self._world.buffers.values() if buffer.language.family == family)
                copies = (CheckerCopy.of(placed(buffer, self._root), head).document for buffer in buffers)
                self._known_buffers = self._world.revision, {copy.uri: copy for copy in copies}
        return self._known_buffers[1]

    def _send(self, connection: Connection, document: Document, *, again: bool = False) -> None:
        """Open a document in the process, or send its text if that has changed.

        Args:
            again: Whether the text is sent even if it is the same, so that a checker that publishes does so anew.
        """
        uri, text = document.uri, document.text
        version = next(self._versions)
        if (known := self._sent.get(uri)) is None:
            if (settings := self._program.configure(document)) is not None:
                connection.notify("workspace/didChangeConfiguration", {"settings": settings})
            item = {"uri": uri, "languageId": language_id(document), "version": version, "text": text}
            connection.notify("textDocument/didOpen", {"textDocument": item})
        elif known[0] == text and not again:
            return
        else:
            identifier = {"uri": uri, "version": version}
            params: dict[str, object] = {"textDocument": identifier, "contentChanges": [{"text": text}]}
            if self._program.publishes:  # extensions of clangd: publish this version at once, and build it anew
                params |= {"wantDiagnostics": True, "forceRebuild": known[0] == text}
            connection.notify("textDocument/didChange", params)
        self._sent[uri] = (text, version)

"""Verifies texts in a workspace's documents, and keeps the baseline of each document until something changes.

A baseline is what the checker reports of the document without the text: only errors beyond it reject a text. Each
engine has one `Verifier`. Completions, rewrites, the menu and the command line ask it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from context_index import remember
from lsp_server.engine.verification.baseline import Baseline
from lsp_server.engine.verification.checked_document import CheckedDocument
from lsp_server.engine.verification.checked_files import CheckedFiles
from lsp_server.engine.verification.closer import DocumentCloser
from lsp_server.engine.verification.forms import Forms
from lsp_server.engine.verification.reports import Reports

if TYPE_CHECKING:
    from context_index import Language, Syntax, Workspace
    from lsp_server.engine.site import Site
    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.results import Verification

_KEPT = 16
"""The most baselines, and the most closers, that are kept; the least recently used is dropped."""


class Verifier:
    """Verifies texts in the documents of one workspace. Thread-safe."""

    def __init__(self, workspace: Workspace, *, opens: bool = True) -> None:
        """Ask no checker yet.

        Args:
            opens: Whether a document counts as open in an editor once a text in it is verified, so that the checker
                knows its unsaved text. False if the editor itself reports what is open: the joined cells of a notebook
                are verified as one document, which no editor has open.
        """
        self._workspace, self._opens = workspace, opens
        self._baselines: dict[str, Baseline] = {}
        self._closers: dict[tuple[str, Language], DocumentCloser] = {}
        self._reports = Reports(workspace.checker_world)
        self._checked = CheckedFiles(workspace.checker_world)
        self._forms = Forms(workspace, self._reports, self._checked)

    def read(self, syntax: Syntax, offset: int, seconds: float | None = None) -> Syntax:
        """The same document with a tree in which our parser has read past forms that only the checker knows.

        Args:
            offset: The cursor.
            seconds: How long to wait for the checker; None waits for every answer. See `Forms.read`.
        """
        if self._opens and syntax.errors:
            self._workspace.checker_world.open(syntax.document)
        return self._forms.read(syntax, offset, seconds)

    def read_whole(self, syntax: Syntax) -> Syntax:
        """`read` for a text that nobody is typing in and that no editor shows."""
        return self._forms.read(syntax, 0)

    def read_at(self, site: Site, seconds: float | None = None) -> Site:
        """`read` for a place in a document; the place itself if its document has no syntax error."""
        return site.read_as(self.read(site.syntax, site.offset, seconds)) if site.syntax.errors else site

    def baseline_at(self, site: Site, seconds: float | None = None) -> tuple[Site, Baseline]:
        """The place as `read_at` returns it, and its document's `baseline`."""
        read = self.read_at(site, seconds)
        return read, self.baseline(read.syntax)

    def baseline(self, syntax: Syntax) -> Baseline:
        """The checker's report on the unchanged document; the checker is asked now, its answer awaited when needed.

        It is the same object as long as neither the document nor anything else that the checker knows has changed.
        """
        document, world = syntax.document, self._workspace.checker_world
        known = self._baselines.get(document.uri)
        if known is not None and known.is_of(syntax, world.revision):
            return known
        if known is not None and known.is_older(document):
            known.supersede()  # nobody waits for answers about an older text
        if self._opens:
            world.open(document)
        key = document.uri, document.language
        closer = self._closers.get(key) or DocumentCloser(document.language)
        remember(self._closers, key, closer, _KEPT)
        checked = CheckedDocument(syntax, self._workspace, self._reports, self._checked)
        baseline = Baseline(checked, closer, self._forms)
        remember(self._baselines, document.uri, baseline, _KEPT)
        return baseline

    def verify(self, syntax: Syntax, candidate: Candidate, seconds: float | None = None) -> Verification:
        """Judge a document with a candidate in it, in so many seconds in total; see `Baseline.verify`."""
        until = None if seconds is None else time.monotonic() + seconds
        baseline = self.baseline(self.read(syntax, candidate.offset, seconds))
        return baseline.verify(candidate, None if until is None else max(0.0, until - time.monotonic()))

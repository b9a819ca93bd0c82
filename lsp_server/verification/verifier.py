"""The baselines of a workspace's documents, each kept for as long as it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import remember
from lsp_server.verification.baseline import Baseline
from lsp_server.verification.checked_files import CheckedFiles
from lsp_server.verification.closings import DocumentCloser
from lsp_server.verification.reports import Reports

if TYPE_CHECKING:
    from context_index import Language, Syntax, Workspace
    from lsp_server.verification.candidate import Candidate
    from lsp_server.verification.results import Verification

_KEPT = 16
"""The most baselines that are kept; the least recently used is dropped."""


class Verifier:
    """Verifies texts in the documents of one workspace. Thread-safe."""

    def __init__(self, workspace: Workspace, *, opens: bool = True) -> None:
        """Nothing is asked yet.

        Args:
            opens: Whether a document that is asked about counts as open in an editor from then on. Not where an editor
                itself says what is open, as the joined cells of a notebook are open nowhere.
        """
        self._workspace, self._opens = workspace, opens
        self._baselines: dict[str, Baseline] = {}
        self._closers: dict[tuple[str, Language], DocumentCloser] = {}
        self._reports = Reports(workspace.checker_world)
        self._checked = CheckedFiles(workspace.checker_world)

    def baseline(self, syntax: Syntax) -> Baseline:
        """The checker's report on the unchanged document; asked for now, awaited when it is needed.

        The same object as long as neither the document nor anything else that the checker knows has changed.
        """
        document, world = syntax.document, self._workspace.checker_world
        known = self._baselines.get(document.uri)
        if known is not None and known.is_of(document, world.revision):
            return known
        if known is not None and known.is_older(document):
            known.supersede()  # what was asked about it is not to be waited for
        if self._opens:
            world.open(document)
        key = document.uri, document.language
        closer = self._closers.get(key) or DocumentCloser(document.language)
        remember(self._closers, key, closer, _KEPT)
        baseline = Baseline(syntax, self._workspace, self._reports, self._checked, closer)
        remember(self._baselines, document.uri, baseline, _KEPT)
        return baseline

    def verify(self, syntax: Syntax, candidate: Candidate, seconds: float | None = None) -> Verification:
        """Judge a document with a candidate in it; see `Baseline.verify`."""
        return self.baseline(syntax).verify(candidate, seconds)

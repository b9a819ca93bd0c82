"""What holds for sessions of the server in the tests' own process."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_full_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session collects the garbage of its process once all is read: here of thousands of tests: three seconds."""
    monkeypatch.setattr("lsp_server.lsp.handlers.indexing.freeze_objects", lambda: None)

"""What was counted of a workspace's names is thrown away when somebody says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index import Workspace
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service
from lsp_server.workspace_corpus import WorkspaceCorpus
from tests.lsp_server.fakes import Editor, conversation
from tests.lsp_server.process import Process

if TYPE_CHECKING:
    from pathlib import Path


@conversation
async def test_name_counts_are_forgotten_by_a_command(editor: Editor) -> None:
    await editor.start()
    answer = await editor.ask("workspace/executeCommand", command="inscope.forgetPrior")
    assert answer["result"] is None
    assert editor.service.forgotten == 1


def test_names_and_texts_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forgetful: list[str] = []
    monkeypatch.setattr(Workspace, "forget_name_counts", lambda _self: forgetful.append("names"))
    monkeypatch.setattr(WorkspaceCorpus, "forget", lambda _self: forgetful.append("texts"))
    Service(Workspace([tmp_path]), ModelHost(ModelSettings())).forget_name_counts()
    assert sorted(forgetful) == ["names", "texts"]


@pytest.mark.slow
def test_a_real_server_goes_on_when_name_counts_are_forgotten(tmp_path: Path) -> None:
    """Only counts are thrown away, and the files give them again."""
    for number in range(3):
        (tmp_path / f"part{number}.py").write_text("def add(basket, item):\n    basket.append(item)\n", "utf-8")
    text = "def put(basket, item):\n    basket.append("
    uri = (tmp_path / "shop.py").as_uri()
    with Process(tmp_path / "log") as server:
        server.start(tmp_path)
        server.open(uri, "python", text)
        where = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 18}}
        before = server.ask("textDocument/completion", **where)
        assert "item" in {one["label"] for one in before["items"]}
        assert server.ask("workspace/executeCommand", command="inscope.forgetPrior") is None
        after = server.ask("textDocument/completion", **where)
        assert "item" in {one["label"] for one in after["items"]}
        assert server.leave() == 0

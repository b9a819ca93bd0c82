"""What was counted of a workspace's names is thrown away when somebody says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lsp_server.process import Process

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_habits_are_forgotten_by_a_command(tmp_path: Path) -> None:
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

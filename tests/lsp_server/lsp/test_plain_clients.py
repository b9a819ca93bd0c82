"""Clients without ghost text, by the ways in which Helix and Zed ask: the suggestion is an item of the menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.lsp.handlers.ghost_item import label_of
from tests.lsp_server.process import CAPABILITIES, Process, at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lsp_server.forked import Forked

Json = Any
CODE = """\
const größe = '€𝄞';

function total(prices) {
  for (const price of prices) {
    const next = ; const 𝄞 = 0;
  }
}

function most(prices) {
  for (const price of prices) {
    const next = price.toFixed(2);
  }
}
"""
ITEM = {"deprecatedSupport": True, "insertReplaceSupport": True, "resolveSupport": {"properties": ["documentation"]}}
HELIX: Json = {"encodings": ["utf-8", "utf-32", "utf-16"], "completion": {"completionItem": ITEM}}
ZED: Json = {"encodings": ["utf-16"], "completion": {"contextSupport": True, "completionItem": ITEM}}


def start(server: Process, client: Json, root: Path) -> str:
    capabilities = {
        **CAPABILITIES,
        "general": {"positionEncodings": client["encodings"]},
        "textDocument": {"completion": client["completion"]},
    }
    settings = {"inline": {"deadlineMs": 60_000, "eagerness": "eager"}, "completion": {"deadlineMs": 10_000}}
    result = server.start(root, capabilities=capabilities, initializationOptions=settings)
    return str(result["capabilities"]["positionEncoding"])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("return sum;", "return sum;"),
        ("{\n  f();\n}", "{ …"),
        ("\n    return sum;", "… return sum;"),
        ("\n\n  f();\n}", "… f(); …"),
    ],
)
def test_an_item_is_called_by_its_first_line_with_text(text: str, label: str) -> None:
    assert label_of(text) == label


@pytest.mark.slow
@pytest.mark.parametrize(("client", "encoding"), [(HELIX, "utf-8"), (ZED, "utf-16")], ids=["helix", "zed"])
def test_the_suggestion_is_the_first_item_at_the_place_in_the_clients_units(
    client: Json, encoding: str, tmp_path: Path, servers: Forked
) -> None:
    with Process(tmp_path / "log", forked=servers) as server:
        assert start(server, client, tmp_path) == encoding
        for name, before in (("blank", "    const next = "), ("half", "    const next = pri")):
            uri, word = (tmp_path / f"{name}.js").as_uri(), before.rpartition(" ")[2]
            server.open(uri, "javascript", CODE.replace("    const next = ;", f"{before};"))
            menu = server.menu(uri, 4, len(before))
            first, *names = menu["items"]
            assert first["detail"] == "suggestion"
            assert first["textEdit"]["newText"].startswith(word)
            assert first["filterText"].startswith(word)
            assert first["textEdit"]["range"]["start"] == at(4, len(before) - len(word))
            assert first["sortText"] < min(one["sortText"] for one in names)
            assert menu["isIncomplete"]
            assert "price" in {one["label"] for one in names}
        line = "const text = '€𝄞'; const next = tot"
        units = len(line.encode(encoding.replace("16", "16-le"))) // (2 if encoding == "utf-16" else 1)
        uri = (tmp_path / "wide.js").as_uri()
        server.open(uri, "javascript", f"const total = 1;\nconst last = total.toFixed(2);\n{line}")
        suggested = [one for one in server.menu(uri, 2, units)["items"] if one.get("detail") == "suggestion"]
        assert [one["textEdit"]["range"]["start"] for one in suggested] == [at(2, units - len("tot"))]
        assert server.leave() == 0

"""Clients without ghost text, by the ways in which Helix and Zed ask: the suggestion is an item of the menu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.lsp_server.process import CAPABILITIES, Process, at

if TYPE_CHECKING:
    from pathlib import Path

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
    const next = price;
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


@pytest.mark.slow
@pytest.mark.parametrize(("client", "encoding"), [(HELIX, "utf-8"), (ZED, "utf-16")], ids=["helix", "zed"])
@pytest.mark.parametrize(
    ("line", "before"), [(4, "    const next = "), (4, "    const next = pri")], ids=["blank", "half a word"]
)
def test_the_suggestion_is_the_first_item(client: Json, encoding: str, line: int, before: str, tmp_path: Path) -> None:
    lines = CODE.split("\n")
    lines[line] = before + lines[line].removeprefix("    const next = ")
    uri = (tmp_path / "a.js").as_uri()
    with Process(tmp_path / "log") as server:
        assert start(server, client, tmp_path) == encoding
        server.open(uri, "javascript", "\n".join(lines))
        menu = server.menu(uri, line, len(before))
        first, *names = menu["items"]
        word = before.rpartition(" ")[2]
        assert first["detail"] == "suggestion"
        assert first["textEdit"]["newText"].startswith(word)
        assert first["filterText"].startswith(word)
        assert first["textEdit"]["range"]["start"] == at(line, len(before) - len(word))
        assert first["sortText"] < min(one["sortText"] for one in names)
        assert menu["isIncomplete"]
        assert "price" in {one["label"] for one in names}
        assert server.leave() == 0


@pytest.mark.slow
def test_after_characters_of_several_units_the_place_is_the_clients(tmp_path: Path) -> None:
    code = "const total = 1;\nconst text = '€𝄞'; const next = "
    uri, line = (tmp_path / "a.js").as_uri(), code.split("\n")[1]
    for client, units in ((HELIX, len(line.encode())), (ZED, len(line.encode("utf-16-le")) // 2)):
        with Process(tmp_path / "log") as server:
            start(server, client, tmp_path)
            server.open(uri, "javascript", code)
            suggested = [one for one in server.menu(uri, 1, units)["items"] if one.get("detail") == "suggestion"]
            assert [one["textEdit"]["range"]["start"] for one in suggested] == [at(1, units)]
            assert server.leave() == 0


@pytest.mark.slow
def test_a_client_with_ghost_text_gets_names_alone(tmp_path: Path) -> None:
    uri = (tmp_path / "a.js").as_uri()
    with Process(tmp_path / "log") as server:
        both = {**CAPABILITIES, "textDocument": {"completion": {}, "inlineCompletion": {}}}
        server.start(tmp_path, capabilities=both)
        server.open(uri, "javascript", CODE)
        assert "suggestion" not in {one.get("detail") for one in server.menu(uri, 4, 17)["items"]}
        assert server.leave() == 0

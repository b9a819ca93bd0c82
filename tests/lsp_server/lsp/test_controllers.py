"""A request's own program in the protocol: with the request, or for all of them from the start."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from context_index import Language
from lsp_server.engine.controllers.from_workspace import Trust, controller_for
from lsp_server.lsp.handlers.workspace_controllers import RUN
from tests.lsp_server.fakes import URI, Editor, conversation
from tests.lsp_server.forked import Forked
from tests.lsp_server.process import Process


@conversation
async def test_a_controller_comes_with_the_request_or_with_the_start(editor: Editor) -> None:
    start = {"language": "python", "source": "def step(s): pass"}
    await editor.start(settings={"controller": start, "inline": {"maxTokens": 9}})
    place = editor.open("const a = ^")
    await editor.inline(place)
    other = {"controller": {"language": "javascript", "source": "export function step() {}"}}
    asked = {"textDocument": {"uri": URI}, "position": place, "context": {"triggerKind": 1}}
    await editor.ask("textDocument/inlineCompletion", **asked, inscope=other)
    first, second = (request.controller for request in editor.service.requests[-2:])
    assert first is not None
    assert first.source == "def step(s): pass"
    assert second is not None
    assert second.language is Language.JAVASCRIPT
    assert editor.messages() == []
    wrong = await editor.answer(editor.send("textDocument/inlineCompletion", **asked, inscope={"controller": 7}))
    assert wrong["error"]["data"] == {"code": "malformed_request"}


def bring_controller(root: Path, forced: str) -> dict[str, str]:
    """Put a controller that forces a text into a folder; returns the folder as the protocol names it."""
    controllers = root / ".inscope" / "controllers"
    controllers.mkdir(parents=True)
    answer = f"position === 0 ? {{ force: {json.dumps(forced)} }} : {{ stop: true }}"
    (controllers / "forced.js").write_text(f"export const step = ({{ position }}) => ({answer});\n", "utf-8")
    (root / ".inscope" / "config.json").write_text('{"controllers": ["*.js"]}', "utf-8")
    return {"uri": root.as_uri(), "name": root.name}


def until(holds: Callable[[], bool]) -> None:
    """Ask until the answer to a question has arrived; the number of times bounds a failure."""
    assert any(holds() for _ in range(200))


@pytest.mark.slow
def test_a_folder_that_is_added_brings_its_controllers_and_takes_them_along(tmp_path: Path, servers: Forked) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    brought = {root: bring_controller(root, text) for root, text in ((first, "111"), (second, "222"))}
    uris = {root: (root / "new.js").as_uri() for root in brought}

    with Process(tmp_path / "log", forked=servers) as server:
        server.replies["window/showMessageRequest"] = {"title": RUN}

        def questions(count: int) -> list[str]:
            return [one["message"] for one in server.heard("window/showMessageRequest", count)]

        def forced(root: Path) -> str:
            items = server.inline(uris[root], 0, 8)  # without the controller, it is the model's to write something
            assert len(items) <= 1
            return "".join(str(item["insertText"]) for item in items)

        def folders(added: list[Path], removed: list[Path]) -> None:
            event = {"added": [brought[root] for root in added], "removed": [brought[root] for root in removed]}
            server.notify("workspace/didChangeWorkspaceFolders", event=event)

        settings = {"workspace": {"trusted": True}, "inline": {"deadlineMs": 60_000}}
        server.start(first, initializationOptions=settings)
        for uri in uris.values():
            server.open(uri, "javascript", "let a = \n")
        questions(1)
        until(lambda: forced(first).startswith("111"))
        assert not forced(second).startswith("222")
        folders([second], [])
        assert [root.name in question for root, question in zip(brought, questions(2), strict=True)] == [True, True]
        until(lambda: forced(second).startswith("222"))
        assert forced(first).startswith("111")
        folders([], [second])
        assert not forced(second).startswith("222")
        assert forced(first).startswith("111")
        folders([second], [])
        questions(3)  # what was said about a folder that was removed no longer counts
        assert server.leave() == 0


def test_the_innermost_folder_of_a_file_brings_the_controller(tmp_path: Path) -> None:
    inner = tmp_path / "packages"
    for root in (tmp_path, inner):
        bring_controller(root, root.name)
    found = controller_for([tmp_path, inner], inner / "a.js", Trust("on"))
    assert found is not None
    assert "packages" in found.source


@conversation
async def test_a_person_is_asked_once_a_workspace_is_trusted(editor: Editor, tmp_path: Path) -> None:
    bring_controller(tmp_path, "1")
    editor.replies["window/showMessageRequest"] = None
    await editor.start(roots=[tmp_path], settings={"workspace": {"trusted": False}})
    await editor.idle()
    assert editor.params_of("window/showMessageRequest") == []
    for _ in range(2):
        for trusted in (True, False):
            editor.notify("workspace/didChangeConfiguration", settings={"workspace": {"trusted": trusted}})
            await editor.idle()
    assert len(editor.params_of("window/showMessageRequest")) == 1

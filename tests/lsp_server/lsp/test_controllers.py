"""A request's own program in the protocol: with the request, or for all of them from the start."""

from __future__ import annotations

from context_index import Language
from tests.lsp_server.fakes import URI, Editor, on


def test_a_controller_comes_with_the_request_or_with_the_start() -> None:
    async def talk(editor: Editor) -> None:
        start = {"language": "python", "source": "def step(s): pass"}
        await editor.start(initializationOptions={"controller": start, "inline": {"maxTokens": 9}})
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

    on(talk)

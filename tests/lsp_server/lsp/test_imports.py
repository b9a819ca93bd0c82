"""Commands: the import that ghost text needs is added to the text as it is then, name counts are forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from context_index import Importable, NameKind
from lsp_server.lsp.handlers.commands import IMPORT
from tests.lsp_server.fakes import URI, conversation

if TYPE_CHECKING:
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion
    from tests.lsp_server.fakes import Editor, Json

EDITS = {"workspace": {"applyEdit": True}}
CART = Importable("Cart", NameKind.CLASS, "./cart")
COMMAND = {
    "title": "Import Cart from ./cart",
    "command": IMPORT,
    "arguments": [URI, [{"name": "Cart", "kind": "class", "module": "./cart", "as": "export"}]],
}


def importing(editor: Editor) -> None:
    """The service's suggestions need an import from now on."""
    plain = editor.service.complete

    def complete(request: CompletionRequest) -> Suggestion:
        return replace(plain(request), imports=(CART,) if request.imports else ())

    editor.service.complete = complete  # type: ignore[method-assign]  # a fake


@conversation
async def test_the_command_comes_with_the_text_and_with_what_is_left_of_it(editor: Editor) -> None:
    capabilities = (await editor.start(EDITS))["capabilities"]
    assert IMPORT in capabilities["executeCommandProvider"]["commands"]
    importing(editor)
    (item,) = await editor.inline(editor.open("x = ^\n"))
    assert (item["insertText"], item["command"]) == ("a + b", COMMAND)
    (rest,) = await editor.inline(editor.replace("x = a +^\n"))
    assert (rest["insertText"], rest["command"]) == (" b", COMMAND)
    assert len(editor.service.requests) == 1


@pytest.mark.parametrize(
    ("capabilities", "options"), [(None, {}), (EDITS, {"imports": "off"})], ids=["cannot edit", "switched off"]
)
@conversation
async def test_names_to_import_are_not_used_where_the_import_could_not_follow(
    editor: Editor, capabilities: Json, options: Json
) -> None:
    await editor.start(capabilities, settings=options)
    importing(editor)
    (item,) = await editor.inline(editor.open("x = ^\n"))
    assert "command" not in item
    assert not editor.service.requests[0].imports


@conversation
async def test_the_command_adds_the_import_to_the_text_as_it_is_by_then(editor: Editor) -> None:
    await editor.start(EDITS)
    editor.replies["workspace/applyEdit"] = {"applied": True}
    editor.open("import { a } from './cart';\nx = ^\n")
    editor.replace("// new\nimport { a } from './cart';\nx = Cart^\n")
    answer = await editor.ask("workspace/executeCommand", command=IMPORT, arguments=COMMAND["arguments"])
    assert answer["result"] is None
    (asked,) = editor.params_of("workspace/applyEdit")
    place = {"line": 1, "character": 10}
    assert asked["edit"] == {"changes": {URI: [{"range": {"start": place, "end": place}, "newText": ", Cart"}]}}
    assert editor.messages() == []


@conversation
async def test_an_edit_that_the_editor_refuses_is_reported(editor: Editor) -> None:
    await editor.start(EDITS)
    editor.replies["workspace/applyEdit"] = {"applied": False, "failureReason": "read only"}
    editor.open("x = Cart^\n")
    await editor.ask("workspace/executeCommand", command=IMPORT, arguments=COMMAND["arguments"])
    assert editor.messages() == ["Inscope: the editor rejected the import of Cart: read only"]


@conversation
async def test_name_counts_are_forgotten_by_a_command(editor: Editor) -> None:
    await editor.start()
    answer = await editor.ask("workspace/executeCommand", command="inscope.forgetPrior")
    assert (answer["result"], editor.service.forgotten) == (None, 1)


@conversation
async def test_an_import_into_what_was_closed_at_once_is_dropped_without_a_word(editor: Editor) -> None:
    await editor.start(EDITS)
    editor.open("x^")
    editor.notify("textDocument/didClose", textDocument={"uri": URI})
    answer = await editor.ask("workspace/executeCommand", command=IMPORT, arguments=[URI, []])
    assert answer["result"] is None
    assert editor.messages() == []


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("inscope.fly", [], "there is no command 'inscope.fly'"),
        (IMPORT, [], "inscope.import takes a document's URI and a list of names"),
        (IMPORT, [URI, [{"name": "Cart"}]], "inscope.import cannot import {'name': 'Cart'}"),
    ],
)
@conversation
async def test_a_command_that_is_not_ours_is_refused(
    editor: Editor, command: str, arguments: Json, message: str
) -> None:
    await editor.start(EDITS)
    answer = await editor.ask("workspace/executeCommand", command=command, arguments=arguments)
    assert answer["error"]["message"].startswith(message)

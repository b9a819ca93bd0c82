"""Who asks for ghost text in Neovim gets it, or is told why not: in each mode, and while the server starts.

But for the last test, the server is a few lines of Lua inside the editor. It starts when a test says so, and gives the
answer of the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pynvim
import pytest

from tests.editors import tools
from tests.editors.test_neovim import Neovim
from tests.editors.tools import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not tools.NEOVIMS, reason=f"no Neovim: {tools.HINT}"),
]
_SERVER = """
local native = ...
vim.g.inscope = {native = native, delay_ms = 10}
_G.items, _G.why, _G.asked = {}, 'nobody knows', {}
local held, is_held = {}, true
function _G.start()
  is_held = false
  for _, answer in ipairs(held) do answer() end
end
local INLINE = 'textDocument/inlineCompletion'
local function serve(dispatchers)
  return {
    request = function(method, params, answer)
      local function reply()
        if method == INLINE then
          local is_by_hand = params.context.triggerKind == 1
          if is_by_hand then table.insert(_G.asked, params.position.character) end
          local why = is_by_hand and _G.why or 'nobody asked'
          local withheld = #_G.items == 0 and {reason = 'empty', message = why} or vim.NIL
          dispatchers.notification('inscope/status', {
            state = 'ready', model = 'a model', message = '', lastWithheld = withheld, problems = {},
          })
        end
        local capabilities = {inlineCompletionProvider = true}
        answer(nil, method == INLINE and {items = _G.items} or {capabilities = capabilities})
      end
      vim.schedule(function()
        if is_held then table.insert(held, reply) else reply() end
      end)
      return true, 1
    end,
    notify = function() return true end,
    is_closing = function() return false end,
    terminate = function() end,
  }
end
vim.cmd('runtime plugin/inscope.lua')
vim.keymap.set('i', '<M-s>', '<Plug>(inscope-suggest)')
_G.open = function()
  vim.lsp.start({
    name = 'inscope',
    cmd = serve,
    handlers = {['inscope/status'] = require('inscope.status').receive},
    on_attach = function(client, buf) require('inscope.ghost').attach(client, buf) end,
  })
end
"""
_SHOWN = """
local said = {}
for name, id in pairs(vim.api.nvim_get_namespaces()) do
  if vim.tbl_contains({...}, name) then
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {details = true})) do
      for _, part in ipairs(mark[4].virt_text or {}) do table.insert(said, part[1]) end
      for _, line in ipairs(mark[4].virt_lines or {}) do table.insert(said, '|' .. line[1][1]) end
    end
  end
end
return table.concat(said)
"""
BY_KEY = "<M-s>"
STARTING = "  Inscope: the server is starting; what you asked for comes then"


class Asking:
    """A Neovim with one line, `foo`, and a server."""

    def __init__(self, program: Path, *, native: bool) -> None:
        self.vim = pynvim.attach("child", argv=tools.embedded(program))
        self.lua(_SERVER, native)
        self.vim.current.line = "foo"

    def lua(self, code: str, *arguments: object) -> Any:  # noqa: ANN401 - what Lua gave
        return self.vim.exec_lua(code, *arguments)

    def attach(self) -> None:
        """A server that has started."""
        self.lua("_G.open(); _G.start()")
        until(lambda: self.lua("return #vim.lsp.get_clients({bufnr = 0}) == 1"), "attached")

    def offer(self, text: str) -> None:
        """What the server suggests at the end of the line."""
        place = "{line = 0, character = 3}"
        self.lua(f"_G.items = {{{{insertText = ..., range = {{start = {place}, ['end'] = {place}}}}}}}", text)

    def insert(self) -> None:
        """Insert mode at the end of the line, with the automatic request answered."""
        self.vim.input("A")
        self.until_mode("i")
        self.lua("vim.wait(300)")

    def until_mode(self, mode: str) -> None:
        until(lambda: self.lua("return vim.api.nvim_get_mode().mode") == mode, f"mode {mode}")

    def note(self) -> str:
        return str(self.lua(_SHOWN, "inscope.note"))

    def is_noted(self, said: str) -> bool:
        return self.note() == said

    def ghost(self) -> str:
        return str(self.lua(_SHOWN, "inscope.ghost", "nvim.lsp.inline_completion"))

    def asked(self) -> list[int]:
        """The columns at which somebody asked."""
        return list(self.lua("return _G.asked"))


@pytest.fixture(params=tools.KINDS, ids=tools.kind)
def editor(request: pytest.FixtureRequest) -> Iterator[Asking]:
    program, native = request.param
    held = Asking(program, native=native)
    yield held
    held.vim.close()


def test_who_asks_and_gets_nothing_is_told_why_until_the_cursor_moves(editor: Asking) -> None:
    editor.attach()
    editor.insert()
    assert editor.note() == "", "nobody has asked"
    for why in ("the model is tired", "it is late"):
        editor.lua("_G.why = ...", why)
        editor.vim.input(BY_KEY)
        until(partial(editor.is_noted, f"  Inscope: {why}"), why)
    editor.vim.input("x")
    until(lambda: editor.note() == "", "gone")


def test_a_reason_that_does_not_fit_beside_the_line_is_below_it(editor: Asking) -> None:
    why = "this is a sentence of many words, " * 5
    editor.attach()
    editor.insert()
    editor.lua("_G.why = ...", why)
    editor.vim.input(BY_KEY)
    until(lambda: editor.note().replace("|", " ").strip() == f"Inscope: {why}".strip(), "the whole sentence")
    assert all(len(line) <= 80 for line in editor.note().split("|"))


def test_a_text_that_comes_says_nothing(editor: Asking) -> None:
    editor.attach()
    editor.insert()
    editor.offer("bar")
    editor.vim.input(BY_KEY)
    until(lambda: editor.ghost() == "bar", "ghost text")
    assert editor.note() == ""


@pytest.mark.parametrize("keys", [":Inscope suggest<CR>", "A<C-o>:Inscope suggest<CR>", "A<Cmd>Inscope suggest<CR>"])
def test_the_command_asks_at_the_end_of_the_line_and_shows_the_text_there(editor: Asking, keys: str) -> None:
    editor.attach()
    editor.vim.input("$")
    editor.offer("bar")
    editor.vim.input(keys)
    until(lambda: editor.ghost() == "bar", "ghost text")
    assert editor.asked() == [3]
    editor.until_mode("i")
    assert editor.vim.current.window.cursor[1] == 3


def test_what_is_asked_for_while_the_server_starts_comes_then(editor: Asking) -> None:
    editor.offer("bar")
    editor.lua("_G.open()")
    editor.vim.input("A" + BY_KEY)
    until(lambda: editor.note() == STARTING, STARTING)
    assert editor.lua("return require('inscope').status().state") == "starting"
    assert editor.vim.funcs.execute("Inscope status").strip() == "Inscope: the server is starting"
    editor.lua("_G.start()")
    until(lambda: editor.ghost() == "bar", "ghost text")
    assert editor.note() == ""
    assert editor.asked() == [3]


def test_who_types_on_while_the_server_starts_gets_no_answer_for_the_text_before(editor: Asking) -> None:
    editor.lua("_G.open()")
    editor.vim.input("A" + BY_KEY)
    until(lambda: editor.note() == STARTING, STARTING)
    editor.vim.input("d")
    until(lambda: editor.note() == "", "gone")
    editor.lua("_G.start(); vim.wait(300)")
    assert editor.asked() == []


def test_without_a_server_it_is_said(editor: Asking) -> None:
    assert editor.lua("return require('inscope').status()") is None
    editor.vim.input("A" + BY_KEY)
    until(lambda: editor.note() == "  Inscope: no server in this buffer; see :checkhealth inscope", "why")


@pytest.mark.parametrize(("program", "native"), tools.KINDS, ids=[tools.kind(one) for one in tools.KINDS])
def test_what_is_asked_for_before_the_real_server_has_started_comes_once_it_has(
    program: Path, native: bool, tmp_path: Path
) -> None:
    line = "const next = pri"
    neovim = Neovim(program, tmp_path, native=native)
    try:
        neovim.lua("require('inscope').set('inline', 'trigger', 'manual')")
        neovim.lua("vim.keymap.set('i', ..., '<Plug>(inscope-suggest)')", BY_KEY)
        assert neovim.status()["state"] == "starting"
        neovim.keys(f"6GA<CR>{line}{BY_KEY}")
        assert until(neovim.ghost, "what was asked for")
    finally:
        neovim.close()

"""What accepting a part of the ghost text leaves in the line, with Neovim's own ghost text and with the plugin's.

The server is a few lines of Lua inside the editor, and its answer is always the same text.
"""

from __future__ import annotations

from pathlib import Path

import pynvim
import pytest

from tests.editors import tools
from tests.editors.tools import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not tools.NEOVIMS, reason=f"no Neovim: {tools.HINT}"),
]
_SERVER = """
local text, stop, native = ...
vim.g.inscope = {native = native, delay_ms = 10}
local item = {
  insertText = text,
  range = {start = {line = 0, character = 0}, ['end'] = {line = 0, character = stop}},
}
local answers = {
  initialize = {capabilities = {inlineCompletionProvider = true}},
  ['textDocument/inlineCompletion'] = {items = {item}},
}
local function serve()
  return {
    request = function(method, _, answer)
      vim.schedule(function() answer(nil, answers[method]) end)
      return true, 1
    end,
    notify = function() return true end,
    is_closing = function() return false end,
    terminate = function() end,
  }
end
vim.lsp.start({
  name = 'inscope',
  cmd = serve,
  on_attach = function(client, buf)
    require('inscope.ghost').attach(client, buf)
    _G.attached = true
  end,
})
"""
_IS_SHOWN = """
for name, id in pairs(vim.api.nvim_get_namespaces()) do
  if name == 'inscope.ghost' or name == 'nvim.lsp.inline_completion' then
    if #vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {}) > 0 then return true end
  end
end
return false
"""
CASES = """
f(^)     | f(a, b)     | word => f(a^)
f(^)     | f(a, b)     | all  => f(a, b)^
pr^ices  | price.total | word => price^ices
pr^ices  | price.total | line => price.total^
a = ^    | a = b.c     | word => a = b^
"""
"""A line with its cursor, the text that replaces the whole line, and the part that is accepted."""


@pytest.mark.parametrize("kind", tools.KINDS, ids=tools.kind)
@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_part_leaves_what_follows_the_cursor(case: str, kind: tuple[Path, bool]) -> None:
    given, expected = (one.strip() for one in case.split("=>"))
    marked, text, part = (one.strip() for one in given.split("|"))
    before, after = marked.split("^")
    program, native = kind
    vim = pynvim.attach("child", argv=tools.embedded(program))
    try:
        vim.current.line = before + after
        vim.exec_lua(_SERVER, text, len(before + after), native)
        until(lambda: vim.exec_lua("return _G.attached"), "attached")
        vim.input("A" + "<Left>" * len(after))
        until(lambda: vim.exec_lua(_IS_SHOWN), "ghost text")
        vim.exec_lua("require('inscope.ghost').accept(...)", part)
        until(lambda: vim.current.line != before + after, "accepted")
        line, (_, column) = vim.current.line, vim.current.window.cursor
        assert f"{line[:column]}^{line[column:]}" == expected
    finally:
        vim.close()

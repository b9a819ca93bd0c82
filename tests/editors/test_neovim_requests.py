"""The requests of the plugin's own ghost text in Neovim, and which answer it shows.

A test decides when the server answers and when the pause before a request ends.
"""

from __future__ import annotations

from collections.abc import Iterator
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
local compat = require('inscope.compat')
_G.handlers, _G.cancelled = {}, {}
local client = {offset_encoding = 'utf-16'}
compat.client = function() return client end
compat.is_stopped = function() return false end
compat.request = function(_, _, _, handler)
  table.insert(_G.handlers, handler)
  return true, #_G.handlers
end
compat.cancel = function(_, id) table.insert(_G.cancelled, id) end
vim.uv.new_timer = function()
  return {
    start = function(self, _, _, over) self.over, _G.pause = over, self end,
    is_closing = function(self) return self.closed or false end,
    close = function(self) self.closed = true end,
  }
end
require('inscope.extmarks').attach(vim.api.nvim_get_current_buf())
"""
_GHOST = """
local id = vim.api.nvim_get_namespaces()['inscope.ghost']
local marks = vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {details = true})
return marks[1] and marks[1][4].virt_text[1][1] or ''
"""


class HeldEditor:
    """An editor whose requests wait until a test answers them, numbered from 1."""

    def __init__(self, program: Path) -> None:
        self.vim = pynvim.attach("child", argv=tools.embedded(program))
        self.vim.exec_lua(_SERVER)
        self.vim.input("i")
        until(lambda: self.vim.exec_lua("return vim.api.nvim_get_mode().mode") == "i", "insert mode")
        self.requests = 0

    def type(self, text: str) -> int:
        """Type one letter and end the pause; the number of the request that is sent."""
        before = self.vim.current.line
        self.vim.input(text)
        until(lambda: self.vim.current.line == before + text, "the letter")
        return self.end_pause()

    def end_pause(self) -> int:
        """End the pause after a key; the number of the request that is sent."""
        self.requests += 1
        self.vim.exec_lua("_G.pause:over()")
        until(lambda: self.vim.exec_lua("return #_G.handlers") == self.requests, "a request")
        return self.requests

    def answer(self, number: int, text: str | None) -> None:
        """Answer a request with a suggestion, or say that it was cancelled."""
        answer = "nil, {items = {{insertText = ...}}}" if text is not None else "{code = -32800}, nil"
        self.vim.exec_lua(f"_G.handlers[{number}]({answer})", text or "")

    def ghost(self) -> str:
        return str(self.vim.exec_lua(_GHOST))

    def cancelled(self) -> list[int]:
        return list(self.vim.exec_lua("return _G.cancelled"))


@pytest.fixture(params=tools.NEOVIMS, ids=lambda one: one.parent.name)
def editor(request: pytest.FixtureRequest) -> Iterator[HeldEditor]:
    held = HeldEditor(request.param)
    yield held
    held.vim.close()


def test_the_answer_to_an_older_request_leaves_the_newer_one_to_be_cancelled(editor: HeldEditor) -> None:
    first = editor.type("a")
    second = editor.type("b")
    assert editor.cancelled() == [first]
    editor.answer(first, None)
    editor.type("c")
    assert editor.cancelled() == [first, second]


def test_the_answer_to_an_older_request_is_not_shown_and_the_newer_one_is(editor: HeldEditor) -> None:
    first = editor.type("a")
    editor.vim.exec_lua("vim.api.nvim_exec_autocmds('CursorMovedI', {buffer = 0})")  # nothing changed
    second = editor.end_pause()
    editor.answer(first, "old")
    assert editor.ghost() == ""
    editor.answer(second, "new")
    assert editor.ghost() == "new"


def test_what_was_answered_is_not_cancelled(editor: HeldEditor) -> None:
    first = editor.type("a")
    editor.answer(first, "bc")
    assert editor.ghost() == "bc"
    second = editor.type("b")
    assert editor.ghost() == "c"
    editor.answer(second, None)
    editor.type("x")
    assert editor.cancelled() == []

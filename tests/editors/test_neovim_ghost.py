"""Accepting a part of the ghost text and dismissing it, with Neovim's own ghost text and with the plugin's.

The server is a few lines of Lua inside the editor, and its answer is always the same text.
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
local text, stop, native, title = ...
vim.g.inscope = {native = native, delay_ms = 10}
local item = {
  insertText = text,
  range = {start = {line = 0, character = 0}, ['end'] = {line = 0, character = stop}},
  command = title ~= '' and {title = title, command = 'inscope.import', arguments = {}} or nil,
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


_NOTE = """
local said = {}
local id = vim.api.nvim_get_namespaces()['inscope.imports']
for _, mark in ipairs(id and vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {details = true}) or {}) do
  table.insert(said, mark[4].virt_text_pos .. mark[4].virt_text[1][1])
end
return table.concat(said, '|')
"""


class Editor:
    """A Neovim with one line, and a server that suggests the same text again and again."""

    def __init__(self, program: Path, *, native: bool) -> None:
        self.vim = pynvim.attach("child", argv=tools.embedded(program))
        self.native = native

    def begin(self, marked: str, text: str, title: str = "") -> None:
        """Insert mode at the mark in the line, which the server wants to replace with the text.

        Args:
            title: That of the text's command, which imports something; empty where it brings no import.
        """
        before, after = marked.split("^")
        self.vim.current.line = before + after
        self.vim.exec_lua(_SERVER, text, len(before + after), self.native, title)
        until(lambda: self.vim.exec_lua("return _G.attached"), "attached")
        self.vim.input("A" + "<Left>" * len(after))

    def ghost(self, call: str) -> None:
        self.vim.exec_lua(f"require('inscope.ghost').{call}")

    def is_shown(self) -> bool:
        return bool(self.vim.exec_lua(_IS_SHOWN))

    def note(self) -> str:
        """Where and how the editor says what the text imports."""
        return str(self.vim.exec_lua(_NOTE))

    def line(self) -> str:
        """The line with a mark at the cursor."""
        line, (_, column) = self.vim.current.line, self.vim.current.window.cursor
        return f"{line[:column]}^{line[column:]}"


CASES = """
f(^)     | f(a, b)     | word => f(a^)
f(^)     | f(a, b)     | all  => f(a, b)^
pr^ices  | price.total | word => price^ices
pr^ices  | price.total | line => price.total^
a = ^    | a = b.c     | word => a = b^
"""
"""A line with its cursor, the text that replaces the whole line, and the part that is accepted."""


@pytest.fixture(params=tools.KINDS, ids=tools.kind)
def editor(request: pytest.FixtureRequest) -> Iterator[Editor]:
    program, native = request.param
    held = Editor(program, native=native)
    yield held
    held.vim.close()


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_part_leaves_what_follows_the_cursor(case: str, editor: Editor) -> None:
    given, expected = (one.strip() for one in case.split("=>"))
    marked, text, part = (one.strip() for one in given.split("|"))
    editor.begin(marked, text)
    until(editor.is_shown, "ghost text")
    editor.ghost(f"accept('{part}')")
    until(lambda: editor.line() != marked, "accepted")
    assert editor.line() == expected


CLOSED = """
f(^      | f(path)       | )  => f(path)^
f(^      | f(path)       | ;  => f(path);^
f(^      | f(g(x))       | )  => f(g(x))^
f(g(^    | f(g(x))       | )) => f(g(x))^
a[f(^    | a[f(x)]       | )] => a[f(x)]^
f('^     | f('x')        | ') => f('x')^
a = ^    | a = f(x)      | )  => a = f(x))^
f(^      | f(path)       | )) => f(path))^
"""
"""A line with its cursor, the text that replaces the whole line, and what is typed once it was accepted."""


@pytest.mark.parametrize("case", CLOSED.strip().splitlines())
def test_what_a_suggestion_closed_is_typed_over(case: str, editor: Editor) -> None:
    given, expected = (one.strip() for one in case.split("=>"))
    marked, text, typed = (one.strip() for one in given.split("|"))
    editor.begin(marked, text)
    until(editor.is_shown, "ghost text")
    editor.ghost("accept('all')")
    until(lambda: editor.line() == f"{text}^", "accepted")
    editor.vim.exec_lua("vim.wait(20)")  # until the editor is done with it
    editor.vim.input(typed)
    until(lambda: editor.line() == expected, expected)


def test_ghost_text_that_was_dismissed_is_shown_again_when_asked_for(editor: Editor) -> None:
    editor.begin("a = ^", "a = b")
    until(editor.is_shown, "ghost text")
    for _ in range(2):
        editor.ghost("dismiss()")
        assert not editor.is_shown()
        editor.ghost("cycle(1)")
        until(editor.is_shown, "what was asked for")


def test_to_dismiss_ghost_text_does_not_resume_what_is_paused(editor: Editor) -> None:
    editor.begin("a = ^", "a = b")
    until(editor.is_shown, "ghost text")
    editor.vim.exec_lua("require('inscope').toggle(false)")
    editor.ghost("dismiss()")
    editor.vim.input("<Left>")
    editor.vim.exec_lua("vim.wait(400)")  # Neovim asks 200 ms after the cursor moves
    assert not editor.is_shown()


NOTE = "eol  + import dumps from json"


def importing(editor: Editor) -> None:
    """Ghost text that brings an import."""
    editor.begin("s = du^", "s = dumps(x)", "Import dumps from json")
    until(lambda: editor.is_shown() and editor.note() == NOTE, NOTE)


def test_an_import_is_seen_as_long_as_the_text_is_there(editor: Editor) -> None:
    importing(editor)
    editor.vim.input("m")
    until(lambda: editor.line() == "s = dum^" and editor.is_shown(), "typed along")
    assert editor.note() == NOTE
    editor.ghost("dismiss()")
    assert not editor.is_shown()
    assert editor.note() == ""
    editor.ghost("suggest()")
    until(lambda: editor.is_shown() and editor.note() == NOTE, "asked for")
    editor.vim.input("~")
    until(lambda: not editor.note(), "gone with the text")


def test_an_import_is_not_seen_once_it_was_taken(editor: Editor) -> None:
    importing(editor)
    editor.ghost("accept('all')")
    until(lambda: editor.line() == "s = dumps(x)^", "accepted")
    until(lambda: not editor.note(), "nothing is left of it")


def test_a_text_that_imports_nothing_says_nothing(editor: Editor) -> None:
    editor.begin("s = du^", "s = dumps(x)")
    until(editor.is_shown, "ghost text")
    assert editor.note() == ""

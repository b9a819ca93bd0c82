"""Neovim as it comes, with another server beside ours: ty for Python, TypeScript's own service for TypeScript."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pynvim
import pytest

from tests.editors import tools
from tests.editors.tools import until

SERVICE = tools.TOOLS / "services" / "node_modules" / ".bin" / "typescript-language-server"
TY = Path(sys.executable).with_name("ty")
STAR = "★ "
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (tools.NEOVIMS and SERVICE.exists() and TY.exists()), reason=f"no Neovim: {tools.HINT}"),
]
TEXTS = {
    "package.json": "{}\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022"}, "include": ["*.ts"]}',
    "money.ts": "export function formatCents(cents: number): string {\n  return `${cents / 100}`;\n}\n",
    "feed.ts": (
        "export class Feed {\n  private entries: string[] = [];\n  fetchedAt = new Date(0);\n  title = 'news';\n\n"
        "  add(entry: string): number {\n    this.entries.push(entry);\n    return this.entries.length;\n  }\n\n"
        "  latest(count: number): string[] {\n    return this.entries.slice(-count);\n  }\n}\n\n"
        "const feed = new Feed();\nfeed.add('one');\nfeed.add('two');\n"
    ),
    "money.py": "def format_cents(cents: int) -> str:\n    return f'{cents / 100}'\n",
    "feed.py": (
        "class Feed:\n    def __init__(self) -> None:\n        self.entries: list[str] = []\n"
        "        self.title = 'news'\n\n"
        "    def add(self, entry: str) -> int:\n        self.entries.append(entry)\n"
        "        return len(self.entries)\n\n"
        "    def latest(self, count: int) -> list[str]:\n        return self.entries[-count:]\n\n\n"
        "feed = Feed()\nfeed.add('one')\nfeed.add('two')\n"
    ),
}
START = """
local others = ...
-- no suggestion is cut short, and no menu left unranked, on a busy machine
local inline, completion = {deadlineMs = 60000, learn = false}, {deadlineMs = 10000}
local settings = {inscope = {inline = inline, completion = completion, setup = {ask = false}}}
vim.g.inscope = {lsp = {settings = settings}}
if vim.lsp.config then vim.lsp.config('inscope', {settings = settings}) end
vim.cmd('runtime plugin/inscope.lua')
vim.cmd('filetype plugin on')
if vim.lsp.enable then vim.lsp.enable('inscope') end
vim.o.completeopt = 'menuone,noinsert'
vim.api.nvim_create_autocmd('FileType', {callback = function(event)
  local cmd = others[vim.bo[event.buf].filetype]
  if cmd then
    local root = vim.fs.dirname(vim.api.nvim_buf_get_name(event.buf))
    local name = 'other ' .. vim.bo[event.buf].filetype
    vim.lsp.start({name = name, cmd = cmd, root_dir = root}, {bufnr = event.buf})
  end
end})
"""
TOLD = """
local client = vim.lsp.get_clients({name = 'inscope', bufnr = 0})[1]
return client and table.concat(require('inscope.others').languages(client), ' ') or ''
"""
STOP = """
for _, one in ipairs(vim.lsp.get_clients()) do
  if one.name ~= 'inscope' then vim.lsp.stop_client(one.id, true) end
end
"""
ENTRIES = """
return vim.tbl_map(function(one) return {one.abbr ~= '' and one.abbr or one.word, one.menu or ''} end,
  vim.fn.complete_info({'items'}).items)
"""


class Beside:
    """An editor in a folder with files of two languages, and two servers in each."""

    def __init__(self, program: Path, folder: Path) -> None:
        work = folder / "work"
        work.mkdir()
        for name, text in TEXTS.items():
            (work / name).write_text(text, "utf-8")
        self.work = work
        self.sorts = program.parent.name != "neovim-0.10"
        """Whether it sorts what several servers list; 0.10 shows one server's entries after the other's."""
        path = os.pathsep.join(
            [str(tools.server(folder, is_set_up=True).parent), str(tools.NODE.parent), os.environ["PATH"]]
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", path)
            patch.setenv("XDG_STATE_HOME", str(folder / "state"))
            patch.chdir(work)
            self.vim = pynvim.attach("child", argv=tools.embedded(program))
        command = [str(tools.NODE), str(SERVICE), "--stdio"]
        self.vim.exec_lua(START, {"typescript": command, "python": [str(TY), "server"]})

    def open(self, name: str, language: str) -> None:
        self.vim.command(f"edit! {self.work / name}")
        until(lambda: language in self.vim.exec_lua(TOLD).split(), "both servers")
        until(lambda: self.vim.exec_lua("return (require('inscope').status() or {}).state") == "ready", "the model")

    def menu(self, line: str) -> list[tuple[str, str]]:
        """The entries of the menu at the end of a new last line."""
        self.vim.input("<C-\\><C-n>")
        until(lambda: self.vim.exec_lua("return vim.api.nvim_get_mode().mode") == "n", "normal mode")
        self.vim.command("silent! edit!")
        self.vim.input(f"Go{line}")
        until(lambda: self.vim.current.line == line, "the line")
        self.vim.input("<C-x><C-o>")
        until(lambda: self.vim.exec_lua("return vim.fn.pumvisible() == 1"), f"a menu after {line!r}")
        time.sleep(0.3)
        return [(label, menu) for label, menu in self.vim.exec_lua(ENTRIES)]


@pytest.fixture(scope="module", params=tools.NEOVIMS, ids=lambda one: one.parent.name)
def beside(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    editor = Beside(request.param, tmp_path_factory.mktemp("beside"))
    yield editor
    with suppress(OSError, EOFError):  # it is gone before it can answer
        editor.vim.command("qall!")
    editor.vim.close()


MENUS: list[Any] = [
    ("feed.ts", "typescript", "feed.", ["add", "fetchedAt", "latest", "title"]),
    ("feed.ts", "typescript", "feed.l", ["latest"]),
    ("feed.ts", "typescript", "const all = fee", ["feed"]),
    ("feed.py", "python", "feed.", ["add", "entries", "latest", "title"]),
    ("feed.py", "python", "feed.en", ["entries"]),
    ("feed.py", "python", "everything = fee", ["feed"]),
]


@pytest.mark.parametrize(("name", "language", "line", "theirs"), MENUS)
def test_the_most_probable_come_first_and_nothing_else_is_there_twice(
    beside: Beside, name: str, language: str, line: str, theirs: list[str]
) -> None:
    beside.open(name, language)
    found = until(lambda: [one for one in beside.menu(line) if one[0].startswith(STAR)] and beside.menu(line), "stars")
    labels = [label for label, _ in found]
    stars = sum(label.startswith(STAR) for label in labels)
    assert 1 <= stars <= 3
    if beside.sorts:
        assert all(label.startswith(STAR) for label in labels[:stars]), labels
    others = [one for one in found if not one[0].startswith(STAR)]
    assert len({*others}) == len(others), others
    plain = {label.rstrip("~?") for label, _ in others}
    assert {*theirs} <= plain


IMPORTS = [
    ("feed.ts", "typescript", "const cents = formatC", "formatCents"),
    ("feed.py", "python", "cents = format_c", "format_cents"),
]


@pytest.mark.parametrize(("name", "language", "line", "wanted"), IMPORTS)
def test_a_name_that_brings_an_import_is_listed_once_beside_its_star(
    beside: Beside, name: str, language: str, line: str, wanted: str
) -> None:
    beside.open(name, language)
    found = until(lambda: [label for label, _ in beside.menu(line) if wanted in label], wanted)
    plain = [label for label in found if not label.startswith(STAR)]
    assert len(plain) <= 1, found


OVERHEARD = """
local by_editor = ...
local compat, method = require('inscope.compat'), 'textDocument/completion'
local request, entry = compat.request, {label = 'lacks', data = {import = {}, text = 'lacks'}}
Counted, Left = 0, nil
compat.request = function(client, asked, ...)
  Counted = Counted + (asked == method and 1 or 0)
  return request(client, asked, ...)
end
for _, client in ipairs(by_editor and vim.lsp.get_clients({bufnr = 0}) or {}) do
  if client.name ~= 'inscope' then
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    client.rpc.request(method, params, function() end)
  end
end
local ours = {rpc = {request = function(_, _, callback) callback(nil, {isIncomplete = false, items = {entry}}) end}}
require('inscope.others').attach(ours)
ours.rpc.request(method, {textDocument = {uri = vim.uri_from_bufnr(0)}}, function(_, result)
  Left, compat.request = #result.items, request
end)
"""


@pytest.mark.parametrize("by_editor", [True, False])
@pytest.mark.parametrize(("name", "language"), [("feed.ts", "typescript"), ("feed.py", "python")])
def test_the_others_are_asked_only_what_the_editor_has_not_asked(
    beside: Beside, name: str, language: str, by_editor: bool
) -> None:
    """An answer of ours with a name that they may lack stands for the server's."""
    beside.open(name, language)
    beside.menu("feed.")
    beside.vim.input("l")
    until(lambda: beside.vim.current.line == "feed.l", "the key")
    beside.vim.exec_lua(OVERHEARD, by_editor)
    until(lambda: beside.vim.exec_lua("return Left ~= nil"), "an answer")
    assert beside.vim.exec_lua("return Counted") == (0 if by_editor else 1)


MODES = [("auto", True, 1), ("best", True, 1), ("all", False, 2), ("off", False, 1)]
"""For each mode of our menu beside another service: whether there are stars, and how often a member is listed without
one; twice where our whole list stands beside theirs."""


@pytest.mark.parametrize(("mode", "has_stars", "count"), MODES)
def test_each_mode_lists_what_it_says(beside: Beside, mode: str, has_stars: bool, count: int) -> None:
    beside.open("feed.py", "python")
    beside.vim.command(f"Inscope mode {mode}")
    for _ in range(2):  # the second menu is not the first by chance
        labels = [label.rstrip("~?") for label, _ in beside.menu("feed.")]
        assert (any(label.startswith(STAR) for label in labels), labels.count("entries")) == (has_stars, count), labels
    beside.vim.command("Inscope mode auto")


def test_alone_the_whole_list_comes(beside: Beside) -> None:
    """Once the other server is gone."""
    beside.open("feed.py", "python")
    beside.vim.exec_lua(STOP)
    until(lambda: beside.vim.exec_lua(TOLD) == "", "the other one is gone")
    found = until(lambda: [label for label, _ in beside.menu("feed.") if not label.startswith(STAR)], "the whole list")
    assert {"add", "entries", "latest", "title"} <= {*found}

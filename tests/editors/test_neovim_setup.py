"""Setup in Neovim: by the question and by the command; and where the server's program is taken from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pynvim
import pytest

from context_index.parts import part
from tests.editors import tools
from tests.editors.tools import until
from tests.hostile import hostile_workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not tools.NEOVIMS, reason=f"no Neovim: {tools.HINT}"),
]
CODE = "declare function desks(): string[];\nconst rows = desks();\nrows.\n"
_START = """
vim.g.loaded_python3_provider, vim.g.loaded_node_provider = 0, 0 -- Neovim's own, which start programs of the PATH
local inline = {deadlineMs = 60000, eagerness = "eager", learn = false}
local settings = {inscope = {inline = inline, completion = {deadlineMs = 10000}}}
vim.g.inscope = {lsp = {settings = settings}}
if vim.lsp.config then vim.lsp.config('inscope', {settings = settings}) end
local answer = ...
_G.questions, _G.said = {}, {}
vim.ui.select = function(items, options, choose)
  table.insert(_G.questions, options.prompt)
  for _, item in ipairs(items) do
    if options.format_item(item) == answer then choose(item) end
  end
end
local echo = vim.api.nvim_echo
vim.api.nvim_echo = function(chunks, ...)
  for _, chunk in ipairs(chunks) do table.insert(_G.said, chunk[1]) end
  return echo(chunks, ...)
end
vim.cmd('runtime plugin/inscope.lua')
vim.cmd('filetype plugin on')
if vim.lsp.enable then vim.lsp.enable('inscope') end
"""
_ATTACHED = "return #vim.lsp.get_clients({name = 'inscope', bufnr = 0}) > 0"
_OFFERED = """
local found = {}
local params = vim.lsp.util.make_position_params(0, 'utf-16')
params.position.character = #vim.api.nvim_get_current_line()
for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/completion', params, 60000) or {}) do
  for _, item in ipairs((answer.result or {items = {}}).items) do table.insert(found, item.label) end
end
return found
"""


@contextmanager
def neovim(program: Path, work: Path, environment: dict[str, str], answer: str = "") -> Iterator[Any]:
    """An editor in a folder, as `vim.lsp.enable` starts the server; `answer` is what a person says to a question."""
    with pytest.MonkeyPatch.context() as patch:  # pynvim hands its own environment and folder on
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setenv("XDG_STATE_HOME", str(work.parent / "state"))
        patch.chdir(work)
        vim = pynvim.attach("child", argv=tools.embedded(program))
    try:
        vim.exec_lua(_START, answer)
        yield vim
    finally:
        with suppress(OSError, EOFError):  # it is gone before it can answer
            vim.command("qall!")
        vim.close()


@pytest.fixture(params=tools.NEOVIMS, ids=lambda one: one.parent.name)
def program(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "package.json").write_text("{}\n", "utf-8")
    (folder / "rows.ts").write_text(CODE, "utf-8")
    return folder


def on_path(tmp_path: Path) -> dict[str, str]:
    return {"PATH": f"{tools.server(tmp_path).parent}{os.pathsep}{os.environ['PATH']}"}


def offered(vim: Any) -> list[str]:  # noqa: ANN401 - pynvim has no types
    """The menu after the dot."""
    vim.current.window.cursor = (3, 0)
    return list(vim.exec_lua(_OFFERED))


@pytest.mark.parametrize("by", ["question", "command"])
def test_setup_is_shown_and_the_checker_answers_at_once(program: Path, by: str, work: Path, tmp_path: Path) -> None:
    asks = by == "question"
    with neovim(program, work, on_path(tmp_path), "Install" if asks else "Not Now") as vim:
        vim.command("edit rows.ts")
        until(lambda: vim.exec_lua("return #_G.questions") == 1, "the question")
        assert "TypeScript 7 is not installed" in vim.exec_lua("return _G.questions[1]")
        if not asks:
            assert not (tmp_path / "data" / "parts").exists(), "nothing is installed unasked"
            assert "flatMap" not in offered(vim)
            assert vim.funcs.getcompletion("Inscope se", "cmdline") == ["setup"]
            vim.command("Inscope setup")
        until(lambda: "Inscope: setup: TypeScript 7.0.2: installed" in vim.exec_lua("return _G.said"), "progress")
        assert "Inscope: setup: TypeScript 7.0.2: downloading" in vim.exec_lua("return _G.said")
        if tools.typescript() is not None:
            until(lambda: "flatMap" in offered(vim), "the members of an array")
        vim.command("edit! rows.ts")
        assert vim.exec_lua("return #_G.questions") == 1


_TRUST_BY_ROOT = """
local mine, typescript = ...
local config = {
  settings = vim.tbl_deep_extend('force', vim.g.inscope.lsp.settings, {inscope = {typescript = {path = typescript}}}),
  before_init = function(params, config)
    local trusted = vim.startswith(config.root_dir or '', mine)
    params.initializationOptions = {workspace = {trusted = trusted}}
  end,
}
if vim.lsp.config then
  vim.lsp.config('inscope', config)
else
  vim.g.inscope = {lsp = config}
end
vim.lsp.handlers['window/showMessage'] = function(_, params) table.insert(_G.said, params.message) end
"""


@pytest.mark.parametrize("mine", [True, False])
def test_a_folder_is_trusted_as_the_help_says(program: Path, work: Path, tmp_path: Path, *, mine: bool) -> None:
    typescript = part("typescript")
    own = work / "node_modules" / typescript.package / typescript.file
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\n", "utf-8")
    with neovim(program, work, on_path(tmp_path)) as vim:
        vim.exec_lua(_TRUST_BY_ROOT, str(work if mine else tmp_path / "mine"), str(work))
        vim.command("edit rows.ts")
        until(lambda: vim.exec_lua(_ATTACHED), "the server attached")
        offered(vim)  # answered after it was opened
        if mine:
            vim.exec_lua("vim.wait(1000)")
            assert not [one for one in vim.exec_lua("return _G.said") if "trusted" in one]
        else:
            said = until(
                lambda: [one for one in vim.exec_lua("return _G.said") if "which is not trusted" in one], "why"
            )
            assert len(said) == 1
        assert vim.exec_lua("return _G.questions") == []


def test_every_subcommand_completes_and_an_unknown_one_is_reported(program: Path, work: Path, tmp_path: Path) -> None:
    with neovim(program, work, on_path(tmp_path)) as vim:
        names = vim.funcs.getcompletion("Inscope ", "cmdline")
        commands = list(vim.exec_lua("return vim.tbl_keys(vim.api.nvim_get_commands({}))"))
        assert sorted(f"Inscope{name.capitalize()}" for name in names) == sorted(
            name for name in commands if name.startswith("Inscope") and name != "Inscope"
        )
        assert vim.funcs.getcompletion("Inscope setup ", "cmdline") == []
        vim.exec_lua("vim.notify = function(text) table.insert(_G.said, text) end")
        vim.command("Inscope fly")
        vim.command("Inscope setup")
        assert vim.exec_lua("return _G.said") == [
            "Inscope: there is no ':Inscope fly'; ':Inscope' lists what there is",
            "Inscope: no server runs; open a file, or see :checkhealth inscope",
        ]


@pytest.mark.parametrize("by", ["list", "name"])
def test_a_model_is_chosen_and_written(program: Path, by: str, work: Path, tmp_path: Path) -> None:
    hub = tmp_path / "home" / ".cache" / "huggingface" / "hub"
    own = tmp_path / "own" / "inscope.toml"
    homes = {"HOME": str(tmp_path / "home"), "HF_HUB_CACHE": str(hub), "INSCOPE_CONFIG": str(own.parent)}
    chosen = "Qwen/Qwen2.5-Coder-0.5B"
    with neovim(program, work, {**on_path(tmp_path), **homes}) as vim:
        vim.exec_lua("vim.notify = function(text) table.insert(_G.said, text) end")
        vim.exec_lua(_CHOOSES, chosen)
        vim.command("edit rows.ts")
        until(lambda: vim.exec_lua(_ATTACHED), "the server attached")
        vim.command("Inscope models" if by == "list" else f"Inscope models {chosen}")
        said = until(lambda: [one for one in vim.exec_lua("return _G.said") if "the model is" in one], "the choice")
        listed = list(vim.exec_lua("return _G.items"))
    assert said[0].startswith(f"Inscope: the model is {chosen}. It is not on this machine")
    assert own.read_text("utf-8") == f'model = "{chosen}"\n'
    if by == "list":
        assert listed[0].startswith("built-in *  17 MB, folder, embedded")
        assert any(one.startswith(f"{chosen}  ") and "of memory" in one for one in listed)


_CHOOSES = """
local chosen = ...
_G.items = {}
vim.ui.select = function(items, options, choose)
  if options.prompt ~= 'Inscope: choose a model' then return end -- whether to install TypeScript, asked at any time
  for _, item in ipairs(items) do
    table.insert(_G.items, options.format_item(item))
    if item.name == chosen then choose(item) end
  end
end
"""


def test_health_says_how_to_get_the_program(program: Path, work: Path) -> None:
    with neovim(program, work, {"PATH": os.defpath}) as vim:
        vim.command("checkhealth inscope")
        report = "\n".join(vim.current.buffer[:])
    assert "ERROR there is no program inscope (in no folder of the PATH" in report
    assert "make wheel" in report
    assert not re.search(r"pipx? install inscope", report), "no index has it"


_MODEL = """
local settings = vim.tbl_deep_extend('force', vim.g.inscope.lsp.settings, {inscope = {model = ...}})
vim.g.inscope = {lsp = {settings = settings}}
if vim.lsp.config then vim.lsp.config('inscope', {settings = settings}) end
"""
_NAMES = """
local params = vim.lsp.util.make_position_params(0, 'utf-16')
params.position = {line = 2, character = 2}
local found, faults = {}, {}
for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/completion', params, 60000) or {}) do
  if answer.err or answer.error then table.insert(faults, 'fault') end
  for _, item in ipairs((answer.result or {items = {}}).items) do table.insert(found, item.label) end
end
return {found, faults}
"""


def test_health_asks_about_the_buffers_that_have_a_file(program: Path, work: Path, tmp_path: Path) -> None:
    with neovim(program, work, on_path(tmp_path), "Not Now") as vim:
        vim.command("edit rows.ts")
        until(lambda: vim.exec_lua(_ATTACHED), "the server attached")
        until(lambda: vim.exec_lua("return require('inscope').status().state") != "starting", "its status")
        vim.command("checkhealth inscope")
        report = "\n".join(vim.current.buffer[:])
    assert "WARNING" not in report, "what is optional is no warning"
    assert "open: 1 file of its languages, in 1 server\n" in report
    assert f"the server of {work}" in report
    assert "OK model: " in report
    assert "ERROR checker typescript: TypeScript is not installed" in report, "nothing is installed for these tests"
    assert "no server in" not in report


def test_a_broken_model_is_red_and_leaves_the_menu(program: Path, work: Path, tmp_path: Path) -> None:
    with neovim(program, work, on_path(tmp_path), "Not Now") as vim:
        vim.exec_lua(_MODEL, "/nowhere/model")
        vim.command("edit rows.ts")
        until(lambda: vim.exec_lua(_ATTACHED), "the server attached")
        until(lambda: vim.exec_lua("return (require('inscope').status() or {}).state") == "failed", "the model failed")
        names, faults = until(lambda: vim.exec_lua(_NAMES), "a menu")
        assert ("rows" in names, faults) == (True, [])
        vim.command("checkhealth inscope")
        report = "\n".join(vim.current.buffer[:])
        vim.command("bwipeout!")
        assert vim.exec_lua("return #vim.lsp.get_clients({name = 'inscope'})") == 1, "the server is still there"
    assert re.search(r"ERROR model: .*/nowhere/model", report)


def test_without_a_file_the_doctor_of_the_program_is_asked(program: Path, work: Path, tmp_path: Path) -> None:
    with neovim(program, work, on_path(tmp_path)) as vim:
        vim.command("checkhealth inscope")
        report = "\n".join(vim.current.buffer[:])
    assert "open: 0 files of its languages, in 0 servers" in report
    assert "OK model: " in report


_CMD = """
local config = {cmd = {'/nowhere/inscope', 'lsp'}}
if vim.lsp.config then vim.lsp.config('inscope', config) else vim.g.inscope = {lsp = config} end
"""


def test_health_examines_the_configured_program(program: Path, work: Path, tmp_path: Path) -> None:
    with neovim(program, work, on_path(tmp_path)) as vim:
        vim.exec_lua(_CMD)
        vim.command("checkhealth inscope")
        assert "ERROR there is no program /nowhere/inscope" in "\n".join(vim.current.buffer[:])


def test_a_hostile_workspace_is_opened_and_nothing_of_it_runs(program: Path, tmp_path: Path) -> None:
    """Default settings; a file of each language, and its menu, ghost text and documentation."""
    hostile = hostile_workspace(tmp_path)
    server = tools.server(tmp_path)
    environment = {**hostile.environment}
    environment["PATH"] += f"{os.pathsep}{server.parent}"
    with neovim(program, hostile.root, environment, "Not Now") as vim:
        assert vim.exec_lua("return require('inscope.server').program()") == str(server)
        for name in ("cart.js", "cart.ts", "shop.py"):
            vim.command(f"edit {name}")
            until(lambda: vim.exec_lua(_ATTACHED), "the server attached")
            vim.current.buffer.append("i")
            vim.current.window.cursor = (len(vim.current.buffer), 0)
            assert until(lambda: vim.exec_lua(_OFFERED), f"a menu in {name}")
            vim.input("A<C-x><C-o><C-n><Esc>")
            vim.current.line = "const next = "
            vim.input("A ")
            until(lambda: vim.exec_lua("return require('inscope').status().state") == "ready", "the model")
            vim.exec_lua("vim.wait(1000)")
            vim.input("<C-\\><C-n>")
        vim.command("checkhealth inscope")
        (process,) = {int(line) for line in (tmp_path / "pids").read_text("utf-8").split()}
        running = [child for child in psutil.Process(process).children(recursive=True) if child.status() != "zombie"]
        started = [" ".join(child.cmdline()) for child in running]
        assert any("ty" in one for one in started), started
    assert hostile.ran() == []

"""Neovim in a real terminal: what a person sees is captured, and kept in `.artefacts`."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors import tools
from tests.editors.tools import CODE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (tools.NEOVIMS and shutil.which("tmux")), reason=f"no Neovim or tmux: {tools.HINT}"),
]


class Terminal:
    """A screen of tmux with one program on it."""

    def __init__(self, command: str, environment: dict[str, str], socket: str) -> None:
        self._tmux = [str(shutil.which("tmux")), "-L", socket, "-f", "/dev/null"]
        new = [*self._tmux, "new-session", "-d", "-s", "s", "-x", "90", "-y", "24", command]
        subprocess.run(new, check=True, env=os.environ | environment | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})

    def keys(self, *keys: str) -> None:
        subprocess.run([*self._tmux, "send-keys", "-t", "s", *keys], check=True)

    def screen(self) -> str:
        done = subprocess.run(
            [*self._tmux, "capture-pane", "-p", "-t", "s"], capture_output=True, text=True, check=True
        )
        return done.stdout

    def until(self, said: str) -> str:
        end = time.monotonic() + tools.PATIENCE_S
        while said not in (screen := self.screen()):
            assert time.monotonic() < end, f"still no {said!r} in:\n{screen}"
            time.sleep(0.1)
        return screen

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False)


def keep(name: str, screen: str) -> None:
    tools.ARTEFACTS.mkdir(exist_ok=True)
    (tools.ARTEFACTS / f"{name}.txt").write_text(screen, "utf-8")


@pytest.fixture(params=tools.NEOVIMS, ids=lambda path: path.parent.name)
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    program = tools.server(tmp_path)
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "cart.js"
    file.write_text(CODE, "utf-8")
    start = tmp_path / "init.lua"
    start.write_text(
        f"vim.opt.rtp:prepend('{tools.NEOVIM_CLIENT}')\nvim.opt.shiftwidth = 2\nvim.opt.expandtab = true\n"
        "vim.keymap.set('i', '<Tab>', '<Plug>(inscope-accept)')\n"
        "local settings = {inscope = {inline = {deadlineMs = 60000, eagerness = 'eager', learn = false}}}\n"
        "vim.g.inscope = {lsp = {settings = settings}}\n"
        "if vim.lsp.config then vim.lsp.config('inscope', {settings = settings}) end\n"
        "if vim.lsp.enable then vim.lsp.enable('inscope') end\n",
        "utf-8",
    )
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path / "state")}
    screen = Terminal(
        f"{request.param} --clean -n -u {start} {file}", environment, f"inscope-{os.getpid()}-{tmp_path.name}"
    )
    yield screen
    screen.close()


def test_what_a_person_sees(terminal: Terminal, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id
    keep(f"{name}-0-question", terminal.until("Not Now"))
    terminal.keys("2", "Enter")
    terminal.until("sum += price")
    while "Inscope: model built-in" not in terminal.screen():
        terminal.keys("Escape", ":InscopeStatus", "Enter")
        time.sleep(0.5)
    terminal.keys("Escape", "6G", "A", "Enter")
    terminal.keys("-l", "const next = pri")
    ghost = terminal.until("const next = price")
    keep(f"{name}-1-ghost", ghost)
    shown = next(line for line in ghost.splitlines() if "const next" in line)
    terminal.keys("Tab")
    terminal.until(f"7,{len(shown.rstrip()) + 1} ")  # the text looks the same, but the cursor stands after it
    terminal.keys("Escape", ":InscopeStatus", "Enter")
    screen = terminal.until("model built-in, ready")
    keep(f"{name}-2-accepted", screen)
    assert shown in screen
    terminal.keys("Enter", ":InscopeRewrite say list for prices", "Enter")
    screen = terminal.until("q discard")
    keep(f"{name}-3-preview", screen)
    assert "function total(list)" in screen
    assert "function total(prices)" in screen
    terminal.keys("Enter")
    terminal.until("Inscope: rewritten")
    keep(f"{name}-4-rewritten", terminal.screen())
    terminal.keys(":qall!", "Enter")

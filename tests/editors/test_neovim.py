"""Neovim, driven as a person would: keys go in, and what stands in the buffer and on the screen is looked at."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pynvim
import pytest

from lsp_server.settings.table import accepted
from tests.editors import tools
from tests.editors.tools import CODE, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not tools.NEOVIMS, reason=f"no Neovim: {tools.HINT}"),
]


class Neovim:
    """One editor with one file, and the server that it started."""

    def __init__(self, program: Path, tmp_path: Path, *, native: bool) -> None:
        self.tmp_path, self.native = tmp_path, native
        self.file = tmp_path / "work" / "cart.js"
        self.file.parent.mkdir()
        (self.file.parent / "package.json").write_text("{}\n", "utf-8")
        self.file.write_text(CODE, "utf-8")
        (self.file.parent / "money.js").write_text(
            "export function formatCents(cents) {\n  return `${cents}`;\n}\n", "utf-8"
        )
        bin_path = tools.server(tmp_path).parent
        with pytest.MonkeyPatch.context() as patch:  # pynvim hands its own environment on
            patch.setenv("PATH", str(bin_path), prepend=os.pathsep)
            patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
            self.vim = pynvim.attach("child", argv=tools.embedded(program))
        self.lua(
            """
            -- no suggestion is cut short on a busy machine
            local inline = {deadlineMs = 60000, eagerness = "eager", learn = false}
            local settings = {inscope = {inline = inline, setup = {ask = false}}}
            vim.g.inscope = {native = ..., delay_ms = 10, lsp = {settings = settings}}
            if vim.lsp.config then vim.lsp.config('inscope', {settings = settings}) end
            _G.notes = {}
            vim.notify = function(text) table.insert(_G.notes, text) end
            vim.keymap.set('i', '<Tab>', '<Plug>(inscope-accept)')
            vim.keymap.set('i', '<M-w>', '<Plug>(inscope-accept-word)')
            vim.keymap.set('i', '<M-l>', '<Plug>(inscope-accept-line)')
            vim.keymap.set('i', '<M-n>', '<Plug>(inscope-next)')
            vim.keymap.set('i', '<M-p>', '<Plug>(inscope-previous)')
            vim.cmd('runtime plugin/inscope.lua')
            vim.cmd('syntax on | filetype plugin indent on | set expandtab shiftwidth=2')
            if vim.lsp.enable then vim.lsp.enable('inscope') end
        """,
            native,
        )
        self.vim.command(f"edit {self.file}")

    def lua(self, code: str, *arguments: object) -> Any:  # noqa: ANN401 - what Lua gave
        return self.vim.exec_lua(code, *arguments)

    def keys(self, text: str) -> None:
        self.vim.input(text)

    def line(self) -> str:
        return str(self.vim.current.line)

    def text(self) -> str:
        return "\n".join(self.vim.current.buffer[:]) + "\n"

    def ghost(self) -> str:
        """The ghost text on the screen."""
        return str(self.lua("""
            local said = {}
            for name, id in pairs(vim.api.nvim_get_namespaces()) do
              if name == 'inscope.ghost' or name == 'nvim.lsp.inline_completion' then
                for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {details = true})) do
                  for _, part in ipairs(mark[4].virt_text or {}) do table.insert(said, part[1]) end
                  for _, line in ipairs(mark[4].virt_lines or {}) do
                    table.insert(said, '\\n')
                    for _, part in ipairs(line) do table.insert(said, part[1]) end
                  end
                end
              end
            end
            return table.concat(said)
        """))  # fmt: skip

    def begin_anew(self) -> None:
        """Normal mode, and the file as it was."""
        self.keys("<C-\\><C-n>")
        until(lambda: self.lua("return vim.api.nvim_get_mode().mode == 'n'"), "normal mode")
        self.vim.current.buffer[:] = CODE.splitlines()

    def until_pages(self, count: int) -> None:
        """Wait for the preview of a rewrite, the second page, or until it is closed."""
        until(lambda: self.lua("return #vim.api.nvim_list_tabpages()") == count, f"{count} tab pages")

    def until_attached(self) -> None:
        """Wait until the server has sent its first status."""
        until(lambda: self.status()["state"] not in {"none", "starting"}, "the server attached")

    def status(self) -> dict[str, Any]:
        return dict(self.lua("return require('inscope').status() or {state = 'none'}"))

    def notes(self) -> str:
        return "\n".join(self.lua("return _G.notes"))

    def pids(self) -> list[int]:
        return [int(line) for line in (self.tmp_path / "pids").read_text("utf-8").split()]

    def close(self) -> None:
        with suppress(OSError, EOFError):  # it is gone before it can answer
            self.vim.command("qall!")
        self.vim.close()


@pytest.fixture(scope="module", params=tools.KINDS, ids=tools.kind)
def neovim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    program, native = request.param
    editor = Neovim(program, tmp_path_factory.mktemp("neovim"), native=native)
    yield editor
    editor.close()


@pytest.fixture(autouse=True)
def fresh(neovim: Neovim) -> None:
    """The file as it was, normal mode, ghost text switched on and the model loaded."""
    neovim.lua("if #vim.api.nvim_list_tabpages() > 1 then vim.cmd.InscopeDiscard() end")
    neovim.begin_anew()
    neovim.lua("_G.notes = {}; require('inscope').toggle(true)")
    neovim.until_attached()


def shown(neovim: Neovim, line: str = "const next = pri") -> str:
    """Have ghost text after the beginning of a new line, whatever the model says."""
    neovim.keys(f"6GA<CR>{line}")
    return str(until(neovim.ghost, "ghost text"))


def configure(neovim: Neovim, eagerness: str) -> None:
    """Let what nobody asked for be as probable as that wants it."""
    neovim.lua(
        """
        local client = require('inscope.compat').client(0)
        client.settings = {inscope = {inline = {deadlineMs = 60000, eagerness = ..., learn = false}}}
        vim.lsp.buf_notify(0, 'workspace/didChangeConfiguration', {settings = client.settings})
    """,
        eagerness,
    )


def test_the_server_is_attached_and_lists_names(neovim: Neovim) -> None:
    neovim.keys("6GA<CR>pri<C-x><C-o>")
    until(lambda: neovim.lua("return vim.fn.pumvisible() == 1"), "the menu")
    words = [item["word"] for item in neovim.lua("return vim.fn.complete_info({'items'}).items")]
    assert words[:1] == ["price"] or words[:1] == ["prices"]


def is_shown_for(neovim: Neovim, selected: int, word: str) -> bool:
    """Whether an entry of the menu is selected, and what is shown goes on from `pri` as its word does.

    Nothing may be shown for another word than the model's favourites.
    """
    is_selected = neovim.lua("return vim.fn.complete_info({'selected'}).selected") == selected
    ghost = neovim.ghost()
    return is_selected and (ghost.startswith(word.removeprefix("pri")) or not (ghost or word.startswith("price")))


def test_ghost_text_begins_with_the_entry_that_is_selected_and_not_inserted(neovim: Neovim) -> None:
    """From Neovim 0.11 on, whose completion says what an entry replaces."""
    if neovim.lua("return vim.lsp.completion == nil or vim.lsp.completion.enable == nil"):
        pytest.skip("this Neovim's completion says nothing of an entry")
    neovim.vim.command("set completeopt=menuone,noinsert")
    try:
        neovim.keys("6GA<CR>const next = pri<C-x><C-o>")
        menu = "return vim.fn.complete_info({'selected', 'items'})"
        words = [entry["word"] for entry in until(lambda: neovim.lua(menu)["items"], "the menu")]
        for selected, word in enumerate(words[:3]):
            neovim.keys("<Down>" if selected else "")
            until(partial(is_shown_for, neovim, selected, word), f"ghost text for {word}")
            time.sleep(0.5)
            assert is_shown_for(neovim, selected, word), "it stays"
            assert neovim.line().endswith("= pri"), "nothing is inserted"
        assert any(not word.startswith("price") for word in words[:3])
    finally:
        neovim.vim.command("set completeopt&")
        neovim.keys("<C-e>")


def test_a_name_of_the_menu_brings_its_import(neovim: Neovim) -> None:
    """From Neovim 0.11 on; 0.10 adds nothing beside the name."""
    if neovim.lua("return vim.lsp.completion == nil or vim.lsp.completion.enable == nil"):
        pytest.skip("this Neovim's completion adds no imports")
    neovim.vim.command("set completeopt=menuone")

    def is_listed() -> bool:  # the workspace may still be read, and the checker started
        neovim.keys("<C-\\><C-n>:%d<CR>iformatC<C-x><C-o>")
        time.sleep(1)
        return bool(neovim.lua("return vim.fn.pumvisible() == 1 and vim.api.nvim_get_current_line() == 'formatCents'"))

    until(is_listed, "the entry")
    neovim.keys("<C-y>")
    until(lambda: "money" in neovim.text(), "the import")
    assert re.search(r"import \{ formatCents \} from ['\"]\./money(\.js)?['\"]", neovim.text())


def test_ghost_text_is_accepted_as_it_was_shown_and_undone_in_one_step(neovim: Neovim) -> None:
    ghost = shown(neovim)
    neovim.keys("<C-g>u<Tab>")
    until(lambda: not neovim.line().endswith("next = pri"), "accepted")
    assert CODE.replace("sum += price;\n", f"sum += price;\n    const next = pri{ghost}\n") == neovim.text()
    neovim.keys("<Esc>u")
    until(lambda: neovim.line() == "    const next = pri", "undone")


def test_a_word_of_it_is_accepted_and_the_rest_stays(neovim: Neovim) -> None:
    ghost = shown(neovim)
    neovim.keys("<M-w>")
    taken = until(lambda: neovim.line().removeprefix("    const next = pri"), "a word")
    assert ghost.startswith(taken)
    if taken != ghost:
        assert until(neovim.ghost, "the rest") == ghost[len(taken) :]


_COUNT = re.compile(r" \(\d+/\d+\)")
"""Which of several is shown."""
PLACES = ((9, "export function sum(prices) {"), (13, "export function sum(prices) {"))
"""Where blocks are opened: one of the texts that the model has for one of them has several lines."""


def of_several_lines(neovim: Neovim) -> str:
    """Have ghost text of several lines, the first there is."""
    for line, opened in PLACES:
        neovim.begin_anew()
        neovim.keys(f"{line}GA<CR>{opened}<CR>")
        neovim.lua("vim.wait(500)")  # until the line break is an event of its own
        before = None
        for _ in range(4):
            neovim.keys("<M-n>")
            before = until(lambda: (found := neovim.ghost()) != before and found, "ghost text")  # noqa: B023 - at once
            ghost = _COUNT.sub("", str(before))
            if "\n" in ghost.strip():
                return ghost
    return pytest.fail("the model says nothing of several lines at any of the places")


def test_a_line_of_it_is_accepted_and_the_rest_stays(neovim: Neovim) -> None:
    ghost = of_several_lines(neovim)
    row = neovim.vim.current.window.cursor[0]
    neovim.keys("<M-l>")
    first, rest = ghost.split("\n", 1)
    until(lambda: first.strip() in neovim.vim.current.buffer[row - 1], "a line")
    assert _COUNT.sub("", str(until(neovim.ghost, "the rest"))).lstrip("\n") == rest


def test_others_are_offered_and_one_of_them_stays_while_it_is_typed(neovim: Neovim) -> None:
    first = shown(neovim, "items")
    seen = [first]
    for _ in range(4):
        neovim.keys("<M-n>")
        before = seen[-1]
        now = until(lambda: (found := neovim.ghost()) != before and found, "another suggestion")  # noqa: B023 - at once
        seen.append(now)
        if now.rpartition(" (")[0] == first:
            break
    texts = [first, *(one.rpartition(" (")[0] for one in seen[1:])]
    assert texts[-1] == first, "it goes round"
    assert 1 < len(set(texts)) == len(texts) - 1 <= 4
    assert seen[-1] == f"{first} (1/{len(texts) - 1})"
    neovim.keys("<M-p>")
    last = texts[-2]
    until(lambda: neovim.ghost() == f"{last} ({len(texts) - 1}/{len(texts) - 1})", "back to the one before")
    # one that begins as the first does differs from it by more than a letter: on each key the first that fits is shown
    typed = next(last[:n] for n in range(1, len(last)) if not first.startswith(last[:n]))
    neovim.keys(typed)
    until(lambda: neovim.ghost() == last[len(typed) :], "the rest of the one that was chosen")
    neovim.lua("vim.wait(600)")
    assert neovim.ghost() == last[len(typed) :]
    neovim.keys("<Tab>")
    until(lambda: neovim.line() == f"    items{last}".split("\n")[-1], "accepted")


def test_who_asks_is_shown_what_is_not_shown_by_itself(neovim: Neovim) -> None:
    configure(neovim, "quiet")
    try:
        neovim.keys("6GA<CR>sum = pri")
        until(lambda: neovim.status().get("lastWithheld", {}).get("reason") == "low_confidence", "silence")
        assert not neovim.ghost()
        neovim.keys("<M-n>")
        until(neovim.ghost, "what was asked for")
    finally:
        configure(neovim, "eager")


def test_the_trace_of_the_last_suggestion_is_reported(neovim: Neovim) -> None:
    ghost = shown(neovim).split("\n")[0]
    neovim.keys("<Esc>")
    neovim.vim.command("InscopeTrace")
    until(lambda: neovim.lua("return vim.bo.buftype") == "nofile", "the page")
    page = neovim.text()
    neovim.keys("q")
    until(lambda: neovim.lua("return vim.bo.buftype") == "", "closed")
    assert page.startswith("cart.js:7:21, shown\n")
    assert f"const next = pri⟦{ghost}" in page
    assert "probability" in page


def test_every_command_and_mapping_has_its_help(neovim: Neovim, tmp_path: Path) -> None:
    copy = tmp_path / "doc"
    shutil.copytree(tools.NEOVIM_CLIENT / "doc", copy, ignore=shutil.ignore_patterns("tags"))
    neovim.vim.command(f"helptags {copy}")  # fails where a tag is there twice
    tags = {line.split("\t")[0] for line in (copy / "tags").read_text("utf-8").splitlines()}
    commands = neovim.lua("return vim.tbl_keys(vim.api.nvim_get_commands({}))")
    ours = [name for name in commands if name.startswith("Inscope")]
    assert len(ours) >= 7
    assert {f":{name}" for name in ours} <= tags
    listed = "return vim.tbl_map(function(one) return one.lhs end, vim.api.nvim_get_keymap(...))"
    plugs = {name for mode in "inx" for name in neovim.lua(listed, mode)}
    assert {name for name in plugs if name.startswith("<Plug>(inscope")} <= tags


def test_text_that_is_typed_along_never_disappears(neovim: Neovim) -> None:
    ghost = shown(neovim)
    neovim.lua("""
        _G.gaps, _G.typed = {}, 0
        local group = vim.api.nvim_create_augroup('test', {})
        vim.api.nvim_create_autocmd('CursorMovedI', {group = group, callback = function()
          vim.schedule(function()
            local any = 0
            for name, id in pairs(vim.api.nvim_get_namespaces()) do
              if name == 'inscope.ghost' or name == 'nvim.lsp.inline_completion' then
                any = any + #vim.api.nvim_buf_get_extmarks(0, id, 0, -1, {})
              end
            end
            _G.typed = _G.typed + 1
            if any == 0 then table.insert(_G.gaps, vim.api.nvim_get_current_line()) end
          end)
        end})
    """)
    first = ghost.split("\n")[0]
    for sign in first[:-1]:
        neovim.keys("<lt>" if sign == "<" else sign)
        until(lambda: neovim.lua("return #_G.gaps > 0") or neovim.ghost(), "the rest")
    until(lambda: neovim.lua("return _G.typed") >= len(first) - 1, "all typed")
    assert neovim.lua("return _G.gaps") == []
    assert neovim.ghost() == ghost[len(first) - 1 :]
    neovim.lua("vim.api.nvim_del_augroup_by_name('test')")


def test_leaving_insert_mode_puts_it_away(neovim: Neovim) -> None:
    shown(neovim)
    neovim.keys("<Esc>")
    until(lambda: not neovim.ghost(), "gone")


def test_paused_nothing_is_suggested_and_afterwards_it_is_again(neovim: Neovim) -> None:
    neovim.vim.command("InscopeToggle")
    neovim.keys("6GA<CR>const next = pri")
    neovim.lua("vim.wait(500)")
    assert neovim.ghost() == ""
    asked = """
        local client = require('inscope.compat').client(0)
        local params = {items = {{section = 'inscope'}}}
        local answer = client.config.handlers['workspace/configuration'](nil, params, {client_id = client.id})[1]
        return answer ~= vim.NIL and vim.tbl_get(answer, 'inline', 'trigger')
    """
    assert neovim.lua(asked) == "off", "a server that asks for its settings knows of the pause"
    neovim.keys("<Esc>")
    neovim.vim.command("InscopeToggle")
    assert neovim.lua(asked) != "off"
    neovim.keys("A<BS>i")
    until(neovim.ghost, "ghost text")


SETTINGS: list[tuple[dict[str, object], str | None]] = [
    ({}, None),
    ({"completion": {"mode": "off"}}, "off"),
    ({"completion.mode": "all"}, "all"),
    ({"completion.mode": "best"}, "best"),
]


@pytest.mark.parametrize(("given", "resumed"), SETTINGS)
def test_a_pause_holds_for_settings_with_nested_and_dotted_names(
    neovim: Neovim, given: dict[str, object], resumed: str | None
) -> None:
    sent = """
        local compat, given, sent = require('inscope.compat'), ..., {}
        local notify = compat.notify
        for _, on in ipairs({false, true}) do
          require('inscope').toggle(on)
          compat.notify = function(_, _, params) table.insert(sent, params.settings) end
          require('inscope').send_settings({settings = {inscope = given}})
          compat.notify = notify
        end
        return sent
    """
    for settings, expected in zip(neovim.lua(sent, given), ("off", resumed), strict=True):
        section = settings["inscope"]
        for names in (list(section), list(section)[::-1]):  # Lua's tables have no order
            values, problems = accepted({name: section[name] for name in names})
            assert (values["completion.mode"], problems) == (expected, ())


def test_a_rewrite_is_shown_as_a_diff_and_made_as_one_step_of_undo(neovim: Neovim) -> None:
    neovim.keys("12G")
    until(lambda: neovim.vim.current.window.cursor[0] == 12, "in the function")
    neovim.vim.command("InscopeRewrite say r for radius")
    neovim.until_pages(2)
    assert neovim.text() == CODE.replace("radius", "r"), "the draft is shown beside the file"
    assert "say r for radius (" in neovim.lua("return vim.wo.winbar")
    assert "lines 11 to 13)" in neovim.lua("return vim.wo.winbar"), "the function alone is taken"
    neovim.keys("<CR>")
    neovim.until_pages(1)
    until(lambda: neovim.text() == CODE.replace("radius", "r"), "rewritten")
    neovim.vim.command("undo")
    assert neovim.text() == CODE


def test_a_change_that_is_rejected_is_not_made_and_the_others_are_one_step_of_undo(neovim: Neovim) -> None:
    neovim.vim.command("%InscopeRewrite say list for prices")
    neovim.until_pages(2)
    whole, first = CODE.replace("prices", "list"), CODE.replace("prices", "list", 1)
    assert neovim.text() == whole
    neovim.keys("5Gx")
    until(lambda: neovim.text() == first, "the change in line 5 is taken back")
    neovim.keys("x")
    until(lambda: neovim.text() == whole, "and made again")
    neovim.keys("x<CR>")
    neovim.until_pages(1)
    until(lambda: neovim.text() == first, "rewritten")
    neovim.vim.command("undo")
    assert neovim.text() == CODE


WHERE = [(12, "area (lines 11 to 13)"), (1, "items (line 1)"), (2, "the file")]
"""A line with the cursor, and what is rewritten there."""


@pytest.mark.parametrize(("line", "what"), WHERE)
def test_the_question_how_to_rewrite_says_what(neovim: Neovim, line: int, what: str) -> None:
    neovim.lua("_G.prompt = nil; vim.ui.input = function(options) _G.prompt = options.prompt end")
    neovim.keys(f"{line}G")
    until(lambda: neovim.vim.current.window.cursor[0] == line, "the line")
    neovim.vim.command("InscopeRewrite")
    until(lambda: neovim.lua("return _G.prompt") == f"Rewrite {what} how? ", what)


def test_a_rewrite_that_is_discarded_changes_nothing(neovim: Neovim) -> None:
    neovim.vim.command("11,13InscopeRewrite say r for radius")
    neovim.until_pages(2)
    neovim.vim.command("InscopeDiscard")
    neovim.until_pages(1)
    assert neovim.text() == CODE


def test_what_the_built_in_model_wrote_waits_for_a_yes_whatever_the_options_say(neovim: Neovim) -> None:
    neovim.lua("vim.g.inscope = vim.tbl_extend('force', vim.g.inscope or {}, {preview = false})")
    neovim.vim.command("11,13InscopeRewrite say r for radius")
    neovim.until_pages(2)
    neovim.vim.command("InscopeDiscard")
    neovim.until_pages(1)
    assert neovim.text() == CODE


def test_a_rewrite_of_another_server_is_not_made_while_one_waits_for_a_yes(neovim: Neovim) -> None:
    neovim.vim.command("11,13InscopeRewrite say r for radius")
    neovim.until_pages(2)
    answer = neovim.lua(
        """
        local there = {line = 0, character = 0}
        local change = {
          textDocument = {uri = ..., version = vim.NIL},
          edits = {{range = {start = there, ['end'] = there}, newText = 'x', annotationId = 'a'}},
        }
        local edit = {documentChanges = {change}, changeAnnotations = {a = {label = 'a', needsConfirmation = true}}}
        local client = vim.lsp.get_clients({name = 'inscope'})[1]
        return require('inscope.preview').on_apply_edit(nil, {edit = edit}, {client_id = client.id})
        """,
        neovim.file.as_uri(),
    )
    assert answer == {"applied": False, "failureReason": "another rewrite waits for a yes"}
    neovim.vim.command("InscopeDiscard")
    neovim.until_pages(1)
    assert neovim.text() == CODE


def test_a_rewrite_tells_how_far_it_is_and_is_cancelled(neovim: Neovim) -> None:
    hold = neovim.tmp_path / "hold"
    hold.touch()
    try:
        neovim.lua("""
            _G.ended = nil
            vim.api.nvim_create_autocmd('LspProgress', {callback = function(event)
              local params = event.data.params
              if params.token:find('rewrite') then _G.ended = params.value.message or params.value.kind end
            end})
        """)
        neovim.vim.command("%InscopeRewrite say r for radius")
        until(lambda: neovim.lua("return _G.ended") == "begin", "progress")
        neovim.vim.command("InscopeCancel")
        neovim.lua("""
            local there = {line = 0, character = 0}
            vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
              textDocument = {uri = vim.uri_from_bufnr(0)}, range = {start = there, ['end'] = there},
              context = {diagnostics = {}},
            }, 60000)
        """)  # answered after the cancel was heard
    finally:
        hold.unlink()
    until(lambda: neovim.lua("return _G.ended") == "cancelled", "cancelled")
    assert neovim.text() == CODE


def test_a_server_that_dies_is_reported_of_and_comes_back(neovim: Neovim) -> None:
    before = neovim.pids()
    os.kill(before[-1], signal.SIGKILL)
    until(lambda: len(neovim.pids()) > len(before), "started again")
    assert "the server ended (signal 9); it is being started again" in neovim.notes()
    neovim.until_attached()
    shown(neovim)


def test_status_and_health_are_reported(neovim: Neovim) -> None:
    shown(neovim)
    said = neovim.lua("return table.concat(require('inscope.status').lines(), '\\n')")
    assert said.startswith("Inscope: model built-in, ready")
    neovim.keys("<Esc>")
    neovim.vim.command("checkhealth inscope")
    report = neovim.text()
    neovim.vim.command("bwipeout!")
    assert "server: " in report
    assert "model built-in, ready" in report
    assert "OK model: " in report


def test_what_a_program_writes_is_shown(neovim: Neovim) -> None:
    neovim.vim.command(f"edit! {neovim.file.with_name('answer.py')}")
    neovim.vim.current.buffer[:] = [
        "from decoder.program import *", "", "async def main():", "    await gen(options=['forty-two'])",
    ]  # fmt: skip
    until(lambda: neovim.lua("return require('inscope.compat').client(0) ~= nil"), "the server attached")
    neovim.vim.command("Inscope program")
    until(lambda: neovim.lua("return vim.bo.buftype == 'nofile' or #_G.notes > 0"), "the page")
    assert neovim.lua("return _G.notes") == []
    page = neovim.text()
    neovim.keys("q")
    until(lambda: neovim.lua("return vim.bo.buftype") == "", "closed")
    neovim.vim.command(f"edit! {neovim.file}")
    assert page.startswith("answer.py: ")
    assert "\nforty-two\n" in page
    assert "probability" in page

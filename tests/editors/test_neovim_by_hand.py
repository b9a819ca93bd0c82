"""Ghost text by hand in Neovim, with the real server: who asks is answered, and others are left in peace."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from lsp_server.settings.table import TABLE
from tests.editors import tools
from tests.editors.test_neovim import Neovim
from tests.editors.tools import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not tools.NEOVIMS, reason=f"no Neovim: {tools.HINT}"),
]
LINE = "const next = pri"
UNASKED_S = 1.5
"""After which ghost text that nobody asked for would be there."""


@pytest.fixture(scope="module", params=tools.KINDS, ids=tools.kind)
def neovim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    program, native = request.param
    editor = Neovim(program, tmp_path_factory.mktemp("by-hand"), native=native)
    editor.lua("vim.keymap.set('i', '<M-s>', '<Plug>(inscope-suggest)')")
    editor.lua("vim.keymap.set('i', '<M-d>', '<Plug>(inscope-dismiss)')")
    editor.until_attached()
    editor.keys(f"6GA<CR>{LINE}")
    until(editor.ghost, "ghost text")
    yield editor
    editor.close()


@pytest.fixture(autouse=True)
def fresh(neovim: Neovim) -> Iterator[None]:
    neovim.begin_anew()
    yield
    neovim.vim.command("Inscope trigger automatic")
    neovim.vim.command("Inscope snooze 0")
    neovim.vim.command("Inscope eagerness eager")
    neovim.vim.command("Inscope mode auto")


def typed(neovim: Neovim, keys: str = "", line: str = LINE) -> str:
    """The ghost text a while after the beginning of a new line was typed, and keys with it at once."""
    neovim.keys(f"6GA<CR>{line}{keys}")
    until(lambda: neovim.line().endswith(line), "the line")
    if not keys:
        time.sleep(UNASKED_S)
    return neovim.ghost()


def asked(neovim: Neovim) -> str:
    neovim.keys("<M-s>")
    return str(until(neovim.ghost, "what was asked for"))


def test_ghost_text_goes_as_soon_as_something_else_is_typed(neovim: Neovim) -> None:
    shown = typed(neovim)
    assert shown
    neovim.keys("~")
    until(lambda: neovim.line().endswith(f"{LINE}~"), "the line")
    left = neovim.ghost()
    assert not left or left not in shown
    neovim.lua("require('inscope').accept()")
    assert neovim.line().endswith(f"{LINE}~{left}")


@pytest.mark.parametrize(
    ("command", "is_shown", "answers"),
    [
        ("Inscope trigger automatic", True, True),
        ("Inscope trigger manual", False, True),
        ("Inscope trigger off", False, False),
        ("Inscope snooze 5", False, True),
        ("Inscope snooze 0", True, True),
    ],
)
def test_what_comes_unasked_and_what_is_answered(neovim: Neovim, command: str, is_shown: bool, answers: bool) -> None:
    neovim.vim.command(command)
    assert bool(typed(neovim)) is is_shown
    if answers:
        assert asked(neovim)
    else:
        neovim.keys("<M-s>")
        time.sleep(UNASKED_S)
        assert neovim.ghost() == ""


def test_the_more_eager_the_more_is_shown_unasked(neovim: Neovim) -> None:
    """At a place whose text the model finds as probable as not."""
    lengths = []
    for eagerness in ("quiet", "balanced", "eager"):
        neovim.begin_anew()
        neovim.vim.command(f"Inscope eagerness {eagerness}")
        lengths.append(len(typed(neovim, line="items")))
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[2]
    neovim.vim.command("Inscope eagerness quiet")
    assert len(asked(neovim)) >= lengths[2], "what is asked for is shown all the same"


def test_the_command_asks_as_the_key_does(neovim: Neovim) -> None:
    neovim.vim.command("Inscope trigger manual")
    assert typed(neovim) == ""
    neovim.keys("<Cmd>Inscope suggest<CR>")
    assert until(neovim.ghost, "what was asked for")


def test_a_request_in_the_same_batch_of_keys_as_typing_is_answered(neovim: Neovim) -> None:
    """The editor's own request for these keys comes after it, and does not take its place."""
    neovim.vim.command("Inscope trigger manual")
    for _ in range(5):
        neovim.begin_anew()
        typed(neovim, "<M-s>")
        assert until(neovim.ghost, "what was asked for")
        time.sleep(0.5)
        assert neovim.ghost(), "it stays"


def test_who_asks_again_is_shown_what_was_put_away(neovim: Neovim) -> None:
    neovim.vim.command("Inscope trigger manual")
    typed(neovim)
    first = asked(neovim)
    for _ in range(2):
        neovim.keys("<M-d>")
        until(lambda: not neovim.ghost(), "gone")
        assert asked(neovim).split(" (")[0] == first.split(" (")[0]


def test_what_was_asked_for_stays_while_one_types_along(neovim: Neovim) -> None:
    neovim.vim.command("Inscope trigger manual")
    typed(neovim)
    text = asked(neovim).split(" (")[0]
    neovim.keys(text[0])
    until(lambda: neovim.line().endswith(LINE + text[0]), "the letter")
    time.sleep(UNASKED_S)
    assert neovim.ghost().split(" (")[0] == text[1:]


def test_what_was_put_away_does_not_come_back_by_itself(neovim: Neovim) -> None:
    if neovim.native:
        pytest.skip("Neovim's own ghost text decides that itself")
    text = typed(neovim)
    neovim.keys("<M-d>")
    until(lambda: not neovim.ghost(), "gone")
    neovim.keys(text[0])
    time.sleep(UNASKED_S)
    assert neovim.ghost() == ""


def test_a_snooze_ends_by_itself(neovim: Neovim) -> None:
    neovim.lua("require('inscope').snooze(0.05)")  # minutes
    assert neovim.lua("return require('inscope').is_snoozing()")
    until(lambda: not neovim.lua("return require('inscope').is_snoozing()"), "the end of the snooze")
    assert typed(neovim)


@pytest.mark.parametrize(("minutes", "said"), [("1", "1 minute"), ("2", "2 minutes"), ("0.5", "0.5 minutes")])
def test_a_snooze_of_one_minute_is_none_of_minutes(neovim: Neovim, minutes: str, said: str) -> None:
    assert neovim.vim.funcs.execute(f"Inscope snooze {minutes}").strip() == f"Inscope: nothing unasked for {said}"


def test_the_command_alone_lists_its_subcommands(neovim: Neovim) -> None:
    listed = neovim.vim.funcs.execute("Inscope").strip("\n").splitlines()
    names = [line.split()[1] for line in listed if line.startswith(":Inscope ")]
    assert names == neovim.vim.funcs.getcompletion("Inscope ", "cmdline")
    assert all(line.split()[2:] for line in listed if line.startswith(":Inscope ")), "each says what it does"
    neovim.lua("_G.notes = {}")
    neovim.vim.command("Inscope nothing")
    assert "':Inscope' lists" in neovim.notes()


WRONG = [("Inscope snooze soon", "'soon' is no number"), ("Inscope eagerness wild", "none of quiet, balanced, eager"),
         ("Inscope trigger never", "none of automatic, manual, off"),
         ("Inscope mode some", "none of auto, best, all, off")]  # fmt: skip


@pytest.mark.parametrize(("command", "said"), WRONG)
def test_what_is_no_value_is_reported(neovim: Neovim, command: str, said: str) -> None:
    neovim.lua("_G.notes = {}")
    neovim.vim.command(command)
    assert said in neovim.notes()


COMPLETED = [("eagerness", ["quiet", "balanced", "eager"]), ("trigger", ["automatic", "manual", "off"]),
             ("mode", ["auto", "best", "all", "off"]), ("snooze", ["5", "15", "30", "60", "0"])]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), COMPLETED)
def test_the_values_of_a_command_are_completed(neovim: Neovim, name: str, values: list[str]) -> None:
    assert neovim.vim.funcs.getcompletion(f"Inscope {name} ", "cmdline") == values
    assert neovim.vim.funcs.getcompletion(f"Inscope{name.capitalize()} ", "cmdline") == values
    assert neovim.vim.funcs.getcompletion(f"Inscope {name} {values[0]}", "cmdline") == values[:1]


VALUES = [("eagerness", "quiet"), ("trigger", "manual"), ("trigger", "off"), ("mode", "best"), ("mode", "off")]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_without_a_value_the_one_in_force_is_shown_with_what_each_does(neovim: Neovim, name: str, value: str) -> None:
    neovim.vim.command(f"Inscope {name} {value}")
    said = neovim.vim.funcs.execute(f"Inscope {name}").strip("\n").splitlines()
    setting = TABLE[f"{'completion' if name == 'mode' else 'inline'}.{name}"].kind.schema
    assert [line[2:] for line in said] == [
        f"{one}  {does}" for one, does in zip(setting["enum"], setting["enumDescriptions"], strict=True)
    ]
    assert [line.split()[1] for line in said if line.startswith("*")] == [value]


CHANGED = """
local client = vim.lsp.get_clients({name = 'inscope'})[1]
local params = {changes = {{uri = ..., type = 1}}}
require('inscope.compat').notify(client, 'workspace/didChangeWatchedFiles', params)
"""


def test_what_a_file_of_the_workspace_sets_is_the_value_in_force(neovim: Neovim) -> None:
    neovim.lua("require('inscope').set('completion', 'mode', nil)")
    file = neovim.file.with_name("inscope.toml")
    file.write_text('completion.mode = "all"\n', "utf-8")
    neovim.lua(CHANGED, file.as_uri())
    until(lambda: "* all" in neovim.vim.funcs.execute("Inscope mode"), "the file's value")
    file.unlink()
    neovim.lua(CHANGED, file.as_uri())
    until(lambda: "* auto" in neovim.vim.funcs.execute("Inscope mode"), "the default again")


def test_nothing_is_mapped_by_itself_and_never_the_tabulator(neovim: Neovim) -> None:
    """`<C-i>` is `<Tab>` for a terminal."""
    mapped = neovim.lua("return vim.tbl_map(function(one) return one.lhs end, vim.api.nvim_get_keymap('i'))")
    ours = {"<Tab>", "<M-w>", "<M-l>", "<M-n>", "<M-p>", "<M-s>", "<M-d>"}  # mapped by these tests
    assert {one for one in mapped if "inscope" not in one} - ours <= {"<C-U>", "<C-W>", "<C-S>", "<S-Tab>"}

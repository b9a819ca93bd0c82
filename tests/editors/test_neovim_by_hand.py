"""Ghost text by hand in Neovim, with the real server: who asks is answered, and others are left in peace."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

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
    until(lambda: editor.status()["state"] != "none", "the server attached")
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


def typed(neovim: Neovim, keys: str = "") -> str:
    """The ghost text a while after the beginning of a new line was typed, and keys with it at once."""
    neovim.keys(f"6GA<CR>{LINE}{keys}")
    until(lambda: neovim.line().endswith(LINE), "the line")
    if not keys:
        time.sleep(UNASKED_S)
    return neovim.ghost()


def asked(neovim: Neovim) -> str:
    neovim.keys("<M-s>")
    return str(until(neovim.ghost, "what was asked for"))


@pytest.mark.parametrize(
    ("command", "is_shown", "answers"),
    [
        ("Inscope trigger automatic", True, True),
        ("Inscope trigger manual", False, True),
        ("Inscope trigger off", False, False),
        ("Inscope snooze 5", False, True),
        ("Inscope snooze 0", True, True),
        ("Inscope eagerness quiet", None, True),
    ],
)
def test_what_comes_unasked_and_what_is_answered(
    neovim: Neovim, command: str, is_shown: bool | None, answers: bool
) -> None:
    neovim.vim.command(command)
    shown = typed(neovim)
    assert is_shown is None or bool(shown) is is_shown
    if answers:
        assert asked(neovim)
    else:
        neovim.keys("<M-s>")
        time.sleep(UNASKED_S)
        assert neovim.ghost() == ""


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


WRONG = [("Inscope snooze soon", "'soon' is no number"), ("Inscope eagerness wild", "none of quiet, balanced, eager"),
         ("Inscope trigger never", "none of automatic, manual, off")]  # fmt: skip


@pytest.mark.parametrize(("command", "said"), WRONG)
def test_what_is_no_value_is_reported(neovim: Neovim, command: str, said: str) -> None:
    neovim.lua("_G.notes = {}")
    neovim.vim.command(command)
    assert said in neovim.notes()


def test_nothing_is_mapped_by_itself_and_never_the_tabulator(neovim: Neovim) -> None:
    """`<C-i>` is `<Tab>` for a terminal."""
    mapped = neovim.lua("return vim.tbl_map(function(one) return one.lhs end, vim.api.nvim_get_keymap('i'))")
    ours = {"<Tab>", "<M-w>", "<M-l>", "<M-n>", "<M-p>", "<M-s>", "<M-d>"}  # mapped by these tests
    assert {one for one in mapped if "inscope" not in one} - ours <= {"<C-U>", "<C-W>", "<C-S>", "<S-Tab>"}

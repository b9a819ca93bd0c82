"""The process is killed while it writes a set, at each step and at random: then all files are old, or all are new."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from lsp_server.cli import main
from lsp_server.writing.recovery import FileState, Interrupted
from lsp_server.writing.replacing import ReplacementPass
from lsp_server.writing.system_calls import CAN_EXCHANGE, exchange
from tests.lsp_server.process import Process
from tests.lsp_server.writing.writer import (
    DONE,
    FAILED,
    INTERRUPTED,
    Child,
    lay_out,
    read_all,
    recovering,
    steps_of,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
OLD = {f"{name}.py": f"import area\nprint(area.area({name!r}))\n".encode() * 400 for name in "abc"}
NEW = {name: text.replace(b"area", b"the_zone") for name, text in OLD.items()}
FOREIGN = b"# what somebody else typed\n"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
DIRECTIONS = ("--resume", "--undo")


@pytest.fixture(autouse=True)
def _needs_swaps() -> None:
    if not CAN_EXCHANGE:
        pytest.skip("this system does not swap files")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    lay_out(folder, OLD)
    return folder


def write(root: Path) -> Callable[[], None]:
    changes = [(root / name, text.decode(), NEW[name].decode()) for name, text in OLD.items()]
    return writing(root, changes, follow=True)


def begin_again(root: Path, *, in_place: bool) -> None:
    """Lay the old files out; in place, the first and the last one have a second name each, so they are overwritten."""
    lay_out(root, OLD)
    for name in ("a", "c") if in_place else ():
        other = root.parent / f"{name}.link"
        other.unlink(missing_ok=True)
        os.link(root / f"{name}.py", other)


def interrupt(root: Path, *, in_place: bool = False) -> None:
    """Kill a write when two of its files are written."""
    begin_again(root, in_place=in_place)
    with Child(write(root), 11) as child:
        assert child.step()
        child.kill()
        child.end()


def next_command(root: Path, option: str) -> int:
    return main(["rewrite", option, "--workspace", str(root)])


def verify_settled(root: Path, *allowed: dict[str, bytes]) -> None:
    """Nothing is left over, in the workspace or in the cache."""
    assert read_all(root) in allowed
    journals = root.parent / "cache" / "writes"
    assert [path.name for path in journals.glob("*") if path.suffix != ".lock"] == []


@pytest.mark.parametrize("in_place", [False, True], ids=["swapped", "overwritten"])
@pytest.mark.parametrize(
    ("number", "option"),
    [(signal.SIGKILL, "--resume"), (signal.SIGKILL, "--undo"), (signal.SIGTERM, "--resume"), (signal.SIGINT, "--undo")],
)
def test_a_kill_at_each_step(root: Path, option: str, number: signal.Signals, *, in_place: bool) -> None:
    begin_again(root, in_place=in_place)
    for step in range(steps_of(write(root))):
        begin_again(root, in_place=in_place)
        with Child(write(root), step) as child:
            name = child.step()
            child.kill(number)
            if number != signal.SIGKILL:
                child.go_on()
            assert child.end().status == (INTERRUPTED if number == signal.SIGINT else -number)
        if number != signal.SIGKILL:  # it waits until the pass is over, and before the pass nothing is done
            is_early = name in {"begin", "journal", "stage"} and read_all(root) == OLD
            verify_settled(root, OLD if is_early else NEW)
        assert next_command(root, option) == DONE
        if number == signal.SIGKILL:
            verify_settled(root, NEW if option == "--resume" and step else OLD, *([NEW] if name == "clean" else []))


@pytest.mark.parametrize("in_place", [False, True], ids=["swapped", "overwritten"])
@pytest.mark.parametrize(("first", "second"), [*product(DIRECTIONS, DIRECTIONS)])
def test_a_kill_at_each_step_of_the_recovery(root: Path, first: str, second: str, *, in_place: bool) -> None:
    interrupt(root, in_place=in_place)
    for step in range(steps_of(recovering(root, forward=first == "--resume"))):
        interrupt(root, in_place=in_place)
        with Child(recovering(root, forward=first == "--resume"), step) as child:
            assert child.step()
            child.kill()
            child.end()
        assert next_command(root, second) == DONE
        verify_settled(root, NEW if second == "--resume" else OLD)


@pytest.mark.parametrize("option", DIRECTIONS)
def test_a_foreign_edit_between_the_kill_and_the_next_command_stays(root: Path, option: str) -> None:
    for step, edited in product(range(1, steps_of(write(root))), ["a.py", "c.py"]):
        lay_out(root, OLD)
        with Child(write(root), step) as child:
            child.step()
            child.kill()
            child.end()
        was = (root / edited).read_bytes()
        (root / edited).write_bytes(was + FOREIGN)
        status = next_command(root, option)
        others = {name: text for name, text in read_all(root).items() if name in OLD and name != edited}
        assert (root / edited).read_bytes() == was + FOREIGN
        wanted, opposite = (NEW, OLD) if option == "--resume" else (OLD, NEW)
        if (status, option) == (FAILED, "--resume"):  # it cannot be finished: that is said, and taken back
            assert was == OLD[edited]
            assert next_command(root, "--undo") == DONE
            wanted = OLD
        elif status == FAILED:
            assert was == opposite[edited]
        verify_settled(root, {**{name: wanted[name] for name in others}, edited: was + FOREIGN})


def test_a_foreign_edit_that_had_come_out_before_the_kill_is_put_back(root: Path) -> None:
    """It came between the comparison and the swap, and nobody was there to put it back."""
    for option in DIRECTIONS:
        lay_out(root, OLD)
        with Child(write(root), 11) as child:
            assert child.step() == "swapped"
            beside = next(path for path in root.iterdir() if path.suffix == ".new" and path.read_bytes() == OLD["b.py"])
            beside.write_bytes(FOREIGN)  # as through a descriptor that was opened before
            child.kill()
            child.end()
        status = next_command(root, option)
        assert (root / "b.py").read_bytes() == FOREIGN
        if option == "--resume":
            assert status == FAILED
            status = next_command(root, "--undo")
        assert status == DONE
        verify_settled(root, OLD | {"b.py": FOREIGN})


@pytest.mark.parametrize("option", DIRECTIONS)
@pytest.mark.parametrize("count", range(4))
def test_a_power_cut_may_leave_any_of_the_swaps(root: Path, option: str, count: int) -> None:
    """Not only those that were made first reach the disk."""
    for swapped in combinations(OLD, count):
        begin_again(root, in_place=False)
        with Child(write(root), 5) as child:
            assert child.step() == "compare"
            child.kill()
            child.end()
        staged = {path.read_bytes(): path for path in root.iterdir() if path.suffix == ".new"}
        for name in swapped:
            exchange(staged[NEW[name]], root / name)
        assert next_command(root, option) == DONE
        verify_settled(root, NEW if option == "--resume" else OLD)


@pytest.mark.parametrize("size", [1, 5_000, 20_000])
@pytest.mark.parametrize("option", DIRECTIONS)
def test_a_power_cut_may_leave_any_of_the_pages(root: Path, option: str, size: int) -> None:
    """Where a file is overwritten; also it grows or shrinks."""
    new, chance = b"x = 1\n" * size, random.Random(size)
    for length, _ in product({len(OLD["a.py"]), len(new)}, range(4)):
        begin_again(root, in_place=True)
        changes = [(root / name, text.decode(), new.decode()) for name, text in OLD.items()]
        with Child(writing(root, changes, follow=True), 6) as child:
            assert child.step() == "extend"
            child.kill()
            child.end()
        texts = [OLD["a.py"] + new[len(OLD["a.py"]) :], new + OLD["a.py"][len(new) :]]
        pages = [chance.choice(texts)[start : start + 4096] for start in range(0, len(texts[0]), 4096)]
        (root / "a.py").write_bytes(b"".join(pages)[:length])
        assert next_command(root, option) == DONE
        verify_settled(root, dict.fromkeys(OLD, new) if option == "--resume" else OLD)


@pytest.mark.parametrize("option", DIRECTIONS)
def test_a_foreign_edit_while_a_write_is_finished_or_taken_back(root: Path, option: str) -> None:
    recovery = recovering(root, forward=option == "--resume")
    interrupt(root)
    for step, edited in product(range(steps_of(recovery)), OLD):
        interrupt(root)
        with Child(recovery, step) as child:
            child.step()
            (root / edited).write_bytes((root / edited).read_bytes() + FOREIGN)
            child.go_on()
            ended = child.end()
        assert FOREIGN in (root / edited).read_bytes()
        if ended.status == FAILED:
            assert edited in ended.message
            next_command(root, "--undo")
        else:
            assert ended.status == DONE
        wanted = NEW if option == "--resume" and ended.status == DONE else OLD
        now = read_all(root)
        assert FOREIGN in now[edited]
        verify_settled(root, wanted | {edited: now[edited]})


@pytest.mark.parametrize("edited", ["b.py", "c.py"])
def test_a_kill_while_a_foreign_edit_has_the_set_taken_back(root: Path, edited: str) -> None:
    compared = 5 + 4 * [*OLD].index(edited) + 1
    for later in range(compared + 1, compared + 14):
        begin_again(root, in_place=False)
        with Child(write(root), compared, later) as child:
            assert child.step() == "swap"
            (root / edited).write_bytes(FOREIGN)
            child.go_on()
            child.step()
            child.kill()
            child.end()
        next_command(root, "--undo")
        verify_settled(root, OLD | {edited: FOREIGN})


@pytest.mark.parametrize("seed", range(30))
def test_a_kill_at_a_random_moment(root: Path, seed: int) -> None:
    chance = random.Random(seed)
    begin_again(root, in_place=chance.random() < 0.3)
    with Child(write(root)) as child:
        time.sleep(chance.uniform(0, 0.03))
        child.kill(chance.choice(SIGNALS))
        child.end()
    assert next_command(root, chance.choice(DIRECTIONS)) == DONE
    verify_settled(root, OLD, NEW)


@pytest.mark.parametrize("command", ["index {root}", "symbols {root}/a.py:1:1", "rewrite {root}/a.py --rename q=r"])
def test_the_next_command_says_what_was_interrupted(
    root: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt(root)
    main(command.format(root=root).split())
    said = capsys.readouterr().err
    assert f"warning: a write of 3 files in '{root}' was interrupted with 2 changed: 'inscope rewrite --resume" in said
    assert next_command(root, "--undo") == DONE
    main(command.format(root=root).split())
    assert "interrupted" not in capsys.readouterr().err.partition("\n")[2].replace("is taken back now", "")


def test_another_write_takes_back_what_was_interrupted(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupt(root)
    (root / "d.py").write_text("x = 1\nprint(x)\n")
    assert main(["rewrite", str(root / "d.py"), "--rename", "x=y", "--write"]) == DONE
    assert "was interrupted with 2 changed; it was taken back" in capsys.readouterr().err
    verify_settled(root, OLD | {"d.py": b"y = 1\nprint(y)\n"})


def test_elsewhere_nothing_is_said_and_the_workspace_is_named(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt(root)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert next_command(elsewhere, "--resume") == DONE
    assert f"such as '{root}'" in capsys.readouterr().err
    assert main(["index", str(elsewhere)]) == DONE
    assert "interrupted" not in capsys.readouterr().err


@pytest.mark.parametrize("option", DIRECTIONS)
@pytest.mark.parametrize("is_lost", [False, True], ids=["moved", "lost"])
def test_a_write_whose_journal_is_not_here_is_no_success(
    root: Path, option: str, *, is_lost: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt(root)
    moved = root.rename(root.with_name("moved"))
    if is_lost:
        shutil.rmtree(moved.with_name("cache"))
    assert next_command(moved, option) == FAILED
    said = capsys.readouterr().err
    assert "whose journal is not here: some files may have their new text" in said
    assert (f"such as '{root}'" in said) is not is_lost
    moved.rename(root)
    assert next_command(root, option) == (FAILED if is_lost else DONE)


def test_a_journal_that_was_not_finished_is_removed(root: Path) -> None:
    interrupt(root)
    (journal,) = (root.parent / "cache" / "writes").glob("*.jsonl")
    whole = journal.read_bytes()
    assert next_command(root, "--undo") == DONE
    for length in range(0, len(whole), len(whole) // 8):
        journal.write_bytes(whole[:length])
        main(["index", str(root)])
        assert not journal.exists()


def test_an_editor_is_told(root: Path, tmp_path: Path) -> None:
    interrupt(root)
    with Process(tmp_path / "log") as editor:
        editor.start(root)
        said = [one["message"] for one in editor.heard("window/showMessage")]
        assert editor.leave() == DONE
    assert any(f"inscope rewrite --undo --workspace {root}" in message for message in said)


_STOPPED = """
import os, sys
steps, stop = 0, int(sys.argv.pop(1))
def watch(event, values):
    global steps
    if event == "inscope.write":
        if steps == stop:
            print("stopped", flush=True)
            sys.stdin.read(1)
        steps += 1
sys.addaudithook(watch)
from lsp_server.cli import run_process
run_process()
"""
"""The command itself, which stops before a step of its write until it may go on."""
USES = {f"use_{number}.py": f"from area import area\n\nprint(area({number}))\n" for number in range(5)}
PROJECT = {"pyproject.toml": "", "area.py": "def area(radius):\n    return radius\n", **USES}


@contextmanager
def stopped(root: Path, step: int) -> Iterator[subprocess.Popen[bytes]]:
    """`inscope rewrite --rename` over six files, before a step of its write."""
    command = ["rewrite", str(root / "area.py"), "--rename", "area=zone", "--write"]
    with subprocess.Popen(
        [sys.executable, "-c", _STOPPED, str(step), *command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline() == b"stopped\n"
        yield process


def project(root: Path) -> Path:
    for path in root.iterdir():
        path.unlink()
    for name, text in PROJECT.items():
        (root / name).write_text(text, "utf-8")
    return root


RENAMED = {name: text.replace("area", "zone").replace("from zone", "from area") for name, text in PROJECT.items()}


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize(("step", "option"), [(5, "--undo"), (11, "--resume")])
def test_the_command_is_killed(
    root: Path, number: signal.Signals, step: int, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project(root)
    with stopped(root, step) as process:
        process.send_signal(number)
        said = process.communicate(b"." if number != signal.SIGKILL else b"")[1].decode()
    assert process.returncode == (INTERRUPTED if number == signal.SIGINT else -number)
    if number != signal.SIGKILL and step >= 10:
        assert "All files were written before the command was interrupted" in said
    assert next_command(root, option) == DONE
    assert ("was interrupted with" in capsys.readouterr().err) == (number == signal.SIGKILL)
    texts = {path.name: path.read_text("utf-8") for path in root.iterdir()}
    if number == signal.SIGKILL:
        assert texts == (RENAMED if option == "--resume" else PROJECT)
    else:
        assert texts == (RENAMED if step >= 10 else PROJECT)


@pytest.mark.parametrize("step", [1, 12])
def test_another_program_edits_while_the_command_writes(root: Path, step: int) -> None:
    project(root)
    edited = root / "use_3.py"
    with stopped(root, step) as process:
        edited.write_bytes(edited.read_bytes() + FOREIGN)
        said = process.communicate(b".")[1].decode()
    assert process.returncode == FAILED
    assert f"error: '{edited}' was changed meanwhile; nothing was written\n" in said
    texts = {path.name: path.read_text("utf-8") for path in root.iterdir()}
    assert texts == PROJECT | {"use_3.py": USES["use_3.py"] + FOREIGN.decode()}


@pytest.mark.parametrize("other", [FileState.OLD, FileState.NEW])
def test_a_write_with_a_file_of_which_nothing_is_known_is_not_settled(other: FileState) -> None:
    states = {Path("/shop/a.py"): FileState.UNKNOWN, Path("/shop/b.py"): other}
    assert not Interrupted(Path("/shop"), states).is_settled


def test_an_error_that_names_no_file_is_said_without_one(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt(root)
    monkeypatch.setattr(ReplacementPass, "stage", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    assert next_command(root, "--resume") == FAILED
    said = capsys.readouterr().err
    assert "finished: No space left on device" in said
    assert "None" not in said

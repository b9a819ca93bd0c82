"""Another program changes a file while a set is written, at each step and at random moments: nothing of it is lost."""

from __future__ import annotations

import os
import random
import threading
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsp_server.writing.system_calls import CAN_EXCHANGE
from tests.lsp_server.writing.writer import DONE, FAILED, Child, lay_out, read_all, steps_of, writing

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

OLD = {f"{name}.py": f"import area\nprint(area.area({name!r}))\n".encode() * 40 for name in "abc"}
NEW = {name: text.replace(b"area", b"zone") for name, text in OLD.items()}
FOREIGN = b"# what somebody else typed\n"


def replace(path: Path) -> None:
    """As most editors do."""
    other = path.with_name("other.tmp")
    other.write_bytes(FOREIGN)
    other.replace(path)


def overwrite(path: Path) -> None:
    path.write_bytes(FOREIGN)


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(FOREIGN)


def insert(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(FOREIGN)


def make_anew(path: Path) -> None:
    path.unlink()
    path.write_bytes(FOREIGN)


def twice(path: Path) -> None:
    append(path)
    replace(path)


KINDS = (replace, overwrite, append, insert, make_anew, twice)
STEPS = range(21)
"""As many as there are, which a test holds."""


@pytest.fixture(autouse=True)
def _needs_swaps() -> None:
    if not CAN_EXCHANGE:
        pytest.skip("this system does not swap files")


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))


def write(root: Path) -> Callable[[], None]:
    return writing(root, [(root / name, text.decode(), NEW[name].decode()) for name, text in OLD.items()])


def verify(root: Path, edited: str, status: int, message: str) -> None:
    """The foreign text is there; of the other files all are old, if the set was refused, or all are new."""
    now = read_all(root)
    assert FOREIGN in now.pop(edited)
    others = {DONE: NEW, FAILED: OLD}[status]
    assert now == {name: text for name, text in others.items() if name != edited}
    assert (edited in message) == (status == FAILED)
    assert "\n" not in message


def test_the_steps_are_counted(tmp_path: Path) -> None:
    lay_out(tmp_path, OLD)
    assert steps_of(write(tmp_path)) == len(STEPS)
    assert read_all(tmp_path) == NEW


@pytest.mark.parametrize("edit", KINDS, ids=lambda edit: edit.__name__)
def test_an_edit_at_each_step(tmp_path: Path, edit: Callable[[Path], None]) -> None:
    """Of each file, or of the one in the middle where the kind differs from another one in its bytes alone."""
    outcomes = set[int]()
    for step, edited in product(STEPS, OLD if edit in {append, replace} else ["b.py"]):
        lay_out(tmp_path, OLD)
        with Child(write(tmp_path), step) as child:
            assert child.step()
            edit(tmp_path / edited)
            child.go_on()
            ended = child.end()
        verify(tmp_path, edited, ended.status, ended.message)
        outcomes.add(ended.status)
    assert outcomes == {DONE, FAILED}


def test_a_file_that_is_open_for_writing_at_each_step(tmp_path: Path) -> None:
    """It was opened by its name, and is written to when all is over."""
    for step, edited in product(STEPS, OLD):
        lay_out(tmp_path, OLD)
        with Child(write(tmp_path), step) as child:
            assert child.step()
            with (tmp_path / edited).open("r+b") as file:
                child.go_on()
                ended = child.end()
                file.write(FOREIGN)
        verify(tmp_path, edited, ended.status, ended.message)


@pytest.mark.parametrize("edited", [*OLD])
def test_one_edit_of_each_file_at_two_steps(tmp_path: Path, edited: str) -> None:
    """What was changed after it had been written stays, if another change then stops the set; it is named."""
    for step in STEPS:
        lay_out(tmp_path, OLD)
        with Child(write(tmp_path), step) as child:
            assert child.step()
            append(tmp_path / edited)
            replace(tmp_path / "c.py")
            child.go_on()
            ended = child.end()
        now = read_all(tmp_path)
        assert now["c.py"] == FOREIGN
        assert FOREIGN in now[edited]
        assert len(now) == len(OLD)
        others = {now[name] == OLD[name] for name in {"a.py", "b.py"} - {edited}}
        assert others == {ended.status == FAILED}
        if ended.status == FAILED and now[edited].startswith(NEW[edited]) and edited != "c.py":
            assert f"{edited}' was changed again after it had been written, and stays" in ended.message


@pytest.mark.parametrize("seed", range(20))
def test_an_edit_at_a_random_moment(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    edited, edit = chance.choice([*OLD]), chance.choice(KINDS)
    lay_out(tmp_path, OLD)
    with Child(write(tmp_path)) as child:
        time.sleep(chance.uniform(0, 0.03))
        edit(tmp_path / edited)
        ended = child.end()
    verify(tmp_path, edited, ended.status, ended.message)


@pytest.mark.parametrize("step", STEPS)
def test_a_file_that_is_removed_stays_so(tmp_path: Path, step: int) -> None:
    lay_out(tmp_path, OLD)
    with Child(write(tmp_path), step) as child:
        assert child.step()
        (tmp_path / "b.py").unlink()
        child.go_on()
        ended = child.end()
    others = {DONE: NEW, FAILED: OLD}[ended.status]
    assert {**read_all(tmp_path), "b.py": b""} == {**others, "b.py": b""}


@pytest.mark.parametrize("edit", [append, replace], ids=lambda edit: edit.__name__)
def test_an_edit_while_a_file_of_two_names_is_overwritten(tmp_path: Path, edit: Callable[[Path], None]) -> None:
    """Who opens it then waits until it is overwritten; who replaces it has ended the link, which keeps the old text."""
    root, link = tmp_path / "shop", tmp_path / "link"
    root.mkdir()
    changes = [(root / name, text.decode(), NEW[name].decode()) for name, text in OLD.items()]
    for step, edited in product(STEPS, OLD if edit is replace else ["b.py"]):
        lay_out(root, OLD)
        link.unlink(missing_ok=True)
        os.link(root / "b.py", link)
        with Child(writing(root, changes, follow=True), step) as child:
            assert child.step()
            editing = threading.Thread(target=edit, args=(root / edited,))
            editing.start()
            editing.join(0.02)  # it waits, or is over
            child.go_on()
            ended = child.end()
            editing.join()
        verify(root, edited, ended.status, ended.message)
        if edited == "b.py" and edit is replace and ended.status == FAILED:
            assert link.read_bytes() == OLD["b.py"]
        else:
            assert link.read_bytes() in ((root / "b.py").read_bytes(), NEW["b.py"])

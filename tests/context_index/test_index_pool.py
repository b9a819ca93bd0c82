"""Reading in several processes finds what reading in one does, whatever becomes of the processes."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import NoReturn

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.index import Index, names, pool
from context_index.index.extract import Extract
from context_index.index.names import NameIndex
from context_index.index.pool import extracted
from context_index.scan import Exclusion, ScanSettings

FILES = 120
LARGEST = 123_456


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for n in range(FILES):
        (root / f"m{n}.py").write_text(f"def f{n}(a: int) -> str:\n    'Says \u00e4.'\n", encoding="utf-8")
    (root / "binary.py").write_bytes(b"\0")
    (root / "latin.js").write_bytes(b"// \xe9")
    return root


def paths(root: Path) -> list[str]:
    return [*map(str, sorted(root.iterdir())), str(root / "gone.ts")]


def children() -> list[psutil.Process]:
    """The processes that read for these tests, recognised by the size that they are given."""
    found = []
    for one in psutil.Process().children():
        with suppress(psutil.Error):  # it ended a moment ago
            if one.cmdline()[-1:] == [str(LARGEST)]:
                found.append(one)
    return found


def test_processes_read_what_one_reads(root: Path) -> None:
    alone = dict(extracted(paths(root), LARGEST, Event(), 0))
    assert dict(extracted(paths(root), LARGEST, Event(), 2)) == alone
    assert sum(isinstance(result, Extract) for result in alone.values()) == FILES
    assert {Path(path).name: why for path, why in alone.items() if isinstance(why, Exclusion)} == {
        "binary.py": "binary",
        "latin.js": "not_utf8",
        "gone.ts": "unreadable",
    }
    assert children() == []


@pytest.mark.slow
def test_a_process_that_dies_costs_nothing_but_time(root: Path) -> None:
    found = extracted(paths(root), LARGEST, Event(), 2)
    first = next(found)
    for process in children():
        process.kill()
    assert len(dict([first, *found])) == FILES + 3
    assert children() == []


@pytest.mark.slow
def test_a_file_that_is_too_deep_is_left_out_alike_in_processes(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text("(\n" * 3_000 + "a" + ",)" * 3_000 + " = b\n")
    (tmp_path / "good.py").write_text("a = 1\n")
    for workers in (0, 1):
        found = {Path(path).name: result for path, result in extracted(paths(tmp_path), LARGEST, Event(), workers)}
        assert found["deep.py"] is Exclusion.TOO_DEEP
        assert isinstance(found["good.py"], Extract)


def test_a_fault_in_reading_is_raised_and_not_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> NoReturn:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(sys, "executable", os.fspath(root / "gone"))  # so that it is read here, on a thread
    monkeypatch.setattr(pool, "extract", broken)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        list(extracted(paths(root), LARGEST, Event(), 2))


def test_a_pass_that_is_cancelled_leaves_no_process(root: Path) -> None:
    cancel = Event()
    seen = []
    for result in extracted(paths(root), LARGEST, cancel, 2):
        seen.append(result)
        cancel.set()
    assert 1 <= len(seen) < FILES
    assert children() == []


def test_without_an_interpreter_to_start_all_is_read_here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", os.fspath(root / "gone"))
    assert len(dict(extracted(paths(root), LARGEST, Event(), 2))) == FILES + 3


@pytest.mark.slow
def test_an_index_made_with_processes_answers_alike(root: Path) -> None:
    indexes = [Index([root], ScanSettings()) for _ in range(2)]
    seen: list[int] = []
    for index, workers in zip(indexes, (0, 2), strict=True):
        report = index.read_all(lambda done, _: seen.append(done), workers=workers)
        assert (report.files, dict(report.skipped)) == (FILES, {"binary": 1, "not_utf8": 1})
    assert seen == [*range(FILES + 3)] * 2
    for n in range(FILES):
        assert indexes[0].exports(root / f"m{n}.py") == indexes[1].exports(root / f"m{n}.py") != ()


WORDS = st.text("abAB_", max_size=3)


@pytest.mark.slow
@settings(max_examples=200, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 4), st.frozensets(WORDS, max_size=4)), max_size=12), WORDS)
def test_names_by_their_beginning_are_those_that_begin_so(puts: list[tuple[int, frozenset[str]]], word: str) -> None:
    index: NameIndex[int] = NameIndex()
    offered: dict[int, frozenset[str]] = {}
    for place, given_names in puts:
        index.put(place, given_names)
        offered[place] = given_names
        list(index.starting_with("a"))  # sorts what is there so far
    expected: dict[str, set[int]] = {}
    for place, given_names in offered.items():
        for name in given_names:
            if name.lower().startswith(word.lower()):
                expected.setdefault(name.lower(), set()).add(place)
    found = list(index.starting_with(word))
    assert found == sorted(expected.items())


def test_names_put_one_by_one_or_many_at_once_are_alike() -> None:
    one, many = NameIndex[int](), NameIndex[int]()
    for n in range(2 * names._MOST_INSERTED):
        one.put(n, [f"n{n % 300}"])
        list(one.starting_with("n"))
        many.put(n, [f"n{n % 300}"])
    assert list(one.starting_with("n")) == list(many.starting_with("n"))

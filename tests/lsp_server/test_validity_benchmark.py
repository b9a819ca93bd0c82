"""What `inscope bench validity` draws, remembers, judges and counts."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.remembered_model import RememberedModel
from benchmarks.validity import Bench
from benchmarks.validity_columns import COLUMNS
from benchmarks.validity_copies import Copies
from benchmarks.validity_judges import JUDGE, Finding, Judge, JudgedPlace
from benchmarks.validity_node import NodeParser
from benchmarks.validity_outcomes import Outcome, append, grouped, read, summary
from benchmarks.validity_places import KINDS, drawn, gaps
from context_index import Document, Language, Workspace
from tests.decoder.scripted import randomly, says

PYTHON = '''
import sys


def total(items, limit):
    """Sum of the first ones."""
    result = 0
    for item in items[:limit]:
        result += item.weight
    # nothing is said here
    return result + sys.maxsize


def lengths(words):
    return [len(word) for word in words if word.strip()]


class Shelf:
    def __init__(self, books, owner):
        self.books = books
        self.owner = owner

    def titles(self):
        return [book.title for book in self.books]

    def describe(self):
        return "{} has {}".format(self.owner, ", ".join(self.titles()))
'''
JAVASCRIPT = "\n".join(
    f"export function area{number}(width, height) {{\n  const result = width * height;\n  return result;\n}}\n"
    for number in range(12)
)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A `node_modules` of four packages, one of them in a scope."""
    root = tmp_path / "node_modules"
    for name in ("one", "two", "three", "@some/four"):
        (root / name / "lib").mkdir(parents=True)
        (root / name / "lib" / "index.js").write_text(JAVASCRIPT)
        (root / name / "package.json").write_text("{}")
        (root / name / "picture.bin").write_text("not copied")
    return root


def test_places_are_lines_of_their_own_and_what_stood_there_puts_the_file_together_again(tmp_path: Path) -> None:
    path = tmp_path / "shelf.py"
    path.write_text(PYTHON)
    found = gaps(path, "python", seed=3, number=0, each=2)
    assert [gap.kind for gap in found] == [*KINDS]
    assert [gap.kind for gap in gaps(path, "python", seed=3, number=1, each=2)] == [*reversed(KINDS)]
    assert len({gap.position.line for gap in found}) == len(found)
    for gap in found:
        line = gap.position.line
        lines = gap.text.split("\n")
        assert lines[line] + gap.original == PYTHON.split("\n")[line]
        assert lines[:line] + lines[line + 1 :] == PYTHON.split("\n")[:line] + PYTHON.split("\n")[line + 1 :]
        assert "#" not in gap.original
        assert len(gap.original) > 1
    assert gaps(path, "python", seed=3, number=0, each=1) == found[:1]
    assert gaps(path, "python", seed=4, number=0, each=2) != found
    assert list(drawn([path], "python", 3, 2)) == found


def test_copies_hold_the_sources_of_a_package_beside_a_link_to_the_others(packages: Path, tmp_path: Path) -> None:
    copies = Copies([packages], tmp_path / "kept")
    path = packages / "@some" / "four" / "lib" / "index.js"
    assert copies.can_hold(path)
    assert not copies.can_hold(packages / "loose.js")
    copy = copies.copy_of(path)
    assert copy.read_text() == JAVASCRIPT
    assert copies.name(path) == "@some/four/lib/index.js"
    assert copies.package(path) == packages / "@some" / "four"
    assert sorted(one.name for one in copy.parents[1].iterdir()) == ["lib", "package.json"]
    assert (copies.roots[0] / "node_modules" / "one" / "package.json").is_file()
    copy.write_text("changed")
    assert Copies([packages], tmp_path / "kept").copy_of(path).read_text() == "changed"


def test_a_remembered_model_says_what_the_model_says_and_asks_it_once() -> None:
    plain, remembered = randomly(1), RememberedModel(randomly(1))
    for drop in (0, 3, 1, 4):
        for model in (plain, remembered):
            model.truncate(max(0, len(model.tokens) - drop))
        assert np.array_equal(plain.forward([1, 2, 3], 2), remembered.forward([1, 2, 3], 2))
        assert np.array_equal(plain.forward([4]), remembered.forward([4]))
        assert list(remembered.tokens) == plain.tokens
    computed = remembered.computed
    whole = list(remembered.tokens)
    remembered.truncate(len(whole) - 4)
    remembered.forward(whole[-4:-1], 2)
    remembered.forward(whole[-1:])
    assert remembered.computed == computed
    remembered.truncate(len(whole) - 1)
    remembered.forget()
    remembered.forward(whole[-1:])
    assert remembered.computed == computed + 1


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@pytest.mark.parametrize(
    "text",
    [
        *("return 1;", "const a = 1; const a = 2;", "export const a = await f();"),
        *(
            pytest.param(text, marks=pytest.mark.slow)
            for text in (
                *("const a = 1;", "const a = ;", "await f();", "with (a) b;", "export {}; with (a) b;"),
                *("#!/usr/bin/env node\nlet a;", "import a from 'a';", "function f() { let a; let a; }"),
                *("a = import.meta;", "export const b = import.meta;", "x <!-- y", "yield = 1"),
            )
        ),
    ],
)
def test_a_warm_node_judges_as_a_cold_one(text: str, tmp_path: Path) -> None:
    parser = NodeParser()
    is_module = "export " in text or text.startswith("import ")
    path = tmp_path / ("inserted.mjs" if is_module else "inserted.cjs")
    path.write_text(text)
    checked = subprocess.run(["node", "--check", str(path)], capture_output=True, check=False)  # noqa: S607 - node is found on the path
    try:
        assert parser.parses("let a = b;")
        assert parser.parses(text) == (checked.returncode == 0)
        assert not parser.parses("let = = b;")
    finally:
        parser.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A directory with nothing in it."""
    made = Workspace([tmp_path])
    yield made
    made.close()


def test_judges_hold_against_an_insertion_what_is_new_in_it(workspace: Workspace, tmp_path: Path) -> None:
    text = "import sys\n\nitems = []\nnothing.else_\n\n"
    document = Document((tmp_path / "a.py").as_uri(), Language.PYTHON, text)
    judge = Judge(workspace)
    place = judge.at(document, len(text), "lost = sys.absent")
    cases = {
        "items.append(sys.path)": [],
        "items.append(": [("syntax", "", "")],
        "items.add(1)": [("member", "add", "")],
        "thing(1)": [("name", "thing", "")],
        "thing.add(nothing)": [("name", "thing", ""), ("name", "nothing", JUDGE)],
        "sys.absent()": [("member", "absent", JUDGE)],
    }
    for inserted, wanted in cases.items():
        found = place.findings(inserted)
        assert list(dict.fromkeys((one.kind, one.name, one.explained) for one in found)) == wanted
        assert not place.is_silent(inserted)
    assert not place.breaks("")
    judge.close()


def test_known_outcomes_are_not_made_again_and_places_are_the_same(packages: Path, tmp_path: Path) -> None:
    columns = [column for column in COLUMNS if column.name in ("unconstrained", "syntax")]

    def run(count: int, *known: Outcome) -> list[Outcome]:
        bench = Bench(says(), "javascript", [packages], tmp_path / "kept", 8)
        try:
            return list(bench.run(columns, count, 2, seed=5, known=known))
        finally:
            bench.close()

    first = run(3)
    assert [one.column for one in first] == ["unconstrained", "syntax"] * 3
    assert len({one.place for one in first}) == 3
    assert len({one.place.split("/lib")[0] for one in first}) == 2
    assert all(one.language == "javascript" and one.original for one in first)
    more = run(6, *first[:-1])
    assert first[-1] in more
    assert len(more) == 12 - len(first) + 1
    assert not {(one.column, one.place) for one in more} & {(one.column, one.place) for one in first[:-1]}


GOOD = Outcome("python", "all", "a/b.py:1:1", 0, "x = 1", (), breaks=False, waited=0.5, original="x = 1")
BAD = replace(
    GOOD, place="a/b.py:2:1", shown="y.z", findings=(Finding("member", "z", "no z", "y.z", JUDGE),), open=("z",)
)
SILENT = replace(GOOD, place="a/b.py:3:1", shown="", breaks=True, withheld="empty")


def test_outcomes_are_kept_line_by_line_and_added_up(tmp_path: Path) -> None:
    kept = tmp_path / "outcomes.jsonl"
    for one in (SILENT, GOOD, BAD, replace(SILENT, breaks=False)):
        append(kept, one)
    found = read([kept, tmp_path / "missing.jsonl"])
    assert sorted(found, key=lambda one: one.place) == [GOOD, BAD, replace(SILENT, breaks=False)]
    row = summary([GOOD, BAD, SILENT, replace(GOOD, silent_judge=True)])
    assert row["places"] == 4
    assert row["shown %"] == 75
    assert row["breaks before the gate %"] == 25
    assert row["member %"] == pytest.approx(100 / 3)
    assert row["of these the judge's %"] == pytest.approx(100 / 3)
    assert row["with an open name %"] == pytest.approx(100 / 3)
    assert row["judge silent %"] == pytest.approx(100 / 3)
    assert row["as it stood %"] == 50
    assert row["ms waiting"] == 500
    assert list(grouped([replace(GOOD, column="all"), replace(GOOD, column="syntax")])["python"]) == ["syntax", "all"]


class _Refuses(Judge):
    """A compiler that takes nothing."""

    def at(self, document: Document, offset: int, original: str) -> JudgedPlace:
        return _RefusedPlace(Workspace([]), NodeParser(), document, offset, original)


class _RefusedPlace(JudgedPlace):
    def breaks(self, text: str) -> bool:
        return bool(text)

"""The places in installed packages that benchmarks draw, and the copies in which they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.copies import Copies
from benchmarks.gaps import KINDS, drawn, gaps

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

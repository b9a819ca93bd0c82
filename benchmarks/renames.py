"""Renames in programs that nothing was made for: every place of a name is marked, so what is right is known.

Each rename is asked for at the name's declaration, as `inscope rewrite --rename` does it. Right is a result in which
all files are as the marks say; a person may still be asked about it. Times are those of the whole rename beside the
checker's bare answer, both warm.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from benchmarks.documents import document
from benchmarks.timing import line, machine, machine_line, milliseconds
from context_index import Workspace, parse
from lsp_server.engine.rewriting.rename import Renamer, RenameRequest

PROJECTS = Path(__file__).with_name("rename_projects.txt")
NEW = "renamed_thing"
_MARK = re.compile("«(\\d+):([^|»]+)(?:\\|([^»]+))?»")
_ASKED = "!«"
"""The mark that is asked about, where it is not the first one."""


def _plain(text: str) -> str:
    return _MARK.sub(lambda mark: mark[2], text.replace(_ASKED, "«"))


@dataclass(frozen=True)
class MarkedProgram:
    """A program with marks in it."""

    name: str
    marked: dict[str, str]
    """By path."""

    @cached_property
    def files(self) -> dict[str, str]:
        """As they are."""
        return {path: _plain(text) for path, text in self.marked.items()}

    @cached_property
    def numbers(self) -> dict[int, str]:
        """The names that are marked."""
        found = (mark for text in self.marked.values() for mark in _MARK.finditer(text))
        return {int(mark[1]): mark[2] for mark in found}

    def renamed(self, number: int) -> dict[str, str]:
        """As they are to be when one name is another."""

        def instead(mark: re.Match[str]) -> str:
            return (mark[3] or "%").replace("%", NEW) if int(mark[1]) == number else mark[2]

        return {path: _MARK.sub(instead, text.replace(_ASKED, "«")) for path, text in self.marked.items()}

    def declared(self, number: int) -> tuple[str, int]:
        """The path and the offset of the place of a name that is asked about: the one said, else the first."""
        places = [
            (path, text[: mark.start()])
            for path, text in self.marked.items()
            for mark in _MARK.finditer(text)
            if int(mark[1]) == number
        ]
        path, before = next((one for one in places if one[1].endswith("!")), places[0])
        return path, len(_plain(before.removesuffix("!")))


def projects() -> Iterator[MarkedProgram]:
    """All of them."""
    for part in PROJECTS.read_text("utf-8").split("\n== ")[1:]:
        name, *files = part.split("\n-- ")
        yield MarkedProgram(name.strip(), dict((*file.split("\n", 1),) for file in files))  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class RenameOutcome:
    """What came of one rename."""

    project: str
    name: str
    right: bool
    said: str
    milliseconds: float
    bare_milliseconds: float


def measure(project: MarkedProgram) -> Iterator[RenameOutcome]:
    """All renames of one program."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for path, text in project.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n", "utf-8")
        workspace = Workspace([root])
        workspace.index()
        try:
            for number, old in sorted(project.numbers.items()):
                path, offset = project.declared(number)
                own = document(root / path, project.files[path] + "\n")
                documents = [own, *workspace.mentioning((old,), own)]
                checker = workspace.checker_of(own)

                def bare_answer() -> None:
                    checker.ask_together(documents, lambda asked: asked[0].rename(offset, NEW)).result()  # noqa: B023

                bare_answer()  # warm
                bare = milliseconds(bare_answer)
                done = Renamer(workspace).run(RenameRequest(parse(own), old, NEW, place=offset))
                texts = project.files | {path: done.text.removesuffix("\n")}
                texts |= {other: after.removesuffix("\n") for other, (_, after) in done.changes.items()}
                wanted = project.renamed(number)
                wrong = [path for path in wanted if texts[path] != wanted[path]]
                said = done.reason or (f"differs in {', '.join(wrong)}" if wrong else "") or "; ".join(done.doubts)
                yield RenameOutcome(project.name, old, not wrong, said, done.latency_ms, bare)
        finally:
            workspace.close()


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench renames", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    found: dict[str, list[RenameOutcome]] = defaultdict(list)
    for project in projects():
        found[project.name] += measure(project)
    everything = [one for outcomes in found.values() for one in outcomes]
    if arguments.json:
        rows = [{name: getattr(one, name) for name in RenameOutcome.__slots__} for one in everything]
        print(json.dumps({"machine": machine(), "renames": rows}))
        return 0
    print(machine_line())
    line("", "renames", "right", "p50 ms", "bare p50 ms", "ratio", width=14)
    for name, outcomes in {**found, "all": everything}.items():
        whole, bare = (
            median(times) for times in zip(*((o.milliseconds, o.bare_milliseconds) for o in outcomes), strict=True)
        )
        right = sum(one.right for one in outcomes)
        line(name, str(len(outcomes)), str(right), f"{whole:.1f}", f"{bare:.1f}", f"x{whole / bare:.1f}", width=14)
    for one in everything:
        if not one.right or one.said:
            print(f"    {one.project} {one.name}: {one.said}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

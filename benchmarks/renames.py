"""Renames in programs that nothing was made for: every place of a name is marked, so the right result is known.

`benchmarks/rename_projects.txt` has the programs. A mark `«1:total»` is a place of the name with the number 1. A mark
`«1:total|% as total»` is replaced by the text after the bar, in which `%` is the new name. Each rename is asked for at
the first mark of its name, or at the one after an exclamation mark, as `inscope rewrite --rename` does it. A result is
right if all files are as the marks say, even if a person would be asked to confirm it. The whole rename is timed beside
the checker's bare answer, both warm.
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
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest

PROJECTS = Path(__file__).with_name("rename_projects.txt")
NEW = "renamed_thing"
_MARK = re.compile("«(\\d+):([^|»]+)(?:\\|([^»]+))?»")
"""Number, name, and the text that replaces the name."""
_ASKED = "!«"
"""How a mark begins at which the rename is asked for, if that is not the first one."""


def _plain(text: str) -> str:
    """A file's text without its marks."""
    return _MARK.sub(lambda mark: mark[2], text.replace(_ASKED, "«"))


@dataclass(frozen=True)
class MarkedProgram:
    """A program with marks in it."""

    name: str
    marked: dict[str, str]
    """The files with their marks, by path."""

    @cached_property
    def files(self) -> dict[str, str]:
        """The files without marks, by path."""
        return {path: _plain(text) for path, text in self.marked.items()}

    @cached_property
    def numbers(self) -> dict[int, str]:
        """The marked names, by their numbers."""
        marks = (mark for text in self.marked.values() for mark in _MARK.finditer(text))
        return {int(mark[1]): mark[2] for mark in marks}

    def renamed(self, number: int) -> dict[str, str]:
        """The files as they must be after the rename of one name to `NEW`, by path."""

        def replacement(mark: re.Match[str]) -> str:
            return (mark[3] or "%").replace("%", NEW) if int(mark[1]) == number else mark[2]

        return {path: _MARK.sub(replacement, text.replace(_ASKED, "«")) for path, text in self.marked.items()}

    def declared(self, number: int) -> tuple[str, int]:
        """The path and the offset, in the file without marks, at which the rename of a name is asked for."""
        marks = [
            (path, text[: mark.start()])
            for path, text in self.marked.items()
            for mark in _MARK.finditer(text)
            if int(mark[1]) == number
        ]
        path, before = next((mark for mark in marks if mark[1].endswith("!")), marks[0])
        return path, len(_plain(before.removesuffix("!")))


def projects() -> Iterator[MarkedProgram]:
    """All programs of `rename_projects.txt`: `== NAME` begins a program there, and `-- PATH` a file."""
    for section in PROJECTS.read_text("utf-8").split("\n== ")[1:]:
        name, *files = section.split("\n-- ")
        yield MarkedProgram(name.strip(), dict((*file.split("\n", 1),) for file in files))  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class RenameOutcome:
    """What came of one rename."""

    project: str
    name: str
    """The old name."""
    is_right: bool
    said: str
    """Why there is no result, else which files differ, else what a person would be asked to confirm; or nothing."""
    milliseconds: float
    bare_milliseconds: float
    """The checker's answer alone."""


def measure(project: MarkedProgram) -> Iterator[RenameOutcome]:
    """Write a program to a temporary folder, and ask for a rename of each of its marked names."""
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
                declaring = document(root / path, project.files[path] + "\n")
                documents = [declaring, *workspace.mentioning((old,), declaring)]
                checker = workspace.checker_of(declaring)

                def bare_answer() -> None:
                    checker.ask_together(documents, lambda queries: queries[0].rename(offset, NEW)).result()  # noqa: B023

                bare_answer()  # warm
                bare_ms = milliseconds(bare_answer)
                result = Renamer(workspace).run(RenameRequest(parse(declaring), old, NEW, place=offset))
                texts = project.files | {path: result.text.removesuffix("\n")}
                texts |= {other: after.removesuffix("\n") for other, (_, after) in result.rename.changes.items()}
                expected = project.renamed(number)
                wrong = [path for path in expected if texts[path] != expected[path]]
                said = result.reason or (f"differs in {', '.join(wrong)}" if wrong else "") or "; ".join(result.doubts)
                yield RenameOutcome(project.name, old, not wrong, said, result.latency_ms, bare_ms)
        finally:
            workspace.close()


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench renames", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    by_project: dict[str, list[RenameOutcome]] = defaultdict(list)
    for project in projects():
        by_project[project.name] += measure(project)
    everything = [outcome for outcomes in by_project.values() for outcome in outcomes]
    if arguments.json:
        rows = [{name: getattr(outcome, name) for name in RenameOutcome.__slots__} for outcome in everything]
        print(json.dumps({"machine": machine(), "renames": rows}))
        return 0
    print(machine_line())
    line("", "renames", "right", "p50 ms", "bare p50 ms", "ratio", width=14)
    for name, outcomes in {**by_project, "all": everything}.items():
        whole = median(outcome.milliseconds for outcome in outcomes)
        bare = median(outcome.bare_milliseconds for outcome in outcomes)
        right = sum(outcome.is_right for outcome in outcomes)
        line(name, str(len(outcomes)), str(right), f"{whole:.1f}", f"{bare:.1f}", f"x{whole / bare:.1f}", width=14)
    for outcome in everything:
        if not outcome.is_right or outcome.said:
            print(f"    {outcome.project} {outcome.name}: {outcome.said}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

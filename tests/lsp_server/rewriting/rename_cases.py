"""Small programs with marked names, and what they print: the data of `cases/renames*.txt`, read, laid out and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from context_index.parts import find, part
from tests.files import lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).with_name("cases")
_MARK = re.compile("(!?)«(\\??)([^|»]+)(?:\\|([^»]+))?»")
_PACKAGE = {"name": "case", "type": "module"}
_TSCONFIG = {"compilerOptions": {"module": "nodenext", "target": "es2022", "strict": True, "types": []}}


class Outcome(StrEnum):
    """What is to come of a rename."""

    DONE = "done"
    PERHAPS = "perhaps"
    """Not done, unless what may be the same name is taken as well."""
    HELD = "held"


@dataclass(frozen=True)
class Case:
    """A program and one rename in it."""

    name: str
    old: str
    new: str
    outcome: Outcome
    marked: dict[str, str]
    """By path."""

    @cached_property
    def files(self) -> dict[str, str]:
        """The program as it is, with the files that make it a project."""
        return self._project | {path: self._text(text, frozenset()) for path, text in self.marked.items()}

    def renamed(self, *, everywhere: bool) -> dict[str, str]:
        """The program as it is to be, with or without what is only perhaps the name."""
        wanted = frozenset({"", "?"} if everywhere else {""})
        return self._project | {path: self._text(text, wanted) for path, text in self.marked.items()}

    @cached_property
    def asked(self) -> tuple[str, int, int]:
        """The path, the line and the column, counted from 1, at which the rename is asked for."""
        marks = [(path, mark) for path, text in self.marked.items() for mark in _MARK.finditer(text)]
        path, mark = next((one for one in marks if one[1][1]), marks[0])
        before = self._text(self.marked[path][: mark.start()], frozenset())
        return path, before.count("\n") + 1, len(before) - before.rfind("\n")

    @property
    def main(self) -> str:
        """The path of the file that is run."""
        return next(path for path in self.marked if path.startswith("main."))

    @property
    def is_typescript(self) -> bool:
        """Whether the program is compiled before it is run."""
        return self.main.endswith(".ts")

    @property
    def suffix(self) -> str:
        """The suffix of the program's language."""
        return self.main.rpartition(".")[2]

    @property
    def _project(self) -> dict[str, str]:
        if self.main.endswith(".py"):
            return {"pyproject.toml": '[project]\nname = "case"\nversion = "1"\n'}
        package = {"package.json": json.dumps(_PACKAGE)}
        return package | ({"tsconfig.json": json.dumps(_TSCONFIG)} if self.is_typescript else {})

    def _text(self, marked: str, wanted: frozenset[str]) -> str:
        def instead(mark: re.Match[str]) -> str:
            return (mark[4] or "%").replace("%", self.new) if mark[2] in wanted else mark[3]

        return _MARK.sub(instead, marked)

    def output(self, root: Path) -> str:
        """What the program in a folder prints, errors included."""
        if self.is_typescript:
            built = root.with_name(f"{root.name}-built")
            lay_out(built, {"package.json": json.dumps(_PACKAGE)})
            compiler = str(find(part("typescript")).path)  # to check its own library would take five times as long
            # so small a program needs no collection of garbage, which would take a third of the time
            command = [compiler, "-p", ".", "--outDir", str(built), "--skipLibCheck"]
            compiled = _run(command, root, {**os.environ, "GOGC": "off"})
            if compiled.returncode:
                return compiled.stdout + compiled.stderr
            return _said(_run(["node", "main.js"], built))
        if self.main.endswith(".py"):
            return _said(_run([sys.executable, "-B", self.main], root))
        return _said(_run(["node", self.main], root))


def _run(command: list[str], root: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60, check=False)


def _said(ran: subprocess.CompletedProcess[str]) -> str:
    return ran.stdout + (f"\n{ran.returncode}: {ran.stderr}" if ran.returncode else "")


def cases(file: str) -> Iterator[Case]:
    """Those of a file."""
    for block in (FOLDER / file).read_text("utf-8").split("\n== ")[1:]:
        head, *files = block.split("\n-- ")
        name, renaming, outcome = (field.strip() for field in head.split(" | "))
        old, new = renaming.split("=")
        texts = (file.partition("\n") for file in files)
        yield Case(name, old, new, Outcome(outcome), {path: f"{text.rstrip()}\n" for path, _, text in texts})


def lay_out_case(case: Case, root: Path) -> Path:
    """Write the program; returns its folder."""
    return lay_out(root, case.files)

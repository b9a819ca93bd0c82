"""Judges of finished files that are not the verifier: `tsc -p`, `ty check` and pyright, as processes of their own.

Their lines are left out, as a change may move them: an error is its code and the first line of its message.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.places import package_of_npm
from benchmarks.verification_places import Place
from context_index.oracles.places import Places
from context_index.oracles.ty import find_ty
from context_index.oracles.typescript import find_typescript

PYRIGHT = "pyright==1.1.414"
Errors = Mapping[str, Counter[tuple[str, str]]]
"""By file, relative to the project: code and message of each error."""
_TSC = re.compile(r"^(.+?)\(\d+,\d+\): error TS(\d+): (.*)$")
_TY = re.compile(r"^(.+?):\d+:\d+: error\[([\w-]+)\] (.*)$")
_UNUSED = ("--noUnusedLocals", "false", "--noUnusedParameters", "false")


class Judge:
    """One project, copied to a folder of its own, so that its files may be changed."""

    def __init__(self, project: Path, scratch: Path) -> None:
        self._project = project
        self._copy = scratch / project.name
        shutil.copytree(project, self._copy, symlinks=True)
        self.intact = self._errors()
        """What the judge says of the files as they are."""

    def wrong(self, drawn: Iterable[Place]) -> list[tuple[Place, list[tuple[str, str]]]]:
        """The mutants that have an error which the intact file lacks; a file holds one at a time, a run many files."""
        by_file: dict[Path, list[Place]] = {}
        for place in drawn:
            by_file.setdefault(place.file, []).append(place)
        found = []
        for number in range(max(map(len, by_file.values()), default=0)):
            now = [places[number] for places in by_file.values() if number < len(places)]
            for place in now:
                with place.file.open(encoding="utf-8", newline="") as file:
                    text = file.read()
                changed = text[: place.start] + place.text + text[place.end :]
                (self._copy / self.name(place)).write_text(changed, "utf-8", newline="")
            errors = self._errors()
            for place in now:
                new = errors.get(self.name(place), Counter()) - self.intact.get(self.name(place), Counter())
                if new:
                    found.append((place, sorted(new)))
                shutil.copy(place.file, self._copy / self.name(place))
        return found

    def name(self, place: Place) -> str:
        """A place's file, relative to the project."""
        return place.file.relative_to(self._project).as_posix()

    def _errors(self) -> Errors:
        """Ask the compiler of the project's language."""
        if (self._copy / "tsconfig.json").is_file():
            binary = find_typescript(None, (), trusted=False).binary
            return self._read([str(binary), "-p", ".", "--pretty", "false", *_UNUSED], _TSC)
        ty = find_ty(Places((self._project,)))
        assert ty is not None  # noqa: S101 -- it comes with Inscope
        return self._read([str(ty.binary), "check", "--output-format", "concise", "--python", ".venv", "."], _TY)

    def _read(self, command: Sequence[str], pattern: re.Pattern[str]) -> Errors:
        found: dict[str, Counter[tuple[str, str]]] = {}
        for line in _told(command, self._copy).splitlines():
            if (told := pattern.match(line)) is not None:
                found.setdefault(told[1], Counter())[told[2], told[3]] += 1
        return found


class Pyright(Judge):
    """A second opinion of Python."""

    def _errors(self) -> Errors:
        command = [
            "node",
            str(package_of_npm(PYRIGHT) / "index.js"),
            "--outputjson",
            "--pythonpath",
            ".venv/bin/python",
        ]
        found: dict[str, Counter[tuple[str, str]]] = {}
        for one in json.loads(_told(command, self._copy))["generalDiagnostics"]:
            if one["severity"] == "error":
                file = Path(one["file"]).relative_to(self._copy.resolve()).as_posix()
                code = one.get("rule", "syntax"), one["message"].partition("\n")[0]
                found.setdefault(file, Counter())[code] += 1
        return found


def _told(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 -- the judges
    return done.stdout

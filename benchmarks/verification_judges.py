"""Judges of finished files that are not the verifier: `tsc -p` and `ty check`, as processes of their own.

An error is its code and the first line of its message. Lines are kept apart from it, as a change may move an error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.documents import text_of
from benchmarks.verification_places import VerifiedStretch
from context_index.languages.ecmascript.checker import find_typescript
from context_index.languages.python.checker import find_ty

Errors = Mapping[str, Mapping[tuple[str, str], list[int]]]
"""By file, relative to the project, by code and message: the lines, counted from 1."""
_TSC = re.compile(r"^(?P<file>.+?)\((?P<line>\d+),\d+\): error TS(?P<code>\d+): (?P<message>.*)$")
_TY = re.compile(r"^(?P<file>.+?):(?P<line>\d+):\d+: error\[(?P<code>[\w-]+)\] (?P<message>.*)$")
_UNUSED = ("--noUnusedLocals", "false", "--noUnusedParameters", "false")


@dataclass(frozen=True, slots=True)
class BrokenMutant:
    """A mutant with errors that the intact file lacks."""

    place: VerifiedStretch
    said: tuple[tuple[str, str, tuple[int, ...]], ...]
    """Code, message and lines of each."""

    def is_at(self, first: int, last: int) -> bool:
        """Whether one of them is on these lines."""
        return any(first <= line <= last for _, _, lines in self.said for line in lines)


class ProjectJudge:
    """One project, copied to a folder of its own, so that its files may be changed."""

    def __init__(self, project: Path, scratch: Path) -> None:
        self._project = project
        self._copy = scratch / project.name
        shutil.copytree(project, self._copy, symlinks=True)
        self.intact = errors_of(self._copy)
        """What the judge says of the files as they are."""

    def wrong(self, drawn: Iterable[VerifiedStretch]) -> list[BrokenMutant]:
        """The mutants that have an error which the intact file lacks; a file holds one at a time, a run many files."""
        by_file: dict[Path, list[VerifiedStretch]] = {}
        for place in drawn:
            by_file.setdefault(place.file, []).append(place)
        found = []
        for number in range(max(map(len, by_file.values()), default=0)):
            now = [places[number] for places in by_file.values() if number < len(places)]
            for place in now:
                text = text_of(place.file)
                changed = text[: place.start] + place.text + text[place.end :]
                (self._copy / self.name(place)).write_text(changed, "utf-8", newline="")
            errors = errors_of(self._copy)
            for place in now:
                intact = self.intact.get(self.name(place), {})
                new = tuple(
                    (*said, tuple(lines))
                    for said, lines in sorted(errors.get(self.name(place), {}).items())
                    if len(lines) > len(intact.get(said, ()))
                )
                if new:
                    found.append(BrokenMutant(place, new))
                shutil.copy(place.file, self._copy / self.name(place))
        return found

    def name(self, place: VerifiedStretch) -> str:
        """A place's file, relative to the project."""
        return place.file.relative_to(self._project).as_posix()


def errors_of(project: Path, config: str = "tsconfig.json") -> Errors:
    """What the compiler of a project's language reports, as a process of its own.

    Args:
        config: of scripts whose folder has no tsconfig.json.
    """
    configs = [name for name in ("tsconfig.json", config) if (project / name).is_file()]
    if configs:
        binary = find_typescript(None, (), trusted=False).command[0]
        command, pattern = [binary, "-p", configs[0], "--pretty", "false", *_UNUSED], _TSC
    else:
        environment = ["--python", ".venv"] if (project / ".venv").is_dir() else []
        command, pattern = [find_ty(project).command[0], "check", "--output-format", "concise", *environment, "."], _TY
    found: dict[str, dict[tuple[str, str], list[int]]] = {}
    for line in _result(command, project).splitlines():
        if (result := pattern.match(line)) is not None:
            lines = found.setdefault(result["file"], {}).setdefault((result["code"], result["message"]), [])
            lines.append(int(result["line"]))
    return found


def errors_by_file(project: Path, config: str = "tsconfig.json") -> dict[str, Counter[str]]:
    """The same, counted: lines are left out, as a change may move them."""
    return {
        file: Counter({f"{code} {message}": len(lines) for (code, message), lines in said.items()})
        for file, said in errors_of(project, config).items()
    }


def _result(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 -- the judges
    return done.stdout

"""Judges of finished files that are not the verifier: `tsc -p` and `ty check`, as processes of their own.

Two errors are equal if they have one code and one first line of the message. Their lines may differ, as a change may
move an error.
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
"""By file, relative to the project, and by code and message: the lines on which an error is, from 1."""
_TSC = re.compile(r"^(?P<file>.+?)\((?P<line>\d+),\d+\): error TS(?P<code>\d+): (?P<message>.*)$")
_TY = re.compile(r"^(?P<file>.+?):(?P<line>\d+):\d+: error\[(?P<code>[\w-]+)\] (?P<message>.*)$")
_UNUSED = ("--noUnusedLocals", "false", "--noUnusedParameters", "false")
"""Options of `tsc` by which unused names are no errors."""


@dataclass(frozen=True, slots=True)
class BrokenMutant:
    """A mutant with errors that the intact file lacks."""

    place: VerifiedStretch
    said: tuple[tuple[str, str, tuple[int, ...]], ...]
    """Code, message and lines of each error that the intact file lacks."""

    def is_at(self, first: int, last: int) -> bool:
        """Whether one of the errors is on a line from `first` to `last`."""
        return any(first <= line <= last for _, _, lines in self.said for line in lines)


class ProjectJudge:
    """Judges changed files of one project, in a copy of it."""

    def __init__(self, project: Path, scratch: Path) -> None:
        self._project = project
        self._copy = scratch / project.name
        shutil.copytree(project, self._copy, symlinks=True)
        self.intact = errors_of(self._copy)
        """The errors of the intact files."""

    def wrong(self, drawn: Iterable[VerifiedStretch]) -> list[BrokenMutant]:
        """The mutants that have an error which the intact file lacks.

        One run of the judge looks at one mutant of each file.
        """
        by_file: dict[Path, list[VerifiedStretch]] = {}
        for place in drawn:
            by_file.setdefault(place.file, []).append(place)
        broken = []
        for number in range(max(map(len, by_file.values()), default=0)):
            in_run = [places[number] for places in by_file.values() if number < len(places)]
            for place in in_run:
                text = text_of(place.file)
                changed = text[: place.start] + place.text + text[place.end :]
                (self._copy / self.name(place)).write_text(changed, "utf-8", newline="")
            errors = errors_of(self._copy)
            for place in in_run:
                intact = self.intact.get(self.name(place), {})
                new = tuple(
                    (code, message, tuple(lines))
                    for (code, message), lines in sorted(errors.get(self.name(place), {}).items())
                    if len(lines) > len(intact.get((code, message), ()))
                )
                if new:
                    broken.append(BrokenMutant(place, new))
                shutil.copy(place.file, self._copy / self.name(place))
        return broken

    def name(self, place: VerifiedStretch) -> str:
        """A place's file, relative to the project."""
        return place.file.relative_to(self._project).as_posix()


def errors_of(project: Path, config: str = "tsconfig.json") -> Errors:
    """The errors that `tsc -p` reports of a project with a TypeScript configuration, and `ty check` of any other.

    Args:
        config: The name of the configuration, if there is no `tsconfig.json`.
    """
    configs = [name for name in ("tsconfig.json", config) if (project / name).is_file()]
    if configs:
        binary = find_typescript(None, (), trusted=False).command[0]
        command, pattern = [binary, "-p", configs[0], "--pretty", "false", *_UNUSED], _TSC
    else:
        environment = ["--python", ".venv"] if (project / ".venv").is_dir() else []
        command, pattern = [find_ty(project).command[0], "check", "--output-format", "concise", *environment, "."], _TY
    errors: dict[str, dict[tuple[str, str], list[int]]] = {}
    for line in _output(command, project).splitlines():
        if (match := pattern.match(line)) is not None:
            lines = errors.setdefault(match["file"], {}).setdefault((match["code"], match["message"]), [])
            lines.append(int(match["line"]))
    return errors


def errors_by_file(project: Path, config: str = "tsconfig.json") -> dict[str, Counter[str]]:
    """The errors of `errors_of`, by file: how often there is each code and message, as one text."""
    return {
        file: Counter({f"{code} {message}": len(lines) for (code, message), lines in errors.items()})
        for file, errors in errors_of(project, config).items()
    }


def _output(command: Sequence[str], folder: Path) -> str:
    """What a command prints that runs in a folder; its exit status is ignored, as errors in files change it."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout  # noqa: S603 -- the judges

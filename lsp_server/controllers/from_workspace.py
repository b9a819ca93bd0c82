"""Programs that a workspace brings for its completions: which of them is meant for a file.

    .inscope/config.json     {"controllers": [{"use": "*.js", "for": ["src/**"], "params": {"quote": "'"}}]}
    .inscope/controllers/    the programs

The first entry that is for the file counts, and of its programs the first by name. Nothing here decides whether a
program may be run: a person does (see `Trust`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lsp_server.controllers.from_request import LONGEST, controller_in
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from decoder import Controller

FOLDER = Path(".inscope")
CONFIGURATION = FOLDER / "config.json"
PROGRAMS = FOLDER / "controllers"
_FIELDS = frozenset({"use", "for", "params"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a workspace's configuration."""

    use: str
    """A glob of programs."""
    files: tuple[str, ...] = ("**",)
    """Globs of the files that it is for, below the root."""
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Trust:
    """Whether the programs of a workspace are run, as far as somebody has said so."""

    setting: str = "ask"
    trusted: bool = True
    """Whether the workspace as a whole is."""
    agreed: set[Path] = field(default_factory=set)
    """Roots for which a person has said yes."""

    def runs(self, root: Path) -> bool:
        """Whether programs of this root may be run."""
        return self.trusted and (self.setting == "on" or (self.setting == "ask" and root in self.agreed))


def configured(root: Path) -> tuple[str, ...]:
    """The names of the programs that a workspace would have run, in order.

    Raises:
        RequestError: its configuration cannot be understood.
    """
    return tuple(dict.fromkeys(one.name for entry in _entries(root) for one in _programs(root, entry)))


def chosen(roots: Sequence[Path], path: Path | None) -> tuple[Path, Path, Entry] | None:
    """The root, the program and the entry that a file has; None where it has none.

    Raises:
        RequestError: the configuration cannot be understood.
    """
    root = next((one for one in roots if path is not None and path.is_relative_to(one)), None)
    if root is None or path is None:
        return None
    place = path.relative_to(root).as_posix()
    for entry in _entries(root):
        if any(fits(glob, place) for glob in entry.files):
            for program in _programs(root, entry):
                return root, program, entry
    return None


def controller_for(roots: Sequence[Path], path: Path | None, trust: Trust) -> Controller | None:
    """The program that takes part in a file's completions: there is one, and it may be run.

    Raises:
        RequestError: the configuration cannot be understood, or the program not be read.
    """
    found = chosen(roots, path) if any(map(trust.runs, roots)) else None
    if found is None or not trust.runs(found[0]):
        return None
    _, program, entry = found
    return controller_in(program, entry.params)


def fits(glob: str, place: str) -> bool:
    """Whether a path below the root, with forward slashes, fits; `**` stands for any number of folders."""
    return _fits(glob.strip("/").split("/"), place.split("/"))


def _fits(globs: list[str], parts: list[str]) -> bool:
    if not globs or not parts:
        return globs in ([], ["**"]) and not parts
    if globs[0] == "**":
        return len(globs) == 1 or any(_fits(globs[1:], parts[skipped:]) for skipped in range(len(parts)))
    return fnmatchcase(parts[0], globs[0]) and _fits(globs[1:], parts[1:])


def _entries(root: Path) -> tuple[Entry, ...]:
    try:
        with (root / CONFIGURATION).open("rb") as file:
            given = json.loads(file.read(LONGEST))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        _refuse(f"cannot be read: {error.strerror or error}")
    except (ValueError, RecursionError):
        _refuse("is not JSON")
    listed = given.get("controllers", []) if isinstance(given, dict) else None
    if not isinstance(listed, list):
        _refuse("must be an object whose 'controllers' is a list")
    return tuple(map(_entry, listed))


def _entry(given: object) -> Entry:
    if isinstance(given, str):
        given = {"use": given}
    if not isinstance(given, dict) or given.keys() - _FIELDS or not isinstance(given.get("use"), str):
        _refuse("has a controller that is no glob and no object of use, for and params")
    files, params = given.get("for", ["**"]), given.get("params", {})
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list) or not all(isinstance(one, str) for one in files) or not isinstance(params, dict):
        _refuse("has a controller whose 'for' is no glob or list of globs, or whose 'params' is no object")
    return Entry(given["use"], tuple(files), params)


def _programs(root: Path, entry: Entry) -> Iterable[Path]:
    """The files that an entry names, none of which leads out of the workspace's folder of programs."""
    folder = root / PROGRAMS
    try:
        names = sorted(one.name for one in folder.iterdir() if one.suffix == ".js" and fnmatchcase(one.name, entry.use))
        inside = folder.resolve()
        return [folder / name for name in names if (folder / name).resolve().is_relative_to(inside)]
    except (OSError, RuntimeError):  # what older Pythons raise where links lead in a circle
        return []


def _refuse(what: str) -> NoReturn:
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{CONFIGURATION.as_posix()} {what}")

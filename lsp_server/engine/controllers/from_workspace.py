"""Controllers that a workspace brings: which one of them takes part in the completions of a file.

    .inscope/config.json     {"controllers": [{"use": "*.js", "for": ["src/**"], "params": {"quote": "'"}}]}
    .inscope/controllers/    the controllers

The first entry is used whose `for` matches the file and whose `use` matches an existing controller. If `use` matches
several, the first by name is taken. A controller is run only if a person trusts the workspace or agreed (see `Trust`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from context_index import Patterns, innermost_root
from lsp_server.engine.controllers.from_request import LONGEST, controller_in
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from decoder import Controller

FOLDER = Path(".inscope")
CONFIGURATION = FOLDER / "config.json"
CONTROLLERS = FOLDER / "controllers"
_FIELDS = frozenset({"use", "for", "params"})


@dataclass(frozen=True, slots=True)
class ControllerEntry:
    """One entry of a workspace's configuration."""

    use: str
    """A glob for the file names of controllers."""
    files: tuple[str, ...] = ("**",)
    """Globs for the files, by their paths from the root, in whose completions the controller takes part."""
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Trust:
    """Which workspaces' controllers may be run."""

    setting: str = "ask"
    """The setting `workspace.controllers`: `on`, `ask` or `off`."""
    trusted: bool = True
    """Whether the workspace as a whole is trusted."""
    agreed: set[Path] = field(default_factory=set)
    """Roots whose controllers a person has allowed."""

    def runs(self, root: Path) -> bool:
        """Whether controllers of this root may be run."""
        return self.trusted and (self.setting == "on" or (self.setting == "ask" and root in self.agreed))


def configured(root: Path) -> tuple[str, ...]:
    """The names of the controllers that a workspace configures, in order.

    Raises:
        RequestError: its configuration cannot be understood.
    """
    return tuple(dict.fromkeys(file.name for entry in _entries(root) for file in _controllers(root, entry)))


def chosen(roots: Sequence[Path], path: Path | None) -> tuple[Path, Path, ControllerEntry] | None:
    """The innermost root of a file, its controller, and the entry that chose it; None where it has no controller.

    Raises:
        RequestError: the configuration cannot be understood.
    """
    if path is None:
        return None
    root = innermost_root(path, roots)
    if root is None:
        return None
    place = path.relative_to(root).as_posix()
    for entry in _entries(root):
        if matches(entry.files, place):
            for controller in _controllers(root, entry):
                return root, controller, entry
    return None


def controller_for(roots: Sequence[Path], path: Path | None, trust: Trust) -> Controller | None:
    """The controller that takes part in a file's completions; None where there is none, or it may not be run.

    Raises:
        RequestError: the configuration cannot be understood, or the controller cannot be read.
    """
    root = None if path is None else innermost_root(path, roots)
    if root is None or not trust.runs(root):  # then its configuration is not even read
        return None
    choice = chosen([root], path)
    if choice is None:
        return None
    _, controller, entry = choice
    return controller_in(controller, entry.params)


def matches(globs: Iterable[str], place: str) -> bool:
    """Whether a glob matches a path from the root, with forward slashes; `**` stands for any number of folders."""
    patterns = Patterns(f"/{glob.strip('/')}" for glob in globs)
    return bool(patterns.ignores(place.split("/"), directory=False))


def _entries(root: Path) -> tuple[ControllerEntry, ...]:
    """The entries of a workspace's configuration, in order; none where there is no such file."""
    try:
        with (root / CONFIGURATION).open("rb") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            _refuse(f"is larger than {LONGEST >> 20} MiB")
        configuration = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        _refuse(f"cannot be read: {error.strerror or error}")
    except (ValueError, RecursionError):
        _refuse("is not JSON")
    controllers = configuration.get("controllers", []) if isinstance(configuration, dict) else None
    if not isinstance(controllers, list):
        _refuse("must be an object whose 'controllers' is a list")
    return tuple(map(_entry, controllers))


def _entry(given: object) -> ControllerEntry:
    """One item of the list `controllers`; a text stands for an object with `use` alone."""
    if isinstance(given, str):
        given = {"use": given}
    if not isinstance(given, dict) or given.keys() - _FIELDS or not isinstance(given.get("use"), str):
        _refuse("has a controller that is no glob and no object of use, for and params")
    files, params = given.get("for", ["**"]), given.get("params", {})
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list) or not all(isinstance(glob, str) for glob in files) or not isinstance(params, dict):
        _refuse("has a controller whose 'for' is no glob or list of globs, or whose 'params' is no object")
    return ControllerEntry(given["use"], tuple(files), params)


def _controllers(root: Path, entry: ControllerEntry) -> Iterable[Path]:
    """The `.js` files that an entry's `use` matches, sorted by name; links that lead out of the folder are left out."""
    folder = root / CONTROLLERS
    try:
        files = (file for file in folder.iterdir() if file.suffix == ".js" and matches((entry.use,), file.name))
        inside = folder.resolve()
        by_name = sorted(files, key=lambda file: file.name)
        return [file for file in by_name if file.resolve().is_relative_to(inside)]
    except (OSError, RuntimeError):  # there is no folder, say; older Pythons raise RuntimeError for links in a circle
        return []


def _refuse(what: str) -> NoReturn:
    """Raise the error; `what` completes a sentence that begins with the configuration's path."""
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{CONFIGURATION.as_posix()} {what}")

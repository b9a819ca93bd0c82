"""Reads settings from files: `inscope.toml`, or the table `tool.inscope` of `pyproject.toml`.

A workspace may have a configuration file, at its root or above it, and a person may have one of their own. The person's
may set everything. The workspace's comes from whoever wrote the workspace, so it may set only what `table` calls
shared. The command line and the server's session call `configured`; their own options take precedence over files.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from lsp_server.settings.table import TABLE, Settings, accepted, applied

NAME = "inscope.toml"
FOLDER = "INSCOPE_CONFIG"
"""The environment variable that names the folder of a person's own file; if it is empty, there is no such file."""
_MANIFEST = "pyproject.toml"
MOST_BYTES = 1_000_000
"""The largest configuration file that is read."""


def own_file() -> Path | None:
    """The path of the person's own file, whether it exists or not; None if the environment says there is none."""
    folder = os.environ.get(FOLDER)
    if folder == "":
        return None
    return (platformdirs.user_config_path("inscope") if folder is None else Path(folder)) / NAME


def file_of(folder: Path) -> Path | None:
    """The configuration file of a workspace, the nearest in the folder or above it; None if there is none.

    A `pyproject.toml` that cannot be read counts, as it may configure Inscope.
    """
    for directory in (folder, *folder.parents):
        if _is_file(directory / NAME):
            return directory / NAME
        if _is_file(directory / _MANIFEST) and any(_table(directory / _MANIFEST)):
            return directory / _MANIFEST
    return None


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """What a configuration file sets, once it was read."""

    path: Path
    values: Mapping[str, object]
    """What it sets, by the setting's name."""
    problems: tuple[str, ...]
    """One sentence for each part that is ignored."""


def configured(folder: Path | None, settings: Settings | None = None) -> tuple[Settings, tuple[str, ...]]:
    """The settings with the files' values, and one sentence for each part of a file that is ignored.

    Args:
        folder: A folder of the workspace, absolute; None where there is none.
        settings: The values that files do not set; the defaults if left out.
    """
    settings = settings or Settings()
    configuration = files(folder)
    for file in configuration:
        settings = applied(settings, file.values)
    return settings, tuple(problem for file in configuration for problem in file.problems)


def files(folder: Path | None) -> tuple[ConfigurationFile, ...]:
    """The configuration files that exist: the person's own, then the workspace's, which has precedence.

    Args:
        folder: A folder of the workspace, absolute; None if there is none.
    """
    read = []
    own = own_file()
    shared = None if folder is None else file_of(folder)
    for file in (own, shared):
        if file is None or not _is_file(file):
            continue
        table, problem = _table(file)
        values, misfits = accepted(table)
        problems = [f"{file}: {sentence}" for sentence in (*problem, *misfits)]
        if file != own:
            shared_values = {name: value for name, value in values.items() if TABLE[name].shared}
            problems += [
                f"{file}: {name!r} is never taken from the file of a workspace; set it in {own or 'the editor'}"
                for name in values.keys() - shared_values.keys()
            ]
            values = shared_values
        read.append(ConfigurationFile(file, values, tuple(problems)))
    return tuple(read)


def _is_file(path: Path) -> bool:
    """Whether a path is a file; False for a path that the system refuses, such as one that is too long."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises an error for such a path


def _table(file: Path) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Inscope's table in a file, empty if there is none, and one sentence if the file cannot be read, else none."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            return {}, (f"it is larger than {MOST_BYTES:,} bytes and is not read",)
        table: object = tomllib.loads(data.decode())
    except (OSError, ValueError, RecursionError) as error:
        return {}, (f"it cannot be read ({error}); none of its settings is applied",)
    if file.name == _MANIFEST:
        tools = table.get("tool") if isinstance(table, dict) else None
        table = tools.get("inscope") if isinstance(tools, dict) else None
    return (table, ()) if isinstance(table, dict) else ({}, ())

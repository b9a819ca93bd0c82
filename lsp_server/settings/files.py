"""Settings in files: `inscope.toml`, or the table `tool.inscope` of `pyproject.toml`.

A workspace has one, at its root or above it, and a person has one of their own. The person's may set everything. The
workspace's comes from whoever wrote the workspace, so it may set only what `table` calls shared. Knows neither clients
nor options; their values take precedence over files.
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
"""The environment variable that names another folder than the user's for their own file; empty, there is none."""
_MANIFEST = "pyproject.toml"
MOST_BYTES = 1_000_000


def own_file() -> Path | None:
    """The person's own file, whether it exists or not."""
    named = os.environ.get(FOLDER)
    if named == "":
        return None
    return (platformdirs.user_config_path("inscope") if named is None else Path(named)) / NAME


def file_of(folder: Path) -> Path | None:
    """The configuration file of a workspace: the nearest in the folder or above it.

    A manifest that cannot be read counts, as it may configure Inscope.
    """
    for each in (folder, *folder.parents):
        if _is_file(each / NAME):
            return each / NAME
        if _is_file(each / _MANIFEST) and any(_table(each / _MANIFEST)):
            return each / _MANIFEST
    return None


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """A configuration file as it was read."""

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
    read = files(folder)
    for file in read:
        settings = applied(settings, file.values)
    return settings, tuple(problem for file in read for problem in file.problems)


def files(folder: Path | None) -> tuple[ConfigurationFile, ...]:
    """The configuration files that there are: the person's own, then the workspace's, which has precedence."""
    read = []
    own = own_file()
    shared = None if folder is None else file_of(folder)
    for file in (own, shared):
        if file is None or not _is_file(file):
            continue
        table, problem = _table(file)
        values, misfits = accepted(table)
        problems = [f"{file}: {each}" for each in (*problem, *misfits)]
        if file != own:
            kept = {name: value for name, value in values.items() if TABLE[name].shared}
            problems += [
                f"{file}: {name!r} is never taken from the file of a workspace; set it in {own or 'the editor'}"
                for name in values.keys() - kept.keys()
            ]
            values = kept
        read.append(ConfigurationFile(file, values, tuple(problems)))
    return tuple(read)


def _is_file(path: Path) -> bool:
    """Whether there is such a file; False for a path that the system refuses, such as one that is too long."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises an error for such a path


def _table(file: Path) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Inscope's table in a file, and a sentence where the file cannot be read."""
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

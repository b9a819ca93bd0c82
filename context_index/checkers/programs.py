"""What differs from one checker to the next, as one value: TypeScript 7 and ty."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from os import F_OK, access
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.disk import innermost_root
from context_index.environments import environment_without_packages, find_environment
from context_index.parts import PartMissingError, find, part
from context_index.processes import on_path, workspace_holding
from context_index.symbols import Language

_TYPESCRIPT_SETTINGS = {
    "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    "disableAutomaticTypeAcquisition": True,
}
"""For packages of types TypeScript would run npm, over the network."""
_TY_SETTINGS = {"completions": {"autoImport": False}}
"""Listing everything that could be imported took ty 5 s. TypeScript needs the list: its quick fixes come from it."""
_TYPESCRIPT_OPTIONS = {"logVerbosity": 0}
"""Its log would be five to eight messages besides each answer."""
_TYPESCRIPT_CONFIG = ("tsconfig.json", "jsconfig.json")
_TYPESCRIPT_PROJECT = (*_TYPESCRIPT_CONFIG, "package.json")
_PYTHON_PROJECT = ("ty.toml", "pyproject.toml", "setup.cfg", "setup.py")
_CHECKED = "// @ts-check\n"
_WITH_NODE = '/// <reference types="node" />\n'
"""TypeScript 7 reads Node's types only where a project says so; one without a configuration cannot."""


@dataclass(frozen=True)
class CheckerProgram:
    """A checker that can be started."""

    title: str
    """As people know it, with its version."""
    command: Sequence[str]
    """An absolute path and arguments; it speaks LSP on its pipes."""
    outside_of: Sequence[Path]
    """The workspaces that the program may not come from."""
    settings: Mapping[str, object]
    """By configuration section."""
    options: Mapping[str, object]
    """Its own `initializationOptions`."""
    variables: Mapping[str, str]
    """Environment variables that are set for it."""
    is_python: bool
    """Whether it checks Python; otherwise JavaScript and TypeScript."""
    head: str = ""
    """Lines that are put above its copy of a JavaScript file, to have it checked."""


def project_of(path: Path, roots: Sequence[Path], language: Language) -> Path:
    """The folder of the nearest project file, from the file up to its root; else the root, or the file's folder."""
    root = innermost_root(path, roots)
    manifests = _PYTHON_PROJECT if language.is_python else _TYPESCRIPT_PROJECT
    for folder in path.parents:
        if root is not None and not folder.is_relative_to(root):
            break
        # at each key, and mostly there is none: `access` raises nothing inside and takes a third of the time
        if any(access(f"{folder}/{one}", F_OK) and (folder / one).is_file() for one in manifests):
            return folder
    return root or path.parent


def program_for(
    language: Language, project: Path, workspaces: Sequence[Path], typescript: Path | None, *, trusted: bool
) -> CheckerProgram:
    """The checker of a project.

    Raises:
        CheckerAbsentError: there is none; the sentence says what to do.
    """
    if language.is_python:
        return find_ty(project, workspaces)
    try:
        found = find_typescript(typescript, workspaces, trusted=trusted)
    except PartMissingError as missing:
        raise CheckerAbsentError(str(missing)) from missing
    is_configured = any((project / name).is_file() for name in _TYPESCRIPT_CONFIG)
    return replace(found, head=_CHECKED if is_configured else _CHECKED + _WITH_NODE)


def find_typescript(setting: Path | None, workspaces: Sequence[Path], *, trusted: bool) -> CheckerProgram:
    """TypeScript 7: as set, ours, or on the path; one that lies in a workspace only if it is set and trusted.

    Raises:
        PartMissingError: there is none, or it may not be used; the sentence says what to do.
    """
    found = find(part("typescript"), setting, workspaces)
    inside = workspace_holding(found.path, workspaces) if found.named else None
    if inside is not None and not trusted:
        raise PartMissingError(
            f"TypeScript at '{found.path}' is not used: it lies in the workspace '{inside}', which is not trusted. "
            "Trust the workspace (`--trust`, or the setting `workspace.trusted`) to use it."
        )
    settings = dict.fromkeys(("js/ts", "typescript", "javascript"), _TYPESCRIPT_SETTINGS)
    command = (str(found.path), "--lsp", "--stdio")
    title = f"TypeScript {found.version or '7'}"
    return CheckerProgram(
        title, command, () if inside else tuple(workspaces), settings, _TYPESCRIPT_OPTIONS, {}, is_python=False
    )


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
    title = f"ty {_ty_version()}".strip()
    command = (str(binary), "server")
    return CheckerProgram(title, command, tuple(workspaces), {"ty": _TY_SETTINGS}, {}, variables, is_python=True)


def _bundled_ty() -> Path | None:
    """The binary of the package `ty`, which we depend on; a distribution may leave it out."""
    beside = Path(sys.executable).with_name("ty.exe" if sys.platform == "win32" else "ty")
    if beside.is_file():
        return beside
    try:
        from ty import find_ty_bin  # noqa: PLC0415 -- may be missing
    except ImportError:
        return None
    try:
        return Path(find_ty_bin())
    except FileNotFoundError:
        return None


def _ty_version() -> str:
    """The version of the package; to ask a binary from elsewhere is not worth a process."""
    try:
        return version("ty")
    except PackageNotFoundError:
        return ""

"""What differs from one checker to the next, as one value: TypeScript 7 and ty."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from context_index.oracles.environments import find_environment
from context_index.oracles.places import Places
from context_index.parts import Found
from context_index.symbols import Language
from context_index.text import Document

_TYPESCRIPT_SETTINGS = {
    "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    "disableAutomaticTypeAcquisition": True,
}
"""No packages of types are fetched: for these TypeScript would run npm, over the network."""
_LANGUAGE_IDS = {
    Language.JAVASCRIPT: "javascript",
    Language.TYPESCRIPT: "typescript",
    Language.TSX: "typescriptreact",
    Language.PYTHON: "python",
}


@dataclass(frozen=True)
class Program:
    """A checker that can be started."""

    title: str
    """As people know it, with its version."""
    command: tuple[str, ...]
    """An absolute path and arguments; it speaks LSP on its pipes."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """By configuration section."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that are set for it."""
    named: bool = False
    """Whether a person named the program, so that it may lie in a trusted workspace."""


def language_id(document: Document) -> str:
    """LSP's name of a document's language; JSX follows from the suffix."""
    return "javascriptreact" if document.uri.endswith(".jsx") else _LANGUAGE_IDS[document.language]


def typescript(found: Found) -> Program:
    """The native server of TypeScript 7."""
    settings = dict.fromkeys(("js/ts", "typescript", "javascript"), _TYPESCRIPT_SETTINGS)
    title = f"TypeScript {found.version}".strip()
    return Program(title, (str(found.path), "--lsp", "--stdio"), settings, named=found.named)


def ty(folder: Path, root: Path) -> Program | None:
    """The `ty` that came with us, else one on the path, looking into the environment of the project in `folder`."""
    binary = _bundled_ty() or shutil.which("ty")
    if binary is None:
        return None
    environment = find_environment(Places((folder, root)))
    variables = {} if environment is None else {"VIRTUAL_ENV": str(environment)}
    return Program(f"ty {_ty_version()}".strip(), (str(Path(binary).absolute()), "server"), {"ty": {}}, variables)


def _bundled_ty() -> str | None:
    """The binary of the package `ty`, which we depend on; a distribution may leave it out."""
    beside = Path(sys.executable).with_name("ty.exe" if sys.platform == "win32" else "ty")
    if beside.is_file():
        return str(beside)
    try:
        from ty import find_ty_bin  # noqa: PLC0415 -- may be missing
    except ImportError:
        return None
    try:
        return str(find_ty_bin())
    except FileNotFoundError:
        return None


def _ty_version() -> str:
    """Of the package; a binary from elsewhere is not worth a process that asks it."""
    try:
        return version("ty")
    except PackageNotFoundError:
        return ""

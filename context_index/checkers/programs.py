"""What differs from one checker to the next, as one value: TypeScript 7 and ty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.oracles.places import Places
from context_index.oracles.ty import find_ty
from context_index.oracles.typescript import find_typescript
from context_index.parts import PartMissingError
from context_index.symbols import Language
from context_index.text import Document
from context_index.uris import path_of

_NO_TYPES_FETCHED = {
    "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    "disableAutomaticTypeAcquisition": True,
}
"""For packages of types TypeScript would run npm, over the network."""
_LANGUAGE_IDS = {
    Language.JAVASCRIPT: "javascript",
    Language.TYPESCRIPT: "typescript",
    Language.TSX: "typescriptreact",
    Language.PYTHON: "python",
}
_SUFFIXES = {Language.JAVASCRIPT: "js", Language.TYPESCRIPT: "ts", Language.TSX: "tsx", Language.PYTHON: "py"}
_TYPESCRIPT_PROJECT = ("tsconfig.json", "jsconfig.json", "package.json")
_PYTHON_PROJECT = ("ty.toml", "pyproject.toml", "setup.cfg", "setup.py")
_CHECK_PLAIN_SCRIPTS = "// @ts-check\n"


@dataclass(frozen=True)
class Program:
    """A checker that can be started."""

    title: str
    """As people know it, with its version."""
    command: Sequence[str]
    """An absolute path and arguments; it speaks LSP on its pipes."""
    outside_of: Sequence[Path]
    """The workspaces that the program may not come from."""
    settings: Mapping[str, object]
    """By configuration section."""
    variables: Mapping[str, str]
    """Environment variables that are set for it."""


def language_id(document: Document) -> str:
    """LSP's name of a document's language; JSX follows from the suffix."""
    return "javascriptreact" if document.uri.endswith(".jsx") else _LANGUAGE_IDS[document.language]


def head(document: Document) -> tuple[int, str]:
    """A line that a checker's copy of a text has besides, and its offset: JavaScript is checked only if it says so.

    A line of its own; it comes after the line that names an interpreter, which must be the first.
    """
    if document.language is not Language.JAVASCRIPT:
        return 0, ""
    interpreter = document.text.startswith("#!")
    return (document.text.find("\n") + 1 if interpreter and "\n" in document.text else 0), _CHECK_PLAIN_SCRIPTS


def placed(document: Document, root: Path) -> Document:
    """A document with a file: an untitled one counts as a new file of the project's root."""
    if path_of(document.uri) is not None:
        return document
    name = f"untitled-{sha256(document.uri.encode()).hexdigest()[:8]}.{_SUFFIXES[document.language]}"
    return Document((root / name).as_uri(), document.language, document.text, document.revision)


def project_of(path: Path, roots: Sequence[Path], language: Language) -> Path:
    """The folder of the nearest project file, from the file up to its root; else the root, or the file's folder."""
    root = max((each for each in roots if path.is_relative_to(each)), key=lambda each: len(each.parts), default=None)
    manifests = _PYTHON_PROJECT if language.is_python else _TYPESCRIPT_PROJECT
    for folder in path.parents:
        if root is not None and not folder.is_relative_to(root):
            break
        if any((folder / manifest).is_file() for manifest in manifests):
            return folder
    return root or path.parent


def program_for(
    language: Language, project: Path, workspaces: Sequence[Path], typescript: Path | None, *, trusted: bool
) -> Program:
    """The checker of a project.

    Raises:
        CheckerAbsentError: there is none; the sentence says what to do.
    """
    if language.is_python:
        ty = find_ty(Places((project,), tuple(workspaces)))
        if ty is None:
            raise CheckerAbsentError("ty is not installed. Run 'pip install ty'.")
        return Program(ty.name, tuple(ty.command), ty.outside_of, {"ty": {}}, ty.environment)
    try:
        found = find_typescript(typescript, workspaces, trusted=trusted)
    except PartMissingError as missing:
        raise CheckerAbsentError(str(missing)) from missing
    settings = dict.fromkeys(("js/ts", "typescript", "javascript"), _NO_TYPES_FETCHED)
    return Program(found.name, tuple(found.command), found.outside_of, settings, {})

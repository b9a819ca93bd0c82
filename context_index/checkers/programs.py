"""What differs from one checker to the next, as one value; each language's own part says how its checker is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import F_OK, access
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.disk import innermost_root
from context_index.languages.parts import part
from context_index.symbols import Language
from context_index.text import Document


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
    family: str
    """The family of languages that it checks."""
    least: str
    """The oldest version that we can speak with."""
    name: str = ""
    """What it calls itself as the source of what it reports."""
    publishes: bool = False
    """Whether it answers by itself after each change, with the version, instead of being asked for diagnostics."""
    configure: Callable[[Document], object | None] = lambda _document: None
    """The settings that it is told before a document is opened; None where it needs none."""
    head: str = ""
    """Lines that are put above its copy of a JavaScript file, to have it checked."""


def project_of(path: Path, roots: Sequence[Path], language: Language) -> Path:
    """The folder of the nearest project file, from the file up to its root; else the root, or the file's folder."""
    root, rules = innermost_root(path, roots), part(language, "checker")
    manifests: tuple[str, ...] = () if rules is None else rules.PROJECT_FILES
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
    rules = part(language, "checker")
    if rules is None:
        raise CheckerAbsentError(f"no checker of {language.record.title} is known")
    program: CheckerProgram = rules.program(project, workspaces, typescript, trusted=trusted)
    return program

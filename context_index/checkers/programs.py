"""What differs from one checker to the next, as one value. The part `checker` of each language makes it.

Also finds the project of a file, as its project decides which checker is asked.
"""

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
    """The name that people know, with the version."""
    command: Sequence[str]
    """An absolute path and arguments; the process speaks LSP on its pipes."""
    outside_of: Sequence[Path]
    """The workspaces that the program may not come from."""
    settings: Mapping[str, object]
    """The settings that it may ask for, by configuration section."""
    options: Mapping[str, object]
    """LSP's `initializationOptions`."""
    variables: Mapping[str, str]
    """Environment variables that are set for it."""
    family: str
    """The family of languages that it checks."""
    least: str
    """The oldest version that Inscope works with."""
    name: str = ""
    """The `source` that it writes in its diagnostics."""
    publishes: bool = False
    """Whether it publishes diagnostics after each change, with the document's version; if not, it is asked for them."""
    configure: Callable[[Document], object | None] = lambda _document: None
    """The settings that it is sent before a document is opened; None if it needs none."""
    head: str = ""
    """The lines that are put into its copy of a JavaScript file, so that it checks the file."""


def project_of(path: Path, roots: Sequence[Path], language: Language) -> Path:
    """The project folder of a file: the nearest one, up to the file's root, with a project file of the language.

    Without one it is the root; for a file outside of all roots, the file's folder.
    """
    root, rules = innermost_root(path, roots), part(language, "checker")
    project_files: tuple[str, ...] = () if rules is None else rules.PROJECT_FILES
    for folder in path.parents:
        if root is not None and not folder.is_relative_to(root):
            break
        # asked at each key, mostly in vain: without a file, `access` takes a third of the time of `is_file`
        if any(access(f"{folder}/{name}", F_OK) and (folder / name).is_file() for name in project_files):
            return folder
    return root or path.parent


def program_for(
    language: Language, project: Path, workspaces: Sequence[Path], typescript: Path | None, *, trusted: bool
) -> CheckerProgram:
    """The checker of a project.

    Args:
        workspaces: The folders that the program may not come from, unless it is set and trusted.
        typescript: Where TypeScript 7 is, as a person set it; the other checkers have no use for it.
        trusted: Whether the workspaces are trusted.

    Raises:
        CheckerAbsentError: there is none; the sentence says what to do.
    """
    rules = part(language, "checker")
    if rules is None:
        raise CheckerAbsentError(f"no checker of {language.record.title} is known")
    program: CheckerProgram = rules.program(project, workspaces, typescript, trusted=trusted)
    return program

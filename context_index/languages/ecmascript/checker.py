"""The part `checker` of JavaScript and TypeScript: finds TypeScript 7 and says how it is started.

`checkers.programs` asks for `program` and `PROJECT_FILES`, and benchmarks for `find_typescript`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from context_index.checkers.errors import CheckerAbsentError
from context_index.checkers.programs import CheckerProgram
from context_index.languages.ecmascript import TYPESCRIPT
from context_index.parts import PartMissingError, find, part
from context_index.processes import workspace_holding

_SETTINGS = {
    "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    "disableAutomaticTypeAcquisition": True,
}
"""Otherwise TypeScript runs npm, over the network, to install packages of types."""
_OPTIONS = {"logVerbosity": 0}
"""Otherwise it sends five to eight log messages besides each answer."""
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
PROJECT_FILES = (*_CONFIGURATIONS, "package.json")
"""Files that make their folder a project."""
LEAST_TYPESCRIPT = "7.0"
"""The oldest version that Inscope works with."""
_CHECK = "// @ts-check\n"
"""Has TypeScript check a JavaScript file whose project does not ask for it."""
_REFERENCE_NODE = '/// <reference types="node" />\n'
"""For a project without a configuration: TypeScript 7 reads Node's types only if it is told to."""


def program(project: Path, workspaces: Sequence[Path], typescript: Path | None, *, trusted: bool) -> CheckerProgram:
    """See `checkers.programs.program_for`."""
    try:
        found = find_typescript(typescript, workspaces, trusted=trusted)
    except PartMissingError as missing:
        raise CheckerAbsentError(str(missing)) from missing
    is_configured = any((project / name).is_file() for name in _CONFIGURATIONS)
    return replace(found, head=_CHECK if is_configured else _CHECK + _REFERENCE_NODE)


def find_typescript(setting: Path | None, workspaces: Sequence[Path], *, trusted: bool) -> CheckerProgram:
    """TypeScript 7 from the setting, else ours, else from the path, without the `head` of a project.

    One in a workspace is used only if the setting names it and the workspace is trusted.

    Args:
        setting: Where it is, as a person set it.
        trusted: Whether the workspaces are trusted.

    Raises:
        PartMissingError: there is none, or it may not be used; the sentence says what to do.
    """
    typescript = find(part("typescript"), setting, workspaces)
    workspace = workspace_holding(typescript.path, workspaces) if typescript.is_named else None
    if workspace is not None and not trusted:
        raise PartMissingError(
            f"TypeScript at '{typescript.path}' is not used: it lies in the workspace '{workspace}', which is not "
            "trusted. Trust the workspace (`--trust`, or the setting `workspace.trusted`) to use it."
        )
    return CheckerProgram(
        title=f"TypeScript {typescript.version or '7'}",
        command=(str(typescript.path), "--lsp", "--stdio"),
        outside_of=() if workspace else tuple(workspaces),
        settings=dict.fromkeys(("js/ts", "typescript", "javascript"), _SETTINGS),
        options=_OPTIONS,
        variables={},
        family=TYPESCRIPT.family,
        name="ts",
        least=LEAST_TYPESCRIPT,
    )

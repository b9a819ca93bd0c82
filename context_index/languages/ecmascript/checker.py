"""TypeScript 7: how it is found and started."""

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
"""For packages of types TypeScript would run npm, over the network."""
_OPTIONS = {"logVerbosity": 0}
"""Its log would be five to eight messages besides each answer."""
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
PROJECT_FILES = (*_CONFIGURATIONS, "package.json")
LEAST_TYPESCRIPT = "7.0"
_CHECKED = "// @ts-check\n"
_WITH_NODE = '/// <reference types="node" />\n'
"""TypeScript 7 reads Node's types only where a project says so; one without a configuration cannot."""


def program(project: Path, workspaces: Sequence[Path], typescript: Path | None, *, trusted: bool) -> CheckerProgram:
    """See `checkers.programs.program_for`."""
    try:
        found = find_typescript(typescript, workspaces, trusted=trusted)
    except PartMissingError as missing:
        raise CheckerAbsentError(str(missing)) from missing
    is_configured = any((project / name).is_file() for name in _CONFIGURATIONS)
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
    settings = dict.fromkeys(("js/ts", "typescript", "javascript"), _SETTINGS)
    command = (str(found.path), "--lsp", "--stdio")
    title = f"TypeScript {found.version or '7'}"
    return CheckerProgram(
        title,
        command,
        () if inside else tuple(workspaces),
        settings,
        _OPTIONS,
        {},
        family=TYPESCRIPT.family,
        name="ts",
        least=LEAST_TYPESCRIPT,
    )

"""Takes defaults of options from configuration files, for the commands that answer about code.

`entry` parses every command line with `parse_configured`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.parser import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.cli.arguments import Arguments
    from lsp_server.settings.table import Settings

COMMANDS = frozenset({"complete", "generate", "index", "lower", "rewrite", "symbols", "verify"})
"""The commands that work in a workspace, for which its configuration counts and `entry` warns of interrupted writes.

`entry.COMMANDS` has the modules of all commands. Those here have the option `--workspace`, and `index` a folder."""
_SAME = ("model", "device", "dtype", "imports", "temperature", "top_p", "seed")
"""Options with the same name and the same values as a setting. `_options_of` has those with another name or value."""


def parse_configured(argv: Sequence[str]) -> Arguments:
    """Parse a command line; options that it leaves out get their values from the workspace's configuration files.

    It is parsed twice: first to know the workspace and the parser's own defaults, which are others than those of the
    settings for some options, then with the values of the files as defaults. Also sets `Arguments.settings`, for the
    commands in `COMMANDS`. Mistakes in the files are notes on standard error.

    Raises:
        SystemExit: see `parse`.
    """
    arguments = parse(argv)
    if arguments.command not in COMMANDS:
        return arguments
    from lsp_server.settings.files import configured  # noqa: PLC0415 - help and mistakes are answered without it
    from lsp_server.settings.table import Settings  # noqa: PLC0415 - as above

    settings, problems = configured(folder_of(arguments), _in_force(Settings(), arguments))
    if problems:
        from lsp_server.cli.console import note  # noqa: PLC0415 - loads what few calls need

        for problem in problems:
            note(f"note: {problem}")
    known = vars(arguments)
    arguments = parse(argv, {name: value for name, value in _options_of(settings).items() if name in known})
    arguments.settings = _in_force(settings, arguments)
    return arguments


def folder_of(arguments: Arguments) -> Path:
    """A folder in a command's workspace: the one that is named, else the file's folder, else the working directory."""
    if arguments.command == "index":
        return arguments.directory.absolute()
    if arguments.workspace is not None:
        return arguments.workspace.absolute()
    place = getattr(arguments, "place", None) or getattr(arguments, "context", None)
    file = place.file if place is not None else getattr(arguments, "file", None)
    return Path(file).absolute().parent if file else Path().absolute()


def _in_force(settings: Settings, arguments: Arguments) -> Settings:
    """Settings with the values of the options that stand for one; `_options_of` is the reverse, for more options."""
    options = vars(arguments)
    changed = {name: options[name] for name in _SAME if name in options}
    if "no_constraint" in options:
        changed["constraint"] = not arguments.no_constraint
    if "max_tokens" in options:
        changed["inline_max_tokens"] = arguments.max_tokens
    return replace(settings, **changed)


def _options_of(settings: Settings) -> dict[str, object]:
    """The values of options that follow from settings, by their names in `Arguments`."""
    return {
        **{name: getattr(settings, name) for name in _SAME},
        "max_tokens": settings.inline_max_tokens,
        "extent": "auto" if settings.inline_multiline else "line",
        "no_constraint": not settings.constraint,
        "no_prior": settings.prior == "off",
        "trust": settings.trusted,
        "workspace_controllers": settings.trusted and settings.workspace_controllers == "on",
        "typescript": None if settings.typescript is None else Path(settings.typescript).expanduser(),
    }

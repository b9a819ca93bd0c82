"""Configuration files as defaults of options, for the commands that answer about code."""

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
_SAME = ("model", "device", "dtype", "imports", "temperature", "top_p", "seed")
"""Options that have the name and the values of a setting."""


def parse_configured(argv: Sequence[str]) -> Arguments:
    """The command line, with the values of configuration files for the options that it leaves out.

    Raises:
        SystemExit: see `parse`.
    """
    arguments = parse(argv)  # to know which workspace's file counts
    if arguments.command not in COMMANDS:
        return arguments
    from lsp_server.settings.files import configured  # noqa: PLC0415 - as above
    from lsp_server.settings.table import Settings  # noqa: PLC0415 - help and mistakes are answered without it

    settings, problems = configured(folder_of(arguments))
    if problems:
        from lsp_server.cli.console import note  # noqa: PLC0415 - loads what few calls need

        for problem in problems:
            note(f"note: {problem}")
    own = _options(Settings())  # the parser has other defaults for some options
    arguments = parse(argv, {name: value for name, value in _options(settings).items() if value != own[name]})
    arguments.settings = _in_force(settings, arguments)
    return arguments


def folder_of(arguments: Arguments) -> Path:
    """A folder in the workspace of a command: the one that is named, else the file's folder, else the present one."""
    if arguments.command == "index":
        return arguments.directory.absolute()
    if arguments.workspace is not None:
        return arguments.workspace.absolute()
    place = getattr(arguments, "place", None) or getattr(arguments, "context", None)
    file = place.file if place is not None else getattr(arguments, "file", None)
    return Path(file).absolute().parent if file else Path().absolute()


def _in_force(settings: Settings, arguments: Arguments) -> Settings:
    """The settings of files, with what the command line says instead of requests and models."""
    said = vars(arguments)
    named = {name: said[name] for name in _SAME if name in said}
    if "no_constraint" in said:
        named["constraint"] = not arguments.no_constraint
    if "max_tokens" in said:
        named["inline_max_tokens"] = arguments.max_tokens
    return replace(settings, **named)


def _options(settings: Settings) -> dict[str, object]:
    """The options that settings have a value for, by their names in `Arguments`."""
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

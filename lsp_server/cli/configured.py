"""Configuration files as defaults of options, for the commands that answer about code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.parser import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.cli.arguments import Arguments
    from lsp_server.config import Settings

COMMANDS = frozenset({"complete", "generate", "index", "lower", "rewrite", "symbols", "verify"})


def parse_configured(argv: Sequence[str]) -> Arguments:
    """The command line, with the values of configuration files for the options that it leaves out.

    Raises:
        SystemExit: see `parse`.
    """
    arguments = parse(argv)  # to know which workspace's file counts
    if arguments.command not in COMMANDS:
        return arguments
    from lsp_server.config import Settings  # noqa: PLC0415 - help and mistakes are answered without it
    from lsp_server.config_file import configured  # noqa: PLC0415 - as above

    settings, problems = configured(_folder(arguments))
    if problems:
        from lsp_server.cli.console import note  # noqa: PLC0415 - loads what few calls need

        for problem in problems:
            note(f"note: {problem}")
    own = _options(Settings())  # the parser has other defaults for some options
    arguments = parse(argv, {name: value for name, value in _options(settings).items() if value != own[name]})
    arguments.settings = settings
    return arguments


def _folder(arguments: Arguments) -> Path:
    """Where the search for the workspace's configuration file begins: the workspace, else the file's folder."""
    if arguments.command == "index":
        return arguments.directory.absolute()
    if arguments.workspace is not None:
        return arguments.workspace.absolute()
    place = getattr(arguments, "place", None) or getattr(arguments, "context", None)
    file = place.file if place is not None else getattr(arguments, "file", None)
    return Path(file).absolute().parent if file else Path().absolute()


def _options(settings: Settings) -> dict[str, object]:
    """The options that settings have a value for, by their names in `Arguments`."""
    return {
        "model": settings.model,
        "device": settings.device,
        "dtype": settings.dtype,
        "imports": settings.imports,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": settings.inline_max_tokens,
        "extent": "auto" if settings.inline_multiline else "line",
        "no_constraint": not settings.constraint,
        "no_prior": settings.prior == "off",
        "trust": settings.trusted,
        "workspace_controllers": settings.trusted and settings.workspace_controllers == "on",
        "typescript": None if settings.typescript is None else Path(settings.typescript).expanduser(),
    }

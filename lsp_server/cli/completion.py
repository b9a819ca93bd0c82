"""`inscope completion`: a shell's completion script, made from the parser by shtab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shtab

from lsp_server.cli.parser import parsers

if TYPE_CHECKING:
    import argparse

    from lsp_server.cli.arguments import Arguments

_FOLDERS = {"DIR"}
_FILES = {"FILE", "FILE:LINE:COLUMN", "IN.jsonl|-", "MODEL", "NAME|PATH", "PATH", "file|none|PATH"}
"""Names that the help gives to values that are paths."""


def run(arguments: Arguments) -> int:
    """Print the script."""
    print(script(arguments.shell))  # noqa: T201 - what was asked for
    return 0


def script(shell: str) -> str:
    """The script for a shell of `parser.SHELLS`."""
    top, commands = parsers()
    for command in commands.values():
        for action in command._actions:  # argparse has no public list
            _complete_paths(action)
    return str(shtab.complete(top, shell))


def _complete_paths(action: argparse.Action) -> None:
    """Tell shtab whether the values of an argument are paths."""
    if action.metavar in _FOLDERS:
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif action.metavar in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]

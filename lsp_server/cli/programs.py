"""A program's file on the command line: read, run, closed; each error is one sentence."""

from __future__ import annotations

import stat
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from context_index import path_of
from decoder import Program, ProgramError
from lsp_server.cli.console import console_for_notes
from lsp_server.cli.files import syntax_at
from lsp_server.cli.workspace import workspace_of
from lsp_server.controllers.from_workspace import Trust, chosen, controller_for
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from context_index import SymbolContext, Syntax
    from decoder import Controller
    from lsp_server.cli.arguments import Arguments


def of_workspace(arguments: Arguments, roots: Sequence[Path], uri: str) -> Controller | None:
    """The workspace's controller for a file: run if the arguments trust it, else mentioned once.

    Raises:
        RequestError: it is to be run, and what the workspace says of it cannot be understood.
    """
    if arguments.workspace_controllers:
        return controller_for(roots, path_of(uri), Trust("on"))
    try:
        found = chosen(roots, path_of(uri))
    except RequestError:  # nothing of it is run
        return None
    if found is not None:
        _say_once(
            f"note: the workspace brings {found[1].name} for this file, which is not run; --workspace-controllers "
            "runs the programs of a workspace that you trust"
        )
    return None


@cache
def _say_once(sentence: str) -> None:
    console_for_notes().print(sentence, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def program_of(arguments: Arguments, symbols: SymbolContext | None) -> Iterator[Program]:
    """The program that the arguments name.

    Raises:
        RequestError: it is not there, or fails, here or within the block.
    """
    path = arguments.program
    mode = mode_of(path, str(path))
    if stat.S_ISDIR(mode):
        raise RequestError(ErrorCode.IS_DIRECTORY, f"'{path}' is a directory; name a program in it")
    if not stat.S_ISREG(mode):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"there is no program '{path}'")
    try:
        with Program.load(path, params=arguments.params, symbols=symbols) as program:
            yield program
    except ProgramError as error:
        raise RequestError(ErrorCode.PROGRAM_FAILED, f"{path}: {error}") from error


@contextmanager
def context_at(arguments: Arguments) -> Iterator[tuple[SymbolContext | None, Syntax | None, int]]:
    """The names at the place where the text will stand, the file, and the offset in it; types within the block."""
    if arguments.context is None:
        yield None, None, 0
        return
    syntax, offset = syntax_at(arguments.context)
    with workspace_of(arguments) as workspace:
        yield workspace.context(syntax, offset), syntax, offset

"""The program that `generate` or `lower` names, and the place where its text will be inserted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from decoder import Program, ProgramError
from lsp_server.engine.wire.sources import syntax_at
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import check_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import SymbolContext, Syntax, Workspace
    from lsp_server.cli.arguments import Arguments


@contextmanager
def program_of(arguments: Arguments, symbols: SymbolContext | None) -> Iterator[Program]:
    """The program that the arguments name.

    Raises:
        RequestError: there is no such file, or the program fails, here or within the block.
    """
    path = arguments.program
    check_file(path, str(path), "program")
    try:
        with Program.load(path, params=arguments.params, symbols=symbols) as program:
            yield program
    except ProgramError as error:
        raise RequestError(ErrorCode.PROGRAM_FAILED, f"{path}: {error}") from error


def context_at(arguments: Arguments, workspace: Workspace) -> tuple[SymbolContext | None, Syntax | None, int]:
    """The names at the place of `--context`, the file, and the offset in it; None, None and 0 without the option.

    The names have types only as long as the workspace is open.
    """
    if arguments.context is None:
        return None, None, 0
    syntax, offset = syntax_at(arguments.context)
    return workspace.context(syntax, offset), syntax, offset

"""The command `inscope.program`: runs the program in an open file and shows the text that the model wrote for it."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from context_index import path_of
from decoder import Program, ProgramError, ProgramTask, write
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.serving import served
from lsp_server.wording import counted

if TYPE_CHECKING:
    from threading import Event

    from lsprotocol import types

    from decoder import ProgramResult
    from lsp_server.lsp.server import Later, Server

COMMAND = "inscope.program"


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[str]:
    """Run a program; the answer is the page to show.

    The command's arguments are the file's URI and, where the program is only a part of the file, the program's text.

    Raises:
        RequestError: the file is not open, or the arguments are wrong.
    """
    match params.arguments:
        case [str() as uri]:
            return partial(_run, server, uri, served(server, uri).document.text)
        case [str() as uri, str() as source]:
            return partial(_run, server, uri, source)
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{COMMAND} takes a file's URI and, perhaps, a program's text")


async def _run(server: Server, uri: str, source: str) -> str:
    return await server.schedule.blocking(lambda give_up: _page(server, uri, source, give_up))


def _page(server: Server, uri: str, source: str, give_up: Event) -> str:
    """Run a program and return its page; blocks.

    Raises:
        RequestError: the URI names no file, or the program fails.
    """
    path = path_of(uri)
    if path is None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"a program is a file, and '{uri}' is none")
    name = path.name
    try:
        with Program.read(name, source) as program:
            program.constraint()  # what fails at once need not wait for the model
            task = ProgramTask(program)
            result = server.engine.service.host.submit(lambda model: write(model, task, give_up)).result()
    except ProgramError as error:
        raise RequestError(ErrorCode.PROGRAM_FAILED, f"{name}: {error}") from error
    return page(name, result)


def page(name: str, result: ProgramResult) -> str:
    """The program's text, then a row for each token: its probability, and the model's favourite if it is another."""
    ended = ", ended at the limit of tokens" if result.closed else ""
    head = f"{name}: {counted(result.tokens, 'token')} in {result.seconds:.2f} s{ended}"
    rows = [f"{'chosen':<24}{'probability':>12}  the model's favourite"]
    for step in result.trace:
        favourite = repr(step.favourite) if step.favourite != step.text else ""
        rows.append(f"{step.text!r:<24}{math.exp(step.logprob):>12.1%}  {favourite}".rstrip())
    return "\n".join([head, "", result.text, "", *rows]) + "\n"

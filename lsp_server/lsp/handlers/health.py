"""The command `inscope.health`: the findings of `inscope doctor` for this session, with its settings in force."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsp_server.engine.sample_suggestion import suggestion_of
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation.doctor import Health, as_json, examine_deeply

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.lsp.server import Later, Server

COMMAND = "inscope.health"


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """Examine the session; with `{"deep": true}` also load the model and ask each checker a question.

    Raises:
        RequestError: the arguments are not those that docs/editors.md names.
    """
    match params.arguments or ():
        case []:
            return partial(_answer, server, deep=False)
        case [{"deep": bool(deep)}]:
            return partial(_answer, server, deep=deep)
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f'{COMMAND} takes no arguments, or {{"deep": true}}')


async def _answer(server: Server, *, deep: bool) -> dict[str, object]:
    health = await server.check_health()
    if deep:
        examine = partial(examine_deeply, server.situation(), partial(suggestion_of, server.engine.host))
        health = Health((*health.findings, *await server.schedule.blocking(lambda _give_up: tuple(examine()))))
    return as_json(health)

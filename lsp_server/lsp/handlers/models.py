"""The command `inscope.models`: what `inscope models` lists, and the choice of one, for an editor's list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from decoder import BUILT_IN
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation import models
from lsp_server.lsp.handlers import configuration

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.lsp.server import Later, Server

COMMAND = "inscope.models"


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """List the models, or make one that of the person's own configuration.

    Raises:
        RequestError: the arguments are not those that docs/editors.md names.
    """
    match params.arguments or ():
        case []:
            return partial(_listed, server)
        case [{"use": str(name)}]:
            return partial(_used, server, name)
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f'{COMMAND} takes no arguments, or {{"use": NAME}}')


async def _listed(server: Server) -> dict[str, object]:
    return models.as_json(await server.schedule.blocking(lambda _give_up: models.model_list()))


async def _used(server: Server, name: str) -> dict[str, object]:
    choice = await server.schedule.blocking(lambda _give_up: models.use(name))
    if (later := configuration.read_files_again(server)) is not None:
        await later()
    in_force = server.session.settings.model or BUILT_IN
    overridden = f"Settings of the editor or the workspace name the model {in_force}, which goes before it."
    return {**models.choice_as_json(choice), "overridden": None if in_force == choice.model else overridden}

"""The command `inscope.models`: lists the models as `inscope models` does, or makes one the user's choice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from decoder import BUILT_IN
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation import model_choice, model_list
from lsp_server.lsp.handlers import configuration

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.lsp.server import Later, Server

COMMAND = "inscope.models"


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """List the models, or write one into the user's own configuration file.

    Raises:
        RequestError: the arguments are not those that docs/editors.md names.
    """
    match params.arguments or ():
        case []:
            return partial(_list_models, server)
        case [{"use": str(name)}]:
            return partial(_use_model, server, name)
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f'{COMMAND} takes no arguments, or {{"use": NAME}}')


async def _list_models(server: Server) -> dict[str, object]:
    return model_list.as_json(await server.schedule.blocking(lambda _give_up: model_list.list_models()))


async def _use_model(server: Server, name: str) -> dict[str, object]:
    """The choice as JSON; `overridden` says which other setting still names another model, or is null."""
    choice = await server.schedule.blocking(lambda _give_up: model_choice.use(name))
    if (later := configuration.read_files_again(server)) is not None:
        await later()
    in_force = server.session.settings.model or BUILT_IN
    overridden = f"Settings of the editor or the workspace name the model {in_force}, which goes before it."
    return {**model_choice.as_json(choice), "overridden": None if in_force == choice.model else overridden}

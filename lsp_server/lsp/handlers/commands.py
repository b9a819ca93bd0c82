"""`workspace/executeCommand`, with a table of all commands, and the cancelling of progress bars.

In LSP 3.18 an inline completion has a single edit and a command, which the client sends once the completion is
accepted. So a command (`inscope.import`) adds the import that a suggestion needs, to the text as it is then.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import Importable, NameKind
from lsp_server.engine.verification.own_imports import add_imports
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.handlers import configuration, health, models, rewrite, run_program, setup
from lsp_server.lsp.protocol import to_proto
from lsp_server.lsp.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

IMPORT = "inscope.import"
TRACE = "inscope.trace"
"""Returns a page of text on the last suggestion, token by token."""
FORGET_PRIOR = "inscope.forgetPrior"
"""Deletes the counts of the workspace's names, in memory and on disk; counting begins again."""
_NO_TRACE = "Nothing was suggested yet: type in a file of JavaScript, TypeScript or Python, and ask again.\n"


def import_command(uri: str, names: Sequence[Importable]) -> types.Command | None:
    """The command that imports names into a document; None where there are none."""
    if not names:
        return None
    wanted = [as_json(name) for name in names]
    return types.Command(f"Import {', '.join(map(_origin, names))}", IMPORT, arguments=[uri, wanted])


def _origin(name: Importable) -> str:
    """A name and the module that has it: `dumps from json`; a module by its own name is `json`."""
    return name.text if name.is_module and name.text == name.module else f"{name.text} from {name.module}"


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[Any]:
    """Run a command by its name.

    Raises:
        RequestError: there is no such command, or it does not take these arguments.
    """
    if (command := COMMANDS.get(params.command)) is None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"there is no command {params.command!r}")
    return command(server, params)


def cancel(server: Server, params: types.WorkDoneProgressCancelParams) -> None:
    """Stop the work of a progress bar whose cancel button was pressed."""
    if (stop := server.session.cancels.pop(params.token, None)) is not None:
        stop()


async def _trace(server: Server) -> str:
    """A page on the last suggestion, shown or withheld."""
    from lsp_server.rendering.suggestion import page  # noqa: PLC0415 - loads rich

    last = server.session.last_completion
    return _NO_TRACE if last is None else await server.schedule.blocking(lambda _give_up: page(*last))


async def _forget_prior(server: Server) -> None:
    await server.schedule.blocking(lambda _give_up: server.engine.service.forget_name_counts())


def _import(server: Server, params: types.ExecuteCommandParams) -> Later[None]:
    """Add the import of a suggestion that was accepted."""
    uri, names = _import_arguments(params.arguments or ())
    if not server.session.is_open(uri):  # it was closed right after the suggestion was accepted
        return _nothing
    return partial(_import_into, server, served(server, uri), names)


async def _nothing() -> None:
    pass


async def _import_into(server: Server, snapshot: Snapshot, names: Sequence[Importable]) -> None:
    """Have the client add imports to a document; if it refuses, tell the person."""
    kind_of = server.engine.workspace.module_kind
    added = await server.schedule.blocking(
        lambda _give_up: add_imports(snapshot.alone, names, kind_of(snapshot.document))
    )
    edits = [to_proto.text_edit(edit, snapshot) for edit in added.edits]
    edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={snapshot.uri: edits}), "Import")
    try:
        answer = await server.workspace_apply_edit_async(edit)
        applied, why = answer.applied, answer.failure_reason
    except JsonRpcException as error:
        applied, why = False, error.message
    if not applied:
        missing = ", ".join(name.text for name in names)
        server.say(f"the editor rejected the import of {missing}{f': {why}' if why else ''}")


def as_json(name: Importable) -> dict[str, str]:
    """A name to import as JSON, which the client sends back; `importable` reads it."""
    return {"name": name.text, "kind": name.kind, "module": name.module, "as": _form(name)}


def _form(name: Importable) -> str:
    """What is imported: an export by its name, the default export, or the whole module."""
    return "default" if name.is_default else "module" if name.is_module else "export"


def _import_arguments(arguments: Sequence[object]) -> tuple[str, list[Importable]]:
    """The arguments of the command `inscope.import`: a document's URI, and the names to import."""
    match arguments:
        case [str(uri), list(names)]:
            return uri, [importable(name) for name in names]
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{IMPORT} takes a document's URI and a list of names")


def importable(given: object) -> Importable:
    """The name that `as_json` turned into JSON.

    Raises:
        RequestError: the JSON has another form.
    """
    match given:
        case {"name": str(name), "kind": str(kind), "module": str(module), "as": str(form)} if kind in tuple(NameKind):
            return Importable(name, NameKind(kind), module, is_default=form == "default", is_module=form == "module")
    raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{IMPORT} cannot import {given!r:.80}")


COMMANDS: Mapping[str, Callable[[Server, types.ExecuteCommandParams], Later[Any]]] = {
    IMPORT: _import,
    FORGET_PRIOR: lambda server, _params: partial(_forget_prior, server),
    configuration.COMMAND: configuration.execute,
    health.COMMAND: health.execute,
    models.COMMAND: models.execute,
    rewrite.COMMAND: rewrite.execute,
    rewrite.REGION: rewrite.region,
    run_program.COMMAND: run_program.execute,
    setup.COMMAND: setup.execute,
    TRACE: lambda server, _params: partial(_trace, server),
}

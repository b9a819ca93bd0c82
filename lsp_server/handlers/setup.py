"""Where TypeScript 7 is missing, asks once whether to install it. The command `inscope.setup` installs all parts.

Nothing is downloaded without consent. After the answer "Never" no editor asks again: a file in the user's data folder
records it; the setting `setup.ask` does the same for one client.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from context_index import data_folder, parts
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.protocol.progress import Progress
from lsp_server.setup import Step, install

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from context_index import Part
    from lsp_server.server import Later, Server

_log = logging.getLogger(__name__)

COMMAND = "inscope.setup"
INSTALL = "Install"
NOT_NOW = "Not Now"
NEVER = "Never"
_NEVER_FILE = "never-ask-for-setup"
_WHY_FILE = "Editors do not ask whether TypeScript 7 shall be installed. Delete this file to be asked again.\n"
_DONE = frozenset({Step.INSTALLED, Step.CURRENT})


def never_file() -> Path:
    """The file whose presence keeps every editor from asking."""
    return data_folder() / _NEVER_FILE


async def offer(server: Server) -> None:
    """Ask about TypeScript if a document that is open needs it; use one that was installed elsewhere meanwhile."""
    setup = server.session.setup
    languages = {document.language for document in server.session.open_documents()}
    language = next((one for one in languages if not one.is_python), None)
    if language is None or not setup.allowed or setup.running:
        return
    workspace = server.engine.workspace
    why = await server.schedule.blocking(lambda _give_up: workspace.missing_checker(language))
    missed, setup.missed = setup.missed, bool(why)
    if missed and not why:
        _forget_unchecked(server)
    if why and _is_named(server):
        if why != setup.complaint:  # installing another TypeScript would not help
            setup.complaint = why
            server.say(why)
    elif why and not setup.asked:
        setup.asked = True
        await _ask(server, why)


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """Install every part that is missing, without a question."""
    return partial(_install, server, parts(), params.work_done_token)


def _typescript() -> Part:
    return next(part for part in parts() if part.key == "typescript")


def _is_named(server: Server) -> bool:
    """Whether a person said where TypeScript is."""
    return server.session.settings.typescript is not None or bool(os.environ.get(_typescript().variable))


async def _ask(server: Server, why: str) -> None:
    typescript = _typescript()
    if not typescript.package or not server.session.settings.setup_question or never_file().exists():
        _log.info("does not ask about setup, although %s", why)
        return
    question = (
        "Inscope: TypeScript 7 is not installed, so types in JavaScript and TypeScript are not checked. "
        f"Install TypeScript {typescript.version} for Inscope alone? It is downloaded with npm (9 MB) into "
        f"'{data_folder()}'."
    )
    actions = [types.MessageActionItem(title) for title in (INSTALL, NOT_NOW, NEVER)]
    params = types.ShowMessageRequestParams(types.MessageType.Info, question, actions)
    try:
        answer = await server.window_show_message_request_async(params)
    except JsonRpcException as error:
        _log.info("TypeScript is not installed, as the client cannot ask about it: %s", error.message)
        return
    title = answer.title if answer is not None else None
    if title == INSTALL and not server.session.setup.running:
        await _install(server, [typescript])
    elif title == NEVER:
        await server.schedule.blocking(lambda _give_up: _remember_never())


def _remember_never() -> None:
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        never_file().write_text(_WHY_FILE, "utf-8")
    except OSError as error:
        _log.warning("the answer 'Never' could not be stored: %s", error)


async def _install(server: Server, wanted: Sequence[Part], token: str | int | None = None) -> dict[str, object]:
    """What was installed, and a sentence for the person where something was not.

    Raises:
        RequestError: something is being installed already.
    """
    if server.session.setup.running:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "a setup is running already; wait until it has ended")
    setup, installed = server.session.setup, list[str]()
    setup.running, failed = True, ""
    try:
        bar = await Progress.begin(server, server.session, "Inscope: setup", token=token, measured=False)
        outcome = "failed"

        def tell(part: Part, step: Step) -> None:
            if step in _DONE:
                installed.append(f"{part.title} {part.version}")
            server.from_thread(bar.step, f"{part.title} {part.version}: {step}")

        try:
            await _on_thread(server, partial(install, None, tell, server.session.roots, wanted))
            outcome = "installed"
        except RequestError as error:
            failed = error.message
            server.say(failed, types.MessageType.Error)
        finally:
            bar.end(outcome)
    finally:
        setup.running = False
    if installed:
        _forget_unchecked(server)
    if not failed:
        server.say(f"installed: {', '.join(installed)}", types.MessageType.Info)
    return {"installed": installed, "failed": failed or None}


async def _on_thread(server: Server, work: partial[None]) -> None:
    """Wait for work on a thread of its own, which does not keep the process from ending: a download may take long.

    Raises:
        RequestError: from the work.
    """
    over: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()

    def end(fault: BaseException | None) -> None:
        if not over.done():
            over.set_result(fault)

    def run() -> None:
        fault = None
        try:
            work()
        except Exception as raised:  # noqa: BLE001 - raised again on the event loop
            fault = raised
        server.from_thread(end, fault)

    threading.Thread(target=run, name="inscope-setup", daemon=True).start()
    if (fault := await over) is not None:
        raise fault


def _forget_unchecked(server: Server) -> None:
    """Have suggestions that were made without a checker made again."""
    server.session.setup.missed = False
    server.session.forget_shown()

"""Asks once whether to install TypeScript 7 if it is missing. The command `inscope.setup` installs all missing parts.

Nothing is downloaded without consent. After the answer "Never" no editor asks again: a file in the user's data folder
records it. The setting `setup.ask` does the same for one client.
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
from lsp_server.installation.setup import SetupStep, install, parts_needed
from lsp_server.lsp.protocol.progress import ProgressBar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from context_index import PinnedPart
    from lsp_server.lsp.server import Later, Server

_log = logging.getLogger(__name__)

COMMAND = "inscope.setup"
INSTALL = "Install"
NOT_NOW = "Not Now"
NEVER = "Never"
_NEVER_FILE = "never-ask-for-setup"
_NEVER_TEXT = "Editors do not ask whether TypeScript 7 shall be installed. Delete this file to be asked again.\n"
_DONE = (SetupStep.INSTALLED, SetupStep.CURRENT)
"""The steps after which a part is there."""


def never_file() -> Path:
    """The file whose presence keeps every editor from asking."""
    return data_folder() / _NEVER_FILE


async def offer(server: Server) -> None:
    """Look for TypeScript if an open document needs it, and ask about it if it is missing; see `session.Setup`."""
    setup = server.session.setup
    languages = (document.language for document in server.session.open_documents())
    language = next((language for language in languages if language.record.checker.is_installed_by_setup), None)
    if language is None or not setup.allowed or setup.running:
        return
    workspace = server.engine.workspace
    why = await server.schedule.blocking(lambda _give_up: workspace.missing_checker(language))
    was_missed, setup.missed = setup.missed, bool(why)
    if not why:
        if was_missed:
            _forget_unchecked(server)
    elif _is_named(server):  # installing another TypeScript would not help
        if why != setup.complaint:
            setup.complaint = why
            server.say(why)
    elif not setup.asked:
        setup.asked = True
        await _ask(server, why)


def execute(server: Server, params: types.ExecuteCommandParams) -> Later[dict[str, object]]:
    """Install every part that is missing, without a question."""
    return partial(_install, server, parts_needed(), params.work_done_token)


def _typescript() -> PinnedPart:
    return next(part for part in parts() if part.key == "typescript")


def _is_named(server: Server) -> bool:
    """Whether a person named a TypeScript, in a setting or an environment variable."""
    return server.session.settings.typescript is not None or bool(os.environ.get(_typescript().variable))


async def _ask(server: Server, why: str) -> None:
    """Ask whether to install TypeScript, unless the person does not want to be asked, and do as they answer."""
    typescript = _typescript()
    if not typescript.package or not server.session.settings.setup_question or never_file().exists():
        _log.info("does not ask about setup, although %s", why)
        return
    question = (
        "TypeScript 7 is not installed, so types in JavaScript and TypeScript are not checked. "
        f"Install TypeScript {typescript.version} for Inscope alone? It is downloaded with npm "
        f"({typescript.bytes / 1e6:.0f} MB on disk) into '{data_folder()}'."
    )
    try:
        answer = await server.ask(question, (INSTALL, NOT_NOW, NEVER), types.MessageType.Info)
    except JsonRpcException as error:
        _log.info("TypeScript is not installed, as the client cannot ask about it: %s", error.message)
        return
    if answer == INSTALL and not server.session.setup.running:
        await _install(server, [typescript])
    elif answer == NEVER:
        await server.schedule.blocking(lambda _give_up: _remember_never())


def _remember_never() -> None:
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        never_file().write_text(_NEVER_TEXT, "utf-8")
    except OSError as error:
        _log.warning("the answer 'Never' could not be stored: %s", error)


async def _install(server: Server, wanted: Sequence[PinnedPart], token: str | int | None = None) -> dict[str, object]:
    """Install parts, and show a person how it ended; returns what is installed and why something is not.

    Raises:
        RequestError: something is being installed already.
    """
    setup = server.session.setup
    if setup.running:
        raise RequestError(ErrorCode.SETUP_FAILED, "a setup is running already; wait until it has ended")
    setup.running = True
    steps: list[tuple[SetupStep, str]] = []
    try:
        failed = await _with_progress(server, wanted, token, steps)
    finally:
        setup.running = False
    installed = [title for step, title in steps if step in _DONE]
    if installed:
        _forget_unchecked(server)
    server.check_health_later()
    if failed:
        server.say(failed, types.MessageType.Error)
    else:
        server.say("; ".join(_outcomes(steps)), types.MessageType.Info)
    return {"installed": installed, "failed": failed or None}


def _outcomes(steps: Sequence[tuple[SetupStep, str]]) -> Iterator[str]:
    """What became of the parts: `installed: TypeScript 7.0`, `already installed: QuickJS 2025`."""
    for last_step in _DONE:
        if titles := [title for step, title in steps if step is last_step]:
            yield f"{last_step}: {', '.join(titles)}"


async def _with_progress(
    server: Server, wanted: Sequence[PinnedPart], token: str | int | None, steps: list[tuple[SetupStep, str]]
) -> str:
    """Install parts beside a progress bar; returns why one failed, or an empty text.

    Args:
        steps: Gets each step with its part's title.
    """
    bar = await ProgressBar.begin(server, server.session, "Inscope: setup", token=token, measured=False)

    def report(part: PinnedPart, step: SetupStep) -> None:
        title = f"{part.title} {part.version}"
        steps.append((step, title))
        server.from_thread(bar.step, f"{title}: {step}")

    outcome = "failed"
    try:
        work = partial(install, source=None, report=report, outside_of=server.session.roots, wanted=wanted)
        await _on_thread(server, work)
        outcome = "installed"
    except RequestError as error:
        return error.message
    finally:
        bar.end(outcome)
    return ""


async def _on_thread(server: Server, work: partial[None]) -> None:
    """Run work on a thread of its own and wait for it. A long download on this thread does not keep the process alive.

    Raises:
        RequestError: from the work.
    """
    ended: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()

    def end(fault: BaseException | None) -> None:
        if not ended.done():
            ended.set_result(fault)

    def run() -> None:
        fault = None
        try:
            work()
        except Exception as raised:  # noqa: BLE001 - raised again on the event loop
            fault = raised
        server.from_thread(end, fault)

    threading.Thread(target=run, name="inscope-setup", daemon=True).start()
    if (fault := await ended) is not None:
        raise fault


def _forget_unchecked(server: Server) -> None:
    """Forget the suggestions that were made without a checker, so that they are made again."""
    server.session.setup.missed = False
    server.session.forget_shown()

"""The language server that handlers work with: its engine, its messages to the person, its status, its errors.

Everything here happens on one event loop. Workers compute, and the model has a thread of its own; both return to the
loop with `from_thread`. Knows neither streams (`connection`) nor the methods served (`handlers`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer

from lsp_server.engine import engine
from lsp_server.engine.model_host import ModelState
from lsp_server.errors import RequestError, StaleError
from lsp_server.installation import doctor
from lsp_server.installation.doctor import Finding, Health, Situation
from lsp_server.lsp.first_readings import FirstReadings
from lsp_server.lsp.protocol import to_proto
from lsp_server.lsp.protocol.params import CONVERTER, is_request, structured
from lsp_server.lsp.protocol.progress import ProgressBar
from lsp_server.lsp.protocol.strict import StrictProtocol
from lsp_server.lsp.schedule import Schedule
from lsp_server.lsp.session import Phase, Session
from lsp_server.lsp.status import METHOD as STATUS
from lsp_server.lsp.status import Problem
from lsp_server.settings.engine import engine_settings
from lsp_server.settings.table import Settings
from lsp_server.version import version

if TYPE_CHECKING:
    from context_index import Workspace
    from lsp_server.engine.engine import Engine
    from lsp_server.engine.model_host import ModelEvent, ModelHost
    from lsp_server.lsp.status import NotShown

_log = logging.getLogger(__name__)
_CLOSING_SECONDS = 5.0
"""How long the process waits at its end for type checkers to stop and for the index to be saved."""
_PACKAGES = ("context_index", "decoder", "lsp_server")
"""The packages whose log level the setting `logLevel` sets."""

_NOTHING: Mapping[str, object] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionList(is_incomplete=False, items=[]),
    types.TEXT_DOCUMENT_INLINE_COMPLETION: types.InlineCompletionList([]),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: None,
    types.TEXT_DOCUMENT_CODE_ACTION: [],
}
"""The empty answers to requests that editors send by themselves."""

_T = TypeVar("_T")
Later = Callable[[], Awaitable[_T]]
"""A function that computes an answer. It is no awaitable: a request may be cancelled before its answer is begun, and
an awaitable that is never awaited would be reported."""
Handler = Callable[["Server", Any], Any | Later[Any]]
"""Takes the server and a method's parameters; returns the answer, or a function that computes it."""


def _log_failure(task: asyncio.Task[Health]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("the installation could not be examined", exc_info=error)


class Server(LanguageServer):
    """pygls' server, with our session in place of its workspace and our schedule in place of its thread pool.

    Args:
        send: Sends one message to the client.
        handlers: The handlers of requests and notifications, by method.
        settings: The settings before the client sends any.
        build: Makes the engine; tests pass a function that loads no model.
        examine: Finds what is broken; tests pass a function that starts no processes.
    """

    protocol: StrictProtocol

    def __init__(
        self,
        send: Callable[[bytes], None],
        handlers: Mapping[str, Handler],
        settings: Settings | None = None,
        build: Callable[..., Engine] = engine.build,
        examine: Callable[[Situation], Iterable[Finding]] = doctor.examine,
    ) -> None:
        super().__init__("inscope", version(), protocol_cls=StrictProtocol, converter_factory=lambda: CONVERTER)
        self.initial = Settings() if settings is None else settings
        """The settings before the client sends any."""
        self.session = Session(self.initial)
        self.schedule = Schedule()
        self.readings = FirstReadings(self.from_thread, self._on_reading)
        self.verifying = asyncio.Lock()
        """Held while a checker works on an `inscope/verify` request, so that waiting ones occupy no worker."""
        self._loop = asyncio.get_running_loop()
        self.exit_code: asyncio.Future[int] = self._loop.create_future()
        """Its result is set when the conversation ends."""
        self._loading: asyncio.Future[ProgressBar] | None = None
        """The progress bar of a model that is being loaded."""
        self._build, self._examine = build, examine
        self._checking: asyncio.Task[Health] | None = None
        """The last health check in the background."""
        self._closing: WeakKeyDictionary[Workspace, threading.Thread] = WeakKeyDictionary()
        """The threads that close workspaces; a closed workspace is not kept alive by it."""
        self.extension: object = None
        """The field `inscope` of the message being handled; handlers read it before they return."""
        self.protocol.send, self.protocol.admit = send, self._admit
        for method, handler in handlers.items():
            self.feature(method)(partial(self._serve, method, handler))
        self.set_log_level(self.session.settings.log_level)

    @property
    def engine(self) -> Engine:
        """The current engine; there is one from `initialize` on.

        Raises:
            JsonRpcServerNotInitialized: there is none yet.
        """
        if self.session.engine is None:
            raise JsonRpcServerNotInitialized("send initialize first")
        return self.session.engine

    async def wait_for_model(self) -> None:
        """Have the model loaded, without blocking a thread. If it cannot be loaded, `engine.fault` says why."""
        if (loading := self.engine.warm_up()) is not None:
            waiting = asyncio.wrap_future(loading)
            # asyncio would log the error as never retrieved
            waiting.add_done_callback(lambda load: load.cancelled() or load.exception())
            await asyncio.wait((waiting,))  # does not cancel the loading where the caller is cancelled

    def start_engine(self) -> bool:
        """Build an engine for the settings and roots; it takes over the parts of the old one that still fit.

        Returns whether it has a new workspace, whose files must be read.
        """
        old = self.session.engine
        new = self._build(
            engine_settings(self.session.roots, self.session.settings),
            self._model_event_on_thread,
            warn=self._say_on_thread,
            before=old,
        )
        self.session.use(new)
        if old is None or new.host is not old.host:
            model = self.session.settings.model or "built-in"
            self.session.status = replace(
                self.session.status, state=new.host.state, model=model, message="", last_withheld=None
            )
        if old is not None and new.host is not old.host:
            old.host.close(timeout=0)
            self._end_loading("replaced by another model")
        if old is not None and new.workspace is not old.workspace:
            self._close_workspace(old)
        return old is None or new.workspace is not old.workspace

    def stop_work(self) -> None:
        """Answer open requests as cancelled, stop the model, close the workspace, and let every thread end."""
        self.protocol.close()
        if self._checking is not None:
            self._checking.cancel()
        self.schedule.close()
        if self.session.engine is not None:
            self.session.engine.host.close(timeout=0)
            self._close_workspace(self.session.engine)

    def wait_until_closed(self) -> None:
        """Wait some seconds for workspaces that save their index. Blocks, so it must not run on the event loop."""
        end = time.monotonic() + _CLOSING_SECONDS
        for thread in list(self._closing.values()):
            thread.join(max(0.0, end - time.monotonic()))

    def _close_workspace(self, old: Engine) -> None:
        """Close an engine's workspace on a thread of its own: at the end, workers take no more work."""
        if old.workspace not in self._closing:
            thread = threading.Thread(target=old.close_workspace, name="inscope-closing", daemon=True)
            self._closing[old.workspace] = thread
            thread.start()

    def leave(self) -> None:
        """End the conversation, with exit code 0 if the client sent `shutdown` before, else 1."""
        if not self.exit_code.done():
            self.exit_code.set_result(0 if self.session.phase is Phase.SHUT_DOWN else 1)

    async def register(self, method: str, options: object) -> None:
        """Ask the client for notifications of a method; a refusal is only logged."""
        registration = types.Registration(f"inscope-{method}", method, options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException as error:
            _log.warning("the client does not register %s: %s", method, error.message)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """Show the person a sentence, unless it is the one that was shown last."""
        _log.warning("%s", message)
        if message != self.session.last_message:
            self.session.last_message = message
            self.window_show_message(types.ShowMessageParams(kind, f"Inscope: {message}"))

    async def ask(
        self, message: str, answers: Iterable[str], kind: types.MessageType = types.MessageType.Warning
    ) -> str | None:
        """Ask the person a question; returns the answer that they pick, or None.

        Raises:
            JsonRpcException: the client cannot ask.
        """
        actions = [types.MessageActionItem(answer) for answer in answers]
        question = types.ShowMessageRequestParams(kind, f"Inscope: {message}", actions)
        picked = await self.window_show_message_request_async(question)
        return None if picked is None else picked.title

    def say_problems(self) -> None:
        """Show the person what was wrong with settings."""
        problems, self.session.problems = self.session.problems, []
        for problem in problems:
            self.say(problem)

    def situation(self) -> Situation:
        """What the doctor examines: the session's settings and folders."""
        session, fault = self.session, self.engine.fault
        return Situation(
            settings=session.settings,
            roots=session.roots,
            files=session.files,
            client={**session.options, **session.client_settings},
            problems=(*session.option_problems, *session.client_problems),
            model_fault=fault.message if fault is not None and self.engine.host.state is ModelState.FAILED else "",
        )

    async def check_health(self) -> Health:
        """Examine the installation for this session, and show what is broken in the status."""
        situation, engine_then = self.situation(), self.engine
        health = await self.schedule.blocking(lambda _give_up: Health(tuple(self._examine(situation))))
        if self.session.engine is engine_then:
            self._show_problems(health)
        return health

    def _show_problems(self, health: Health) -> None:
        """Show what is broken in the status. A model that cannot be loaded is shown as failed before it is tried."""
        problems = tuple(Problem(finding.name, finding.sentence) for finding in health.failed)
        status, state = replace(self.session.status, problems=problems), self.engine.host.state
        fault = next((finding.detail for finding in health.failed if finding.name == doctor.MODEL), "")
        if fault and status.state is ModelState.UNLOADED:
            status = replace(status, state=ModelState.FAILED, message=fault)
        elif not fault and status.state is ModelState.FAILED and state is not ModelState.FAILED:
            status = replace(status, state=state, message="")
        self.session.status = status
        self.send_status()

    def check_health_later(self) -> None:
        """Check the health in the background; an earlier check that still runs is cancelled."""
        if self._checking is not None:
            self._checking.cancel()
        self._checking = asyncio.ensure_future(self.check_health())
        self._checking.add_done_callback(_log_failure)

    def set_withheld(self, not_shown: NotShown | None) -> None:
        """Set in the status why the last ghost text was not shown; None if it was shown."""
        self.session.status = replace(self.session.status, last_withheld=not_shown)
        self.send_status()

    def _on_reading(self) -> None:
        """Show in the status whether the first document is being read."""
        self.session.status = replace(self.session.status, is_starting=self.readings.is_starting)
        self.send_status()

    def send_status(self) -> None:
        """Send the status unless it is the one that was sent last."""
        status = to_proto.status(self.session.status)
        if status != self.session.sent_status:
            self.session.sent_status = status
            self.protocol.notify(STATUS, status)

    def set_log_level(self, level: str) -> None:
        """Set the log's level, a name as in the setting `logLevel`."""
        for package in _PACKAGES:
            logging.getLogger(package).setLevel(level.upper())

    def from_thread(self, call: Callable[..., object], *args: object) -> None:
        """Call something on the event loop, from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            self._loop.call_soon_threadsafe(call, *args)

    def _say_on_thread(self, sentence: str) -> None:
        self.from_thread(self.say, sentence, types.MessageType.Info)

    def _model_event_on_thread(self, host: ModelHost, event: ModelEvent) -> None:
        self.from_thread(self._on_model_event, host, event)

    def _on_model_event(self, host: ModelHost, event: ModelEvent) -> None:
        """Show a model's event: in the status line, as a progress bar while it loads, as a message where it fails."""
        if self.session.engine is None or host is not self.session.engine.host:  # the host was replaced
            return
        _log.info("model %s %s", event.state, event.message)
        self.session.status = replace(self.session.status, state=event.state, message=event.message)
        self.send_status()
        if event.state is ModelState.LOADING:
            if self._loading is None:
                bar = ProgressBar.begin(self, self.session, "Inscope: loading the model")
                self._loading = asyncio.ensure_future(bar)
        else:
            self._end_loading(event.state)
        is_broken = any(problem.name == doctor.MODEL for problem in self.session.status.problems)
        if event.state is ModelState.FAILED or (event.state is ModelState.READY and is_broken):
            self.check_health_later()
        if event.state is ModelState.FAILED:
            self.say(event.message, types.MessageType.Error)
        elif event.message and event.state is not ModelState.UNLOADED:  # the status line alone says that it was idle
            self.say(event.message, types.MessageType.Info)

    def _end_loading(self, outcome: str) -> None:
        """Close the progress bar of the model that was being loaded, if there is one."""
        if (loading := self._loading) is not None:
            self._loading = None
            loading.add_done_callback(lambda bar: None if bar.cancelled() else bar.result().end(outcome))

    def _serve(self, method: str, handler: Handler, params: object) -> Any:  # noqa: ANN401 - the type is the method's
        """Call a handler with its parameters in LSP's types; returns its answer, or an awaitable of it."""
        self.extension = params.get("inscope") if isinstance(params, dict) else None
        try:
            typed_params = structured(method, params)
        except JsonRpcInvalidParams as error:
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                self.session.mark_out_of_step(params, error.message)
            raise
        try:
            answer = handler(self, typed_params)
        except RequestError as error:
            return self._fault(method, error)
        return self._later(method, answer) if callable(answer) else answer

    async def _later(self, method: str, answer: Later[Any]) -> Any:  # noqa: ANN401 - the type is the method's
        try:
            return await answer()
        except RequestError as error:
            return self._fault(method, error)

    def _fault(self, method: str, error: RequestError) -> Any:  # noqa: ANN401 - the type is the method's
        """Handle an error of a handler: raise it as the request's answer, or log it and answer with nothing.

        It is only logged for a notification, and for a request of the editor's own about what was closed or deleted
        since. The person is not told: they could not help.
        """
        if is_request(method) and not (method in _NOTHING and isinstance(error, StaleError)):
            raise JsonRpcException(error.message, to_proto.error_code(error.code), {"code": str(error.code)}) from error
        _log.warning("%s: %s", method, error.message)
        return _NOTHING.get(method)

    def _admit(self, method: str) -> JsonRpcException | None:
        """Why a method must not be served in this phase of the conversation; None if it may be."""
        phase = self.session.phase
        if phase is Phase.NEW and method not in (types.INITIALIZE, types.EXIT):
            return JsonRpcServerNotInitialized("send initialize first")
        if phase is Phase.RUNNING and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before")
        if phase is Phase.SHUT_DOWN and method != types.EXIT:
            return JsonRpcInvalidRequest("the server is shut down; send exit")
        return None

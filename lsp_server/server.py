"""The language server that handlers work with.

Everything here happens on one event loop. Workers compute, and the model has a thread of its own; both return to the
loop with `from_thread`. Knows neither streams (`connection`) nor the methods served (`handlers`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
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

from lsp_server import engine
from lsp_server.config import Settings
from lsp_server.errors import RequestError
from lsp_server.model_host import ModelState
from lsp_server.protocol import to_proto
from lsp_server.protocol.params import CONVERTER, is_request, structured
from lsp_server.protocol.progress import Progress
from lsp_server.protocol.strict import StrictProtocol
from lsp_server.schedule import Schedule
from lsp_server.session import Phase, Session
from lsp_server.status import METHOD as STATUS
from lsp_server.version import version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index import Workspace
    from lsp_server.engine import Engine
    from lsp_server.model_host import ModelEvent, ModelHost
    from lsp_server.protocol.params import Json
    from lsp_server.status import NotShown

_log = logging.getLogger(__name__)
_CLOSING_SECONDS = 5.0
"""How long the process waits at its end for type checkers to stop and for the index to be saved."""
_PACKAGES = ("context_index", "decoder", "lsp_server")

_T = TypeVar("_T")
Later = Callable[[], Awaitable[_T]]
"""Not an awaitable itself: a request may be cancelled before its answer is begun."""
Handler = Callable[["Server", Any], Any | Later[Any]]


class Server(LanguageServer):
    """pygls' server, with our session in place of its workspace and our schedule in place of its thread pool.

    Args:
        send: Sends one message to the client.
        handlers: The handlers of requests and notifications, by method.
        build: Makes the engine; tests bring one without a model.
    """

    protocol: StrictProtocol

    def __init__(
        self,
        send: Callable[[bytes], None],
        handlers: Mapping[str, Handler],
        settings: Settings | None = None,
        build: Callable[..., Engine] = engine.build,
    ) -> None:
        super().__init__("inscope", version(), protocol_cls=StrictProtocol, converter_factory=lambda: CONVERTER)
        self.initial = Settings() if settings is None else settings
        """The settings before the client sends any."""
        self.session = Session(self.initial)
        self.schedule = Schedule()
        self.verifying = asyncio.Lock()
        """Held by the `inscope/verify` request that a checker works on, so that others occupy no worker meanwhile."""
        self._loop = asyncio.get_running_loop()
        self.exit_code: asyncio.Future[int] = self._loop.create_future()
        """Set when the conversation ends."""
        self._loading: asyncio.Future[Progress] | None = None
        """The progress bar of a model that is being loaded."""
        self._build = build
        self._closing: WeakKeyDictionary[Workspace, threading.Thread] = WeakKeyDictionary()
        """The threads that close workspaces; a closed workspace is not kept alive by it."""
        self.extension: Json = None
        """The field `inscope` of the message being handled; handlers read it before they return."""
        self.protocol.send, self.protocol.admit = send, self._admit
        for method, handler in handlers.items():
            self.feature(method)(partial(self._serve, method, handler))
        self.set_log_level(self.session.settings.log_level)

    @property
    def engine(self) -> Engine:
        """The current engine; there is one from `initialize` on."""
        if self.session.engine is None:
            raise JsonRpcServerNotInitialized("send initialize first")
        return self.session.engine

    async def wait_for_model(self) -> None:
        """Have the model loaded, without blocking a thread; why it cannot be had is in `engine.fault`."""
        if (loading := self.engine.warm_up()) is not None:
            waiting = asyncio.wrap_future(loading)
            # asyncio would log the error as never retrieved
            waiting.add_done_callback(lambda load: load.cancelled() or load.exception())
            await asyncio.wait((waiting,))  # does not cancel the loading where the caller is cancelled

    def start_engine(self) -> bool:
        """Build an engine for the settings and roots, with what still fits of the old one.

        Returns whether the workspace is another, so that its files must be read.
        """
        old = self.session.engine
        new = self._build(
            self.session.settings,
            self.session.roots,
            self._model_event_on_thread,
            warn=self._say_on_thread,
            before=old,
        )
        self.session.use(new)
        if old is None or new.host is not old.host:
            model = self.session.settings.model or "built-in"
            self.session.status = replace(self.session.status, state=new.host.state, model=model, message="")
        if old is not None and new.host is not old.host:
            old.host.close(timeout=0)
            self._end_loading("replaced by another model")
        if old is not None and new.workspace is not old.workspace:
            self._close_workspace(old)
        return old is None or new.workspace is not old.workspace

    def stop_work(self) -> None:
        """Answer open requests as cancelled, and let every thread end."""
        self.protocol.close()
        self.schedule.close()
        if self.session.engine is not None:
            self.session.engine.host.close(timeout=0)
            self._close_workspace(self.session.engine)

    def wait_until_closed(self) -> None:
        """Give workspaces that are being closed time to save their index. Blocks: not for the event loop."""
        end = time.monotonic() + _CLOSING_SECONDS
        for thread in list(self._closing.values()):
            thread.join(max(0.0, end - time.monotonic()))

    def _close_workspace(self, old: Engine) -> None:
        """Close a workspace on a thread of its own: workers take no more work, and checkers may be slow to stop."""
        if old.workspace not in self._closing:
            thread = threading.Thread(target=old.close_workspace, name="inscope-closing", daemon=True)
            self._closing[old.workspace] = thread
            thread.start()

    def leave(self) -> None:
        """End the conversation, with exit code 0 if the client sent `shutdown` before, else 1."""
        if not self.exit_code.done():
            self.exit_code.set_result(0 if self.session.phase is Phase.SHUT_DOWN else 1)

    async def register(self, method: str, options: object) -> None:
        """Ask the client for notifications; one that refuses is served all the same."""
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

    def say_problems(self) -> None:
        """Show what was wrong with settings."""
        problems, self.session.problems = self.session.problems, []
        for problem in problems:
            self.say(problem)

    def set_withheld(self, not_shown: NotShown | None) -> None:
        """Set why the last ghost text was not shown; None where it was."""
        self.session.status = replace(self.session.status, last_withheld=not_shown)
        self.send_status()

    def send_status(self) -> None:
        """Send the status unless it is the one that was sent last."""
        if self.session.status != self.session.sent_status:
            self.session.sent_status = self.session.status
            self.protocol.notify(STATUS, to_proto.status(self.session.status))

    def set_log_level(self, level: str) -> None:
        """Set how much is written to the log."""
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
        if self.session.engine is None or host is not self.session.engine.host:  # it was replaced
            return
        _log.info("model %s %s", event.state, event.message)
        self.session.status = replace(self.session.status, state=event.state, message=event.message)
        self.send_status()
        if event.state is ModelState.LOADING:
            if self._loading is None:
                bar = Progress.begin(self, self.session, "Inscope: loading the model")
                self._loading = asyncio.ensure_future(bar)
        else:
            self._end_loading(event.state)
        if event.state is ModelState.FAILED:
            self.say(event.message, types.MessageType.Error)
        elif event.message and event.state is not ModelState.UNLOADED:  # that it was idle is for the status line only
            self.say(event.message, types.MessageType.Info)

    def _end_loading(self, outcome: str) -> None:
        """Close the progress bar of a model, if there is one."""
        if (begun := self._loading) is not None:
            self._loading = None
            begun.add_done_callback(lambda bar: None if bar.cancelled() else bar.result().end(outcome))

    def _serve(self, method: str, handler: Handler, params: Json) -> Any:  # noqa: ANN401 - the type is the method's
        """Call a handler with LSP's types."""
        self.extension = params.get("inscope") if isinstance(params, dict) else None
        try:
            wanted = structured(method, params)
        except JsonRpcInvalidParams as error:
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                self.session.mark_out_of_step(params, error.message)
            raise
        try:
            answer = handler(self, wanted)
        except RequestError as error:
            return self._fault(method, error)
        return self._later(method, answer) if callable(answer) else answer

    async def _later(self, method: str, answer: Later[Any]) -> Any:  # noqa: ANN401 - the type is the method's
        try:
            return await answer()
        except RequestError as error:
            return self._fault(method, error)

    def _fault(self, method: str, error: RequestError) -> None:
        """Answer a request with its error; show a notification's error to the person."""
        if is_request(method):
            raise JsonRpcException(error.message, to_proto.error_code(error.code), {"code": str(error.code)}) from error
        self.say(error.message)

    def _admit(self, method: str) -> JsonRpcException | None:
        phase = self.session.phase
        if phase is Phase.NEW and method not in (types.INITIALIZE, types.EXIT):
            return JsonRpcServerNotInitialized("send initialize first")
        if phase is Phase.RUNNING and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before")
        if phase is Phase.SHUT_DOWN and method != types.EXIT:
            return JsonRpcInvalidRequest("the server is shut down; send exit")
        return None

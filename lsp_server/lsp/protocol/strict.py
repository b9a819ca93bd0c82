"""pygls' protocol, made to give exactly one answer to each request, whatever a client sends.

pygls 2.1 trusts its clients. Broken JSON, wrong ids and duplicate ids get no answer or a wrong one, a coroutine begins
only after the next message, notifications that take time are kept for ever, and exceptions reach the client as
tracebacks. Of LSP's methods only `$/cancelRequest` is known here; the parameters of all others are JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidRequest, JsonRpcParseError
from pygls.protocol import LanguageServerProtocol

from lsp_server.lsp.protocol.transport import LostBytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from cattrs import Converter
    from pygls.lsp.server import LanguageServer
    from pygls.protocol.json_rpc import MsgId

_log = logging.getLogger(__name__)

logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs a traceback for each request that is refused


class StrictProtocol(LanguageServerProtocol):
    """This side of a connection. Belongs to one event loop.

    A handler is called as its message arrives, so handlers see messages in order; one that returns an awaitable is
    answered when that is done, and cancelled by `$/cancelRequest`.
    """

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.send: Callable[[bytes], None]
        """Sends one message to the client; `Server` sets it."""
        self.admit: Callable[[str], JsonRpcException | None] = lambda _method: None
        """Returns why a method must not be served now, or None; `Server` sets it."""

    def receive(self, body: bytes | LostBytes) -> None:
        """Handle one message. A body that is no message is answered with an error."""
        try:
            self._handle(_parse(body))
        except (JsonRpcParseError, JsonRpcInvalidRequest) as refusal:
            _log.warning("a message was refused: %s", refusal.message)
            self._send_data({"jsonrpc": "2.0", "id": None, "error": refusal.to_response_error()})

    def close(self) -> None:
        """Cancel the requests that still run, those of either side. The client's are answered as cancelled."""
        for future in list(self._request_futures.values()):
            future.cancel()

    def _handle(self, message: dict[str, Any]) -> None:
        """Handle a message by its form: a request, a cancellation, a notification or a client's answer.

        Raises:
            JsonRpcInvalidRequest: it has none of these forms, or a request's id is in use.
        """
        match message:
            case {"id": str() | int() as ident, "method": str(method)}:
                if ident in self._request_futures:
                    why = f"request {ident!r} is still being served; give every request an id of its own"
                    raise JsonRpcInvalidRequest(why)
                if refusal := self.admit(method):
                    self._send_response(ident, error=refusal.to_response_error())
                else:
                    self._handle_request(ident, method, message.get("params"))
            case {"method": "$/cancelRequest"} if "id" not in message:
                self._cancel(message.get("params"))
            case {"method": str(method)} if "id" not in message:
                if refusal := self.admit(method):
                    _log.error("%s was ignored: %s", method, refusal.message)
                else:
                    self._handle_notification(method, message.get("params"))
            case {"id": str() | int() as ident, "result": _} | {"id": str() | int() as ident, "error": {}}:
                self._hand_over_answer(ident, message)
            case {"error": error}:
                _log.warning("the client could not make sense of a message: %s", error)
            case _:
                why = "neither a request, nor a notification, nor an answer; an id is a text or a whole number"
                raise JsonRpcInvalidRequest(why)

    def _cancel(self, params: object) -> None:
        match params:
            case {"id": str() | int() as ident} if task := self._request_futures.get(ident):
                task.cancel()

    def _hand_over_answer(self, ident: MsgId, message: dict[str, Any]) -> None:
        """Give the client's answer to the request of ours that awaits it."""
        request = self._request_futures.get(ident)
        if not isinstance(request, Future) or request.done():  # unknown; or a task, which is a request of the client's
            _log.warning("a response to %r, which was not requested", ident)
            return
        try:
            self.handle_message(self.structure_message(message))
        except JsonRpcException as error:
            self._handle_response(ident, error=error.to_response_error())

    # What follows overrides methods of pygls.

    def _execute_handler(
        self,
        msg_id: MsgId,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Call a handler at once, while the documents are as they were when the client asked.

        `_request_futures` gets a task while the handler's awaitable runs. pygls itself puts a `Future` there for each
        request of ours (`send_request`).
        """
        result = Future[Any]()
        try:
            answer = handler(*(args or ()), **(kwargs or {}))
        except Exception as fault:  # noqa: BLE001 - any exception is the answer; `_send_handler_result` words it
            result.set_exception(fault)
            return callback(result)
        if not isinstance(answer, Awaitable):
            result.set_result(answer)
            return callback(result)
        task: Any = asyncio.ensure_future(answer)
        self._request_futures[msg_id] = task
        task.add_done_callback(lambda _task: self._request_futures.pop(msg_id, None))
        task.add_done_callback(callback)
        return None

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        """Answer a request; an unexpected error is logged, and the client gets a sentence in place of a traceback."""
        fault = None if future.cancelled() else future.exception()
        if fault is not None and not isinstance(fault, JsonRpcException):
            _log.error("request %r failed", msg_id, exc_info=fault)
            future = Future()
            future.set_exception(JsonRpcInternalError("this failed inside Inscope; its log has the details"))
        super()._send_handler_result(future, msg_id=msg_id)

    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log why a notification was not handled."""
        match None if future.cancelled() else future.exception():
            case JsonRpcException(message=why):
                _log.error("a notification was ignored: %s", why)
            case Exception() as fault:
                _log.error("a notification failed", exc_info=fault)

    def _send_data(self, data: object) -> None:
        self.send(json.dumps(data, default=self._serialize_message).encode())

    def _register_builtin_features(self) -> None:
        """Register nothing: pygls' own features keep a second copy of each document, and end the process on `exit`."""


def _parse(body: bytes | LostBytes) -> dict[str, Any]:
    """The JSON-RPC message in a body.

    Raises:
        JsonRpcParseError: the body is not JSON.
        JsonRpcInvalidRequest: it is JSON, but no message.
    """
    if isinstance(body, LostBytes):
        raise JsonRpcParseError(body.why)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise JsonRpcParseError(f"the body is no JSON: {error}") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise JsonRpcInvalidRequest("a message is one object with jsonrpc 2.0")
    if isinstance(message.get("id"), bool):
        raise JsonRpcInvalidRequest("an id is a text or a whole number")
    return message

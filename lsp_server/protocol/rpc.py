"""One JSON-RPC 2.0 connection: every request gets exactly one answer, whatever it holds and whatever comes.

Knows methods by name and values as JSON; knows nothing of LSP. A handler is called as its message arrives, so
handlers see messages in order; one that returns an awaitable is answered when that is done, and cancelled by
`$/cancelRequest`. All of it runs on one event loop.

RpcError
└── code: Code, message: one sentence
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from enum import IntEnum
from functools import partial
from itertools import count
from typing import Any

from lsp_server.protocol.wire import Lost

_log = logging.getLogger(__name__)

Json = Any
"""What `json.loads` gives. Whoever handles a method checks what it holds."""
Handler = Callable[[Json], Json | Awaitable[Json]]
Id = str | int


class Code(IntEnum):
    """Error codes of JSON-RPC 2.0 and of LSP 3.18."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800
    REQUEST_FAILED = -32803


class RpcError(Exception):
    """A request that cannot be served; as an answer to ours, what the other side said."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_json(self) -> Json:
        """As JSON-RPC wants it."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": int(self.code), "message": self.message, **data}


class Endpoint:
    """This side of a connection.

    Args:
        send: Takes one message for the other side.
        handlers: What serves each method, requests and notifications alike.
        admit: Why a message must not be served now, if so; asked before the handler is.
    """

    def __init__(
        self,
        send: Callable[[Json], None],
        handlers: Mapping[str, Handler],
        admit: Callable[[str], RpcError | None] = lambda _method: None,
    ) -> None:
        self._send = send
        self._handlers = handlers
        self._admit = admit
        self._running: dict[Id, asyncio.Future[Json]] = {}
        self._asked: dict[Id, asyncio.Future[Json]] = {}
        self._ids = count(1)
        self._following: set[asyncio.Future[Json]] = set()

    def receive(self, frame: bytes | Lost) -> None:
        """Take in one message, good or bad."""
        if isinstance(frame, Lost):
            return self._refuse(None, RpcError(Code.PARSE_ERROR, frame.why))
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError) as error:
            return self._refuse(None, RpcError(Code.PARSE_ERROR, f"the body is no JSON: {error}"))
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return self._refuse(None, RpcError(Code.INVALID_REQUEST, "a message is one object with jsonrpc 2.0"))
        match message:
            case {"id": str() | int() as ident, "method": str(method)} if not isinstance(ident, bool):
                self._request(ident, method, message.get("params"))
            case {"method": str(method)} if "id" not in message:
                self._notification(method, message.get("params"))
            case {"id": str() | int() as ident, "error": {"code": int(code), "message": str(text)}}:
                self._answered(ident, RpcError(code, text))
            case {"id": str() | int() as ident, "result": result}:
                self._answered(ident, result)
            case {"error": _}:
                _log.warning("the client could not make sense of a message: %s", message["error"])
            case _:
                refusal = "neither a request, nor a notification, nor an answer; an id is a text or a whole number"
                self._refuse(None, RpcError(Code.INVALID_REQUEST, refusal))
        return None

    def notify(self, method: str, params: Json) -> None:
        """Tell the other side something."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json) -> Json:
        """Ask the other side.

        Raises:
            RpcError: it answered with an error.
        """
        ident = f"inscope-{next(self._ids)}"
        answer = self._asked[ident] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        try:
            return await answer
        finally:
            del self._asked[ident]

    def close(self) -> None:
        """Cancel what still runs; each such request is answered as cancelled."""
        for task in [*self._running.values(), *self._following, *self._asked.values()]:
            task.cancel()

    def _request(self, ident: Id, method: str, params: Json) -> None:
        if ident in self._running:
            taken = f"request {ident!r} is still being served; give every request an id of its own"
            return self._refuse(None, RpcError(Code.INVALID_REQUEST, taken))
        try:
            result = self._handler(method)(params)
        except RpcError as error:
            return self._refuse(ident, error)
        except Exception:  # noqa: BLE001 - a fault of ours is logged, and still owes the client its answer
            _log.exception("%s failed", method)
            return self._refuse(ident, _fault(method))
        if not isinstance(result, Awaitable):
            return self._send({"jsonrpc": "2.0", "id": ident, "result": result})
        task = self._running[ident] = asyncio.ensure_future(result)
        task.add_done_callback(partial(self._finished, ident, method))
        return None

    def _handler(self, method: str) -> Handler:
        if refusal := self._admit(method):
            raise refusal
        if (handler := self._handlers.get(method)) is None:
            raise RpcError(Code.METHOD_NOT_FOUND, f"there is no method {method!r} here")
        return handler

    def _finished(self, ident: Id, method: str, task: asyncio.Future[Json]) -> None:
        del self._running[ident]
        if task.cancelled():
            return self._refuse(ident, RpcError(Code.REQUEST_CANCELLED, "cancelled"))
        match task.exception():
            case None:
                self._send({"jsonrpc": "2.0", "id": ident, "result": task.result()})
            case RpcError() as error:
                self._refuse(ident, error)
            case fault:
                _log.error("%s failed", method, exc_info=fault)
                self._refuse(ident, _fault(method))
        return None

    def _notification(self, method: str, params: Json) -> None:
        if method == "$/cancelRequest":
            return self._cancel(params)
        if method.startswith("$/") and method not in self._handlers:
            return None  # LSP lets anyone ignore those
        try:
            result = self._handler(method)(params)
        except RpcError as error:
            return _log.error("%s was ignored: %s", method, error.message)
        except Exception:  # noqa: BLE001 - logged; nobody waits for an answer, and the next message may be fine
            return _log.exception("%s failed", method)
        if isinstance(result, Awaitable):
            task = asyncio.ensure_future(result)
            self._following.add(task)
            task.add_done_callback(partial(self._followed, method))
        return None

    def _followed(self, method: str, task: asyncio.Future[Json]) -> None:
        self._following.discard(task)
        if not task.cancelled() and (fault := task.exception()):
            _log.error("%s failed", method, exc_info=fault)

    def _cancel(self, params: Json) -> None:
        ident = params.get("id") if isinstance(params, dict) else None
        if isinstance(ident, str | int) and (task := self._running.get(ident)):
            task.cancel()

    def _answered(self, ident: Id, answer: Json | RpcError) -> None:
        waiting = self._asked.get(ident)
        if waiting is None or waiting.done():
            _log.warning("an answer to %r, which was not asked", ident)
        elif isinstance(answer, RpcError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def _refuse(self, ident: Id | None, error: RpcError) -> None:
        if ident is None:
            _log.warning("a message was refused: %s", error.message)
        self._send({"jsonrpc": "2.0", "id": ident, "error": error.as_json()})


def _fault(method: str) -> RpcError:
    return RpcError(Code.INTERNAL_ERROR, f"{method} failed inside Inscope; its log has the details")

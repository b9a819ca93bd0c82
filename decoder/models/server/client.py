"""Requests to one completion server: JSON in and out, streams, a time limit, and a sentence for all that goes wrong.

Requests run on an event loop in a thread of their own, so that whoever waits can stop waiting: then the connection
is closed, and the server stops computing. A request goes to the named host only: no proxies, no redirects. Knows
nothing of models.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import queue
import re
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from hashlib import sha256
from http import HTTPStatus
from typing import Any, TypeVar
from weakref import finalize

from context_index.extras import Extra
from decoder.errors import ModelServerError, ServerLostError, ServerUnreachableError, extra_needed
from decoder.models.waiting import GaveUpError, document_asked_for, is_given_up

T = TypeVar("T")

_LOOK = 0.01
"""Seconds between two looks at whether the caller still waits."""
_TRIES = 2
_PAUSE = 0.2
"""Seconds before the second try."""
_BUSY = frozenset({
    HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
})  # fmt: skip
"""What a server or a balancer before it answers that cannot serve now."""
_SHOWN = 200
"""Characters of a server's answer in a sentence."""
_HASH = 16
"""Hexadecimal digits of a document's hash."""
_END = None


class ServerClient:
    """A connection to one server.

    Args:
        base: The server's address.
        key: Sent as a bearer token; never shown.
        timeout: Seconds that one answer may take, a part of a streamed one included.
        session_header: The header of a hash of the document that a request is for, by which a balancer keeps a document
            to the server that has read it. The document's place is never sent.
    """

    def __init__(
        self, base: str, *, key: str | None = None, timeout: float = 10.0, session_header: str = "x-session-id"
    ) -> None:
        self.base, self.timeout, self._key = base, timeout, key
        self._until = math.inf
        self._http = _library()
        self._session_header = session_header
        sent = {"Authorization": f"Bearer {key}"} if key else {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="inscope-client", daemon=True)
        self._thread.start()
        self._stop = finalize(self, _stop, self._loop, self._thread)
        self._client = self._http.AsyncClient(
            headers=sent,
            timeout=self._http.Timeout(timeout),
            verify=ssl.create_default_context(),
            trust_env=False,
            follow_redirects=False,
        )

    @contextmanager
    def within_timeout(self) -> Iterator[None]:
        """All requests in the block together take no longer than one may."""
        self._until = time.monotonic() + self.timeout
        try:
            yield
        finally:
            self._until = math.inf

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """What the server answers to a GET, or to a POST of `body`.

        Raises:
            ModelServerError: the sentence says what and where, and what to do.
            GaveUpError: nobody waits any more.
        """
        return self._wait(self._answer(path, body, self._headers()))

    def find(self, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """The same; None where the server has no such page, or it is no JSON."""
        return self._wait(self._answer(path, body, self._headers(), is_optional=True))

    def stream(self, path: str, body: Mapping[str, Any]) -> Stream:
        """The parts of a streamed answer to a POST, one JSON object each."""
        parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        return Stream(
            parts, self._start(self._parts(path, body, self._headers(), parts)), self._left(), self._late(path)
        )

    def close(self) -> None:
        """Close all connections; the object must not be used afterwards."""
        if not self._stop.alive:
            return
        with suppress(TimeoutError, RuntimeError):
            self._start(self._client.aclose()).result(1.0)
        self._stop()

    def _start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        future = self._start(work)
        while True:
            try:
                return future.result(_LOOK)
            except TimeoutError:
                if is_given_up():
                    future.cancel()
                    raise GaveUpError from None

    async def _answer(
        self, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], *, is_optional: bool = False
    ) -> Any:  # noqa: ANN401 - JSON
        try:
            async with asyncio.timeout(self._left()), self._open(path, body, headers) as response:
                text = (await response.aread()).decode("utf-8", "replace")
        except TimeoutError as error:
            raise self._late(path) from error
        else:
            if is_optional and response.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
                return None
            self._check(path, response.status_code, text)
            try:
                return json.loads(text)
            except ValueError as error:
                if is_optional:
                    return None
                raise self._no_json(path, text) from error

    async def _parts(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], parts: queue.SimpleQueue[Any]
    ) -> None:
        try:
            async with self._open(path, body, headers) as response:
                if response.status_code != HTTPStatus.OK:
                    self._check(path, response.status_code, (await response.aread()).decode("utf-8", "replace"))
                async for line in response.aiter_lines():
                    data = line.removeprefix("data:").strip()
                    if not data or data == "[DONE]" or line.startswith((":", "event:", "id:")):
                        continue
                    try:
                        part = json.loads(data)
                    except ValueError as error:
                        raise self._no_json(path, data) from error
                    if isinstance(part, dict) and part.get("error"):
                        parts.put(ModelServerError(f"{self._at(path)} failed ({self._shown(data)}). {_ADVICE_LOG}"))
                        return
                    parts.put(part)
        except ModelServerError as error:
            parts.put(error)
        else:
            parts.put(_END)

    @asynccontextmanager
    async def _open(self, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> AsyncIterator[Any]:
        """A response whose head has come; one more try where the server is busy or closed an old connection."""
        for number in range(1, _TRIES + 1):
            method = "GET" if body is None else "POST"
            request = self._client.build_request(method, self.base + path, json=body, headers=headers)
            try:
                response = await self._client.send(request, stream=True)
            except self._http.TransportError as error:
                if number < _TRIES and isinstance(error, self._http.RemoteProtocolError):
                    continue
                raise self._unreachable(path, error) from error
            except (self._http.HTTPError, self._http.InvalidURL) as error:
                raise self._unreachable(path, error) from error
            if number < _TRIES and response.status_code in _BUSY:
                await response.aclose()
                await asyncio.sleep(_PAUSE)
                continue
            break
        try:
            yield response
        except self._http.TransportError as error:
            raise self._broken(path, error) from error
        except TimeoutError as error:
            raise self._late(path) from error
        finally:
            await response.aclose()

    def _headers(self) -> Mapping[str, str]:
        """Of a request for the document that is asked for now."""
        document = document_asked_for()
        if not document:
            return {}
        return {self._session_header: sha256(document.encode("utf-8", "replace")).hexdigest()[:_HASH]}

    def _left(self) -> float:
        """Seconds that a request may take."""
        return min(self.timeout, max(self._until - time.monotonic(), 0.0))

    def _check(self, path: str, status: int, text: str) -> None:
        if status == HTTPStatus.OK:
            return
        said = f", saying {self._shown(text)}" if text.strip() else ""
        raise ModelServerError(f"{self._at(path)} answered {status}{said}. {_advice(status)}")

    def _unreachable(self, path: str, error: Exception) -> ModelServerError:
        cause = _cause(error)
        if isinstance(error, self._http.TimeoutException):
            return self._late(path)
        if isinstance(cause, ssl.SSLError):
            reason = getattr(cause, "verify_message", "") or cause.reason or str(cause)
            return ModelServerError(
                f"{self._at(path)} cannot be spoken to by TLS ({reason}). Write http:// where it has no TLS, or have "
                "its certificate trusted (SSL_CERT_FILE)."
            )
        if isinstance(cause, socket.gaierror):
            return ModelServerError(
                f"{self._at(path)} cannot be found ({cause.strerror}). Correct the host's name in --model."
            )
        if isinstance(error, self._http.RemoteProtocolError):
            return self._broken(path, error)
        number = getattr(cause, "errno", None)
        reason = os.strerror(number) if number else str(error) or type(error).__name__
        return ServerUnreachableError(
            f"{self._at(path)} cannot be reached ({reason}). Start it, or correct the address in --model."
        )

    def _broken(self, path: str, error: Exception) -> ModelServerError:
        if isinstance(error, self._http.TimeoutException):
            return self._late(path)
        return ServerLostError(
            f"{self._at(path)} ended amid its answer ({str(error).rstrip('.') or type(error).__name__}). {_ADVICE_LOG}"
        )

    def _late(self, path: str) -> ModelServerError:
        return ModelServerError(
            f"{self._at(path)} did not answer within {self.timeout:g} s. Raise modelTimeoutSeconds, or choose a "
            "smaller model."
        )

    def _no_json(self, path: str, text: str) -> ModelServerError:
        return ModelServerError(
            f"{self._at(path)} answered no JSON but {self._shown(text)}. Correct the address in --model: this is no "
            "completion server."
        )

    def _at(self, path: str) -> str:
        return f"the model server at {self.base}{path}"

    def _shown(self, text: str) -> str:
        """What the server said, on one line and without the key."""
        with suppress(ValueError):
            text = _message(json.loads(text)) or text
        line = re.sub(r"\s+", " ", text).strip().rstrip(".")
        if self._key:
            line = line.replace(self._key, "...")
        return repr(line[:_SHOWN])


class Stream:
    """A streamed answer; closing it closes the connection, and the server stops."""

    def __init__(
        self, parts: queue.SimpleQueue[Any], task: Future[None], timeout: float, late: ModelServerError
    ) -> None:
        self._parts, self._task, self._timeout, self._late = parts, task, timeout, late

    def next(self) -> Any:  # noqa: ANN401 - JSON
        """The next part; None at the end.

        Raises:
            ModelServerError, GaveUpError
        """
        until = time.monotonic() + self._timeout
        while True:
            try:
                part = self._parts.get(timeout=_LOOK)
            except queue.Empty:
                if is_given_up():
                    self.close()
                    raise GaveUpError from None
                if time.monotonic() >= until:
                    self.close()
                    raise self._late from None
                if self._task.done() and self._parts.empty() and (fault := self._task.exception()) is not None:
                    raise fault from None
                continue
            if isinstance(part, ModelServerError):
                raise part
            return part

    def close(self) -> None:
        """End it; what has not come is lost."""
        self._task.cancel()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """End the loop and its thread."""
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(1.0)
    if not thread.is_alive():
        loop.close()


_ADVICE_LOG = "Look into its log, and start it again."


def _advice(status: int) -> str:
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "Name a file with its key in modelKeyFile, or set INSCOPE_MODEL_KEY."
    if status in _BUSY:
        return "It cannot answer now; try again."
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "Redirects are not followed: write the address that it names."
    return "Correct the address or the model's name in --model."


def _message(said: object) -> str | None:
    """The sentence in a server's error."""
    while isinstance(said, dict):
        said = next((said[key] for key in ("error", "message", "detail") if key in said), None)
    return said if isinstance(said, str) else None


def _cause(error: BaseException) -> BaseException:
    """The system's exception under a library's."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if cause is not None and (below := cause.__cause__ or cause.__context__) and isinstance(below, OSError):
        return _cause(below) if not cause.strerror else cause
    return cause or error


def _library() -> Any:  # noqa: ANN401 - a module
    with extra_needed(Extra.SERVER, "a completion server"):
        import httpx2  # noqa: PLC0415 - only servers need it
    return httpx2

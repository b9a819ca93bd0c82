"""Requests to one completion server (`ServerClient`): JSON in and out, a time limit, and a sentence for every error.

They run on an event loop in a thread of their own, so that the caller can stop waiting: then
the connection is closed, and the server stops computing. A request goes to the named host only: no proxies, no
redirects. Knows nothing of models.
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
from decoder.errors import ModelServerError, ServerBusyError, ServerLostError, ServerUnreachableError, extra_needed
from decoder.models.server.answer_stream import ANSWER_END, CHECK_SECONDS, AnswerStream
from decoder.models.waiting import GaveUpError, document_asked_for, is_given_up

T = TypeVar("T")

_TRIES = 2
"""How often a request is sent before its error is reported."""
_RETRY_SECONDS = 0.2
"""The pause before the second try."""
_BUSY = frozenset({
    HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
})  # fmt: skip
"""Answers of a server, or of a balancer before it, that cannot serve now."""
_SHOWN_CHARACTERS = 200
"""The most of a server's answer that an error's sentence quotes."""
_HASH_DIGITS = 16
"""Hexadecimal digits of a document's hash."""


class ServerClient:
    """A connection to one server.

    Args:
        base: The server's address.
        key: Sent as a bearer token; never shown.
        timeout: The seconds that an answer may take; of a streamed answer, that each part may take.
        session_header: The name of the header with a hash of the document that a request is for. By it a balancer keeps
            a document to the server that has read it. The document's path is never sent.
    """

    def __init__(
        self, base: str, *, key: str | None = None, timeout: float = 10.0, session_header: str = "x-session-id"
    ) -> None:
        self.base, self.timeout, self._key = base, timeout, key
        self._until = math.inf
        """When `within_timeout` ends, by `time.monotonic`; infinity outside of it."""
        self._http = _library()
        self._session_header = session_header
        authorization = {"Authorization": f"Bearer {key}"} if key else {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="inscope-client", daemon=True)
        self._thread.start()
        self._stop = finalize(self, _stop, self._loop, self._thread)
        self._client = self._http.AsyncClient(
            headers=authorization,
            timeout=self._http.Timeout(timeout),
            verify=_trust(base),
            trust_env=False,
            follow_redirects=False,
        )

    @contextmanager
    def within_timeout(self) -> Iterator[None]:
        """A context whose requests together take no longer than `timeout`."""
        self._until = time.monotonic() + self.timeout
        try:
            yield
        finally:
            self._until = math.inf

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """The JSON that the server answers to a GET, or to a POST of `body`.

        Raises:
            ModelServerError: the server cannot be reached, answers with an error or no JSON, or too late.
            GaveUpError: the request is over (`is_given_up`).
        """
        return self._wait(self._answer(path, body, self._headers()))

    def find(self, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """`ask`, but None where the server has no such page, or its answer is no JSON."""
        return self._wait(self._answer(path, body, self._headers(), is_optional=True))

    def stream(self, path: str, body: Mapping[str, Any]) -> AnswerStream:
        """The streamed answer to a POST of `body`. Errors are raised by `AnswerStream.next`."""
        parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        task = self._start(self._put_parts(path, body, self._headers(), parts))
        return AnswerStream(parts, task, self._time_left(), self._late_error(path))

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
        """The result of `work`, unless the request is given up first."""
        future = self._start(work)
        while True:
            try:
                return future.result(CHECK_SECONDS)
            except TimeoutError:
                if is_given_up():
                    future.cancel()
                    raise GaveUpError from None

    async def _answer(
        self, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str], *, is_optional: bool = False
    ) -> Any:  # noqa: ANN401 - JSON
        """The JSON of an answer that is not streamed. With `is_optional`, None as `find` returns it."""
        try:
            async with asyncio.timeout(self._time_left()), self._open(path, body, headers) as response:
                text = (await response.aread()).decode("utf-8", "replace")
        except TimeoutError as error:
            raise self._late_error(path) from error
        else:
            if is_optional and response.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
                return None
            self._check(path, response.status_code, text)
            try:
                return json.loads(text)
            except ValueError as error:
                if is_optional:
                    return None
                raise self._no_json_error(path, text) from error

    async def _put_parts(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str], parts: queue.SimpleQueue[Any]
    ) -> None:
        """Put the parts of a streamed answer into `parts`: each line's JSON, then `ANSWER_END`, or else an error.

        Lines are server-sent events (`data: {...}`) or bare JSON, as Ollama sends.
        """
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
                        raise self._no_json_error(path, data) from error
                    if isinstance(part, dict) and part.get("error"):
                        parts.put(ModelServerError(f"{self._at(path)} failed ({self._quote(data)}). {_ADVICE_LOG}"))
                        return
                    parts.put(part)
        except ModelServerError as error:
            parts.put(error)
        else:
            parts.put(ANSWER_END)

    @asynccontextmanager
    async def _open(self, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> AsyncIterator[Any]:
        """A response whose head has come. It is asked for again if the server is busy or closed an old connection."""
        for attempt in range(1, _TRIES + 1):
            method = "GET" if body is None else "POST"
            request = self._client.build_request(method, self.base + path, json=body, headers=headers)
            try:
                response = await self._client.send(request, stream=True)
            except self._http.TransportError as error:
                if attempt < _TRIES and isinstance(error, self._http.RemoteProtocolError):
                    continue
                raise self._unreachable_error(path, error) from error
            except (self._http.HTTPError, self._http.InvalidURL) as error:
                raise self._unreachable_error(path, error) from error
            if attempt < _TRIES and response.status_code in _BUSY:
                await response.aclose()
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            break
        try:
            yield response
        except self._http.TransportError as error:
            raise self._lost_error(path, error) from error
        except TimeoutError as error:
            raise self._late_error(path) from error
        finally:
            await response.aclose()

    def _headers(self) -> Mapping[str, str]:
        """The headers of a request for the document that is asked for now."""
        document = document_asked_for()
        if not document:
            return {}
        return {self._session_header: sha256(document.encode("utf-8", "replace")).hexdigest()[:_HASH_DIGITS]}

    def _time_left(self) -> float:
        """The seconds that a request may take now."""
        return min(self.timeout, max(self._until - time.monotonic(), 0.0))

    def _check(self, path: str, status: int, text: str) -> None:
        """Raise an error for an answer whose status is one.

        Raises:
            ServerBusyError: the server, or a balancer before it, refuses more. A 500 may have another reason.
            ModelServerError: every other error.
        """
        if status == HTTPStatus.OK:
            return
        quoted = f", saying {self._quote(text)}" if text.strip() else ""
        kind = ServerBusyError if status in _BUSY - {HTTPStatus.INTERNAL_SERVER_ERROR} else ModelServerError
        raise kind(f"{self._at(path)} answered {status}{quoted}. {_advice(status)}")

    def _unreachable_error(self, path: str, error: Exception) -> ModelServerError:
        """The error for a request that could not be sent."""
        cause = _cause(error)
        if isinstance(error, self._http.TimeoutException):
            return self._late_error(path)
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
            return self._lost_error(path, error)
        number = getattr(cause, "errno", None)
        reason = os.strerror(number) if number else str(error) or type(error).__name__
        return ServerUnreachableError(
            f"{self._at(path)} cannot be reached ({reason}). Start it, or correct the address in --model."
        )

    def _lost_error(self, path: str, error: Exception) -> ModelServerError:
        """The error for a connection that ended before the answer was complete."""
        if isinstance(error, self._http.TimeoutException):
            return self._late_error(path)
        return ServerLostError(
            f"{self._at(path)} ended amid its answer ({str(error).rstrip('.') or type(error).__name__}). {_ADVICE_LOG}"
        )

    def _late_error(self, path: str) -> ModelServerError:
        """The error for an answer that is too late."""
        return ModelServerError(
            f"{self._at(path)} did not answer within {self.timeout:g} s. Raise modelTimeoutSeconds, or choose a "
            "smaller model."
        )

    def _no_json_error(self, path: str, text: str) -> ModelServerError:
        """The error for an answer, `text`, that is no JSON."""
        return ModelServerError(
            f"{self._at(path)} answered no JSON but {self._quote(text)}. Correct the address in --model: this is no "
            "completion server."
        )

    def _at(self, path: str) -> str:
        return f"the model server at {self.base}{path}"

    def _quote(self, text: str) -> str:
        """The server's text as an error quotes it: on one line, without the key, and cut short."""
        with suppress(ValueError):
            text = _message(json.loads(text)) or text
        line = re.sub(r"\s+", " ", text).strip().rstrip(".")
        if self._key:
            line = line.replace(self._key, "...")
        return repr(line[:_SHOWN_CHARACTERS])


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """End an event loop and the thread that runs it."""
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


def _message(answer: object) -> str | None:
    """The sentence in a server's error, a JSON value; None where there is none."""
    while isinstance(answer, dict):
        answer = next((answer[key] for key in ("error", "message", "detail") if key in answer), None)
    return answer if isinstance(answer, str) else None


def _cause(error: BaseException) -> BaseException:
    """The system's exception from which a library's arose; `error` itself where there is none."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if cause is not None and (below := cause.__cause__ or cause.__context__) and isinstance(below, OSError):
        return _cause(below) if not cause.strerror else cause
    return cause or error


def _trust(base: str) -> ssl.SSLContext:
    """The certificates that the server at an address is held to; an address without TLS trusts none.

    To read those of the machine takes 50 ms.
    """
    return ssl.create_default_context() if base.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _library() -> Any:  # noqa: ANN401 - a module
    with extra_needed(Extra.SERVER, "a completion server"):
        import httpx2  # noqa: PLC0415 - only servers need it
    return httpx2

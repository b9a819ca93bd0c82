"""Several model servers behind one address as a Ray Serve application: started, placed, watched and scaled by Ray.

    pip install -r examples/team/requirements.txt
    serve run --app-dir examples/team examples/team/ray_models.yaml        see docs/team.md

Each replica owns one model server: it starts it, passes requests through, streamed or not, and ends when it ends. Ray
then starts a new replica. The YAML says how many there are, and with which command they start a server.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
from collections.abc import AsyncIterator, Iterable

import aiohttp
from ray import serve
from ray.serve import Application
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

CONNECT_S, SILENT_S = 5.0, 120.0
"""How long a server may take to accept a request, and how long it may send nothing."""
POLL_S = 0.2
"""How often a server that starts is asked whether it has read its model."""
HOP_BY_HOP = frozenset({"connection", "content-length", "date", "host", "keep-alive", "server", "transfer-encoding"})
"""Headers that belong to one connection, and not to what travels over both."""


@serve.deployment
class ModelServer:
    """A replica: one model server on this machine's loopback, and what passes requests to it.

    Args:
        command: The server's command line; `{port}` stands for the port at which it has to listen.
    """

    async def __init__(self, command: str) -> None:
        port = _free_port()
        self._url = f"http://127.0.0.1:{port}"
        # Each request has a connection of its own: one that is kept open may be closed just when it is used again.
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=SILENT_S),
            auto_decompress=False,
        )
        words = [word.replace("{port}", str(port)) for word in shlex.split(command)]
        # The pipe stays open as long as the replica lives; a server that reads its input ends with it.
        self._process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
        )
        while not await self._is_ready():
            if self._process.returncode is not None:
                raise RuntimeError(f"'{command}' ended with {self._process.returncode} before it answered")
            await asyncio.sleep(POLL_S)
        self._watch = asyncio.create_task(self._end_with_server())

    async def _is_ready(self) -> bool:
        """Whether the server has read its model.

        Asked while it starts only: a busy llama-server answers `/health` too late, and would be taken for dead.
        """
        try:
            async with self._client.get(f"{self._url}/health") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def _end_with_server(self) -> None:
        """End this replica as soon as its server ends: requests then go to another, and Ray starts a new one."""
        await self._process.wait()
        os._exit(1)

    async def __call__(self, request: Request) -> Response:
        """Pass a request to the server, and its answer back, part by part if it is streamed."""
        query = f"?{request.url.query}" if request.url.query else ""
        try:
            answer = await self._client.request(
                request.method,
                f"{self._url}{request.url.path}{query}",
                data=await request.body(),
                headers=_travelling(request.headers.items()),
            )
            headers = _travelling(answer.headers.items())
            if "event-stream" in answer.content_type:
                return StreamingResponse(_parts(answer), answer.status, headers)
            async with answer:
                return Response(await answer.read(), answer.status, headers)
        except (aiohttp.ClientError, TimeoutError) as error:
            return JSONResponse({"error": {"message": f"the model server does not answer: {error!r}"}}, 503)

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None and process.returncode is None:
            process.kill()


async def _parts(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The parts of an answer as they come. If the editor leaves, the connection is closed, and the server is free."""
    try:
        async for part in answer.content.iter_any():
            yield part
    finally:
        answer.close()


def _travelling(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers without those that belong to one connection, by their names in small letters."""
    return {name.lower(): value for name, value in headers if name.lower() not in HOP_BY_HOP}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def app(arguments: dict[str, str]) -> Application:
    """The application that the YAML names, with its `args`."""
    return ModelServer.bind(arguments["command"])

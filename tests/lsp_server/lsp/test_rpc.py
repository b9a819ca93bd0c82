"""Every request gets exactly one answer; nothing that a client sends ends the connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from lsp_server.lsp.protocol.strict import StrictProtocol
from lsp_server.lsp.protocol.transport import LostBytes
from tests.examples import examples
from tests.lsp_server.fakes import Code

Json = Any


def refuse(_params: Json) -> Json:
    raise JsonRpcInvalidParams("not like this")


def break_down(_params: Json) -> Json:
    raise RuntimeError("boom")


async def wait_for_ever(_params: Json) -> Json:
    await asyncio.get_running_loop().create_future()


async def break_down_later(_params: Json) -> Json:
    await asyncio.sleep(0)
    raise RuntimeError("boom")


HANDLERS: dict[str, Callable[[Json], Json | Awaitable[Json]]] = {
    "echo": lambda params: params,
    "refuse": refuse,
    "break": break_down,
    "wait": wait_for_ever,
    "break later": break_down_later,
}


def converse(talk: Callable[[StrictProtocol], Awaitable[None]]) -> list[Json]:
    """Everything that the protocol sent."""
    sent: list[Json] = []

    async def run() -> None:
        server = LanguageServer("test", "1", protocol_cls=StrictProtocol)
        for method, handler in HANDLERS.items():
            server.feature(method)(handler)
        protocol: Any = server.protocol
        protocol.send = lambda body: sent.append(json.loads(body))
        await talk(protocol)
        for _ in range(5):
            await asyncio.sleep(0)

    asyncio.run(run())
    return sent


def answers(*messages: Json) -> list[Json]:
    """What is sent when these arrive; bytes and losses as they are."""

    async def talk(protocol: StrictProtocol) -> None:
        for message in messages:
            raw = message if isinstance(message, bytes | LostBytes) else json.dumps(message).encode()
            protocol.receive(raw)
            await asyncio.sleep(0)

    return converse(talk)


def request(ident: Json, method: str, params: Json = None) -> Json:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


CASES: list[tuple[str, Json, Json, int | None]] = [
    ("a request", request(1, "echo", {"a": 1}), 1, None),
    ("a text as id", request("one", "echo"), "one", None),
    ("an unknown method", request(1, "nothing"), 1, Code.METHOD_NOT_FOUND),
    ("a handler that refuses", request(1, "refuse"), 1, Code.INVALID_PARAMS),
    ("a handler that breaks", request(1, "break"), 1, Code.INTERNAL_ERROR),
    ("a handler that breaks later", request(1, "break later"), 1, Code.INTERNAL_ERROR),
    ("no JSON", b"{not json", None, Code.PARSE_ERROR),
    ("no UTF-8", b'{"a": "\xff"}', None, Code.PARSE_ERROR),
    ("nested too deep", b"[" * 100_000, None, Code.PARSE_ERROR),
    ("no frame", LostBytes("noise"), None, Code.PARSE_ERROR),
    ("a batch", [request(1, "echo")], None, Code.INVALID_REQUEST),
    ("a number", 5, None, Code.INVALID_REQUEST),
    ("another version", {"id": 1, "method": "echo"}, None, Code.INVALID_REQUEST),
    ("an id that is none", request(1.5, "echo"), None, Code.INVALID_REQUEST),
    ("true as id", request(True, "echo"), None, Code.INVALID_REQUEST),
    ("a method that is none", {"jsonrpc": "2.0", "id": 1, "method": 5}, None, Code.INVALID_REQUEST),
    ("nothing in it", {"jsonrpc": "2.0"}, None, Code.INVALID_REQUEST),
]


@pytest.mark.parametrize(("message", "ident", "code"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_one_answer(message: Json, ident: Json, code: int | None) -> None:
    (answer,) = answers(message)
    assert answer["id"] == ident
    assert answer.get("error", {}).get("code") == code
    assert ("result" in answer) == (code is None)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "echo"},
        {"jsonrpc": "2.0", "method": "nothing"},
        {"jsonrpc": "2.0", "method": "$/unheard"},
        {"jsonrpc": "2.0", "method": "break"},
        {"jsonrpc": "2.0", "method": "break later"},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": None},
        {"jsonrpc": "2.0", "id": "never asked", "result": 1},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}},
    ],
)
def test_no_answer(message: Json) -> None:
    assert answers(message, request(1, "echo", "still here")) == [{"jsonrpc": "2.0", "id": 1, "result": "still here"}]


def test_a_cancelled_request_is_answered_once() -> None:
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}
    (answer,) = answers(request(1, "wait"), cancel, cancel)
    assert (answer["id"], answer["error"]["code"]) == (1, Code.REQUEST_CANCELLED)


def test_an_id_in_flight_cannot_be_taken_again() -> None:
    refused, closed = answers(request(1, "wait"), request(1, "echo"))
    assert (refused["id"], refused["error"]["code"]) == (None, Code.INVALID_REQUEST)
    assert (closed["id"], closed["error"]["code"]) == (1, Code.REQUEST_CANCELLED)


def test_a_fault_of_ours_is_reported_without_its_traceback() -> None:
    (answer,) = answers(request(1, "break"))
    assert set(answer["error"]) == {"code", "message"}
    assert "boom" not in answer["error"]["message"]


def test_an_answer_under_the_id_of_a_request_in_flight_is_not_its_answer() -> None:
    wrong = {"jsonrpc": "2.0", "id": 1, "result": 5}
    (answer,) = answers(request(1, "wait"), wrong, {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
    assert (answer["id"], answer["error"]["code"]) == (1, Code.REQUEST_CANCELLED)


def test_requests_and_notifications_that_are_over_are_forgotten() -> None:
    async def talk(protocol: StrictProtocol) -> None:
        for message in (request(1, "break later"), {"jsonrpc": "2.0", "method": "break later"}):
            protocol.receive(json.dumps(message).encode())
        assert len(protocol._request_futures) == 2
        for _ in range(5):
            await asyncio.sleep(0)
        assert protocol._request_futures == {}

    assert len(converse(talk)) == 1


def test_closing_answers_what_is_open() -> None:
    async def talk(protocol: StrictProtocol) -> None:
        for ident in range(3):
            protocol.receive(json.dumps(request(ident, "wait")).encode())
        await asyncio.sleep(0)
        protocol.close()

    assert sorted(answer["id"] for answer in converse(talk)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [({"result": 5}, 5), ({"error": {"code": -1, "message": "no"}}, "no")],
)
def test_asking_the_other_side(reply: Json, expected: Json) -> None:
    got: list[Json] = []

    async def talk(protocol: StrictProtocol) -> None:
        async def ask() -> None:
            try:
                got.append(await protocol.send_request_async("question", {}, "inscope-1"))
            except JsonRpcException as error:
                got.append(error.message)

        asking = asyncio.ensure_future(ask())
        await asyncio.sleep(0)
        protocol.receive(json.dumps({"jsonrpc": "2.0", "id": "inscope-1", **reply}).encode())
        await asking

    (asked,) = converse(talk)
    assert (asked["method"], got) == ("question", [expected])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
ALMOST = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={"id": JSON, "method": st.sampled_from(sorted(HANDLERS)) | JSON, "params": JSON, "error": JSON},
)


@pytest.mark.slow
@examples(40)
@given(st.lists(ALMOST | JSON | st.binary(max_size=20), max_size=5))
def test_whatever_comes_each_id_is_answered_at_most_once_and_the_next_request_is_served(messages: list[Json]) -> None:
    sent = answers(*messages, request("last", "echo", "here"))
    assert {"jsonrpc": "2.0", "id": "last", "result": "here"} in sent
    asked = [m["id"] for m in messages if isinstance(m, dict) and m.get("jsonrpc") == "2.0" and "id" in m]
    for ident in {one for one in asked if isinstance(one, str | int) and not isinstance(one, bool)}:
        count = sum(1 for one in sent if one["id"] == ident and not isinstance(one["id"], bool))
        assert count <= asked.count(ident) + (ident == "last")

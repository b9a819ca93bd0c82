"""What is said of a model that cannot be had: one sentence with the address, the answer and what to do, in time."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from context_index.processes import Process, start_code
from decoder import DecoderError, ModelOptions, load_model
from decoder.errors import ModelDamagedError, ModelServerError, ServerLostError
from decoder.models.model import Sees
from decoder.models.server.address import Address, ServerKind, address_of
from decoder.models.server.child import Child
from decoder.models.server.client import ServerClient
from decoder.models.server.dialects import LlamaServer
from decoder.models.server.model import IdSpelling, TopRows
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.vocabulary import Vocabulary
from decoder.models.waiting import asked_for
from decoder.prompt.chat import ChatTemplate
from tests.decoder.models.server import gguf_file
from tests.decoder.models.server.loopback import Answer, Handler, Loopback, serving

TIMEOUT = 2.0

ADDRESSES = {
    "http://localhost:8080": Address("http://localhost:8080"),
    "http://localhost:11434/v1": Address("http://localhost:11434"),
    "http://localhost:11434/v1/#qwen:7b": Address("http://localhost:11434", "qwen:7b"),
    "https://team.example/models/a": Address("https://team.example/models/a"),
    "http://[::1]:80#m": Address("http://[::1]:80", "m"),
    "ollama:qwen2.5-coder:1.5b-base": Address("http://127.0.0.1:11434", "qwen2.5-coder:1.5b-base", ServerKind.OLLAMA),
    "ollama:q@http://host:1": Address("http://host:1", "q", ServerKind.OLLAMA),
    "llama-server:": Address("http://127.0.0.1:8080", None, ServerKind.LLAMA_SERVER),
    "llama-server:host:81": Address("http://host:81", None, ServerKind.LLAMA_SERVER),
    "vllm:gpu": Address("http://gpu:8000", None, ServerKind.VLLM),
    "vllm:https://gpu#Qwen/Qwen2.5-Coder-7B": Address("https://gpu", "Qwen/Qwen2.5-Coder-7B", ServerKind.VLLM),
    "Qwen/Qwen2.5-Coder-0.5B": None,
    "./http": None,
    "/models/a:b": None,
    "completions:x": None,
}


@pytest.mark.parametrize("written", ADDRESSES)
def test_an_address_is_read(written: str) -> None:
    assert address_of(written) == ADDRESSES[written]


NO_ADDRESSES = {
    "no host": ("http://:80", "'http://:80' is no address of a server. Write http://HOST:PORT#NAME"),
    "no name": ("ollama:", "'ollama:' names no model of Ollama. Write"),
    "no port": ("http://host:99999", "'http://host:99999' is no address of a server (Port out of range 0-65535)."),
    "another scheme": ("vllm:ftp://host", "'ftp://host' is no address of a server."),
    "a port alone": (
        "localhost:8080",
        "'localhost:8080' is no model's name, but may be a server's address. Write http",
    ),
    "an address alone": ("127.0.0.1:8000", "'127.0.0.1:8000' is no model's name, but may be a server's address. Write"),
    "a path after it": ("gpu-box:8080/v1", "'gpu-box:8080/v1' is no model's name, but may be a server's address."),
    "six": ("[::1]:8080", "'[::1]:8080' is no model's name, but may be a server's address. Write http://HOST:PORT"),
    "a name after it": ("gpu:8000#qwen", "'gpu:8000#qwen' is no model's name, but may be a server's address. Write"),
    "a key in it": ("http://user:secret@host", "an address of a server must not hold a key"),
}


@pytest.mark.parametrize(("written", "sentence"), NO_ADDRESSES.values(), ids=NO_ADDRESSES.keys())
def test_what_is_no_address_is_said(written: str, sentence: str) -> None:
    said = failure(written)
    assert said.startswith(sentence)
    assert "secret" not in said


def failure(model: str, **options: Any) -> str:  # noqa: ANN401 - handed on
    """The sentence."""
    with pytest.raises(DecoderError) as caught:
        load_model(model, options=ModelOptions(**{"timeout_seconds": TIMEOUT, **options}))
    return str(caught.value)


def late(_handler: Handler, _body: object) -> None:
    time.sleep(TIMEOUT + 1)


def html(handler: Handler, _body: object) -> None:
    handler.send(b"<html><body>It works!</body></html>", kind="text/html")


def cut(handler: Handler, _body: object) -> None:
    handler.send(b'{"default_gen', length=1000)
    handler.close_connection = True


def status(code: HTTPStatus, message: str) -> Answer:
    return lambda handler, _body: handler.give({"error": {"message": message}}, status=code)


def half_a_stream(handler: Handler, _body: object) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    part = b'data: {"content": "a"}\n\n'
    handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
    handler.wfile.flush()
    handler.close_connection = True


PROPS = {"default_generation_settings": {"n_ctx": 2048}, "model_alias": "m", "model_path": ""}
MODELS = {"data": [{"id": "a"}, {"id": "b"}]}
ONE = {"data": [{"id": "a"}]}

CASES: Mapping[str, tuple[Mapping[str, Any], str, tuple[str, ...]]] = {
    "no completion server": ({}, "", ("/v1/models answered 404, saying 'Not Found'. Correct the address",)),
    "a web page": (
        {"/v1/models": html},
        "",
        ("/v1/models answered no JSON but '<html><body>It works!", "this is no completion server."),
    ),
    "JSON of something else": ({"/v1/models": {"shops": 3}}, "", ("lists no models at /v1/models",)),
    "an unknown model": ({"/v1/models": MODELS}, "#c", ("has no model 'c'; it has a, b.", "Correct the name")),
    "an unknown model of llama-server": ({"/props": PROPS}, "#c", ("has no model 'c'; it has m.",)),
    "an unknown model of Ollama": (
        {"/api/version": {"version": "1"}, "/api/tags": {"models": [{"name": "q:latest"}]}},
        "#c",
        ("has no model 'c'; it has q:latest.",),
    ),
    "several models": ({"/v1/models": MODELS}, "", ("has several models (a, b). Name one in --model, as", "#NAME.")),
    "no model": ({"/v1/models": {"data": []}}, "", ("has no model. Name one",)),
    "no key": ({"/props": status(HTTPStatus.UNAUTHORIZED, "Invalid API Key")}, "",
        ("/props answered 401, saying 'Invalid API Key'. Name a file with its key in modelKeyFile",),
    ),
    "a chat model": (
        {"/v1/models": ONE, "/v1/completions": status(HTTPStatus.NOT_FOUND, "use /v1/chat/completions")},
        "",
        ("the model 'a' does not complete: ", "saying 'use /v1/chat/completions'", "that only chats cannot be used."),
    ),
    "busy": ({"/props": status(HTTPStatus.SERVICE_UNAVAILABLE, "Loading model")}, "",
        ("/props answered 503, saying 'Loading model'. It cannot answer now; try again.",),
    ),
    "moved": ({"/props": status(HTTPStatus.FOUND, "gone")}, "", ("answered 302", "Redirects are not followed")),
    "slow": ({"/props": late}, "", (f"/props did not answer within {TIMEOUT:g} s. Raise modelTimeoutSeconds",)),
    "slow after a quick start": (
        {"/v1/models": ONE, "/v1/completions": late},
        "",
        (f"/v1/completions did not answer within {TIMEOUT:g} s.",),
    ),
    "dies amid its answer": ({"/props": cut}, "", ("/props ended amid its answer", "Look into its log")),
    "dies amid a streamed answer": (
        {"/props": PROPS, "/completion": half_a_stream},
        "",
        ("/completion", "ended amid its answer", "Look into its log"),
    ),
}  # fmt: skip


def test_a_server_that_is_busy_for_a_moment_is_not_taken_for_one_without_probabilities() -> None:
    def busy_twice(handler: Handler, _body: object) -> None:
        if len(server.requests("/v1/completions")) <= 2:  # the request and its second try
            status(HTTPStatus.SERVICE_UNAVAILABLE, "too many")(handler, None)
        else:
            handler.give({"choices": [{"text": "a"}]})

    with serving({"/v1/models": ONE, "/v1/completions": busy_twice}) as server:
        said = failure(server.url)
    assert said.endswith("/v1/completions answered 503, saying 'too many'. It cannot answer now; try again.")


def test_a_damaged_tokenizer_beside_a_served_model_is_said(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    pages = {"/version": {"version": "0.11.0"}, "/v1/models": {"data": [{"id": "a", "root": str(tmp_path)}]}}
    with serving(pages) as server:
        said = failure(server.url)
    assert said.startswith(f"the tokenizer at '{tmp_path / 'tokenizer.json'}' cannot be read (")
    assert said.endswith("Fetch the model again.")


def llama_pages(file: Path, parts: Iterable[bytes]) -> Mapping[str, Any]:
    """The pages of a llama-server on this machine.

    Args:
        file: The file that it serves.
        parts: Its answer to each request for a completion.
    """
    return {
        "/props": {**PROPS, "model_path": str(file)},
        "/tokenize": {"tokens": []},
        "/completion": lambda handler, body: (
            handler.stream(b"data: " + part + b"\n\n" for part in parts) if body["stream"] else handler.give({})
        ),
    }


def test_a_server_whose_file_we_cannot_read_is_used_all_the_same(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes([4, 0, 0, 0]) + bytes(16))  # of a version that we do not know
    with serving(llama_pages(file, [step(1)])) as server:
        model = load_model(server.url, options=ModelOptions(timeout_seconds=TIMEOUT))
    assert isinstance(model.vocabulary, LearntVocabulary)
    assert model.abilities.sees is Sees.TOP_TOKENS


def test_a_server_without_probabilities_is_still_asked_by_the_files_chat_template(tmp_path: Path) -> None:
    file = gguf_file.write(tmp_path / "model.gguf", kinds={"tokenizer.chat_template": "{{ messages }}"}, tensors=False)
    with serving(llama_pages(file, [b'{"content": "a"}'])) as server:
        model = load_model(server.url, options=ModelOptions(timeout_seconds=TIMEOUT))
    assert model.abilities.sees is Sees.TEXTS
    assert model.card.chat == ChatTemplate("{{ messages }}")


@pytest.mark.parametrize(("pages", "name", "parts"), CASES.values(), ids=CASES.keys())
def test_a_server_that_cannot_be_used_is_said_in_time(
    pages: Mapping[str, Any], name: str, parts: tuple[str, ...]
) -> None:
    with serving(pages) as server:
        said = failure(server.url + name)
        assert server.url in said
    for part in parts:
        assert part in said, said
    assert "\n" not in said


def test_a_child_that_dies_before_its_task_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(_module: str, **_streams: object) -> Process:
        process = start_code("raise SystemExit(3)")
        process.wait()
        return process

    monkeypatch.setattr("decoder.models.server.child.start_python", dead)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelDamagedError, match=r"llama\.cpp cannot read '.*model\.gguf' \(it ended\)"):
        Child(file, 512, on_cpu=True)


def test_a_child_that_takes_too_long_is_ended_and_its_file_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Process] = []

    def slow(_module: str, **_streams: object) -> Process:
        started.append(start_code("import sys; sys.stdin.read()"))
        return started[0]

    monkeypatch.setattr("decoder.models.server.child.start_python", slow)
    monkeypatch.setattr("decoder.models.server.child._START_SECONDS", 0.1)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelServerError, match=r"llama\.cpp has not read '.*model\.gguf' within 0 s"):
        Child(file, 512, on_cpu=True)
    assert started[0].poll() is not None


def test_a_closed_port_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    said = failure(f"http://127.0.0.1:{port}")
    assert f"http://127.0.0.1:{port}/props cannot be reached (Connection refused). Start it, or correct" in said


def test_a_host_that_does_not_exist_is_said() -> None:
    said = failure("http://no-such-host.invalid:80")
    assert "http://no-such-host.invalid:80/props cannot be found (" in said


def test_a_server_that_takes_the_connection_and_says_nothing_is_left_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        said = failure(f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert "did not answer within" in said


def test_tls_where_there_is_none_is_said() -> None:
    with serving({}) as server:
        said = failure(server.url.replace("http:", "https:"))
    assert "cannot be spoken to by TLS (" in said
    assert "Write http://" in said


@contextmanager
def with_tls(folder: Path) -> Iterator[str]:
    """A server whose certificate nobody signed."""
    certificate = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Loopback({"/props": PROPS}) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a refused handshake is expected
        thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
        thread.start()
        yield server.url.replace("http:", "https:")
        server.shutdown()
        thread.join()


def _certificate(folder: Path) -> Path:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl makes the certificate")
    key, file = folder / "key.pem", folder / "certificate.pem"
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
    what = ("req", "-x509", *curve, "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1")
    made = subprocess.run([program, *what, "-keyout", key, "-out", file], capture_output=True, check=True)
    assert made.returncode == 0
    file.write_text(file.read_text() + key.read_text())
    return file


def test_a_certificate_that_is_not_trusted_is_said(tmp_path: Path) -> None:
    with with_tls(tmp_path) as url:
        said = failure(url)
    assert "cannot be spoken to by TLS (self-signed certificate)" in said
    assert "SSL_CERT_FILE" in said


KEYS: Mapping[str, tuple[Callable[[Path], Mapping[str, Any]], Mapping[str, str], str | None]] = {
    "none": (lambda _folder: {}, {}, None),
    "from a file": (lambda folder: {"key_file": str(folder / "key")}, {}, "Bearer from-file"),
    "from the environment": (lambda _folder: {}, {"INSCOPE_MODEL_KEY": "from-env"}, "Bearer from-env"),
    "the file goes before": (lambda folder: {"key_file": str(folder / "key")}, {"INSCOPE_MODEL_KEY": "x"},
        "Bearer from-file"),
    "an empty variable": (lambda _folder: {}, {"INSCOPE_MODEL_KEY": ""}, None),
}  # fmt: skip


@pytest.mark.parametrize(("options", "variables", "sent"), KEYS.values(), ids=KEYS.keys())
def test_a_key_is_sent_and_never_shown(
    options: Callable[[Path], Mapping[str, Any]],
    variables: Mapping[str, str],
    sent: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "key").write_text("from-file\n")
    monkeypatch.delenv("INSCOPE_MODEL_KEY", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def echoes(handler: Handler, _body: object) -> None:
        handler.give({"error": f"wrong key {handler.headers.get('Authorization')}"}, status=403)

    with serving({"/props": echoes}) as server:
        said = failure(server.url, **options(tmp_path))
        assert [headers.get("Authorization") for _, _, headers in server.asked] == [sent]
    assert "403" in said
    if sent is not None:
        assert sent.removeprefix("Bearer ") not in said


def test_a_key_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    said = failure("http://127.0.0.1:9", key_file=str(tmp_path / "none"))
    assert said.startswith(f"the key in '{tmp_path / 'none'}' cannot be read (")
    assert said.endswith("Correct modelKeyFile.")


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"/x": {"right": True}}) as server, serving({"/x": {"right": False}}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        client = ServerClient(server.url, timeout=10)
        assert client.ask("/x") == {"right": True}
        client.close()
        assert proxy.asked == []


def test_a_connection_that_ends_before_any_byte_is_tried_once_more() -> None:
    tries = []

    def once(handler: Handler, _body: object) -> None:
        tries.append(handler)
        if len(tries) == 1:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        handler.give({"tries": len(tries)})

    with serving({"/x": once}) as server:
        client = ServerClient(server.url, timeout=10)
        assert client.ask("/x") == {"tries": 2}
        client.close()


def test_a_document_is_told_by_its_hash_alone() -> None:
    with serving({"/x": {}}) as server:
        for header in ("x-session-id", "x-document"):
            client = ServerClient(server.url, timeout=10, session_header=header)
            for document in ("file:///a.py", "file:///a.py", "file:///b.py", ""):
                with asked_for(document):
                    client.ask("/x")
            client.close()
            sent = [headers.get(header) for _, _, headers in server.asked[-4:]]
            assert sent[0] == sent[1] != sent[2]
            assert sent[3] is None
            assert all(len(one or "") == 16 for one in sent[:3])
        assert "work" not in str(server.asked)


STATUSES = {
    HTTPStatus.TOO_MANY_REQUESTS: 2,
    HTTPStatus.INTERNAL_SERVER_ERROR: 2,
    HTTPStatus.BAD_GATEWAY: 2,
    HTTPStatus.SERVICE_UNAVAILABLE: 2,
    HTTPStatus.BAD_REQUEST: 1,
    HTTPStatus.UNAUTHORIZED: 1,
    HTTPStatus.NOT_FOUND: 1,
}
"""How often a request is made that is answered so."""


@pytest.mark.parametrize(("code", "times"), STATUSES.items(), ids=map(str, STATUSES))
def test_who_cannot_serve_now_is_asked_once_more(code: HTTPStatus, times: int) -> None:
    with serving({"/x": status(code, "no")}) as server:
        client = ServerClient(server.url, timeout=10)
        with asked_for("file:///a.py"), pytest.raises(DecoderError, match=f"answered {code.value}, saying 'no'"):
            client.stream("/x", {}).next()
        client.close()
        sent = [headers["x-session-id"] for _, _, headers in server.asked]
    assert len(sent) == times
    assert len(set(sent)) == 1, "both go to the document's server"


def test_a_second_answer_is_taken() -> None:
    tries: list[object] = []

    def busy_once(handler: Handler, _body: object) -> None:
        tries.append(handler)
        if len(tries) == 1:
            status(HTTPStatus.SERVICE_UNAVAILABLE, "no")(handler, None)
        else:
            handler.stream(iter([b'data: {"n": 1}\n\n']))

    with serving({"/x": busy_once}) as server:
        client = ServerClient(server.url, timeout=10)
        stream = client.stream("/x", {})
        assert [stream.next(), stream.next()] == [{"n": 1}, None]
        client.close()


def step(token: int) -> bytes:
    """A part of llama-server's answer."""
    best = [{"id": one, "token": "", "bytes": [97 + one], "logprob": -1.0 - one} for one in (token, token + 1)]
    return json.dumps({"completion_probabilities": [{**best[0], "top_logprobs": best}]}).encode()


@pytest.mark.parametrize("breaks", [1, 2])
def test_what_a_server_that_died_has_not_said_is_asked_of_another(breaks: int) -> None:
    def dies(handler: Handler, body: Any) -> None:  # noqa: ANN401 - JSON
        if len(server.requests("/completion")) <= breaks:
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            part = b"data: " + step(len(body["prompt"])) + b"\n\n"
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if len(server.asked) == 1 else b"")
            handler.close_connection = True
            return
        handler.stream(b"data: " + step(len(body["prompt"]) + each) + b"\n\n" for each in range(3))

    vocabulary = Vocabulary(
        [bytes([97 + token]) for token in range(9)], encode=lambda _text: [], special={}, end=frozenset()
    )
    with serving({"/completion": dies}) as server:
        client = ServerClient(server.url, timeout=10)
        rows = TopRows(client, LlamaServer(), IdSpelling(vocabulary))
        assert max(rows.after((0,)).items(), key=lambda one: one[1])[0] == 1
        if breaks == 1:
            assert set(rows.after((0, 1))) == {2, 3}
        else:
            with pytest.raises(ServerLostError):
                rows.after((0, 1))
        client.close()
        assert server.requests("/completion")[1]["prompt"] == [0, 1]
        assert len(server.asked) == breaks + (breaks == 1)


def test_a_stream_that_is_closed_ends_on_the_server() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b'data: {"n": 1}\n\n'

    with serving({"/x": lambda handler, _body: handler.stream(endless())}) as server:
        client = ServerClient(server.url, timeout=10)
        stream = client.stream("/x", {})
        assert stream.next() == {"n": 1}
        stream.close()
        assert server.left.wait(10)
        client.close()


_HEAD_OF_ONE_KEY = b"GGUF" + bytes([3, 0, 0, 0]) + bytes(8) + bytes([1]) + bytes(7)
FILES = {
    "none": (None, "no model at '{file}'. Name a GGUF file that exists"),
    "empty": (b"", "'{file}' cannot be read as GGUF: it does not begin with GGUF. Fetch it again."),
    "another format": (b"PK\3\4" + bytes(30), "'{file}' cannot be read as GGUF: it does not begin with GGUF."),
    "an old version": (b"GGUF" + bytes([1, 0, 0, 0]) + bytes(16), "it is of version 1, and 2 and 3 are read"),
    "a damaged count": (
        b"GGUF" + bytes([3, 0, 0, 0]) + bytes(8) + b"\xff" * 8,
        "it has 18,446,744,073,709,551,615 keys",
    ),
    "cut short": (_HEAD_OF_ONE_KEY + b"\x04", "'{file}' cannot be read as GGUF: it is cut short. Fetch it again."),
    "an unknown type": (_HEAD_OF_ONE_KEY + bytes(8) + b"\x63\0\0\0", "a value of the unknown type 99 is in its head"),
    "lists in lists": (
        _HEAD_OF_ONE_KEY + bytes(8) + b"\x09\0\0\0" + (b"\x09\0\0\0\1" + bytes(7)) * 9_999,
        "its lists are nested too deep",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_no_gguf_is_said(content: bytes | None, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    said = failure(str(file))
    assert sentence.format(file=file) in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"general.architecture": "no-such-architecture"}, "unknown model architecture: 'no-such-architecture'"),
        ({}, "not within the file bounds"),
    ],
)
def test_what_llama_cpp_cannot_read_is_said(keys: Mapping[str, Any], reason: str, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    file = gguf_file.write(tmp_path / "model.gguf", kinds=dict(keys))
    if not keys:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2])
    said = failure(str(file))
    assert f"llama.cpp cannot read '{file}' (" in said
    assert reason in said


def test_json_of_an_error_is_one_line() -> None:
    nested = {"error": {"message": "first\n  second", "code": 400}}
    with serving({"/x": lambda handler, _body: handler.send(json.dumps(nested).encode(), status=400)}) as server:
        client = ServerClient(server.url, timeout=10)
        with pytest.raises(DecoderError, match="answered 400, saying 'first second'"):
            client.ask("/x")
        client.close()

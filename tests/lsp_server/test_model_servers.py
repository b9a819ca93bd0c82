"""A model that a server does not give is said alike by a request, the status, the diagnosis and the command line."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.cli import main
from lsp_server.engine.model_host import ModelEvent, ModelHost, ModelState
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation import doctor
from lsp_server.installation.doctor import CheckStatus, Situation
from lsp_server.settings.engine import model_settings, options_of
from lsp_server.settings.files import FOLDER
from lsp_server.settings.table import Settings
from tests.decoder.models.server.loopback import BuiltIn, Handler, ollama, plain, serving

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT = 1.0
ONE = {"data": [{"id": "a"}]}


@contextmanager
def closed() -> Iterator[str]:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def at(pages: Mapping[str, Any], ending: str = "", scheme: str = "http") -> Callable[[], Any]:
    """A server with these pages."""

    @contextmanager
    def opened() -> Iterator[str]:
        with serving(pages) as server:
            yield server.url.replace("http", scheme, 1) + ending

    return opened


def cut(handler: Handler, _body: object) -> None:
    handler.send(b'{"data": [', length=100)
    handler.close_connection = True


def chats(handler: Handler, _body: object) -> None:
    handler.give({"error": {"message": "only /v1/chat/completions"}}, status=HTTPStatus.NOT_FOUND)


CASES: Mapping[str, tuple[Callable[[], Any], str]] = {
    "a wrong address": (at({}), "/v1/models answered 404, saying 'Not Found'."),
    "a closed port": (closed, "cannot be reached (Connection refused). Start it"),
    "an unknown model": (at({"/v1/models": ONE}, "#b"), "has no model 'b'; it has a."),
    "a chat-only model": (at({"/v1/models": ONE, "/v1/completions": chats}), "the model 'a' does not complete: "),
    "a slow server": (silent, f"did not answer within {TIMEOUT:g} s."),
    "a server that dies amid its answer": (at({"/v1/models": cut}), "ended amid its answer"),
    "no JSON": (at({"/v1/models": lambda handler, _body: handler.send(b"hello")}), "answered no JSON but 'hello'."),
    "no TLS": (at({}, scheme="https"), "cannot be spoken to by TLS ("),
}


@pytest.mark.parametrize(("opens", "words"), CASES.values(), ids=CASES.keys())
def test_a_model_that_cannot_be_had_is_said_alike_everywhere(
    opens: Callable[[], Any],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    events: list[ModelEvent] = []
    with opens() as url:
        settings = Settings(model=url, model_timeout_seconds=TIMEOUT)
        host = ModelHost(model_settings(settings), events.append)
        failed = host.submit(lambda _model: None).exception(60)
        host.close()
        found = doctor.model(Situation(settings=settings))
        (tmp_path / "inscope.toml").write_text(f"modelTimeoutSeconds = {TIMEOUT}\n")
        monkeypatch.setenv(FOLDER, str(tmp_path))
        (tmp_path / "a.py").write_text("x = 1\n")
        code = main(["complete", f"{tmp_path}/a.py:1:5", "--model", url, "--json"])
    printed = capsys.readouterr()
    assert isinstance(failed, RequestError)
    assert (failed.code, words in failed.message) == (ErrorCode.MODEL_SERVER, True), failed.message
    assert [event.message for event in events if event.state is ModelState.FAILED] == [failed.message]
    assert found.status is CheckStatus.FAILED
    assert words.rstrip(".") in found.detail
    assert code == 1
    assert json.loads(printed.out)["error"]["code"] == "model_server"
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_a_server_without_probabilities_is_used_and_said() -> None:
    events: list[ModelEvent] = []
    with ExitStack() as stack:
        old = stack.enter_context(serving(ollama(BuiltIn(), "built-in", has_logprobs=False)))
        settings = Settings(model=f"ollama:built-in@{old.url}", model_timeout_seconds=60)
        host = ModelHost(model_settings(settings), events.append)
        host.submit(lambda _model: None).result(60)
        host.close()
        found = doctor.model(Situation(settings=settings))
    assert any("sees no probabilities" in event.message for event in events)
    assert found.status is CheckStatus.OK
    assert "family embedded, ollama on" in found.detail
    assert "sees no probabilities" in found.detail


def test_a_server_whose_markers_are_not_known_is_said_to_be_asked_left_to_right() -> None:
    with serving(plain(BuiltIn(), "built-in")) as server:
        found = doctor.model(Situation(settings=Settings(model=server.url, model_timeout_seconds=60)))
    assert found.status is CheckStatus.OK
    assert "asked left to right, without the text after the cursor" in found.detail


def test_a_server_that_dies_is_asked_anew_by_the_next_request() -> None:
    pages: dict[str, Any] = {"/v1/models": chats}
    with serving(pages) as server:
        host = ModelHost(model_settings(Settings(model=server.url, model_timeout_seconds=TIMEOUT)))
        assert isinstance(host.submit(lambda _model: None).exception(60), RequestError)
        pages.update(plain(BuiltIn(), "built-in"))
        host.settings = model_settings(Settings(model=server.url, model_timeout_seconds=60))
        assert host.submit(lambda model: model.context).result(60) > 0
        host.close()


def test_what_a_person_says_of_a_model_reaches_it() -> None:
    settings = Settings(model_prompt=("<A>", "{prefix}"), model_key_file="k", model_session_header="x-d")
    options = options_of(settings)
    assert (options.prompt, options.key_file, options.session_header) == (("<A>", "{prefix}"), "k", "x-d")

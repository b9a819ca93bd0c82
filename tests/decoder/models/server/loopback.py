"""Completion servers on loopback that answer as vLLM, Ollama and others literally do, with the built-in model."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from decoder import load_model
from decoder.prefill import prefill

Answer = Callable[["Handler", Any], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by the server's pages, and remembers what it was asked."""

    server: Loopback
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, body: Any) -> None:  # noqa: ANN401 - JSON
        self.server.asked.append((self.path, body, dict(self.headers)))
        page = self.server.pages.get(self.path)
        try:
            if page is None:
                self.give({"error": {"message": "Not Found"}}, status=404)
            elif callable(page):
                page(self, body)
            else:
                self.give(page)
        except (BrokenPipeError, ConnectionResetError):
            self.server.left.set()

    def give(self, value: Any, *, status: int = 200) -> None:  # noqa: ANN401 - JSON
        """Answer with JSON."""
        self.send(json.dumps(value).encode(), status=status)

    def send(
        self, data: bytes, *, status: int = 200, kind: str = "application/json", length: int | None = None
    ) -> None:
        """Answer with bytes; a length that is too great ends the answer in its middle."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def stream(self, parts: Iterator[bytes]) -> None:
        """Answer in parts, and close the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()
        self.close_connection = True


class Loopback(ThreadingHTTPServer):
    """A server whose pages are JSON, or functions that answer."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = pages
        self.asked: list[tuple[str, Any, Mapping[str, str]]] = []
        self.left = threading.Event()
        """Set once a client has closed a connection amid an answer."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def requests(self, path: str) -> list[Any]:
        """The bodies of what was asked of a page."""
        return [body for asked, body, _ in self.asked if asked == path]


@contextmanager
def serving(pages: Mapping[str, Any]) -> Iterator[Loopback]:
    """The server, until the block ends."""
    with Loopback(pages) as server:
        thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class BuiltIn:
    """The built-in model as servers run it: greedy, by ids or by text, with the best tokens of each place."""

    def __init__(self) -> None:
        self._model = load_model()
        self._lock = threading.Lock()
        self.vocabulary = self._model.vocabulary
        self.names = {token: spelling for spelling, token in self.vocabulary.special.items()}

    def ids(self, prompt: str) -> list[int]:
        """A text with markers in it."""
        special = self.vocabulary.special
        pieces = re.split("(" + "|".join(map(re.escape, special)) + ")", prompt)
        return [
            token
            for piece in pieces
            for token in ([special[piece]] if piece in special else self.vocabulary.encode(piece))
        ]

    def greedy(self, prompt: list[int], count: int, best: int) -> Iterator[tuple[int, float, list[tuple[int, float]]]]:
        """Each token, its log-probability, and the best ones; the end of the text is the last."""
        tokens = list(prompt)
        for _ in range(count):
            with self._lock:
                read = prefill(self._model, tokens)
            assert read is not None
            logits = read.logits[-1].astype(np.float64)
            logs = logits - logits.max() - math.log(np.exp(logits - logits.max()).sum())
            order = np.argsort(-logs, kind="stable")[:best].tolist()
            yield order[0], float(logs[order[0]]), [(token, float(logs[token])) for token in order]
            tokens.append(order[0])
            if order[0] in self.vocabulary.end:
                return


def vllm(model: BuiltIn, name: str, root: str, *, most: int = 20) -> Mapping[str, Any]:
    """The pages of vLLM (docs: OpenAI-compatible server); it refuses more than `most` log-probabilities."""

    def completions(handler: Handler, body: Any) -> None:  # noqa: ANN401 - JSON
        if body["logprobs"] > most:
            message = f"Requested sample logprobs of {body['logprobs']}, which is greater than max allowed: {most}"
            handler.give({"error": {"message": message, "type": "BadRequestError", "code": 400}}, status=400)
            return
        assert body["return_tokens_as_token_ids"]

        def parts() -> Iterator[bytes]:
            text_offset = 0
            for token, value, best in model.greedy(body["prompt"], body["max_tokens"], body["logprobs"]):
                is_end = token in model.vocabulary.end
                choice = {
                    "index": 0,
                    "text": model.vocabulary.token_bytes[token].decode("utf-8", "replace"),
                    "logprobs": {
                        "text_offset": [text_offset],
                        "token_logprobs": [value],
                        "tokens": [f"token_id:{token}"],
                        "top_logprobs": [{f"token_id:{one}": each for one, each in best}],
                    },
                    "finish_reason": "stop" if is_end else None,
                }
                said = {"id": "cmpl-1", "object": "text_completion", "model": name, "choices": [choice]}
                yield f"data: {json.dumps(said)}\n\n".encode()
            yield b"data: [DONE]\n\n"

        handler.stream(parts())

    return {
        "/version": {"version": "0.11.0"},
        "/v1/models": {
            "object": "list",
            "data": [{"id": name, "object": "model", "root": root, "max_model_len": 2048}],
        },
        "/v1/completions": completions,
    }


def ollama(model: BuiltIn, name: str, *, has_logprobs: bool = True) -> Mapping[str, Any]:
    """The pages of Ollama (docs/api.md); versions before 0.12.11 drop what they do not know in silence."""
    spelled = [model.names.get(token, "x") for token in range(model.vocabulary.size)]
    types = [3 if token in model.names else 1 for token in range(model.vocabulary.size)]

    def generate(handler: Handler, body: Any) -> None:  # noqa: ANN401 - JSON
        assert body["raw"] is True

        def shown(token: int, value: float) -> dict[str, Any]:
            written = model.vocabulary.token_bytes[token]
            text = model.names.get(token) or written.decode("utf-8", "replace")
            return {"token": text, "logprob": value, "bytes": list(text.encode() if token in model.names else written)}

        def parts() -> Iterator[bytes]:
            ended = False
            for token, value, best in model.greedy(model.ids(body["prompt"]), body["options"]["num_predict"], 20):
                if token in model.vocabulary.end:  # Ollama does not send the end's own token
                    ended = True
                    break
                said: dict[str, Any] = {
                    "model": name, "response": shown(token, value)["token"], "done": False,
                }  # fmt: skip
                if has_logprobs and body.get("logprobs"):
                    said["logprobs"] = [{**shown(token, value), "top_logprobs": [shown(*one) for one in best]}]
                yield json.dumps(said).encode() + b"\n"
            reason = "stop" if ended else "length"
            yield json.dumps({"model": name, "response": "", "done": True, "done_reason": reason}).encode() + b"\n"

        if body["stream"]:
            handler.stream(parts())
            return
        said = [json.loads(part) for part in parts()]
        handler.give({**said[-1], "response": "".join(part["response"] for part in said)})

    info = {
        "general.architecture": "llama",
        "llama.context_length": 2048,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": spelled,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.eos_token_id": 0,
    }
    return {
        "/api/version": {"version": "0.12.11" if has_logprobs else "0.11.0"},
        "/api/tags": {"models": [{"name": f"{name}:latest"}, {"name": "other:1b"}]},
        "/api/show": lambda handler, body: handler.give(
            {"model_info": info, "parameters": "num_ctx    2048", "template": "{{ .Prompt }}", "asked": body["model"]}
        ),
        "/api/generate": generate,
    }


def plain(model: BuiltIn, name: str) -> Mapping[str, Any]:
    """A server of OpenAI's completions that says no log-probabilities, and one text however many are asked for."""

    def completions(handler: Handler, body: Any) -> None:  # noqa: ANN401 - JSON
        tokens = [token for token, _, _ in model.greedy(model.ids(body["prompt"]), body["max_tokens"], 1)]
        is_end = tokens[-1] in model.vocabulary.end
        text = model.vocabulary.decode(tokens)
        choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": "stop" if is_end else "length"}
        if body["stream"]:
            handler.stream(iter([f"data: {json.dumps({'choices': [choice]})}\n\n".encode(), b"data: [DONE]\n\n"]))
        else:
            handler.give({"object": "text_completion", "model": name, "choices": [choice]})

    return {"/v1/models": {"data": [{"id": name, "object": "model"}]}, "/v1/completions": completions}

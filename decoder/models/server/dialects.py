"""The requests and answers of each kind of completion server.

A `ServerDialect` makes the body of a request, and reads the steps of an answer: a `StreamStep` is a token that the
server chose, with the best tokens there. `Plain` is for servers that say no probabilities. `server.probe` chooses the
dialect, and `server.model` sends the requests. Knows nothing of the decode loop.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

_BEST = 40
"""The most tokens of a row that a server is asked for."""
_FEWER = 20
"""The most that vLLM and Ollama give by default. vLLM's limit can be raised, so that it is asked for `_BEST` first."""
_FEWEST = 5
"""The most that OpenAI gives."""
BEST_COUNTS = (_BEST, _FEWER, _FEWEST)
"""The numbers of best tokens to ask for in turn, as a server may refuse to give so many."""

OLLAMA_PATH, LLAMA_PATH, COMPLETIONS_PATH = "/api/generate", "/completion", "/v1/completions"

Json = Mapping[str, Any]
Prompt = Sequence[int] | str | Sequence[int | str]
"""The ids of tokens, a text in which markers are spelled, or both mixed."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A token and its probability, as a server says them."""

    id: int | None
    """The server's id of the token; None where the server does not say it."""
    written: bytes
    """The bytes that the token writes; a marker's spelling. Empty where only the id is known."""
    log_probability: float
    """Natural logarithm."""


@dataclass(frozen=True, slots=True)
class StreamStep:
    """The token that the server chose, and the best tokens there, among which the chosen one may lack."""

    chosen: Scored
    best: tuple[Scored, ...]


class ServerDialect(Protocol):
    """How one kind of server is asked for the best tokens at each place."""

    @property
    def path(self) -> str:
        """The path to which requests are sent."""

    def body(self, prompt: Prompt, count: int) -> Json:
        """The request for the `count` tokens that follow `prompt`, of which each is the most probable."""

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """The request for one token with changed logits; None where the server has no such request.

        Args:
            bias: By id of a token: either None for each, to ban these tokens; or a large number of nats for each, which
                is added to its logit, to have one of these tokens. A server may allow only these instead.
        """

    def steps(self, part: Json) -> tuple[StreamStep, ...]:
        """The steps in one part of a streamed answer."""


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """llama.cpp's server, tools/server/README.md: `POST /completion`."""

    best: int = _BEST
    path: str = LLAMA_PATH

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "prompt": prompt, "n_predict": count, "n_probs": self.best, "temperature": 0, "stream": True,
            "cache_prompt": True, "return_tokens": True,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """See `ServerDialect`.

        Only probabilities after the samplers show the bias; the only sampler, a temperature of 1, changes nothing.
        """
        biases = [[token, False if value is None else value] for token, value in bias.items()]
        return {
            **self.body(prompt, 1), "temperature": 1, "samplers": ["temperature"], "post_sampling_probs": True,
            "logit_bias": biases,
        }  # fmt: skip

    def steps(self, part: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return tuple(
            _read_step(token, token.get("top_logprobs") or token.get("top_probs"))
            for token in part.get("completion_probabilities") or ()
        )


@dataclass(frozen=True, slots=True)
class Vllm:
    """vLLM, docs: serving/openai_compatible_server, Completions API with its extra parameters."""

    model: str
    best: int = _BEST
    path: str = COMPLETIONS_PATH

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True, "return_tokens_as_token_ids": True, "add_special_tokens": False,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """See `ServerDialect`. vLLM's best tokens do not show the bias, only the token that it chooses does."""
        banned = {str(token): -100 for token, value in bias.items() if value is None}
        allowed = [token for token, value in bias.items() if value is not None]
        restriction = {"allowed_token_ids": allowed} if allowed else {}
        return {**self.body(prompt, 1), "logit_bias": banned, **restriction}

    def steps(self, part: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _read_openai_steps(part)


@dataclass(frozen=True, slots=True)
class TextCompletions:
    """Any other `/v1/completions` that names tokens by their text, as OpenAI's did."""

    model: str
    best: int = _FEWER
    path: str = COMPLETIONS_PATH

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:  # noqa: ARG002 - the protocol's
        """See `ServerDialect`."""
        return None

    def steps(self, part: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _read_openai_steps(part)


@dataclass(frozen=True, slots=True)
class Ollama:
    """Ollama, docs/api.md: `POST /api/generate` with `raw`; `logprobs` since 0.12.11."""

    model: str
    best: int = _FEWER
    path: str = OLLAMA_PATH

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "raw": True, "stream": True, "logprobs": True,
            "top_logprobs": self.best, "options": {"temperature": 0, "num_predict": count},
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:  # noqa: ARG002 - the protocol's
        """See `ServerDialect`."""
        return None

    def steps(self, part: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return tuple(_read_step(token, token.get("top_logprobs")) for token in part.get("logprobs") or ())


def _read_step(chosen: Json, best: Iterable[Json] | None) -> StreamStep:
    """A step as llama.cpp and Ollama give it."""
    return StreamStep(_read_token(chosen), tuple(map(_read_token, best or ())))


def _read_token(token: Json) -> Scored:
    """A token as llama.cpp and Ollama give it: with `logprob`, or with `prob` where it is after the samplers."""
    log_probability = token.get("logprob")
    if log_probability is None:
        probability = float(token.get("prob", 0.0))
        log_probability = math.log(probability) if probability > 0 else -math.inf
    given_bytes = token.get("bytes")
    written = bytes(given_bytes) if given_bytes else str(token.get("token", "")).encode()
    return Scored(token.get("id"), written, float(log_probability))


def _read_openai_steps(part: Json) -> tuple[StreamStep, ...]:
    """The steps in a part of OpenAI's legacy form: lists, in parallel, of tokens, log-probabilities and best tokens."""
    lists = next((choice.get("logprobs") for choice in part.get("choices") or ()), None)
    if not lists or not lists.get("tokens"):
        return ()
    best_tokens = lists.get("top_logprobs") or [{}] * len(lists["tokens"])
    return tuple(
        StreamStep(_read_named_token(token, value), tuple(_read_named_token(*best) for best in (by_name or {}).items()))
        for token, value, by_name in zip(lists["tokens"], lists["token_logprobs"], best_tokens, strict=False)
        if value is not None
    )


def _read_named_token(name: str, log_probability: float) -> Scored:
    r"""The token with a name: its text, or `token_id:17`, or `bytes:\xe2\x80` for a part of a character."""
    if name.startswith("token_id:"):
        return Scored(int(name.removeprefix("token_id:")), b"", log_probability)
    if name.startswith("bytes:"):
        written = name.removeprefix("bytes:").encode().decode("unicode_escape").encode("latin-1")
        return Scored(None, written, log_probability)
    return Scored(None, name.encode(), log_probability)


def texts(answer: Json) -> Iterator[tuple[str, bool]]:
    """The texts of an answer that is not streamed, each with whether the model itself ended it."""
    for choice in answer.get("choices") or ():
        yield str(choice.get("text") or ""), choice.get("finish_reason") == "stop"
    if "response" in answer:
        yield str(answer["response"] or ""), answer.get("done_reason") == "stop"
    if "content" in answer:
        yield str(answer["content"] or ""), answer.get("stop_type") in ("eos", "word")


@dataclass(frozen=True, slots=True)
class Plain:
    """The requests for texts to a server that says no probabilities."""

    model: str
    path: str

    def body(self, prompt: str, count: int, *, temperature: float, number: int = 1) -> Json:
        """The request for `number` texts of at most `count` tokens; servers that cannot give several give one."""
        if self.path == OLLAMA_PATH:
            options = {"temperature": temperature, "num_predict": count}
            return {"model": self.model, "prompt": prompt, "raw": True, "stream": False, "options": options}
        if self.path == LLAMA_PATH:
            return {"prompt": prompt, "n_predict": count, "temperature": temperature, "stream": False}
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "temperature": temperature, "n": number,
            "stream": False,
        }  # fmt: skip

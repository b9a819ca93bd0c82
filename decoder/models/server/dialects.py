"""The requests and answers of each kind of completion server.

A `ServerDialect` makes the body of a request, and reads the steps of an answer: a `StreamStep` is a token that the
server chose, with the best tokens there. `TextRequests` is for servers that give no probabilities. `server.probe`
chooses the dialect, and `server.model` sends the requests. Knows nothing of the decode loop.
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
_ALLOWED = 100.0
"""Nats that are added to the logits of tokens among which llama.cpp is to choose: more than any two logits differ."""

OLLAMA_PATH, LLAMA_PATH, COMPLETIONS_PATH = "/api/generate", "/completion", "/v1/completions"

JsonObject = Mapping[str, Any]
"""The body of a request, or an object in an answer."""
Prompt = Sequence[int] | str | Sequence[int | str]
"""The ids of tokens, a text in which markers are spelled, or both mixed."""


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token and its probability, as a server gives them."""

    id: int | None
    """The server's id of the token; None where the server does not give it."""
    written: bytes
    """The bytes that the token writes; a marker's spelling. Empty where only the id is known."""
    log_probability: float
    """Natural logarithm."""


@dataclass(frozen=True, slots=True)
class StreamStep:
    """The token that the server chose, and the best tokens there, among which the chosen one may lack."""

    chosen: ScoredToken
    best: tuple[ScoredToken, ...]


class ServerDialect(Protocol):
    """How one kind of server is asked for the best tokens at each place."""

    @property
    def path(self) -> str:
        """The path to which requests are sent."""

    def body(self, prompt: Prompt, count: int) -> JsonObject:
        """The request for the `count` tokens that follow `prompt`, of which each is the most probable."""

    def body_among(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject | None:
        """The request for one token, which is one of `tokens`; None where the server has no such request."""

    def body_without(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject | None:
        """The request for one token, which is none of `tokens`; None where the server has no such request."""

    def steps(self, part: JsonObject) -> tuple[StreamStep, ...]:
        """The steps in one part of a streamed answer."""


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """llama.cpp's server, tools/server/README.md: `POST /completion`."""

    best: int = _BEST
    path: str = LLAMA_PATH

    def body(self, prompt: Prompt, count: int) -> JsonObject:
        """See `ServerDialect`."""
        return {
            "prompt": prompt, "n_predict": count, "n_probs": self.best, "temperature": 0, "stream": True,
            "cache_prompt": True, "return_tokens": True,
        }  # fmt: skip

    def body_among(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject:
        """See `ServerDialect`."""
        return self._biased(prompt, [[token, _ALLOWED] for token in tokens])

    def body_without(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject:
        """See `ServerDialect`."""
        return self._biased(prompt, [[token, False] for token in tokens])

    def _biased(self, prompt: Prompt, biases: Sequence[Sequence[float]]) -> JsonObject:
        """The request for one token with a change to the logits of some, or with False to ban them.

        Only probabilities after the samplers show the bias; the only sampler, a temperature of 1, changes nothing.
        """
        return {
            **self.body(prompt, 1), "temperature": 1, "samplers": ["temperature"], "post_sampling_probs": True,
            "logit_bias": biases,
        }  # fmt: skip

    def steps(self, part: JsonObject) -> tuple[StreamStep, ...]:
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

    def body(self, prompt: Prompt, count: int) -> JsonObject:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True, "return_tokens_as_token_ids": True, "add_special_tokens": False,
        }  # fmt: skip

    def body_among(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject:
        """See `ServerDialect`."""
        return {**self.body(prompt, 1), "logit_bias": {}, "allowed_token_ids": [*tokens]}

    def body_without(self, prompt: Prompt, tokens: Sequence[int]) -> JsonObject:
        """See `ServerDialect`. vLLM's best tokens do not show the bias, only the token that it chooses does."""
        return {**self.body(prompt, 1), "logit_bias": {str(token): -100 for token in tokens}}

    def steps(self, part: JsonObject) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _read_openai_steps(part)


@dataclass(frozen=True, slots=True)
class TextCompletions:
    """Any other `/v1/completions` that names tokens by their text, as OpenAI's did."""

    model: str
    best: int = _FEWER
    path: str = COMPLETIONS_PATH

    def body(self, prompt: Prompt, count: int) -> JsonObject:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True,
        }  # fmt: skip

    def body_among(self, prompt: Prompt, tokens: Sequence[int]) -> None:
        """See `ServerDialect`."""

    def body_without(self, prompt: Prompt, tokens: Sequence[int]) -> None:
        """See `ServerDialect`."""

    def steps(self, part: JsonObject) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _read_openai_steps(part)


@dataclass(frozen=True, slots=True)
class Ollama:
    """Ollama, docs/api.md: `POST /api/generate` with `raw`; `logprobs` since 0.12.11."""

    model: str
    best: int = _FEWER
    path: str = OLLAMA_PATH

    def body(self, prompt: Prompt, count: int) -> JsonObject:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "raw": True, "stream": True, "logprobs": True,
            "top_logprobs": self.best, "options": {"temperature": 0, "num_predict": count},
        }  # fmt: skip

    def body_among(self, prompt: Prompt, tokens: Sequence[int]) -> None:
        """See `ServerDialect`."""

    def body_without(self, prompt: Prompt, tokens: Sequence[int]) -> None:
        """See `ServerDialect`."""

    def steps(self, part: JsonObject) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return tuple(_read_step(token, token.get("top_logprobs")) for token in part.get("logprobs") or ())


def _read_step(chosen: JsonObject, best: Iterable[JsonObject] | None) -> StreamStep:
    """A step as llama.cpp and Ollama give it."""
    return StreamStep(_read_token(chosen), tuple(map(_read_token, best or ())))


def _read_token(token: JsonObject) -> ScoredToken:
    """A token as llama.cpp and Ollama give it: with `logprob`, or with `prob` where it is after the samplers."""
    log_probability = token.get("logprob")
    if log_probability is None:
        probability = float(token.get("prob", 0.0))
        log_probability = math.log(probability) if probability > 0 else -math.inf
    given_bytes = token.get("bytes")
    written = bytes(given_bytes) if given_bytes else str(token.get("token", "")).encode()
    return ScoredToken(token.get("id"), written, float(log_probability))


def _read_openai_steps(part: JsonObject) -> tuple[StreamStep, ...]:
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


def _read_named_token(name: str, log_probability: float) -> ScoredToken:
    r"""The token with a name: its text, or `token_id:17`, or `bytes:\xe2\x80` for a part of a character."""
    if name.startswith("token_id:"):
        return ScoredToken(int(name.removeprefix("token_id:")), b"", log_probability)
    if name.startswith("bytes:"):
        written = name.removeprefix("bytes:").encode().decode("unicode_escape").encode("latin-1")
        return ScoredToken(None, written, log_probability)
    return ScoredToken(None, name.encode(), log_probability)


def texts(answer: JsonObject) -> Iterator[tuple[str, bool]]:
    """The texts of an answer that is not streamed, each with whether the model itself ended it."""
    for choice in answer.get("choices") or ():
        yield str(choice.get("text") or ""), choice.get("finish_reason") == "stop"
    if "response" in answer:
        yield str(answer["response"] or ""), answer.get("done_reason") == "stop"
    if "content" in answer:
        yield str(answer["content"] or ""), answer.get("stop_type") in ("eos", "word")


@dataclass(frozen=True, slots=True)
class TextRequests:
    """The requests to a server that gives texts without probabilities."""

    model: str
    path: str

    def body(self, prompt: str, count: int, *, temperature: float, number: int = 1) -> JsonObject:
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

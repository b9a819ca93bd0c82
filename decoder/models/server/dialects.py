"""What each kind of server is sent for some tokens, and what its answer says of each token.

A `Step` is one token that the server chose, with the best tokens there. Tokens have an id where the server says one,
and their bytes. Knows nothing of the decode loop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

BEST = 40
"""The most tokens of a row that a server is asked for."""
FEWER = 20
"""What vLLM and Ollama give where they are not told otherwise."""

OLLAMA_PATH, LLAMA_PATH = "/api/generate", "/completion"

Json = Mapping[str, Any]
Prompt = Sequence[int] | str | Sequence[int | str]
"""Ids, a text in which markers are spelled, or both mixed."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One token of a row."""

    id: int | None
    written: bytes
    """What it writes; the marker's spelling where it is one."""
    log_probability: float


@dataclass(frozen=True, slots=True)
class StreamStep:
    """What the server chose, and the best tokens there, which may lack it."""

    chosen: Scored
    best: tuple[Scored, ...]


class ServerDialect(Protocol):
    """How one kind of server is asked for the best tokens at each place."""

    @property
    def path(self) -> str:
        """The page that is asked."""

    def body(self, prompt: Prompt, count: int) -> Json:
        """What is sent for `count` tokens, the most probable one each."""

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """What is sent for one token among others: what each token's logit gets, None bans it.

        None where the server cannot.
        """

    def steps(self, said: Json) -> tuple[StreamStep, ...]:
        """Those in one part of a streamed answer."""


@dataclass(frozen=True, slots=True)
class LlamaServer:
    """llama.cpp's server, tools/server/README.md: `POST /completion`."""

    best: int = BEST
    path: str = LLAMA_PATH

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "prompt": prompt, "n_predict": count, "n_probs": self.best, "temperature": 0, "stream": True,
            "cache_prompt": True, "return_tokens": True,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """See `ServerDialect`. The biased probabilities are those after all samplers, of which there is none."""
        biases = [[token, False if value is None else value] for token, value in bias.items()]
        return {
            **self.body(prompt, 1), "temperature": 1, "samplers": ["temperature"], "post_sampling_probs": True,
            "logit_bias": biases,
        }  # fmt: skip

    def steps(self, said: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return tuple(
            StreamStep(
                _scored(one), tuple(_scored(best) for best in one.get("top_logprobs") or one.get("top_probs") or ())
            )
            for one in said.get("completion_probabilities") or ()
        )


@dataclass(frozen=True, slots=True)
class Vllm:
    """vLLM, docs: serving/openai_compatible_server, Completions API with its extra parameters."""

    model: str
    best: int = BEST
    path: str = "/v1/completions"

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True, "return_tokens_as_token_ids": True, "add_special_tokens": False,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:
        """See `ServerDialect`. Its rows are those before the bias; the token that it chooses is not."""
        banned = {str(token): -100 for token, value in bias.items() if value is None}
        allowed = [token for token, value in bias.items() if value is not None]
        among = {"allowed_token_ids": allowed} if allowed else {}
        return {**self.body(prompt, 1), "logit_bias": banned, **among}

    def steps(self, said: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _openai_steps(said)


@dataclass(frozen=True, slots=True)
class TextCompletions:
    """Any `/v1/completions` that gives log-probabilities by text, as OpenAI's did."""

    model: str
    best: int = FEWER
    path: str = "/v1/completions"

    def body(self, prompt: Prompt, count: int) -> Json:
        """See `ServerDialect`."""
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "logprobs": self.best, "temperature": 0,
            "stream": True,
        }  # fmt: skip

    def narrowed(self, prompt: Prompt, bias: Mapping[int, float | None]) -> Json | None:  # noqa: ARG002 - the protocol's
        """See `ServerDialect`."""
        return None

    def steps(self, said: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return _openai_steps(said)


@dataclass(frozen=True, slots=True)
class Ollama:
    """Ollama, docs/api.md: `POST /api/generate` with `raw`; `logprobs` since 0.12.11."""

    model: str
    best: int = FEWER
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

    def steps(self, said: Json) -> tuple[StreamStep, ...]:
        """See `ServerDialect`."""
        return tuple(
            StreamStep(_scored(one), tuple(map(_scored, one.get("top_logprobs") or ())))
            for one in said.get("logprobs") or ()
        )


def _scored(one: Json) -> Scored:
    """A token as llama.cpp and Ollama give it; probabilities are natural where the samplers have been."""
    value = one.get("logprob")
    if value is None:
        probability = float(one.get("prob", 0.0))
        value = math.log(probability) if probability > 0 else -math.inf
    written = one.get("bytes")
    text = str(one.get("token", "")).encode() if not written else bytes(written)
    return Scored(one.get("id"), text, float(value))


def _openai_steps(part: Json) -> tuple[StreamStep, ...]:
    """The legacy form: parallel lists of tokens, values and maps."""
    said = next((choice.get("logprobs") for choice in part.get("choices") or ()), None)
    if not said or not said.get("tokens"):
        return ()
    tops = said.get("top_logprobs") or [{}] * len(said["tokens"])
    return tuple(
        StreamStep(_named(token, value), tuple(_named(*best) for best in (top or {}).items()))
        for token, value, top in zip(said["tokens"], said["token_logprobs"], tops, strict=False)
        if value is not None
    )


def _named(token: str, value: float) -> Scored:
    r"""A token by its text, or as `token_id:17`; bytes of a part of a character come as `bytes:\xe2\x80`."""
    if token.startswith("token_id:"):
        return Scored(int(token.removeprefix("token_id:")), b"", value)
    if token.startswith("bytes:"):
        return Scored(None, token.removeprefix("bytes:").encode().decode("unicode_escape").encode("latin-1"), value)
    return Scored(None, token.encode(), value)


def texts(said: Json) -> Iterator[tuple[str, bool]]:
    """The texts of an answer that is not streamed, each with whether the model ended it."""
    for choice in said.get("choices") or ():
        yield str(choice.get("text") or ""), choice.get("finish_reason") == "stop"
    if "response" in said:
        yield str(said["response"] or ""), said.get("done_reason") == "stop"
    if "content" in said:
        yield str(said["content"] or ""), said.get("stop_type") in ("eos", "word")


@dataclass(frozen=True, slots=True)
class Plain:
    """What a server that says no probabilities is sent for several texts."""

    model: str
    path: str

    def body(self, prompt: str, count: int, *, temperature: float, number: int = 1) -> Json:
        """What is sent for `number` texts; servers that cannot give several give one."""
        if self.path == OLLAMA_PATH:
            options = {"temperature": temperature, "num_predict": count}
            return {"model": self.model, "prompt": prompt, "raw": True, "stream": False, "options": options}
        if self.path == LLAMA_PATH:
            return {"prompt": prompt, "n_predict": count, "temperature": temperature, "stream": False}
        return {
            "model": self.model, "prompt": prompt, "max_tokens": count, "temperature": temperature, "n": number,
            "stream": False,
        }  # fmt: skip

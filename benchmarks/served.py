"""What a suggestion through llama.cpp's server costs over llama.cpp's own time for the same prompt and tokens.

    inscope bench served --model FILE.gguf                 without constraint: our loop, twelve tokens
    inscope bench served --model FILE.gguf --constrained   suggestions at fitting places, by the number of requests

The file is served as the product serves it: by a child process on loopback, with at most two threads. Each prompt is
new to the server. llama.cpp's own time is what it reports of one request for as many tokens, without the best tokens of
each place, which our loop asks for. Both ways take turns, so that a busy machine slows them alike; only the ratios of a
run are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import places
from benchmarks.documents import document
from benchmarks.timing import machine_line
from benchmarks.unconstrained import unconstrained
from context_index import Workspace, parse
from decoder import CompletionTask, ModelOptions, SamplingOptions, complete, load_model
from decoder.loop import generate
from decoder.models.server.model import Place, ServerModel, TopRows
from decoder.sampling import Sampler
from lsp_server.paths import existing

TOKENS = 12
"""Tokens of a suggestion; under the constraint, at most so many."""
_PROMPT = 256
"""Tokens of a prompt."""
_PATIENCE_S = 300.0
"""How long the server may take for an answer."""


@dataclass(frozen=True, slots=True)
class ServedTimes:
    """What one suggestion took."""

    ours: float
    """Milliseconds through our loop."""
    bare: float
    """Milliseconds that llama.cpp reports of one request for as many tokens after the same prompt."""
    requests: int = 1
    tokens: int = TOKENS

    @property
    def ratio(self) -> float:
        """How many times longer our loop takes."""
        return self.ours / self.bare


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=existing, required=True, help="a GGUF file")
    parser.add_argument("--constrained", action="store_true", help="suggestions under the constraint")
    parser.add_argument("--rounds", type=int, default=15, help="prompts, or places of a language (default: 15)")
    parser.add_argument("--longest", type=int, default=1 << 20, help="the most characters above a place")
    arguments = parser.parse_args()
    model = load_model(str(arguments.model), device="cpu", options=ModelOptions(timeout_seconds=_PATIENCE_S))
    assert isinstance(model, ServerModel)  # noqa: S101 - a GGUF file is served
    try:
        if arguments.constrained:
            print("\n".join(_by_requests(list(_time_constrained(model, arguments.rounds, arguments.longest)))))
        else:
            title = f"{_PROMPT} tokens of prompt, {TOKENS} written"
            print(_line(title, list(_time_unconstrained(model, arguments.rounds))))
    finally:
        model.close()
    print(machine_line())
    return 0


def _line(title: str, suggestions: Sequence[ServedTimes]) -> str:
    """The medians of some suggestions, for people."""
    ratios = sorted(times.ratio for times in suggestions)
    quartiles = f"{ratios[len(ratios) // 4]:.2f} to {ratios[len(ratios) * 3 // 4]:.2f}"
    ours, bare = median(times.ours for times in suggestions), median(times.bare for times in suggestions)
    return (
        f"{title}: n {len(suggestions)}, ours {ours:.0f} ms, llama.cpp {bare:.0f} ms; "
        f"ratio x{median(ratios):.2f} (quartiles {quartiles})"
    )


def _by_requests(suggestions: Sequence[ServedTimes]) -> Iterator[str]:
    """A line for each number of requests that a suggestion took."""
    groups: Mapping[int, list[ServedTimes]] = defaultdict(list)
    for times in suggestions:
        groups[times.requests].append(times)
    for requests, group in sorted(groups.items()):
        yield _line(f"{requests} requests, {sum(times.tokens for times in group) / len(group):.1f} tokens", group)


def _ask_bare(model: ServerModel, prompt: object, count: int) -> float:
    """Ask llama.cpp for `count` tokens after a prompt, without its cache; the milliseconds that it reports."""
    body = {
        "prompt": prompt, "n_predict": count, "temperature": 0, "cache_prompt": False, "ignore_eos": True,
        "stream": False,
    }  # fmt: skip
    timings = model._client.ask("/completion", body)["timings"]
    return float(timings["prompt_ms"]) + float(timings["predicted_ms"])


def _time_unconstrained(model: ServerModel, rounds: int) -> Iterator[ServedTimes]:
    """Time our loop and the bare request, which is the first at every other prompt; the first round is a warm-up."""
    vocabulary = model.vocabulary.ended_by(frozenset())
    ordinary = [token for token, text in enumerate(vocabulary.token_bytes) if text]
    for number in range(rounds + 1):
        prompt = [ordinary[(number * 101 + place * 37) % len(ordinary)] for place in range(_PROMPT)]
        bare = None if number % 2 else _ask_bare(model, prompt, TOKENS)
        our_prompt = [*prompt[1:], prompt[0]]  # as long, and different from its first token on
        started = time.perf_counter()
        run = unconstrained(TOKENS, vocabulary)
        generate(model.branch(), our_prompt, run, Sampler(SamplingOptions()))
        ours = (time.perf_counter() - started) * 1e3
        if bare is None:
            bare = _ask_bare(model, prompt, TOKENS)
        if number and len(run.tokens) == TOKENS:
            yield ServedTimes(ours, bare)


def _time_constrained(model: ServerModel, count: int, longest: int) -> Iterator[ServedTimes]:
    """Time suggestions under the constraint at `count` fitting places of each language, then the same prompts bare.

    The model's method that asks the server is replaced by one that also remembers the prompts. The rows that the model
    keeps of earlier answers are dropped before each suggestion.

    Args:
        longest: The most characters above a place.
    """
    rows = model._rows
    assert isinstance(rows, TopRows)  # noqa: S101 - llama-server says the best tokens
    prompts: list[Any] = []
    ask = rows._ask

    def remember_and_ask(place: Place, number: int) -> None:
        prompts.append(rows._spelling.prompt(place))
        ask(place, number)

    rows._ask = remember_and_ask  # type: ignore[assignment, method-assign]  # the same, remembered
    for language in places.LANGUAGES:
        fitting = [place for place in places.load("fitting", language) if place.offset <= longest]
        for number in range(count):
            place = fitting[number * len(fitting) // count]
            workspace = Workspace((Path(place.root),))
            syntax = parse(document(place.path, place.torn))
            symbols = workspace.context(syntax, place.offset)
            task = CompletionTask(place.torn[: place.offset], place.torn[place.offset :], symbols, max_tokens=TOKENS)
            prompts.clear()
            rows.close()
            rows._cache = type(rows._cache)()
            rows.requests = 0
            started = time.perf_counter()
            completion = complete(model.branch(), task)
            ours = (time.perf_counter() - started) * 1e3
            workspace.close()
            if prompts and completion.tokens:
                bare = _ask_bare(model, prompts[0], max(1, len(completion.tokens)))
                yield ServedTimes(ours, bare, rows.requests, len(completion.tokens))


if __name__ == "__main__":
    sys.exit(main())

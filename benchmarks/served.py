"""What a suggestion through llama.cpp's server costs over llama.cpp's own time for the same prompt and tokens.

    inscope bench served --model FILE.gguf                 without constraint: our loop, twelve tokens
    inscope bench served --model FILE.gguf --constrained   suggestions at fitting places, by the number of requests

The file is served as the product serves it: a child on loopback, two threads at most. Each prompt is new to the server.
Its own time is what it says of one request for as many tokens, without the best tokens of each place. Prompts
and both ways take turns, so a busy machine slows all alike; only the ratios of a run are compared.
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
_PROMPT = 256
_PATIENT = 300.0


@dataclass(frozen=True, slots=True)
class ServedTimes:
    """One suggestion."""

    ours: float
    """Milliseconds."""
    bare: float
    """Milliseconds in llama.cpp, of a request of its own."""
    requests: int = 1
    tokens: int = TOKENS

    @property
    def ratio(self) -> float:
        """Ours over the bare time."""
        return self.ours / self.bare


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=existing, required=True, help="a GGUF file")
    parser.add_argument("--constrained", action="store_true", help="suggestions under the constraint")
    parser.add_argument("--rounds", type=int, default=15, help="prompts, or places of a language (default: 15)")
    arguments = parser.parse_args()
    model = load_model(str(arguments.model), device="cpu", options=ModelOptions(timeout_seconds=_PATIENT))
    assert isinstance(model, ServerModel)  # noqa: S101 - a GGUF file is served
    try:
        if arguments.constrained:
            print("\n".join(_by_requests(list(_constrained(model, arguments.rounds)))))
        else:
            print(_line(f"{_PROMPT} tokens of prompt, {TOKENS} written", list(_unconstrained(model, arguments.rounds))))
    finally:
        model.close()
    print(machine_line())
    return 0


def _line(title: str, taken: Sequence[ServedTimes]) -> str:
    ratios = sorted(one.ratio for one in taken)
    quarters = f"{ratios[len(ratios) // 4]:.2f} to {ratios[len(ratios) * 3 // 4]:.2f}"
    ours, bare = median(one.ours for one in taken), median(one.bare for one in taken)
    return (
        f"{title}: n {len(taken)}, ours {ours:.0f} ms, llama.cpp {bare:.0f} ms; "
        f"ratio x{median(ratios):.2f} (quartiles {quarters})"
    )


def _by_requests(taken: Sequence[ServedTimes]) -> Iterator[str]:
    groups: Mapping[int, list[ServedTimes]] = defaultdict(list)
    for one in taken:
        groups[one.requests].append(one)
    for requests, here in sorted(groups.items()):
        yield _line(f"{requests} requests, {sum(one.tokens for one in here) / len(here):.1f} tokens", here)


def _bare(model: ServerModel, prompt: object, count: int) -> float:
    """Milliseconds that llama.cpp says it took for a prompt that it has not in its cache, and some tokens."""
    body = {
        "prompt": prompt, "n_predict": count, "temperature": 0, "cache_prompt": False, "ignore_eos": True,
        "stream": False,
    }  # fmt: skip
    timings = model._client.ask("/completion", body)["timings"]
    return float(timings["prompt_ms"]) + float(timings["predicted_ms"])


def _unconstrained(model: ServerModel, rounds: int) -> Iterator[ServedTimes]:
    vocabulary = model.vocabulary.ended_by(frozenset())
    ordinary = [token for token, text in enumerate(vocabulary.token_bytes) if text]
    for number in range(rounds + 1):
        prompt = [ordinary[(number * 101 + place * 37) % len(ordinary)] for place in range(_PROMPT)]
        bare = None if number % 2 else _bare(model, prompt, TOKENS)
        other = [*prompt[1:], prompt[0]]  # as long, and another from its first token on
        started = time.perf_counter()
        run = unconstrained(TOKENS, vocabulary)
        generate(model.branch(), other, run, Sampler(SamplingOptions()))
        ours = (time.perf_counter() - started) * 1e3
        if bare is None:
            bare = _bare(model, prompt, TOKENS)
        if number and len(run.tokens) == TOKENS:  # the first is not counted
            yield ServedTimes(ours, bare)


def _constrained(model: ServerModel, count: int) -> Iterator[ServedTimes]:
    rows = model._rows
    assert isinstance(rows, TopRows)  # noqa: S101 - llama-server says the best tokens
    asked: list[Any] = []
    ask = rows._ask

    def remembering(place: Place, number: int) -> None:
        asked.append(rows._spelling.prompt(place))
        ask(place, number)

    rows._ask = remembering  # type: ignore[assignment, method-assign]  # the same, remembered
    for language in places.LANGUAGES:
        here = places.load("fitting", language)
        for number in range(count):
            place = here[number * len(here) // count]
            workspace = Workspace((Path(place.root),))
            syntax = parse(document(place.path, place.torn))
            symbols = workspace.context(syntax, place.offset)
            task = CompletionTask(place.torn[: place.offset], place.torn[place.offset :], symbols, max_tokens=TOKENS)
            asked.clear()
            rows.close()
            rows._cache = type(rows._cache)()
            rows.requests = 0
            started = time.perf_counter()
            written = complete(model.branch(), task)
            ours = (time.perf_counter() - started) * 1e3
            workspace.close()
            if asked and written.tokens:
                bare = _bare(model, asked[0], max(1, len(written.tokens)))
                yield ServedTimes(ours, bare, rows.requests, len(written.tokens))


if __name__ == "__main__":
    sys.exit(main())

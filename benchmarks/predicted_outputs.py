"""Predicted outputs, as published: accepted and rejected tokens against where and how a draft goes wrong.

In the first two tables, which are also written as SVG plots, no model computes: the output is given, so the counts are
those of the draft policies alone. Two more answer what the published report left open: why counts may vary, and what
happens at temperatures above zero, on the embedded model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.given_output import GivenOutput
from benchmarks.svg_plot import Series, plot
from benchmarks.timing import line, machine, machine_line
from benchmarks.unconstrained import unconstrained
from context_index import Language
from decoder import Model, load_model
from decoder.draft import Aligned, Costs, Counts, Drafter, Reference
from decoder.loop import generate
from decoder.prompt.rewriting import rewrite_prompt
from decoder.sampling import Sampler, SamplingOptions

LENGTH = 120
"""Tokens of the output. No two are equal, as in the report's alphabet and pairs of letters."""
POSITIONS = range(0, LENGTH, 4)
"""Where the draft goes wrong."""
INSERTED = (1, 2, 4, 8, 16, 32)
"""How many tokens the draft lacks in its middle."""
TEMPERATURES = (0.0, 0.3, 0.7, 1.0)
"""The temperatures at which outputs are sampled."""
MACHINES: dict[str, Callable[[], Costs]] = {
    "idle core": Costs,
    "a forward of 16 costs 3": lambda: Costs((1, 8, 16, 32, 64), (1.0, 1.9, 3.0, 5.4, 10.0)),
    "batch that has room": lambda: Costs((1, 8, 16, 32, 64), (1.0, 1.0, 1.0, 1.01, 1.05)),
}
"""What forwards of several tokens cost, from which the aligned policy chooses how much of its draft to verify."""
FOLDER = Path(__file__).parent / "plots"
POLICIES: dict[str, Callable[[Sequence[int]], Drafter]] = {"reference": Reference, "aligned": Aligned}


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench predicted-outputs", description=__doc__)
    parser.add_argument("--plots", type=Path, default=FOLDER, metavar="DIR", help="where the plots go")
    parser.add_argument("--seeds", type=int, default=3, help="samples at each temperature above 0 (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    bifurcations = {name: [_bifurcation(policy, at) for at in POSITIONS] for name, policy in POLICIES.items()}
    inserted = {name: {n: _insertion(policy, n) for n in INSERTED} for name, policy in POLICIES.items()}
    varied = {name: by_kind(_count(Aligned(_edited_draft(), costs=costs))) for name, costs in MACHINES.items()}
    sampled = _sample(arguments.seeds)
    _plot(arguments.plots, bifurcations, inserted)
    if arguments.json:
        figures = {
            "bifurcation": {name: [by_kind(counts) for counts in row] for name, row in bifurcations.items()},
            "inserted": {name: {n: by_kind(counts) for n, counts in row.items()} for name, row in inserted.items()},
            "machines": varied,
            "temperatures": sampled,
        }
        print(json.dumps({"machine": machine(), **figures}))
        return 0
    print(machine_line())
    line(f"\none bifurcation in {LENGTH} tokens", *(f"at {place}" for place in POSITIONS[::5]), width=14)
    for name, row in bifurcations.items():
        line(f"  {name}: accepted / rejected", *map(_accepted_and_rejected, row[::5]), width=14)
    line("\ntokens missing in the middle", *map(str, INSERTED), width=14)
    for name, by_number in inserted.items():
        line(f"  {name}: accepted / rejected", *map(_accepted_and_rejected, by_number.values()), width=14)
        line(f"  {name}: forwards", *(str(counts.forwards) for counts in by_number.values()), width=14)
    print("\nthe same draft and output, other costs of a forward (why counts vary)")
    for name, sums in varied.items():
        line(f"  {name}", ", ".join(f"{kind} {count}" for kind, count in sums.items()), width=70)
    print("\nthe embedded model unforced, its greedy output as the draft, 120 tokens")
    for temperature, means in sampled.items():
        line(f"  temperature {temperature}", ", ".join(f"{key} {value}" for key, value in means.items()), width=90)
    return 0


def _accepted_and_rejected(counts: Counts) -> str:
    return f"{counts.accepted} / {counts.rejected}"


def _bifurcation(policy: Callable[[Sequence[int]], Drafter], place: int) -> Counts:
    """The counts of a policy whose draft is the output up to a place, and wrong in each token from there on."""
    return _count(policy([*range(place), *[LENGTH] * (LENGTH - place)]))


def _insertion(policy: Callable[[Sequence[int]], Drafter], count: int) -> Counts:
    """The counts of a policy whose draft lacks `count` tokens in the output's middle."""
    middle = (LENGTH - count) // 2
    return _count(policy([*range(middle), *range(middle + count, LENGTH)]))


def _edited_draft() -> list[int]:
    """A draft with one token replaced, one missing and one too many."""
    return [*range(20), LENGTH, *range(21, 50), *range(51, 80), LENGTH, *range(80, LENGTH)]


def _count(drafter: Drafter) -> Counts:
    """What becomes of a drafter's tokens while the tokens 0, 1, 2 and so on are written."""
    model = GivenOutput(range(LENGTH))
    run = unconstrained(LENGTH)
    generate(model, [0], run, Sampler(SamplingOptions()), drafter)
    return run.ledger.counts(run.tokens)


def _sample(seeds: int) -> dict[str, dict[str, float]]:
    """By temperature: mean counts of sampled outputs whose draft is the greedy output."""
    model = load_model(device="cpu")
    text = (
        "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"
    )
    prompt = rewrite_prompt(model.card, Language.PYTHON, "rename item to entry", text).tokens
    greedy, _ = _write(model, prompt, SamplingOptions(), Reference(()))
    figures = {}
    for temperature in TEMPERATURES:
        by_seed, equal = [], []
        for seed in range(seeds if temperature else 1):
            options = SamplingOptions(temperature=temperature, seed=seed)
            undrafted, _ = _write(model, prompt, options, Reference(()))
            drafted, counts = _write(model, prompt, options, Aligned(greedy, prompt, costs=Costs))
            by_seed.append(by_kind(counts))
            equal.append(undrafted == drafted)
        figures[str(temperature)] = {
            **{kind: round(mean(counts[kind] for counts in by_seed), 1) for kind in by_seed[0]},
            "same as undrafted": sum(equal) / len(equal),
        }
    return figures


def _write(model: Model, prompt: Sequence[int], options: SamplingOptions, drafter: Drafter) -> tuple[list[int], Counts]:
    """The `LENGTH` tokens that a model writes unconstrained, and what became of the drafter's."""
    run = unconstrained(LENGTH)
    generate(model, prompt, run, Sampler(options), drafter)
    return run.tokens, run.ledger.counts(run.tokens)


def by_kind(counts: Counts) -> dict[str, int]:
    """How many tokens were accepted, rejected and so on, and how many forwards there were, by name."""
    names = ("accepted", "rejected", "extra", "copied", "generated", "forwards")
    return {name: getattr(counts, name) for name in names}


def _plot(folder: Path, bifurcations: dict[str, list[Counts]], inserted: dict[str, dict[int, Counts]]) -> None:
    """Draw the published figures for both policies."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [float(place) for place in POSITIONS]
    series = [
        Series(f"{name}, {kind}", places, [float(getattr(counts, kind)) for counts in row])
        for name, row in bifurcations.items()
        for kind in ("accepted", "rejected")
    ]
    plot(folder / "bifurcation.svg", "One bifurcation", "its position in the draft", "tokens", series)
    numbers = [float(number) for number in INSERTED]
    forwards = [
        Series(name, numbers, [float(counts.forwards) for counts in by_number.values()])
        for name, by_number in inserted.items()
    ]
    plot(folder / "insertion.svg", "Tokens missing in the middle of the draft", "how many", "forwards", forwards)


if __name__ == "__main__":
    raise SystemExit(main())

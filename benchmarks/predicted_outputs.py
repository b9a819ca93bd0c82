"""Predicted outputs, as published: accepted and rejected tokens against where and how a draft goes wrong.

No model computes: the output is given, so the counts are those of the policies alone. Plots are written as SVG.
What the published report left open follows: temperatures above zero on the embedded model, and why counts may vary.
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
"""Tokens of the output; each is another, as in the report's alphabet and pairs of letters."""
POSITIONS = range(0, LENGTH, 4)
INSERTED = (1, 2, 4, 8, 16, 32)
TEMPERATURES = (0.0, 0.3, 0.7, 1.0)
MACHINES: dict[str, Callable[[], Costs]] = {
    "idle core": Costs,
    "a forward of 16 costs 3": lambda: Costs((1, 8, 16, 32, 64), (1.0, 1.9, 3.0, 5.4, 10.0)),
    "batch that has room": lambda: Costs((1, 8, 16, 32, 64), (1.0, 1.0, 1.0, 1.01, 1.05)),
}
FOLDER = Path(__file__).parent / "plots"
POLICIES: dict[str, Callable[[Sequence[int]], Drafter]] = {"reference": Reference, "aligned": Aligned}


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench predicted-outputs", description=__doc__)
    parser.add_argument("--plots", type=Path, default=FOLDER, metavar="DIR", help="where the plots go")
    parser.add_argument("--seeds", type=int, default=3, help="samples at each temperature above 0 (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    bifurcations = {name: [_bifurcated(make, place) for place in POSITIONS] for name, make in POLICIES.items()}
    inserted = {name: {count: _inserted(make, count) for count in INSERTED} for name, make in POLICIES.items()}
    varied = {name: by_kind(_run(Aligned(_edited(), costs=costs))) for name, costs in MACHINES.items()}
    sampled = _sampled(arguments.seeds)
    _plot(arguments.plots, bifurcations, inserted)
    if arguments.json:
        figures = {
            "bifurcation": {name: [by_kind(one) for one in row] for name, row in bifurcations.items()},
            "inserted": {name: {n: by_kind(one) for n, one in row.items()} for name, row in inserted.items()},
            "machines": varied,
            "temperatures": sampled,
        }
        print(json.dumps({"machine": machine(), **figures}))
        return 0
    print(machine_line())
    line(f"\none bifurcation in {LENGTH} tokens", *(f"at {place}" for place in POSITIONS[::5]), width=14)
    for name, row in bifurcations.items():
        line(f"  {name}: accepted / rejected", *(f"{one.accepted} / {one.rejected}" for one in row[::5]), width=14)
    line("\ntokens missing in the middle", *map(str, INSERTED), width=14)
    for name, counted in inserted.items():
        line(f"  {name}: accepted / rejected", *(f"{o.accepted} / {o.rejected}" for o in counted.values()), width=14)
        line(f"  {name}: forwards", *(str(one.forwards) for one in counted.values()), width=14)
    print("\nthe same draft and output, other costs of a forward (why counts vary)")
    for name, sums in varied.items():
        line(f"  {name}", ", ".join(f"{kind} {count}" for kind, count in sums.items()), width=70)
    print("\nthe embedded model unforced, its greedy output as the draft, 120 tokens")
    for temperature, means in sampled.items():
        line(f"  temperature {temperature}", ", ".join(f"{key} {value}" for key, value in means.items()), width=90)
    return 0


def _bifurcated(make: Callable[[Sequence[int]], Drafter], place: int) -> Counts:
    """The draft is the output up to a place, and wrong in each token from there on."""
    return _run(make([*range(place), *[LENGTH] * (LENGTH - place)]))


def _inserted(make: Callable[[Sequence[int]], Drafter], count: int) -> Counts:
    """The output has tokens in its middle that the draft lacks."""
    middle = (LENGTH - count) // 2
    return _run(make([*range(middle), *range(middle + count, LENGTH)]))


def _edited() -> list[int]:
    """A draft with a token replaced, one missing and one too many."""
    return [*range(20), LENGTH, *range(21, 50), *range(51, 80), LENGTH, *range(80, LENGTH)]


def _run(drafter: Drafter) -> Counts:
    model = GivenOutput(range(LENGTH))
    run = unconstrained(LENGTH)
    generate(model, [0], run, Sampler(SamplingOptions()), drafter)
    return run.ledger.counts(run.tokens)


def _sampled(seeds: int) -> dict[str, dict[str, float]]:
    """The greedy output as the draft of sampled ones: what agrees is accepted."""
    model = load_model(device="cpu")
    text = (
        "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n    return result\n"
    )
    prompt = rewrite_prompt(model.vocabulary, Language.PYTHON, "rename item to entry", text).tokens
    greedy, _ = _free(model, prompt, SamplingOptions(), Reference(()))
    figures = {}
    for temperature in TEMPERATURES:
        counted, same = [], []
        for seed in range(seeds if temperature else 1):
            options = SamplingOptions(temperature=temperature, seed=seed)
            plain, _ = _free(model, prompt, options, Reference(()))
            drafted, counts = _free(model, prompt, options, Aligned(greedy, prompt, costs=Costs))
            counted.append(counts)
            same.append(plain == drafted)
        figures[str(temperature)] = {
            **{kind: round(mean(by_kind(one)[kind] for one in counted), 1) for kind in by_kind(counted[0])},
            "same as undrafted": sum(same) / len(same),
        }
    return figures


def _free(model: Model, prompt: Sequence[int], options: SamplingOptions, drafter: Drafter) -> tuple[list[int], Counts]:
    run = unconstrained(LENGTH)
    generate(model, prompt, run, Sampler(options), drafter)
    return run.tokens, run.ledger.counts(run.tokens)


def by_kind(counts: Counts) -> dict[str, int]:
    """What became of the tokens, and how many forwards it took."""
    names = ("accepted", "rejected", "extra", "copied", "generated", "forwards")
    return {name: getattr(counts, name) for name in names}


def _plot(folder: Path, bifurcations: dict[str, list[Counts]], inserted: dict[str, dict[int, Counts]]) -> None:
    """Write the published figures, of both policies."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [float(place) for place in POSITIONS]
    series = [
        Series(f"{name}, {kind}", places, [float(getattr(one, kind)) for one in row])
        for name, row in bifurcations.items()
        for kind in ("accepted", "rejected")
    ]
    plot(folder / "bifurcation.svg", "One bifurcation", "its position in the draft", "tokens", series)
    counts = [float(count) for count in INSERTED]
    forwards = [Series(name, counts, [float(one.forwards) for one in row.values()]) for name, row in inserted.items()]
    plot(folder / "insertion.svg", "Tokens missing in the middle of the draft", "how many", "forwards", forwards)


if __name__ == "__main__":
    raise SystemExit(main())

"""Whether a suggestion's probability means what it says, and what each setting of `inline.eagerness` would show.

    inscope bench calibration --out DIRECTORY --set heldout    ask at the pauses, and go on where an earlier run ended
    inscope bench calibration --out DIRECTORY --crossed        each by weights that are fitted to all other packages

At the frozen pauses (`inscope bench pauses`) the product is asked as a person asks it, and nothing is decided by time.
Each beginning of its text has a probability of being exactly what was typed next. In each tenth a pause counts once,
by its longest beginning there. What a setting would show is the longest beginning that is probable enough; whether that
is accepted by itself `inscope bench replays --eagerness` measures.

DIRECTORY/observed.jsonl has the features of each beginning and whether it was right: `inscope train --calibration` fits
the weights to those of the set `fitting`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from benchmarks import pauses
from benchmarks.pauses import Pause
from benchmarks.replays import ASKED, ReplayRow, is_exact, measure, read
from benchmarks.shares import share
from benchmarks.svg_plot import Series, plot
from benchmarks.timing import machine_line
from decoder.calibration import Calibration, built_in
from lsp_server.engine.suggestion import LEAST_PROBABLE
from training.calibration_fit import fitted

OBSERVED = "observed.jsonl"
_TENTHS, _CLASSES = 10, 3
_ENOUGH = 100
"""Pauses from which on a tenth's share means something."""


@dataclass(frozen=True, slots=True)
class PauseBeginning:
    """A beginning of a suggestion at a pause."""

    pause: Pause
    text: str
    features: Mapping[str, float]
    probability: float

    @property
    def is_exact(self) -> bool:
        """Whether it was typed next."""
        return is_exact(self.pause, self.text)


def main() -> int:
    """Measure, and print the tables."""
    parser = pauses.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where answers are kept, and from where it goes on")
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--crossed", action="store_true", help="fit anew for each package; see above")
    parser.add_argument("--plot", type=Path, help="write the reliability diagram as SVG")
    arguments = parser.parse_args()
    found = pauses.sample(pauses.load(arguments.set, arguments.language, arguments.state), arguments.sample)
    arguments.out.mkdir(parents=True, exist_ok=True)
    measure(found, [ASKED], arguments.out, arguments.model, judges=False)
    rows = [one for one in read(found, arguments.out) if one.answer.row == ASKED and not one.is_silent]
    _save(rows, arguments.out / OBSERVED)
    weights = _crossed(rows) if arguments.crossed else dict.fromkeys((one.pause.package for one in rows), built_in())
    by_pause = [list(_beginnings(one, weights[one.pause.package])) for one in rows]
    tables = (_reliability(by_pause), _by_place(by_pause), _shown(by_pause, len(found)))
    print("\n\n".join("\n".join(table) for table in tables), "", machine_line(), sep="\n")
    if arguments.plot:
        _plot(arguments.plot, by_pause)
    return 0


def _beginnings(row: ReplayRow, weights: Calibration) -> Iterator[PauseBeginning]:
    """The beginnings of a suggestion that may be shown, the shortest first; the probability falls."""
    features = [(length, one) for length, one in row.answer.features if length <= len(row.answer.text)]
    falling = accumulate((weights.probability(one) for _, one in features), min)
    for (length, one), probability in zip(features, falling, strict=True):
        if length in row.answer.readable:
            yield PauseBeginning(row.pause, row.answer.text[:length], one, probability)


def _save(rows: Sequence[ReplayRow], path: Path) -> None:
    weights = built_in()
    observed = (one for row in rows for one in _beginnings(row, weights))
    lines = [json.dumps({"features": one.features, "exact": one.is_exact}) for one in observed]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _crossed(rows: Sequence[ReplayRow]) -> Mapping[str, Calibration]:
    """For each package the weights that are fitted to all others."""
    every = [one for row in rows for one in _beginnings(row, built_in())]
    return {
        package: fitted([(one.features, one.is_exact) for one in every if one.pause.package != package])
        for package in {row.pause.package for row in rows}
    }


# Tables


def _parts(
    by_pause: Sequence[Sequence[PauseBeginning]], count: int = _TENTHS
) -> Mapping[int, Sequence[PauseBeginning]]:
    """The longest beginning of each pause in each part of the scale."""
    parts: dict[int, list[PauseBeginning]] = {number: [] for number in range(count)}
    for beginnings in by_pause:
        longest = {min(count - 1, int(one.probability * count)): one for one in beginnings}
        for number, one in longest.items():
            parts[number].append(one)
    return parts


def _mean_probability(some: Sequence[PauseBeginning]) -> float:
    """In percent."""
    return 100 * sum(one.probability for one in some) / len(some)


def _reliability(by_pause: Sequence[Sequence[PauseBeginning]]) -> Iterator[str]:
    yield "| probability | pauses | mean, % | exactly right, % | difference |"
    yield "|---|---|---|---|---|"
    for number, some in _parts(by_pause).items():
        if some:
            yield f"| {number / _TENTHS:.1f} to {(number + 1) / _TENTHS:.1f} {_figures(some)}"


def _figures(some: Sequence[PauseBeginning]) -> str:
    right = share(one.is_exact for one in some)
    few = "" if len(some) >= _ENOUGH else " (few)"
    return (
        f"| {len(some)}{few} | {_mean_probability(some):.1f} | {right} | {right.value - _mean_probability(some):+.1f} |"
    )


def _by_place(by_pause: Sequence[Sequence[PauseBeginning]]) -> Iterator[str]:
    yield "| at | third | pauses | mean, % | exactly right, % | difference |"
    yield "|---|---|---|---|---|---|"
    places = {state: [some for some in by_pause if some and some[0].pause.state == state] for state in pauses.STATES}
    places |= {kind: [some for some in by_pause if some and some[0].pause.kind == kind] for kind in pauses.KINDS}
    for name, here in places.items():
        for number, some in _parts(here, _CLASSES).items():
            if some:
                yield f"| {name} | {number + 1} {_figures(some)}"


def _shown(by_pause: Sequence[Sequence[PauseBeginning]], asked: int) -> Iterator[str]:
    yield f"| | pauses of {asked} | shown, % | exactly right of those, % | characters |"
    yield "|---|---|---|---|---|"
    for name, least in LEAST_PROBABLE.items():
        longest = [[one for one in some if one.probability >= least][-1:] for some in by_pause]
        shown = [one for some in longest for one in some]
        if shown:
            characters = sum(len(one.text.strip()) for one in shown) / len(shown)
            right = share(one.is_exact for one in shown)
            yield f"| {name} | {len(shown)} | {100 * len(shown) / asked:.1f} | {right} | {characters:.1f} |"


def _plot(path: Path, by_pause: Sequence[Sequence[PauseBeginning]]) -> None:
    tenths = [some for some in _parts(by_pause).values() if len(some) >= _ENOUGH]
    said = [_mean_probability(some) for some in tenths]
    right = [share(one.is_exact for one in some).value for some in tenths]
    title = "Reliability of a suggestion's probability"
    lines = [Series("exactly right", said, right), Series("as said", [0.0, 100.0], [0.0, 100.0])]
    plot(path, title, "mean probability, %", "exactly right, %", lines)


if __name__ == "__main__":
    sys.exit(main())

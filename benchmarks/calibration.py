"""Whether a suggestion's probability means what it says, and what each setting of `inline.eagerness` would show.

    inscope bench calibration --out DIRECTORY --set heldout    ask at the pauses, and go on where an earlier run ended
    inscope bench calibration --out DIRECTORY --crossed        each by weights that are fitted to all other packages

At the frozen pauses (`inscope bench pauses`) the product is asked as a person asks it, without a deadline. Each
beginning of its text has a probability of being exactly what was typed next. The scale of probabilities is cut into
tenths; in each tenth a pause counts once, by its longest beginning there. A setting would show the longest beginning
that is probable enough. Whether the verifier accepts that beginning, `inscope bench replays --eagerness` measures.

DIRECTORY/observed.jsonl has the features of each beginning and whether it was right. `inscope train --calibration` fits
the weights to what was observed at the set `fitting`.
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
from lsp_server.engine.suggestion import THRESHOLDS
from training.calibration_fit import fit_weights

OBSERVED = "observed.jsonl"
_TENTHS, _THIRDS = 10, 3
_ENOUGH = 100
"""With fewer pauses than this, a row of the table is marked with `(few)`, and is no point of the plot."""


@dataclass(frozen=True, slots=True)
class PauseBeginning:
    """A beginning of a suggestion at a pause."""

    pause: Pause
    text: str
    features: Mapping[str, float]
    """What the calibration weighs, by name."""
    probability: float
    """How probable it is said to be that it is exactly what was typed next."""

    @property
    def is_exact(self) -> bool:
        """Whether exactly this was typed next."""
        return is_exact(self.pause, self.text)


def main() -> int:
    """Measure, and print the tables."""
    parser = pauses.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where answers are kept, and from where it goes on")
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--crossed", action="store_true", help="fit anew for each package; see above")
    parser.add_argument("--plot", type=Path, help="write the reliability diagram as SVG")
    arguments = parser.parse_args()
    sampled = pauses.sample(pauses.load(arguments.set, arguments.language, arguments.state), arguments.sample)
    arguments.out.mkdir(parents=True, exist_ok=True)
    measure(sampled, [ASKED], arguments.out, arguments.model, judges=False)
    rows = [row for row in read(sampled, arguments.out) if row.answer.row == ASKED and not row.is_silent]
    _save(rows, arguments.out / OBSERVED)
    weights = (
        _fit_crosswise(rows) if arguments.crossed else dict.fromkeys((row.pause.package for row in rows), built_in())
    )
    by_pause = [list(_beginnings(row, weights[row.pause.package])) for row in rows]
    tables = (_reliability(by_pause), _by_place(by_pause), _table_of_settings(by_pause, len(sampled)))
    print("\n\n".join("\n".join(table) for table in tables), "", machine_line(), sep="\n")
    if arguments.plot:
        _plot(arguments.plot, by_pause)
    return 0


def _beginnings(row: ReplayRow, weights: Calibration) -> Iterator[PauseBeginning]:
    """The beginnings of a suggestion that may be shown, the shortest first.

    A longer beginning is never more probable than a shorter one, whatever the weights say.
    """
    by_length = [(length, features) for length, features in row.answer.features if length <= len(row.answer.text)]
    falling = accumulate((weights.probability(features) for _, features in by_length), min)
    for (length, features), probability in zip(by_length, falling, strict=True):
        if length in row.answer.readable:
            yield PauseBeginning(row.pause, row.answer.text[:length], features, probability)


def _save(rows: Sequence[ReplayRow], path: Path) -> None:
    """Write the features of each beginning and whether it was right, one beginning a line."""
    weights = built_in()
    observed = (beginning for row in rows for beginning in _beginnings(row, weights))
    lines = [json.dumps({"features": beginning.features, "exact": beginning.is_exact}) for beginning in observed]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _fit_crosswise(rows: Sequence[ReplayRow]) -> Mapping[str, Calibration]:
    """For each package the weights that are fitted to all other packages."""
    beginnings = [beginning for row in rows for beginning in _beginnings(row, built_in())]
    return {
        package: fit_weights(
            [(beginning.features, beginning.is_exact) for beginning in beginnings if beginning.pause.package != package]
        )
        for package in {row.pause.package for row in rows}
    }


# Tables


def _longest_by_part(
    by_pause: Sequence[Sequence[PauseBeginning]], count: int = _TENTHS
) -> Mapping[int, Sequence[PauseBeginning]]:
    """The longest beginning of each pause in each of `count` equal parts of the scale of probabilities."""
    parts: dict[int, list[PauseBeginning]] = {number: [] for number in range(count)}
    for beginnings in by_pause:
        longest = {min(count - 1, int(beginning.probability * count)): beginning for beginning in beginnings}
        for number, beginning in longest.items():
            parts[number].append(beginning)
    return parts


def _mean_probability(beginnings: Sequence[PauseBeginning]) -> float:
    """In percent."""
    return 100 * sum(beginning.probability for beginning in beginnings) / len(beginnings)


def _reliability(by_pause: Sequence[Sequence[PauseBeginning]]) -> Iterator[str]:
    """The table that compares each tenth's mean probability with how many of its beginnings were right."""
    yield "| probability | pauses | mean, % | exactly right, % | difference |"
    yield "|---|---|---|---|---|"
    for number, beginnings in _longest_by_part(by_pause).items():
        if beginnings:
            yield f"| {number / _TENTHS:.1f} to {(number + 1) / _TENTHS:.1f} {_cells(beginnings)}"


def _cells(beginnings: Sequence[PauseBeginning]) -> str:
    """The last four cells of a row: pauses, mean probability, share of right ones, and the difference of both."""
    right, said = share(beginning.is_exact for beginning in beginnings), _mean_probability(beginnings)
    few = "" if len(beginnings) >= _ENOUGH else " (few)"
    return f"| {len(beginnings)}{few} | {said:.1f} | {right} | {right.value - said:+.1f} |"


def _by_place(by_pause: Sequence[Sequence[PauseBeginning]]) -> Iterator[str]:
    """The same table by thirds, for each state of the file and each kind of place."""
    yield "| at | third | pauses | mean, % | exactly right, % | difference |"
    yield "|---|---|---|---|---|---|"
    with_text = [beginnings for beginnings in by_pause if beginnings]
    groups = {state: [each for each in with_text if each[0].pause.state == state] for state in pauses.STATES}
    groups |= {kind: [each for each in with_text if each[0].pause.kind == kind] for kind in pauses.KINDS}
    for name, group in groups.items():
        for number, beginnings in _longest_by_part(group, _THIRDS).items():
            if beginnings:
                yield f"| {name} | {number + 1} {_cells(beginnings)}"


def _table_of_settings(by_pause: Sequence[Sequence[PauseBeginning]], asked: int) -> Iterator[str]:
    """The table of what each setting of `inline.eagerness` would show at the pauses that were asked about."""
    yield f"| | pauses of {asked} | shown, % | exactly right of those, % | characters |"
    yield "|---|---|---|---|---|"
    for name, least in THRESHOLDS.items():
        longest = [[each for each in beginnings if each.probability >= least][-1:] for beginnings in by_pause]
        shown = [beginning for at_most_one in longest for beginning in at_most_one]
        if shown:
            characters = sum(len(beginning.text.strip()) for beginning in shown) / len(shown)
            right = share(beginning.is_exact for beginning in shown)
            yield f"| {name} | {len(shown)} | {100 * len(shown) / asked:.1f} | {right} | {characters:.1f} |"


def _plot(path: Path, by_pause: Sequence[Sequence[PauseBeginning]]) -> None:
    """Draw the tenths that have enough pauses, beside the diagonal on which a calibrated probability is."""
    tenths = [beginnings for beginnings in _longest_by_part(by_pause).values() if len(beginnings) >= _ENOUGH]
    said = [_mean_probability(beginnings) for beginnings in tenths]
    right = [share(beginning.is_exact for beginning in beginnings).value for beginnings in tenths]
    title = "Reliability of a suggestion's probability"
    lines = [Series("exactly right", said, right), Series("as said", [0.0, 100.0], [0.0, 100.0])]
    plot(path, title, "mean probability, %", "exactly right, %", lines)


if __name__ == "__main__":
    sys.exit(main())

"""Whether a suggestion's probability means what it says, and what each setting of `inline.eagerness` shows.

    inscope bench calibration --out DIRECTORY      measure the held-out places, and go on where an earlier run ended
    inscope bench calibration --sum DIRECTORY      the tables of what has been measured
    inscope bench calibration --sum DIR --crossed  each probability by weights that are fitted to all other packages

The rest of the line is taken out at each place and asked for with three alternatives, as in `inscope bench ablation`;
nothing is decided by time. At the places of the other sets, to which `inscope train --calibration` fits, no
alternatives are asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from benchmarks.ablation import ROWS, Result, Row, measure, read
from benchmarks.places import LANGUAGES, NAMES, load
from benchmarks.shares import share
from benchmarks.svg_plot import Series, plot
from benchmarks.timing import machine_line
from decoder import Budget
from decoder.calibration import built_in
from lsp_server.cli.values import existing
from lsp_server.suggestion import ALTERNATIVES, LEAST_PROBABLE
from training.calibration_fit import fitted

HELD_OUT = "heldout2"
"""The set that nothing of a calibration is fitted to."""
WITH_ALTERNATIVES = Row("with alternatives", budget=Budget(accepted=1 + ALTERNATIVES))
_TENTHS = 10
_FEWEST_PACKAGES = 5
"""From which on the others have right and wrong suggestions."""
_ENOUGH = 40
"""Places of a tenth from which on its share means something."""


def main() -> int:
    """Measure, or add up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="where answers are kept, and from where it goes on")
    parser.add_argument("--sum", type=existing, nargs="+", help="measure nothing, add up what such folders hold")
    parser.add_argument("--set", nargs="+", default=[HELD_OUT], choices=NAMES, help=f"of places (default: {HELD_OUT})")
    parser.add_argument("--languages", nargs="*", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--count", type=int, default=600, help="places of a language (default: all)")
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--crossed", action="store_true", help="fit anew for each package; see above")
    parser.add_argument("--plot", type=Path, help="write the reliability diagram as SVG")
    arguments = parser.parse_args()
    if not arguments.sum and not arguments.out:
        parser.error("either --out or --sum is needed")
    for name, language in product(arguments.set, arguments.languages) if not arguments.sum else ():
        row = WITH_ALTERNATIVES if name == HELD_OUT else ROWS[0]
        measure(load(name, language)[: arguments.count], [row], arguments.out, arguments.model)
    names = WITH_ALTERNATIVES.name, ROWS[0].name
    by_place = {one.place: one for one in read(arguments.sum or [arguments.out]) if one.row in names}
    answers = list(by_place.values())
    if arguments.crossed:
        answers = _crossed(answers)
    elif arguments.model is None:
        answers = [_as_fitted(one) for one in answers]
    print("\n".join([*_reliability(answers), "", *_shown(answers), "", *_offered(answers), "", machine_line()]))
    if arguments.plot:
        _plot(arguments.plot, answers)
    return 0


def _as_fitted(answer: Result) -> Result:
    """With the probability that the built-in model's weights give it now, whatever they were when it was measured."""
    return replace(answer, probability=built_in().probability(answer.features)) if answer.features else answer


def _crossed(answers: Sequence[Result]) -> list[Result]:
    """With the probability by weights that are fitted to all packages but the place's own.

    Raises:
        SystemExit: they are too few.
    """
    shown = [one for one in answers if one.shown and one.features]
    if len(set(map(_package, shown))) < _FEWEST_PACKAGES:
        raise SystemExit("error: --crossed needs answers at more packages; give the folders of several sets to --sum")
    weights = {
        package: fitted([(one.features, one.exact) for one in shown if _package(one) != package])
        for package in set(map(_package, shown))
    }
    probable = [replace(one, probability=weights[_package(one)].probability(one.features)) for one in shown]
    places = {one.place for one in shown}
    return [*probable, *(one for one in answers if one.place not in places)]


def _package(answer: Result) -> str:
    return answer.place.partition("==")[0]


def _tenths(answers: Sequence[Result]) -> Mapping[int, Sequence[Result]]:
    """What was accepted, by the tenth that its probability is in."""
    tenths: dict[int, list[Result]] = {number: [] for number in range(_TENTHS)}
    for one in answers:
        if one.shown:
            tenths[min(_TENTHS - 1, int(one.probability * _TENTHS))].append(one)
    return tenths


def _said(answers: Sequence[Result]) -> float:
    return 100 * sum(one.probability for one in answers) / len(answers)


def _reliability(answers: Sequence[Result]) -> list[str]:
    lines = ["| probability | suggestions | mean, % | exactly right, % | difference |", "|---|---|---|---|---|"]
    for number, some in _tenths(answers).items():
        if some:
            right = share(one.exact for one in some)
            few = "" if len(some) >= _ENOUGH else " (few)"
            lines.append(
                f"| {number / _TENTHS:.1f} to {(number + 1) / _TENTHS:.1f} | {len(some)}{few} | {_said(some):.1f} | "
                f"{right} | {right.value - _said(some):+.1f} |"
            )
    return lines


def _shown(answers: Sequence[Result]) -> list[str]:
    thresholds = {"asked for": 0.0, **{str(name): least for name, least in LEAST_PROBABLE.items()}}
    lines = ["| | language | places | shown, % | exactly right of those, % |", "|---|---|---|---|---|"]
    for name, least in thresholds.items():
        for language, some in _by_language(answers).items():
            shown = [one for one in some if one.shown and one.probability >= least]
            shares = share(one in shown for one in some), share(one.exact for one in shown)
            lines.append(f"| {name} | {language} | {len(some)} | {' | '.join(map(str, shares))} |")
    return lines


def _offered(answers: Sequence[Result]) -> list[str]:
    lines = ["| language | places | the suggestion is right, % | it or an alternative, % |", "|---|---|---|---|"]
    for language, some in _by_language(answers).items():
        first = share(one.exact for one in some)
        offered = share(one.exact or one.rest in [text.rstrip() for text in one.alternatives] for one in some)
        lines.append(f"| {language} | {len(some)} | {first} | {offered} |")
    return lines


def _by_language(answers: Sequence[Result]) -> Mapping[str, Sequence[Result]]:
    found = {language: [one for one in answers if one.language == language] for language in LANGUAGES}
    return {**{language: some for language, some in found.items() if some}, "all": answers}


def _plot(path: Path, answers: Sequence[Result]) -> None:
    tenths = [some for some in _tenths(answers).values() if len(some) >= _ENOUGH]
    said = [_said(some) for some in tenths]
    right = [share(one.exact for one in some).value for some in tenths]
    title = "Reliability of a suggestion's probability"
    lines = [Series("exactly right", said, right), Series("as said", [0.0, 100.0], [0.0, 100.0])]
    plot(path, title, "mean probability, %", "exactly right, %", lines)


if __name__ == "__main__":
    sys.exit(main())

"""What verification refuses of code that is being written, and what it catches of mutants, while something is missing.

    inscope bench unfinished --set fitting --sample 40           some pauses of each language and state
    inscope bench unfinished --set fitting --examples 20         and true texts that are refused, with what was said

At each frozen pause (`inscope bench pauses`) the verifier is handed what was typed next: the true rest of the line, and
the true rest of the innermost block where there is one. Left out, their number given, are texts in which the checker
reports an error in the intact file, too. *Apart* are those that fail for names of the removed part alone: that are
accepted once the names that the rejections are at, as far as they are in the removed part, are declared as of unknown
type, at the file's top or in the class around.

Mutants are the true rest of the line with one thing changed. Those count for which the checker reports, in the finished
file, an error that the intact file lacks and that touches what the text became part of. Left out, their numbers given,
are those that what is written below may mend (an argument left out of an open call, a key of an open object, a pattern
before its value, an overload, a name imported from a module that is not named yet, `*/` above nothing, a member of a
class whose every error is that of the class without it), and those that cannot be seen: the finished file without the
statements and members below that are missing has no such error, or only in what is missing. (Names that these declare
are unknown there, with the mutant and without it.)
Each mutant that passes is named.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from benchmarks import pauses
from benchmarks.pauses import Pause
from benchmarks.shares import Estimate, share
from benchmarks.timing import machine_line
from benchmarks.unfinished_judges import JudgedMutant, JudgedPackage, JudgedTrueText, MutantVerdict, TrueTextOutcome
from benchmarks.unfinished_mutants import mutants

T = TypeVar("T")
_MUTANTS = 6
"""Of a pause, at most."""
_SHOWN = 100
_COUNTED = (TrueTextOutcome.ACCEPTED, TrueTextOutcome.REFUSED)


def main() -> int:
    """Measure, and print the tables."""
    arguments = _arguments()
    found = pauses.load(arguments.set, arguments.language, arguments.state)
    true, judged = measure(pauses.sample(found, arguments.sample), arguments.mutants)
    if arguments.json:
        print(json.dumps({"true": list(map(_true_row, true)), "mutants": list(map(_mutant_row, judged))}, indent=1))
        return 0
    print("\n".join((*_table(true), "", *_mutant_table(judged), "", *_passed(judged))))
    refused = (one for one in true if one.outcome is TrueTextOutcome.REFUSED)
    for one in islice(refused, arguments.examples):
        print(json.dumps(_true_row(one), ensure_ascii=False))
    print(machine_line())
    return 0


def _arguments() -> argparse.Namespace:
    parser = pauses.parser(__doc__)
    parser.add_argument("--mutants", type=int, default=_MUTANTS, help=f"of a pause (default: {_MUTANTS})")
    parser.add_argument("--examples", type=int, default=0, help="print so many true texts that are refused")
    parser.add_argument("--json", action="store_true", help="every verdict, for programs")
    return parser.parse_args()


def measure(asked: Sequence[Pause], of_each: int = _MUTANTS) -> tuple[list[JudgedTrueText], list[JudgedMutant]]:
    """All verdicts about the true texts of pauses, and about so many mutants of each; one package after the other."""
    by_root: dict[Path, list[Pause]] = defaultdict(list)
    for pause in asked:
        by_root[pause.root].append(pause)
    true: list[JudgedTrueText] = []
    judged: list[JudgedMutant] = []
    for number, (root, here) in enumerate(by_root.items(), 1):
        print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
        bench = JudgedPackage(root)
        try:
            for pause in here:
                true += bench.true_texts(pause)
                judged += map(bench.judge, mutants(pause, of_each))
        finally:
            bench.close()
    return true, judged


# Tables


def _table(true: Sequence[JudgedTrueText]) -> Iterator[str]:
    yield "| language | state | text | n | accepted, % | refused | apart (% of n and these) | intact | unverified |"
    yield "|---" * 9 + "|"
    for language, state, here in _cells(true, lambda one: one.pause):
        for what in ("line", "block"):
            texts = [one for one in here if one.what == what]
            if texts:
                yield f"| {language} | {state} | {what} | {' | '.join(map(str, _figures(texts)))} |"


def _figures(texts: Sequence[JudgedTrueText]) -> Sequence[object]:
    judged = [one for one in texts if one.outcome in _COUNTED]
    counts = {outcome: sum(one.outcome is outcome for one in texts) for outcome in TrueTextOutcome}
    apart = share(
        one.outcome is TrueTextOutcome.APART for one in texts if one.outcome in (*_COUNTED, TrueTextOutcome.APART)
    )
    return (
        len(judged),
        accepted(texts),
        counts[TrueTextOutcome.REFUSED],
        f"{counts[TrueTextOutcome.APART]} ({apart})",
        counts[TrueTextOutcome.INTACT],
        counts[TrueTextOutcome.UNVERIFIED],
    )


def accepted(texts: Iterable[JudgedTrueText]) -> Estimate:
    """The share of those that count."""
    return share(one.outcome is TrueTextOutcome.ACCEPTED for one in texts if one.outcome in _COUNTED)


def _mutant_table(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    left_out = (MutantVerdict.UNSEEN, MutantVerdict.MENDABLE, MutantVerdict.HARMLESS, MutantVerdict.UNVERIFIED)
    yield f"| language | state | mutants | refused, % | passed | {' | '.join(left_out)} |"
    yield "|---" * (5 + len(left_out)) + "|"
    for language, state, here in _cells(judged, lambda one: one.mutant.pause):
        wrong = [one for one in here if one.verdict is MutantVerdict.WRONG]
        passed = sum(not one.is_refused for one in wrong)
        others = [sum(one.verdict is verdict for one in here) for verdict in left_out]
        cells = (language, state, len(wrong), share(one.is_refused for one in wrong), passed, *others)
        yield f"| {' | '.join(map(str, cells))} |"


def _passed(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    for one in judged:
        if one.verdict is MutantVerdict.WRONG and not one.is_refused:
            yield f"passed: {json.dumps(_mutant_row(one), ensure_ascii=False)}"


def _cells(found: Sequence[T], pause_of: Callable[[T], Pause]) -> Iterator[tuple[str, str, list[T]]]:
    """What was found, by language and state."""
    for language in pauses.LANGUAGES:
        for state in pauses.STATES:
            here = [one for one in found if (pause_of(one).language, pause_of(one).state) == (language, state)]
            if here:
                yield language, state, here


def _true_row(one: JudgedTrueText) -> dict[str, object]:
    return {
        **_pause_row(one.pause),
        "what": one.what,
        "text": one.text[:_SHOWN],
        "outcome": str(one.outcome),
        "level": one.level,
        "said": one.messages,
        "names": one.names,
    }


def _mutant_row(one: JudgedMutant) -> dict[str, object]:
    return {
        **_pause_row(one.mutant.pause),
        "mutant": one.mutant.kind,
        "text": one.mutant.text[:_SHOWN],
        "seen": str(one.verdict),
        "refused": one.is_refused,
        "level": one.level,
        "said": one.messages,
    }


def _pause_row(pause: Pause) -> dict[str, object]:
    above = pause.text[: pause.offset].rpartition("\n")[2]
    names = {"pause": pause.name, "language": pause.language, "state": pause.state, "kind": pause.kind}
    return {**names, "above": above[-_SHOWN:]}


if __name__ == "__main__":
    sys.exit(main())

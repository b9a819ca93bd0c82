"""What verification refuses of code that is being written, and what it catches of mutants, while something is missing.

    inscope bench unfinished --set fitting --sample 40           some pauses of each language and state
    inscope bench unfinished --set fitting --examples 20         and true texts that are refused, with what was said

At each frozen pause (`inscope bench pauses`) the verifier is given what was typed next: the true rest of the line, a
part of it that ends with a blank, and the true rest of the innermost block, if there are such. Some texts do not count:

intact      The checker reports an error in the text in the intact file, too.
apart       The text fails only for names that the missing part declares. It is accepted once those names are declared
            as of unknown type, at the file's top or in the class around.
unverified  No checker judges the text.

A mutant is the true rest of the line with one thing changed. It counts if the checker reports, in the finished file, an
error that the intact file lacks and that touches what the text became part of. Some mutants do not count:

mendable    What is written after the mutant may make it right: an argument left out of an open call, a key of an open
            object, a pattern before its value, an overload, a name imported from a module that is not named yet, `*/`
            above nothing, or a member of a class whose errors the class without it has, too.
unseen      Nobody can see the error at the pause. The finished file without the statements and members below that are
            missing has no such error, or only in what is missing. (Names that these declare are unknown there, with
            the mutant and without it.)
harmless    The finished file has no new error that touches the text.

Each mutant that counts and is not refused is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
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
"""The most mutants of a pause."""
_SHOWN = 100
"""Characters of a text that are printed."""
_COUNTED = (TrueTextOutcome.ACCEPTED, TrueTextOutcome.REFUSED)


def main() -> int:
    """Measure, and print the tables."""
    arguments = _arguments()
    loaded = pauses.load(arguments.set, arguments.language, arguments.state)
    true_texts, judged = measure(pauses.sample(loaded, arguments.sample), arguments.mutants)
    if arguments.json:
        rows = {"true": list(map(_true_row, true_texts)), "mutants": list(map(_mutant_row, judged))}
        print(json.dumps(rows, indent=1))
        return 0
    print("\n".join((*_true_table(true_texts), "", *_mutant_table(judged), "", *_passed(judged))))
    refused = (text for text in true_texts if text.outcome is TrueTextOutcome.REFUSED)
    for text in islice(refused, arguments.examples):
        print(json.dumps(_true_row(text), ensure_ascii=False))
    print(machine_line())
    return 0


def _arguments() -> argparse.Namespace:
    parser = pauses.parser(__doc__)
    parser.add_argument("--mutants", type=int, default=_MUTANTS, help=f"of a pause (default: {_MUTANTS})")
    parser.add_argument("--examples", type=int, default=0, help="print so many true texts that are refused")
    parser.add_argument("--json", action="store_true", help="every verdict, for programs")
    return parser.parse_args()


def measure(asked: Sequence[Pause], of_each: int = _MUTANTS) -> tuple[list[JudgedTrueText], list[JudgedMutant]]:
    """Judge the true texts of pauses, and up to `of_each` mutants of each pause; one package after the other."""
    by_root: dict[Path, list[Pause]] = defaultdict(list)
    for pause in asked:
        by_root[pause.root].append(pause)
    true_texts: list[JudgedTrueText] = []
    judged: list[JudgedMutant] = []
    for number, (root, of_root) in enumerate(by_root.items(), 1):
        print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
        bench = JudgedPackage(root)
        try:
            for pause in of_root:
                true_texts += bench.true_texts(pause)
                judged += map(bench.judge, mutants(pause, of_each))
        finally:
            bench.close()
    return true_texts, judged


# Tables


def _true_table(true_texts: Sequence[JudgedTrueText]) -> Iterator[str]:
    """A row for each language, state and kind of true text."""
    yield "| language | state | text | n | accepted, % | refused | apart (% of n and these) | intact | unverified |"
    yield "|---" * 9 + "|"
    for language, state, in_cell in _cells(true_texts, lambda text: text.pause):
        for what in ("line", "part", "block"):
            texts = [text for text in in_cell if text.what == what]
            if texts:
                yield f"| {language} | {state} | {what} | {' | '.join(map(str, _figures(texts)))} |"


def _figures(texts: Sequence[JudgedTrueText]) -> Sequence[object]:
    """The cells of one row."""
    counts = Counter(text.outcome for text in texts)
    apart = share(
        text.outcome is TrueTextOutcome.APART for text in texts if text.outcome in (*_COUNTED, TrueTextOutcome.APART)
    )
    return (
        sum(counts[outcome] for outcome in _COUNTED),
        accepted(texts),
        counts[TrueTextOutcome.REFUSED],
        f"{counts[TrueTextOutcome.APART]} ({apart})",
        counts[TrueTextOutcome.INTACT],
        counts[TrueTextOutcome.UNVERIFIED],
    )


def accepted(texts: Iterable[JudgedTrueText]) -> Estimate:
    """The share that is accepted of the texts that count."""
    return share(text.outcome is TrueTextOutcome.ACCEPTED for text in texts if text.outcome in _COUNTED)


def _mutant_table(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """A row for each language and state."""
    left_out = (MutantVerdict.UNSEEN, MutantVerdict.MENDABLE, MutantVerdict.HARMLESS, MutantVerdict.UNVERIFIED)
    yield f"| language | state | mutants | refused, % | passed | {' | '.join(left_out)} |"
    yield "|---" * (5 + len(left_out)) + "|"
    for language, state, in_cell in _cells(judged, lambda mutant: mutant.mutant.pause):
        wrong = [mutant for mutant in in_cell if mutant.verdict is MutantVerdict.WRONG]
        passed = sum(not mutant.is_refused for mutant in wrong)
        others = [sum(mutant.verdict is verdict for mutant in in_cell) for verdict in left_out]
        cells = (language, state, len(wrong), share(mutant.is_refused for mutant in wrong), passed, *others)
        yield f"| {' | '.join(map(str, cells))} |"


def _passed(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """A line for each mutant that is wrong and not refused."""
    for mutant in judged:
        if mutant.verdict is MutantVerdict.WRONG and not mutant.is_refused:
            yield f"passed: {json.dumps(_mutant_row(mutant), ensure_ascii=False)}"


def _cells(judged: Sequence[T], pause_of: Callable[[T], Pause]) -> Iterator[tuple[str, str, list[T]]]:
    """The texts or mutants of each language and state that has some."""
    for language in pauses.LANGUAGES:
        for state in pauses.STATES:
            in_cell = [item for item in judged if (pause_of(item).language, pause_of(item).state) == (language, state)]
            if in_cell:
                yield language, state, in_cell


def _true_row(text: JudgedTrueText) -> dict[str, object]:
    """A true text and what was said of it, as data."""
    return {
        **_pause_row(text.pause),
        "what": text.what,
        "text": text.text[:_SHOWN],
        "outcome": str(text.outcome),
        "level": text.level,
        "said": text.messages,
        "names": text.names,
    }


def _mutant_row(judged: JudgedMutant) -> dict[str, object]:
    """A mutant and what was said of it, as data."""
    return {
        **_pause_row(judged.mutant.pause),
        "mutant": judged.mutant.kind,
        "text": judged.mutant.text[:_SHOWN],
        "seen": str(judged.verdict),
        "refused": judged.is_refused,
        "level": judged.level,
        "said": judged.messages,
    }


def _pause_row(pause: Pause) -> dict[str, object]:
    """A pause, and the text before it on its line, as data."""
    above = pause.text[: pause.offset].rpartition("\n")[2]
    names = {"pause": pause.name, "language": pause.language, "state": pause.state, "kind": pause.kind}
    return {**names, "above": above[-_SHOWN:]}


if __name__ == "__main__":
    sys.exit(main())

"""What is refused of a repository's own lines while they are being written: by the constraint, and by the verifier.

    inscope bench refusals --root DIR                              the lines of any repository, in three states
    inscope bench refusals --root DIR --language python --examples 5

Pauses are drawn in the files below DIR as in `inscope bench pauses`. The true rest of the line is written under the
decoder's constraint, which must also let it end there, and is given to the verifier. Refusals are counted by mechanism:
the rule, or the code of the verifier's first rejection.

Two kinds of lines are left out of the verifier's figures: those at which the checker reports an error in the intact
file (`intact`), and those that fail only for names of the part that is missing (`apart`). The constraint knows the
names that the workspace exports, but no names that only the missing part declares.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks import pauses
from benchmarks.pauses import Pause
from benchmarks.real_continuations import ContinuationTally, first_refusal
from benchmarks.shares import share
from benchmarks.timing import machine_line
from benchmarks.unfinished import accepted
from benchmarks.unfinished_judges import JudgedPackage, JudgedTrueText, TrueTextOutcome
from context_index import parse, unopened
from decoder.constraint.balance import Balance
from decoder.constraint.opening import Opening
from decoder.constraint.protocol import Constraint, Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from decoder.prompt.healing import heal
from lsp_server.paths import existing

_STATES = ("stretch", "block", "below")
"""What is missing of a file, as in `benchmarks/pauses.py`."""
_COUNT = 100
"""Lines of a language and state."""
_SHOWN = 60
"""Characters of a line that are printed with a refusal."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A true rest of a line, and what refuses it."""

    pause: Pause
    who: str
    """`constraint` or `verifier`."""
    mechanism: str
    """The rule of the constraint, or the code of the verifier's rejection."""
    what: str
    """What is refused after what, or the message of the rejection."""


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of one line."""

    pause: Pause
    constraint: Refused | None
    """The constraint's refusal; None where it accepts the line."""
    judged: JudgedTrueText
    """The verifier's verdict."""

    @property
    def refusals(self) -> Iterator[Refused]:
        """The refusals of the constraint and of the verifier, if there are any."""
        if self.constraint is not None:
            yield self.constraint
        if self.judged.outcome is TrueTextOutcome.REFUSED:
            code, message = self.judged.messages[0]
            yield Refused(self.pause, "verifier", code, message.partition("\n")[0])


def main() -> int:
    """Draw, measure, and print both tables and the examples."""
    arguments = _arguments()
    root = arguments.root.resolve()
    bench = JudgedPackage(root)
    try:
        outcomes = [
            LineOutcome(pause, _constraint_refusal(pause, bench), bench.line(pause)) for pause in _draw(root, arguments)
        ]
    finally:
        bench.close()
    print("\n".join((*_table(outcomes), "", *_mechanisms(outcomes, arguments.examples), machine_line())))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=existing, required=True, help="of the repository")
    parser.add_argument("--language", choices=pauses.LANGUAGES, action="append", help="default: all that it has")
    parser.add_argument("--state", choices=_STATES, action="append", help="of the file (default: all)")
    parser.add_argument("--count", type=int, default=_COUNT, help=f"lines of a language and state (default: {_COUNT})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=3, help="of each mechanism (default: 3)")
    return parser.parse_args()


def _draw(root: Path, arguments: argparse.Namespace) -> Iterator[Pause]:
    """Pauses of each language and state at which something more comes on the line."""
    for language in arguments.language or pauses.LANGUAGES:
        for state in arguments.state or _STATES:
            rng = random.Random(f"{arguments.seed} {language} {state}")  # noqa: S311 - a reproducible draw
            with_rest = (pause for pause in pauses.draw_pauses({root.name: root}, language, state, rng) if pause.rest)
            yield from islice(with_rest, arguments.count)


def _constraint_refusal(pause: Pause, bench: JudgedPackage) -> Refused | None:
    """What the decoder's constraint refuses of the rest of the line, with the half-typed word written anew.

    None if each rule accepts all of it and lets it end there.
    """
    document = pause.document
    healed = heal(document.text[: pause.offset])
    draw = random.Random(pause.name)  # noqa: S311 - a reproducible draw
    written = healed.word + pause.rest
    for rule in _rules(pause, bench, healed.prefix):
        refused = first_refusal(rule, written, draw, ContinuationTally())
        if refused is not None:
            refusal, at = refused
            return Refused(pause, "constraint", str(refusal.rule), f"{refusal.what!r} after {written[:at]!r}")
        after = rule.advance(written)
        if not isinstance(after, Refusal) and (refusal_to_end := after.may_stop()) is not None:
            return Refused(pause, "constraint", f"{refusal_to_end.rule} at the end", f"{refusal_to_end.what!r}")
    return None


def _rules(pause: Pause, bench: JudgedPackage, prefix: str) -> Iterator[Constraint]:
    """The rules at a pause: brackets, then syntax and names; `prefix` is the text before the half-typed word."""
    syntax = parse(pause.document)
    text, language = syntax.document.text, syntax.language
    yield Balance.at(prefix, text[pause.offset :], language=language)
    if opening := unopened(syntax, pause.offset):
        yield Opening.at(prefix, opening, language=language)
    entry = Entries(language).enter(prefix + text[pause.offset :], len(prefix))
    if entry.state is not None:
        yield ScopeConstraint.of(entry, bench.workspace.context(syntax, pause.offset))


def _table(outcomes: Sequence[LineOutcome]) -> Iterator[str]:
    """A row for each language and state."""
    yield "| language | state | lines | constraint refuses, % | n | verifier accepts, % | refused | apart | intact |"
    yield "|---" * 9 + "|"
    by_cell: dict[tuple[str, str], list[LineOutcome]] = defaultdict(list)
    for outcome in outcomes:
        by_cell[outcome.pause.language, outcome.pause.state].append(outcome)
    for (language, state), in_cell in by_cell.items():
        judged = [outcome.judged for outcome in in_cell]
        counts = Counter(verdict.outcome for verdict in judged)
        row = (
            language,
            state,
            len(in_cell),
            share(outcome.constraint is not None for outcome in in_cell),
            counts[TrueTextOutcome.ACCEPTED] + counts[TrueTextOutcome.REFUSED],
            accepted(judged),
            counts[TrueTextOutcome.REFUSED],
            counts[TrueTextOutcome.APART],
            counts[TrueTextOutcome.INTACT],
        )
        yield f"| {' | '.join(map(str, row))} |"


def _mechanisms(outcomes: Sequence[LineOutcome], examples: int) -> Iterator[str]:
    """How often each mechanism refuses, in each state, and some of the lines that it refuses."""
    by_mechanism: dict[tuple[str, str, str], list[Refused]] = defaultdict(list)
    for outcome in outcomes:
        for refused in outcome.refusals:
            by_mechanism[outcome.pause.language, refused.who, refused.mechanism].append(refused)
    for (language, who, mechanism), by_it in sorted(by_mechanism.items(), key=lambda item: -len(item[1])):
        states = Counter(refused.pause.state for refused in by_it)
        counts = ", ".join(f"{state} {states[state]}" for state in _STATES)
        yield f"{language}, {who}, {mechanism}: {len(by_it)} ({counts})"
        yield from (f"    {_example(refused)}" for refused in by_it[:examples])


def _example(refused: Refused) -> str:
    """A line for people: the place, the line with the cursor as a bar, and what is refused."""
    pause = refused.pause
    line = pause.text.count("\n", 0, pause.offset) + 1
    above = pause.text[: pause.offset].rpartition("\n")[2].lstrip()
    file = pause.path.relative_to(pause.root).as_posix()
    return f"{file}:{line} ({pause.state}) {json.dumps(f'{above[-_SHOWN:]}|{pause.rest[:_SHOWN]}')}: {refused.what}"


if __name__ == "__main__":
    sys.exit(main())

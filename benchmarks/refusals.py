"""What is refused of a repository's own lines while they are being written: by the constraint, and by the verifier.

    inscope bench refusals --root DIR                              the lines of any repository, in three states
    inscope bench refusals --root DIR --language python --examples 5

Pauses are drawn in the files below DIR as in `inscope bench pauses`. The true rest of the line is written under the
decoder's constraint, which must let it end there, and handed to the verifier; whatever is refused is counted by
mechanism: the rule, or the code of the verifier's first rejection. Lines in which the checker reports an error in the
intact file are left out of the verifier's figures; those that fail for names of the removed part alone are no refusals
of it, and counted apart. The constraint knows the names that a workspace exports; of names that only the removed part
declares it knows nothing.
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
_COUNT = 100
_SHOWN = 60
"""Characters of a line that are printed with a refusal."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A true rest of a line, and what refuses it."""

    pause: Pause
    who: str
    """`constraint` or `verifier`."""
    mechanism: str
    what: str


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of one line."""

    pause: Pause
    constraint: Refused | None
    judged: JudgedTrueText

    @property
    def refusals(self) -> Iterator[Refused]:
        """Those of both."""
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
        found = [line for pause in _drawn(root, arguments) for line in [_line(pause, bench)]]
    finally:
        bench.close()
    print("\n".join((*_table(found), "", *_mechanisms(found, arguments.examples), machine_line())))
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


def _drawn(root: Path, arguments: argparse.Namespace) -> Iterator[Pause]:
    """Pauses at which something more comes on the line."""
    for language in arguments.language or pauses.LANGUAGES:
        for state in arguments.state or _STATES:
            chance = random.Random(f"{arguments.seed} {language} {state}")  # noqa: S311 - a reproducible draw
            found = (pause for pause in pauses.drawn({root.name: root}, language, state, chance) if pause.rest)
            yield from islice(found, arguments.count)


def _line(pause: Pause, bench: JudgedPackage) -> LineOutcome:
    return LineOutcome(pause, _constraint_refusal(pause, bench), bench.line(pause))


def _constraint_refusal(pause: Pause, bench: JudgedPackage) -> Refused | None:
    """What the decoder's constraint refuses of the rest of the line, the half-typed word written anew."""
    document = pause.document
    healed = heal(document.text[: pause.offset])
    draw = random.Random(pause.name)  # noqa: S311 - a reproducible draw
    written = healed.word + pause.rest
    for rule in _rules(pause, bench, healed.prefix):
        found = first_refusal(rule, written, draw, ContinuationTally())
        if found is not None:
            refusal, at = found
            return Refused(pause, "constraint", str(refusal.rule), f"{refusal.what!r} after {written[:at]!r}")
        ended = rule.advance(written)
        if not isinstance(ended, Refusal) and (refusal_to_end := ended.may_stop()) is not None:
            return Refused(pause, "constraint", f"{refusal_to_end.rule} at the end", f"{refusal_to_end.what!r}")
    return None


def _rules(pause: Pause, bench: JudgedPackage, prefix: str) -> Iterator[Constraint]:
    """Brackets, then syntax and names, at the end of what is left of the text above."""
    syntax = parse(pause.document)
    text, language = syntax.document.text, syntax.language
    yield Balance.at(prefix, text[pause.offset :], language=language)
    if opening := unopened(syntax, pause.offset):
        yield Opening.at(prefix, opening, language=language)
    entry = Entries(language).enter(prefix + text[pause.offset :], len(prefix))
    if entry.state is not None:
        yield ScopeConstraint.of(entry, bench.workspace.context(syntax, pause.offset))


def _table(found: Sequence[LineOutcome]) -> Iterator[str]:
    yield "| language | state | lines | constraint refuses, % | n | verifier accepts, % | refused | apart | intact |"
    yield "|---" * 9 + "|"
    cells = dict.fromkeys((one.pause.language, one.pause.state) for one in found)
    for language, state in cells:
        here = [one for one in found if (one.pause.language, one.pause.state) == (language, state)]
        judged = [one.judged for one in here]
        counts = Counter(one.outcome for one in judged)
        row = (
            language,
            state,
            len(here),
            share(one.constraint is not None for one in here),
            counts[TrueTextOutcome.ACCEPTED] + counts[TrueTextOutcome.REFUSED],
            accepted(judged),
            counts[TrueTextOutcome.REFUSED],
            counts[TrueTextOutcome.APART],
            counts[TrueTextOutcome.INTACT],
        )
        yield f"| {' | '.join(map(str, row))} |"


def _mechanisms(found: Sequence[LineOutcome], examples: int) -> Iterator[str]:
    """How often each refuses, in each state, and some of its lines."""
    by_mechanism: dict[tuple[str, str, str], list[Refused]] = defaultdict(list)
    for one in found:
        for refused in one.refusals:
            by_mechanism[one.pause.language, refused.who, refused.mechanism].append(refused)
    for (language, who, mechanism), here in sorted(by_mechanism.items(), key=lambda item: -len(item[1])):
        states = Counter(one.pause.state for one in here)
        counts = ", ".join(f"{state} {states[state]}" for state in _STATES)
        yield f"{language}, {who}, {mechanism}: {len(here)} ({counts})"
        yield from (f"    {_shown(one)}" for one in here[:examples])


def _shown(one: Refused) -> str:
    pause = one.pause
    line = pause.text.count("\n", 0, pause.offset) + 1
    above = pause.text[: pause.offset].rpartition("\n")[2].lstrip()
    file = pause.path.relative_to(pause.root).as_posix()
    return f"{file}:{line} ({pause.state}) {json.dumps(f'{above[-_SHOWN:]}|{pause.rest[:_SHOWN]}')}: {one.what}"


if __name__ == "__main__":
    sys.exit(main())

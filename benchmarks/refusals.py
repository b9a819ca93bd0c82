"""What is refused of a repository's own lines while they are being written: by the constraint, and by the verifier.

    inscope bench refusals --root DIR                              the lines of any repository, in three states
    inscope bench refusals --root DIR --language python --examples 5

Pauses are drawn in the files below DIR as in `inscope bench pauses`. The true rest of the line is written under the
decoder's constraint, and handed to the verifier; whatever is refused is counted by mechanism: the rule, or the code of
the verifier's first rejection. Lines in which the checker reports an error in the intact file are left out of the
verifier's figures; those that fail for names of the removed part alone are no refusals of it, and counted apart. The
constraint knows the names that a workspace exports; of names that only the removed part declares it knows nothing.
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
from benchmarks.real_continuations import Tally, first_refusal
from benchmarks.shares import share
from benchmarks.timing import machine_line
from benchmarks.unfinished import accepted
from benchmarks.unfinished_judges import Bench, Judged, Outcome
from context_index import parse, unopened
from decoder.constraint.balance import Balance
from decoder.constraint.opening import Opening
from decoder.constraint.protocol import Constraint
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from decoder.prompt.healing import heal
from lsp_server.cli.values import existing

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
class Line:
    """What became of one line."""

    pause: Pause
    constraint: Refused | None
    judged: Judged

    @property
    def refusals(self) -> Iterator[Refused]:
        """Those of both."""
        if self.constraint is not None:
            yield self.constraint
        if self.judged.outcome is Outcome.REFUSED:
            code, message = self.judged.said[0]
            yield Refused(self.pause, "verifier", code, message.partition("\n")[0])


def main() -> int:
    """Draw, measure, and print both tables and the examples."""
    arguments = _arguments()
    root = arguments.root.resolve()
    bench = Bench(root)
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


def _line(pause: Pause, bench: Bench) -> Line:
    return Line(pause, _constraint_refusal(pause, bench), bench.line(pause))


def _constraint_refusal(pause: Pause, bench: Bench) -> Refused | None:
    """What the decoder's constraint refuses of the rest of the line, the half-typed word written anew."""
    document = pause.document
    healed = heal(document.text[: pause.offset])
    draw = random.Random(pause.name)  # noqa: S311 - a reproducible draw
    for rule in _rules(pause, bench, healed.prefix):
        found = first_refusal(rule, healed.word + pause.rest, draw, Tally())
        if found is not None:
            refusal, at = found
            written = (healed.word + pause.rest)[:at]
            return Refused(pause, "constraint", str(refusal.rule), f"{refusal.what!r} after {written!r}")
    return None


def _rules(pause: Pause, bench: Bench, prefix: str) -> Iterator[Constraint]:
    """Brackets, then syntax and names, at the end of what is left of the text above."""
    syntax = parse(pause.document)
    text, language = syntax.document.text, syntax.language
    yield Balance.at(prefix, text[pause.offset :], python=language.is_python)
    if opening := unopened(syntax, pause.offset):
        yield Opening.at(prefix, opening, python=language.is_python)
    entry = Entries(language).enter(prefix + text[pause.offset :], len(prefix))
    if entry.state is not None:
        yield ScopeConstraint.of(entry, bench.workspace.context(syntax, pause.offset))


def _table(found: Sequence[Line]) -> Iterator[str]:
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
            counts[Outcome.ACCEPTED] + counts[Outcome.REFUSED],
            accepted(judged),
            counts[Outcome.REFUSED],
            counts[Outcome.APART],
            counts[Outcome.INTACT],
        )
        yield f"| {' | '.join(map(str, row))} |"


def _mechanisms(found: Sequence[Line], examples: int) -> Iterator[str]:
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

"""What came of the places of `benchmarks.validity`: kept line by line, so that pieces add up to one table."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from benchmarks import timing
from benchmarks.validity_columns import COLUMNS
from benchmarks.validity_judges import JUDGE, Finding

_PER_CENT = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """One suggestion of one column."""

    language: str
    column: str
    place: str
    """The file below its packages, line and column, from 1."""
    seed: int
    shown: str
    """What is shown; empty where it is withheld."""
    findings: tuple[Finding, ...]
    breaks: bool
    """What the model wrote, before the gate looked at it, has a new syntax error."""
    waited: float
    """Seconds in which nothing was done but wait for the type checker."""
    silent_judge: bool = False
    """The checker says nothing at all of the file with what is shown."""
    original: str = ""
    """What stood there."""
    withheld: str = ""
    """Why nothing is shown."""
    text: str = ""
    """What the gate was given."""
    written: str = ""
    """All that the model wrote."""
    stop: str = ""
    open: tuple[str, ...] = ()
    """Names of which the checker knew nothing."""
    outside: tuple[str, ...] = ()
    """Names that a list lacks which may be incomplete."""


Outcomes = Mapping[str, Mapping[str, Sequence[Outcome]]]
"""By language and column."""


def append(path: Path | None, outcome: Outcome) -> None:
    """Keep one, at once: a run may be ended at any time."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


def read(paths: Iterable[Path]) -> list[Outcome]:
    """What was kept; of the same place in the same column, the last."""
    found: dict[tuple[str, str, str], Outcome] = {}
    for path in paths:
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            fields = json.loads(line)
            fields["findings"] = tuple(Finding(**one) for one in fields["findings"])
            outcome = Outcome(**fields | {name: tuple(fields[name]) for name in ("open", "outside")})
            found[outcome.language, outcome.column, outcome.place] = outcome
    return list(found.values())


def grouped(outcomes: Iterable[Outcome]) -> Outcomes:
    """By language and column, the columns in their order."""
    order = {column.name: number for number, column in enumerate(COLUMNS)}
    tables: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(outcomes, key=lambda one: order[one.column]):
        tables[one.language][one.column].append(one)
    return tables


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """One row of the table, in per cent of all places but for what is said of those shown."""
    count, shown = len(outcomes) or 1, sum(bool(one.shown) for one in outcomes) or 1
    kinds = Counter(kind for one in outcomes for kind in {finding.kind for finding in one.findings})
    judges = sum(bool(one.findings) and all(found.explained == JUDGE for found in one.findings) for one in outcomes)
    return {
        "places": len(outcomes),
        "shown %": _PER_CENT * sum(bool(one.shown) for one in outcomes) / count,
        "breaks before the gate %": _PER_CENT * sum(one.breaks for one in outcomes) / count,
        "syntax %": _PER_CENT * kinds["syntax"] / shown,
        "name %": _PER_CENT * kinds["name"] / shown,
        "member %": _PER_CENT * kinds["member"] / shown,
        "of these the judge's %": _PER_CENT * judges / shown,
        "with an open name %": _PER_CENT * sum(bool(one.shown and one.open) for one in outcomes) / shown,
        "with one outside %": _PER_CENT * sum(bool(one.shown and one.outside) for one in outcomes) / shown,
        "as it stood %": _PER_CENT * sum(one.shown.strip() == one.original.strip() for one in outcomes) / count,
        "judge silent %": _PER_CENT * sum(one.silent_judge for one in outcomes) / shown,
        "ms waiting": 1000 * mean(one.waited for one in outcomes) if outcomes else 0.0,
    }


def show(outcomes: Outcomes, *, verbose: bool) -> None:
    """The tables, and what was found in the column `all`."""
    for language, columns in outcomes.items():
        rows = {name: summary(found) for name, found in columns.items()}
        timing.line(language, *next(iter(rows.values())), width=26)
        for name, row in rows.items():
            timing.line(name, *(f"{value:.1f}" for value in row.values()), width=26)
        last = columns.get("all", ())
        files = {one.place.rsplit(":", 2)[0] for one in last}
        print(f"  {len(files)} files of {len({name.split('/')[0] for name in files})} packages or scopes")
        for reason, count in Counter(one.withheld for one in last if not one.shown).most_common():
            print(f"  all, withheld as {reason}: {count}")
        for one in last:
            if verbose or one.findings:
                print("  all:", one.withheld or "shown", one.place, repr(one.text), one.stop)
            for finding in one.findings:
                print("  all:", json.dumps(asdict(finding)))

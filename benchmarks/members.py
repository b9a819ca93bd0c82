"""Members: how often a checker's list is complete, and how often the member that is really there is missing from it.

Real accesses of real files are asked about with their name taken out. Our share is the time between question and
answer less what the checkers were waited for.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.members_places import JAVASCRIPT, TYPESCRIPT, Access, accesses, python_roots, script_roots, shared
from benchmarks.timing import line, machine, machine_line, spread_text
from context_index.oracles import Limits, Oracle, Places, Server, find_ty, find_typescript
from context_index.oracles.environments import package_folders
from context_index.oracles.jedi import Jedi, JediWorker
from context_index.symbols import Answer, Open, Position

PATIENCE = 30.0
LIMITS = Limits(answer=PATIENCE, proof=PATIENCE)
"""What is measured is what the checkers know, not what they know in time."""


@dataclass(slots=True)
class Tally:
    """What came of the questions in one language."""

    grades: Counter[str] = field(default_factory=Counter)
    by: Counter[str] = field(default_factory=Counter)
    targets: int = 0
    missing: list[str] = field(default_factory=list)
    """Members that a closed list does not have, with their places."""
    missing_targets: list[str] = field(default_factory=list)
    """The same where the member is assigned to, which may well make it."""
    outside: int = 0
    """Members that a list does not have which may not be complete."""
    seconds: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    """Our share of each question, in seconds."""

    def add(self, access: Access, place: str, answer: Answer) -> None:
        """Count one answer."""
        members = answer.members
        grade = type(members).__name__
        self.grades[grade] += 1
        self.by[answer.by] += 1
        self.targets += access.is_target
        if isinstance(members, Open) or access.name in members.names:
            return
        if grade == "Closed":
            (self.missing_targets if access.is_target else self.missing).append(place)
        else:
            self.outside += 1

    def share(self, grade: str) -> float:
        """Of all answers, in percent."""
        return 100 * self.grades[grade] / max(1, self.grades.total())


def measured(roots: Iterable[tuple[Path, Path]], suffixes: tuple[str, ...], count: int, seed: int) -> Tally:
    """Ask about `count` accesses, taken in equal parts from each folder."""
    tally = Tally()
    roots = list(roots)
    drawn = shared({folder: accesses(folder, suffixes, count, seed) for _, folder in roots}, count)
    for root, folder in roots:
        places = Places((root,))
        checker = find_ty(places) if ".py" in suffixes else find_typescript(None, (), trusted=False)
        if checker is None:
            raise SystemExit(f"error: no type checker for {folder}")
        server = Server(checker, root, LIMITS)
        jedi = Jedi(JediWorker(root, tuple(package_folders(Path(sys.prefix)))), root)
        oracle = Oracle([server, jedi] if ".py" in suffixes else [server])
        for access in drawn[folder]:
            before, asked = server.seconds + jedi.seconds, time.perf_counter()
            answer = oracle.names(access.document, access.offset, Position.MEMBER).answer(PATIENCE)
            seconds = time.perf_counter() - asked
            path = access.document.uri.rpartition(root.as_uri())[2]
            place = f"{root.name}{path}:{access.line} .{access.name}"
            tally.add(access, place, answer)
            tally.seconds.append(seconds)
            tally.own.append(seconds - (server.seconds + jedi.seconds - before))
        oracle.close()
    return tally


def report(title: str, tally: Tally) -> None:
    """One language for people."""
    total = tally.grades.total()
    by = ", ".join(f"{name} {count}" for name, count in tally.by.most_common())
    line(title, f"{total} accesses, {tally.targets} of them assigned to")
    line(
        "  closed / listed / open", *(f"{tally.share(grade):.1f} %" for grade in ("Closed", "Listed", "Open")), width=9
    )
    closed = max(1, tally.grades["Closed"])
    line("  missing from a closed list", f"{len(tally.missing)} ({100 * len(tally.missing) / closed:.2f} %)")
    line("  the same, assigned to", f"{len(tally.missing_targets)}")
    line("  outside of a listed one", f"{tally.outside} of {tally.grades['Listed']}")
    line("  answered by", by)
    line("  ms p50 / p90 / p99", spread_text([1000 * value for value in tally.seconds]))
    line("  our share of it, median ms", f"{1000 * median(tally.own):.2f}")
    for place in (*tally.missing, *(f"{one} (assigned to)" for one in tally.missing_targets)):
        print(f"    {place}")


def main() -> int:
    """Measure each language whose packages are there."""
    parser = argparse.ArgumentParser(prog="inscope bench members", description=__doc__)
    parser.add_argument("--node-modules", type=Path, help=f"with some of {', '.join((*TYPESCRIPT, *JAVASCRIPT))}")
    parser.add_argument("--count", type=int, default=1000, help="accesses per language")
    parser.add_argument("--only", choices=("typescript", "javascript", "python"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.json:
        print(machine_line())
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for title, folders, suffixes in (
            ("typescript", TYPESCRIPT, (".ts", ".tsx")),
            ("javascript", JAVASCRIPT, (".js", ".mjs", ".cjs")),
            ("python", (), (".py",)),
        ):
            if arguments.only not in (None, title) or (folders and arguments.node_modules is None):
                continue
            modules = arguments.node_modules
            roots = script_roots(modules.resolve(), folders) if folders else python_roots(Path(scratch).resolve())
            found[title] = measured(roots, suffixes, arguments.count, arguments.seed)
            if not arguments.json:
                report(title, found[title])
    if arguments.json:
        print(json.dumps({"machine": machine(), **{title: asdict(tally) for title, tally in found.items()}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How many suggestions are wrong by other people's judges: syntax, unknown names, unknown members.

    python -m benchmarks.validity --count 100 --packages node_modules

The same model at the same places of real packages (`benchmarks.validity_places`), held to nothing, to syntax, to
syntax and scope, to all; and a monitor that only filters members behind a dot by what the checker lists (Agrawal et
al. 2023, "Monitor-guided decoding"). Judges: `node --check` and CPython for syntax (TypeScript's 1xxx for TypeScript),
TypeScript's and ty's remarks inside of the inserted text for names and members, new ones only. Packages are copied, as
judges are silent about installed ones.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean

from benchmarks import timing
from benchmarks.batch_positions import Place, files, javascript_roots, python_roots
from benchmarks.validity_columns import COLUMNS, Column
from benchmarks.validity_judges import Finding, Judge
from benchmarks.validity_places import drawn
from context_index import Document, Syntax, Workspace, language_of, parse
from decoder import CompletionTask, DocumentStates, Model, SamplingOptions, Until, complete, load_model
from lsp_server.aftercare import examine
from lsp_server.gate import judge
from lsp_server.suggestion import CompletionRequest

SUFFIXES = {"javascript": (".js", ".mjs", ".cjs"), "typescript": (".ts", ".mts"), "python": (".py",)}
_MOST_FILES = 400
"""A package with more is not copied: most of its files would be data."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One suggestion of one column."""

    shown: bool
    findings: tuple[Finding, ...]
    breaks: bool
    """What the model wrote, before the gate looked at it, has a new syntax error."""
    seconds: float
    waited: float
    withheld: str = ""
    """Why nothing is shown."""
    place: str = ""
    """File, line and column, from 1, and the text that was withheld or shown."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A place, and what is wrong with its file before anything is inserted."""

    syntax: Syntax
    offset: int
    baseline: Counter[str] | None


def main() -> None:
    """Measure, and print a table and every finding of the last column but one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="places per language (default: 1000)")
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--languages", nargs="*", choices=SUFFIXES, default=list(SUFFIXES))
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--max-tokens", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    names = [column.name for column in COLUMNS]
    parser.add_argument("--columns", nargs="*", choices=names, default=names, help="default: all of them")
    parser.add_argument("--verbose", action="store_true", help="tell of each place what came of it in the column 'all'")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    model = load_model(arguments.model)
    figures = {}
    for language in arguments.languages:
        with tempfile.TemporaryDirectory() as directory:
            bench = Bench(
                model, Path(directory).resolve(), arguments.packages or javascript_roots(), arguments.max_tokens
            )
            columns = [column for column in COLUMNS if column.name in arguments.columns]
            outcomes = bench.run(language, columns, arguments.count, arguments.seed)
        figures[language] = {name: summary(found) for name, found in outcomes.items()}
        if not arguments.json:
            show(language, figures[language], outcomes.get("all", ()), verbose=arguments.verbose)
    if arguments.json:
        print(json.dumps({"machine": timing.machine(), "figures": figures}, indent=2))
    else:
        print(timing.machine_line())


class Bench:
    """One language's places, the columns over them, and the judges."""

    def __init__(self, model: Model, directory: Path, packages: Sequence[Path], max_tokens: int) -> None:
        self.model = model
        self.max_tokens = max_tokens
        self.directory = directory
        self.packages = [package.resolve() for package in packages]
        self.states = DocumentStates()

    def run(self, language: str, columns: Sequence[Column], count: int, seed: int) -> dict[str, list[Outcome]]:
        """The outcomes by column, in the order of the places."""
        rng = random.Random(seed)  # noqa: S311 - a reproducible order
        roots = python_roots()[1:] if language == "python" else self.packages
        found = [path for path in files(roots, SUFFIXES[language]) if not path.name.endswith((".d.ts", ".d.mts"))]
        judge_of = Judge(self.directory, roots)
        workspace = Workspace([self.directory])
        outcomes: dict[str, list[Outcome]] = {column.name: [] for column in columns}
        try:
            for place in self._placed(drawn(found, language, rng), roots, count):
                opened = _opened(place, judge_of)
                for column in columns:
                    outcomes[column.name].append(self._outcome(column, workspace, judge_of, opened))
        finally:
            workspace.close()
            judge_of.close()
        return outcomes

    def _placed(self, places: Iterator[Place], roots: Sequence[Path], count: int) -> Iterator[Place]:
        """Places in copies of the packages that they are in."""
        given = 0
        for place in places:
            if given == count:
                return
            copied = copy_of(place.path, roots, self.directory)
            if copied is not None:
                given += 1
                yield replace(place, path=copied)

    def _outcome(self, column: Column, workspace: Workspace, judges: Judge, opened: Opened) -> Outcome:
        syntax, offset, baseline = opened.syntax, opened.offset, opened.baseline
        text = syntax.document.text
        constrained = column.name not in ("unconstrained", "dot only")
        task = CompletionTask(
            text[:offset],
            text[offset:],
            workspace.context(syntax, offset),
            until=Until.STATEMENT,
            document=syntax.document.uri,
            syntax_errors=syntax.errors,
            constrained=constrained,
            max_tokens=self.max_tokens,
            types=workspace.types(syntax.document) if column.asks else None,
        )
        completion = complete(self.model, task, states=self.states, guard=column.guard(task, self.states))
        verdict = judge(syntax, offset, completion.text)
        request = CompletionRequest(syntax, offset, SamplingOptions(), constrained=constrained, imports=False)
        withheld = verdict.withheld or examine(request, task.symbols, verdict.text).withheld
        position = syntax.document.position(offset)
        told_place = f"{syntax.document.uri}:{position.line + 1}:{position.column + 1} {completion.text!r}"
        shown = "" if withheld else verdict.text
        breaks = judges.breaks(syntax.document, offset, completion.text, baseline)
        findings = judges.findings(syntax.document, offset, shown, baseline) if shown else ()
        report = completion.report
        told = dict.fromkeys(report.open, "open") | dict.fromkeys(report.outside, "outside")
        explained = tuple(replace(one, explained=told.get(one.name, _ours(one, task))) for one in findings)
        return Outcome(
            bool(shown),
            explained,
            breaks,
            completion.seconds,
            completion.types_seconds,
            withheld=withheld or "",
            place=told_place,
        )


def _ours(finding: Finding, task: CompletionTask) -> str:
    """Who is to blame where neither a place nor a list was open."""
    return "judge: visible by our tables" if finding.name in task.symbols.names else "ours"


def _opened(place: Place, judges: Judge) -> Opened:
    language = language_of(place.path.name)
    assert language is not None  # noqa: S101 - only files of a known language are drawn
    syntax = parse(Document(place.path.as_uri(), language, place.text))
    return Opened(syntax, syntax.document.offset(place.position), judges.baseline(syntax.document))


def copy_of(path: Path, roots: Sequence[Path], directory: Path) -> Path | None:
    """A file in a copy of its package, with a link to the packages beside it; None where that would be too much."""
    root = next(root for root in roots if path.is_relative_to(root))
    parts = path.relative_to(root).parts
    depth = 2 if parts[0].startswith("@") else 1
    if len(parts) <= depth or "node_modules" in parts:
        return None
    package, target = root.joinpath(*parts[:depth]), directory.joinpath(*parts[:depth])
    if not target.exists():
        sources = [one for one in package.rglob("*") if one.is_file() and one.suffix in _COPIED]
        if len(sources) > _MOST_FILES:
            return None
        for one in sources:
            copied = target / one.relative_to(package)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(one.read_bytes())
        name = "node_modules" if path.suffix not in (".py", ".pyi") else ".venv"
        link = directory / name
        if not link.exists():
            link.symlink_to(root if name == "node_modules" else root.parents[2])
    return directory / path.relative_to(root)


_COPIED = frozenset([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".py", ".pyi"])


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """One row of the table, in per cent of all places but for what is said of those shown."""
    count, shown = len(outcomes) or 1, sum(one.shown for one in outcomes) or 1
    kinds = Counter(kind for one in outcomes for kind in {finding.kind for finding in one.findings})
    return {
        "places": len(outcomes),
        "shown %": 100 * sum(one.shown for one in outcomes) / count,
        "breaks before the gate %": 100 * sum(one.breaks for one in outcomes) / count,
        "syntax %": 100 * kinds["syntax"] / shown,
        "name %": 100 * kinds["name"] / shown,
        "member %": 100 * kinds["member"] / shown,
        "ms": 1000 * mean(one.seconds for one in outcomes) if outcomes else 0.0,
        "of these waiting": 1000 * mean(one.waited for one in outcomes) if outcomes else 0.0,
    }


def show(language: str, rows: dict[str, dict[str, float]], last: Sequence[Outcome], *, verbose: bool) -> None:
    """One language's table, then what was found in the column `all`."""
    timing.line(language, *next(iter(rows.values())), width=26)
    for name, row in rows.items():
        timing.line(name, *(f"{value:.1f}" for value in row.values()), width=26)
    for reason, count in Counter(outcome.withheld for outcome in last if not outcome.shown).most_common():
        print(f"  all, withheld as {reason}: {count}")
    for outcome in last:
        if verbose or outcome.findings:
            print("  all:", outcome.withheld or "shown", outcome.place)
        for finding in outcome.findings:
            print("  all:", json.dumps(asdict(finding)))


if __name__ == "__main__":
    main()

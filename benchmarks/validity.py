"""How many suggestions are wrong by other people's judges: syntax, unknown names, unknown members.

    python -m benchmarks.validity --count 100 --packages node_modules
    python -m benchmarks.validity --out outcomes.jsonl --seconds 400     # once more to go on
    python -m benchmarks.validity --sum outcomes.jsonl others.jsonl

The same model at the same places of real packages (`benchmarks.validity_places`), held to nothing, to syntax, to
syntax and scope, to all; and a monitor that only filters members behind a dot by what the checker lists (Agrawal et
al. 2023, "Monitor-guided decoding"). Judges: `node --check` and CPython for syntax (TypeScript's 1xxx for TypeScript),
TypeScript's and ty's remarks inside of the inserted text for names and members, new ones only. Packages are copied, as
judges are silent about installed ones.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from benchmarks import timing
from benchmarks.batch_positions import Place, files, javascript_roots, python_roots
from benchmarks.validity_columns import COLUMNS, Column
from benchmarks.validity_copies import Copies
from benchmarks.validity_judges import Finding, Judge
from benchmarks.validity_outcomes import Outcome, append, grouped, read, show, summary
from benchmarks.validity_places import drawn
from context_index import Document, Syntax, Workspace, language_of, parse
from decoder import CompletionTask, DocumentStates, Model, SamplingOptions, Until, complete, load_model
from lsp_server.review import Review
from lsp_server.suggestion import CompletionRequest

SUFFIXES = {"javascript": (".js", ".mjs", ".cjs"), "typescript": (".ts", ".mts"), "python": (".py",)}


@dataclass(frozen=True, slots=True)
class Opened:
    """A place, and what is wrong with its file before anything is inserted."""

    name: str
    syntax: Syntax
    offset: int
    baseline: Counter[str] | None


def main() -> None:
    """Measure, or add up, and print a table and every finding of the column `all`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="places per language (default: 1000)")
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--languages", nargs="*", choices=SUFFIXES, default=list(SUFFIXES))
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--max-tokens", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    names = [column.name for column in COLUMNS]
    parser.add_argument("--columns", nargs="*", choices=names, default=names, help="default: all of them")
    parser.add_argument("--out", type=Path, help="keep each outcome as a line of this file, and go on where it ends")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after about this time, to go on later")
    parser.add_argument("--sum", type=Path, nargs="+", help="measure nothing, add up what such files hold")
    parser.add_argument("--verbose", action="store_true", help="tell of each place what came of it in the column 'all'")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tables = grouped(read(arguments.sum) if arguments.sum else _measured(arguments))
    if arguments.json:
        figures = {
            language: {name: summary(outcomes) for name, outcomes in columns.items()}
            for language, columns in tables.items()
        }
        print(json.dumps({"machine": timing.machine(), "figures": figures}, indent=2))
    else:
        show(tables, verbose=arguments.verbose)
        print(timing.machine_line())


def _measured(arguments: argparse.Namespace) -> list[Outcome]:
    """The outcomes of this run, and of those before it that its file holds."""
    until = time.monotonic() + arguments.seconds
    model = load_model(arguments.model)
    columns = [column for column in COLUMNS if column.name in arguments.columns]
    found = read([arguments.out] if arguments.out else ())
    packages = arguments.packages or javascript_roots()
    for language in arguments.languages:
        with tempfile.TemporaryDirectory() as directory:
            bench = Bench(model, Path(directory).resolve(), packages, arguments.max_tokens)
            for outcome in bench.run(language, columns, arguments.count, arguments.seed, known=tuple(found)):
                found.append(outcome)
                append(arguments.out, outcome)
                if time.monotonic() > until:
                    return found
    return found


class Bench:
    """The places of some languages, the columns over them, and the judges."""

    def __init__(self, model: Model, directory: Path, packages: Sequence[Path], max_tokens: int) -> None:
        self.model = model
        self.max_tokens = max_tokens
        self.directory = directory
        self.packages = [package.resolve() for package in packages]
        self.states = DocumentStates()

    def run(
        self, language: str, columns: Sequence[Column], count: int, seed: int, known: Iterable[Outcome] = ()
    ) -> Iterator[Outcome]:
        """The outcomes in the order of the places, without those that are known."""
        rng = random.Random(seed)  # noqa: S311 - a reproducible order
        roots = python_roots()[1:] if language == "python" else self.packages
        found = [path for path in files(roots, SUFFIXES[language]) if not path.name.endswith((".d.ts", ".d.mts"))]
        copies = Copies(roots, self.directory)
        done = {(one.column, one.place) for one in known if one.language == language}
        judges = Judge(self.directory, roots)
        workspace = Workspace([self.directory])
        places = (place for place in drawn(found, language, rng) if copies.can_hold(place.path))
        try:
            for place in islice(places, count):
                name = f"{copies.name(place.path)}:{place.position.line + 1}:{place.position.column + 1}"
                left = [column for column in columns if (column.name, name) not in done]
                if left:
                    opened = _opened(name, replace(place, path=copies.copy_of(place.path)), judges)
                    for column in left:
                        outcome = self._outcome(column, workspace, judges, opened)
                        yield replace(outcome, language=language, seed=seed)
        finally:
            workspace.close()
            judges.close()

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
        request = CompletionRequest(syntax, offset, SamplingOptions(), constrained=constrained, imports=False)
        review = Review(request, task.symbols)
        task = replace(task, objects=review.objects)
        completion = complete(self.model, task, states=self.states, guard=column.guard(task, self.states))
        shown, withheld, _, _ = review.result(completion)
        findings = judges.findings(syntax.document, offset, shown, baseline) if shown else ()
        report = completion.report_of(shown)
        told = dict.fromkeys(report.open, "open") | dict.fromkeys(report.outside, "outside")
        return Outcome(
            language="",
            column=column.name,
            place=opened.name,
            seed=0,
            shown=shown,
            findings=tuple(
                replace(one, explained=one.explained or told.get(one.name, _ours(one, task))) for one in findings
            ),
            breaks=judges.breaks(syntax.document, offset, completion.text, baseline),
            seconds=completion.seconds,
            waited=completion.types_seconds,
            withheld=withheld or "",
            text=completion.text,
            written=completion.written,
            stop=completion.stop,
            open=report.open,
            outside=report.outside,
        )


def _ours(finding: Finding, task: CompletionTask) -> str:
    """Who is to blame where neither a place nor a list was open."""
    return "judge: visible by our tables" if finding.name in task.symbols.names else "ours"


def _opened(name: str, place: Place, judges: Judge) -> Opened:
    language = language_of(place.path.name)
    assert language is not None  # noqa: S101 - only files of a known language are drawn
    syntax = parse(Document(place.path.as_uri(), language, place.text))
    return Opened(name, syntax, syntax.document.offset(place.position), judges.baseline(syntax.document))


if __name__ == "__main__":
    main()

"""How many suggestions are wrong by other people's judges: syntax, unknown names, unknown members.

    python -m benchmarks.validity --count 100 --packages node_modules
    python -m benchmarks.validity --kept DIRECTORY --out outcomes.jsonl --seconds 400     # once more to go on
    python -m benchmarks.validity --sum outcomes.jsonl others.jsonl

The same model at the same places of real packages (`benchmarks.validity_places`), held to nothing, to syntax, to
syntax and scope, to all; and a monitor that only filters members behind a dot by what the checker lists (Agrawal et
al. 2023, "Monitor-guided decoding"). Judges: `node --check` and CPython for syntax (TypeScript's 1xxx for TypeScript),
TypeScript's and ty's remarks inside of the inserted text for names and members, new ones only. Packages are copied, as
judges are silent about installed ones.

All columns pass the same gate and think again alike; only where the names in scope are a rule does the gate, too, ask
whether names are visible. Nothing is decided by time: checkers are waited for. What a place costs is paid once for all
columns: the model's forwards (`benchmarks.remembered_model`), the judges' word on a text, the checker's view of a file.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchmarks import timing
from benchmarks.batch_positions import files, javascript_roots, python_roots
from benchmarks.remembered_model import RememberedModel
from benchmarks.validity_columns import COLUMNS, Column
from benchmarks.validity_copies import Copies
from benchmarks.validity_judges import Finding, Judge, JudgedPlace
from benchmarks.validity_outcomes import Outcome, append, grouped, read, show, summary
from benchmarks.validity_places import Gap, gaps, ordered
from context_index import Document, SymbolContext, Syntax, Workspace, exported_names, language_of, parse
from context_index.oracles import Limits
from decoder import CompletionTask, DocumentStates, Model, SamplingOptions, Until, complete, load_model
from lsp_server.suggestion import CompletionRequest
from lsp_server.verification import Verifier
from lsp_server.verification.judge import Judge as Verdicts

SUFFIXES = {"javascript": (".js", ".mjs", ".cjs"), "typescript": (".ts", ".mts"), "python": (".py",)}
_LIMITS = Limits(start=60, answer=60, proof=60, memory=3 << 30)
"""On a busy machine an editor's limits would make open what is closed on an idle one."""
_MOST_OF_PACKAGE = 40
"""Files of one package that are taken, so that the largest do not say it all."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A place, what is visible there, and who judges what is put there."""

    name: str
    syntax: Syntax
    offset: int
    symbols: SymbolContext
    judge: JudgedPlace


def main() -> None:
    """Measure, or add up, and print a table and every finding of the column `all`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="places per language (default: 1000)")
    parser.add_argument("--each", type=int, default=3, help="most places of one file (default: 3)")
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--languages", nargs="*", choices=SUFFIXES, default=list(SUFFIXES))
    parser.add_argument("--model", help="default: the built-in one")
    parser.add_argument("--max-tokens", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    names = [column.name for column in COLUMNS]
    parser.add_argument("--columns", nargs="*", choices=names, default=names, help="default: all of them")
    parser.add_argument("--kept", type=Path, help="where copies of packages stay for the next run")
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
    with tempfile.TemporaryDirectory() as directory:
        kept = (arguments.kept or Path(directory)).resolve()
        for language in arguments.languages:
            roots = [root.resolve() for root in (python_roots()[1:] if language == "python" else packages)]
            bench = Bench(model, language, roots, kept, arguments.max_tokens)
            try:
                for outcome in bench.run(columns, arguments.count, arguments.each, arguments.seed, tuple(found)):
                    found.append(outcome)
                    append(arguments.out, outcome)
                    if time.monotonic() > until:
                        return found
            finally:
                bench.close()
    return found


class Bench:
    """One language: its files and their copies, the columns over places in them, and the judges.

    Args:
        kept: Where copies are made, or lie already.
    """

    def __init__(self, model: Model, language: str, roots: Sequence[Path], kept: Path, max_tokens: int) -> None:
        self.model = RememberedModel(model)
        self.language = language
        self.max_tokens = max_tokens
        self.states = DocumentStates()
        found = files(roots, SUFFIXES[language])
        self._files = [path for path in found if not path.name.endswith((".d.ts", ".d.mts"))]
        self._copies = Copies(roots, kept / ("python" if language == "python" else "javascript"))
        typescript = next((root / "typescript" for root in roots if (root / "typescript").is_dir()), None)
        store = kept / "names.sqlite"  # of what is installed, which takes a while to read
        self._workspace = Workspace(self._copies.roots, typescript=typescript, store=store, limits=_LIMITS)
        self._judge = Judge(self._workspace)

    def close(self) -> None:
        """Stop judges and checkers."""
        self._judge.close()
        self._workspace.close()

    def run(
        self, columns: Sequence[Column], count: int, each: int, seed: int, known: Iterable[Outcome] = ()
    ) -> Iterator[Outcome]:
        """The outcomes in the order of the places, without those that are known."""
        done = {(one.column, one.place) for one in known if one.language == self.language}
        of_files = Counter((column, place.rsplit(":", 2)[0]) for column, place in done)
        of_packages: Counter[Path | None] = Counter()
        names: set[str] = set()
        for number, path in enumerate(ordered(self._files, seed)):
            package = self._copies.package(path)
            if of_packages[package] == _MOST_OF_PACKAGE or not self._copies.can_hold(path):
                continue
            file = self._copies.name(path)
            if file in names:  # of two roots, which hold the same package
                continue
            names.add(file)
            if all(of_files[column.name, file] == each for column in columns):
                of_packages[package] += 1
                count -= each
            else:
                found = gaps(path, self.language, seed, number, each)[:count]
                of_packages[package] += bool(found)
                count -= len(found)
                # from the end: what stands above the other places has then been read
                for gap in sorted(found, key=lambda gap: gap.position.line, reverse=True):
                    yield from self._outcomes(gap, columns, seed, done)
            if count <= 0:
                return

    def _outcomes(
        self, gap: Gap, columns: Sequence[Column], seed: int, done: set[tuple[str, str]]
    ) -> Iterator[Outcome]:
        position = gap.position
        name = f"{self._copies.name(gap.path)}:{position.line + 1}:{position.column + 1}"
        if left := [column for column in columns if (column.name, name) not in done]:
            opened = self._opened(name, gap)
            for column in left:
                yield replace(self._outcome(column, opened), language=self.language, seed=seed, original=gap.original)
            self.model.forget()

    def _opened(self, name: str, gap: Gap) -> Opened:
        path = self._copies.copy_of(gap.path)
        language = language_of(path.name)
        assert language is not None  # noqa: S101 - only files of a known language are drawn
        document = Document(path.as_uri(), language, gap.text)
        syntax, offset = parse(document), document.offset(gap.position)
        symbols = self._workspace.context(syntax, offset)
        return Opened(name, syntax, offset, symbols, self._judge.at(document, offset, gap.original))

    def _outcome(self, column: Column, opened: Opened) -> Outcome:
        syntax, offset = opened.syntax, opened.offset
        text = syntax.document.text
        task = CompletionTask(
            text[:offset],
            text[offset:],
            opened.symbols,
            until=Until.STATEMENT,
            document=syntax.document.uri,
            syntax_errors=syntax.errors,
            max_tokens=self.max_tokens,
            exported=partial(exported_names, syntax, offset),
            types=self._workspace.types(syntax.document) if column.asks else None,
        )
        request = CompletionRequest(syntax, offset, SamplingOptions(), constrained=column.names, imports=False)
        baseline = Verifier(self._workspace).baseline(syntax) if column.names else None
        judging = Verdicts(request, task.symbols, baseline)
        task = replace(task, verify=judging.verify)
        completion = complete(self.model, task, states=self.states, guard=column.guard(task, self.states))
        judgement = judging.of(completion.text)
        withheld = judgement.withheld
        shown = "" if withheld else judgement.text
        report = completion.report_of(shown)
        told = dict.fromkeys(report.open, "open") | dict.fromkeys(report.outside, "outside")
        return Outcome(
            language="",
            column=column.name,
            place=opened.name,
            seed=0,
            shown=shown,
            findings=tuple(
                replace(one, explained=one.explained or told.get(one.name, _ours(one, task)))
                for one in (opened.judge.findings(shown) if shown else ())
            ),
            breaks=opened.judge.breaks(completion.text),
            waited=completion.types_seconds,
            silent_judge=bool(shown) and opened.judge.is_silent(shown),
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


if __name__ == "__main__":
    main()

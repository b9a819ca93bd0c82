"""What a verification costs over the checker's own answer to the same change, and the checkers' memory.

    inscope bench verification_cost

Files of 200, 1,000 and 5,000 lines are written into three projects of each language, and into a folder of JavaScript
whose checks nobody has asked for. A line, another one each time, is inserted into the middle of a file. It is asked
about in three ways, in turn:

bare      The checker's diagnostics of the changed text.
defined   The diagnostics, and the definition of the line's one member.
verified  Our verification: these two, and syntax, the extent, which errors are new and, in unchecked JavaScript, names.

Times are lower quartiles, which leave out most of what other work on the machine adds. There are two ratios of
`verified`: to `bare`, and to `defined`, in which everything above 1 is our own work. A keystroke makes another document
with another baseline; what a verification costs right after it is in a column of its own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

from benchmarks import places
from benchmarks.documents import document
from benchmarks.timing import machine, machine_line, percentile
from context_index import Checker, Document, Syntax, Workspace, parse
from lsp_server.engine.verification import Candidate, Verified, Verifier

LINES = (200, 1000, 5000)
"""The lengths of the files that are measured, in lines."""
_BARE, _DEFINED, _VERIFIED = _WAYS = ("bare", "defined", "verified")
"""The ways of asking; see the module's docstring."""
_PROJECTS = 3
"""Projects of a language."""
_PLAIN = "unchecked"
"""What JavaScript in a folder without configuration is called here."""
_SUFFIX = {"javascript": "js", "typescript": "ts", "python": "py", _PLAIN: "js"}
_SCRIPT = """\
export class Ledger@ {
  entries = new Map();

  add(name, amount) {
    this.entries.set(name, amount + 1);
  }

  total() {
    let sum = 0;
    for (const amount of this.entries.values()) {
      sum += amount;
    }
    return sum;
  }
}

export function report@(ledger = new Ledger@()) {
  return `${ledger.total()} in ${ledger.entries.size}`;
}

"""
_PYTHON = """\
class Ledger@:
    def __init__(self) -> None:
        self.entries: dict[str, int] = {}

    def add(self, name: str, amount: int) -> None:
        self.entries[name] = amount + 1

    def total(self) -> int:
        total = 0
        for amount in self.entries.values():
            total += amount
        return total


def report@(ledger: Ledger@) -> str:
    return f"{ledger.total()} in {len(ledger.entries)}"


"""
"""Two declarations, with `@` in place of a number; a file is a sequence of them."""
_BLOCKS = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT.replace("new Map()", "new Map<string, number>()").replace(
        "name, amount)", "name: string, amount: number): void", 1
    ),
    "python": _PYTHON,
    _PLAIN: _SCRIPT,
}


def main() -> int:
    """Measure, and print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--language", choices=(*places.LANGUAGES, _PLAIN), action="append", help="default: all")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for language in arguments.language or (*places.LANGUAGES, _PLAIN):
        with tempfile.TemporaryDirectory() as scratch:
            for project in _projects(language, Path(scratch)):
                for row in _measure(project, language, arguments.rounds):
                    rows.append(row)
                    if not arguments.json:
                        print("   ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    print(json.dumps({"machine": machine(), "rows": rows}) if arguments.json else machine_line())
    return 0


def _projects(language: str, scratch: Path) -> Iterator[Path]:
    """Copies of projects, each of which is deleted before the next; for `_PLAIN`, the scratch folder itself."""
    if language == _PLAIN:
        yield scratch
        return
    for root in list(places.packages("fitting", language).values())[:_PROJECTS]:
        project = scratch / root.name
        shutil.copytree(root, project, symlinks=True)
        yield project
        shutil.rmtree(project)


def _measure(project: Path, language: str, rounds: int) -> Iterator[dict[str, object]]:
    """Write files of `LINES` lines into a project, and measure each; a row for each."""
    files = {}
    for lines in LINES:
        block = _BLOCKS[language]
        blocks = [block.replace("@", str(number)) for number in range(lines // block.count("\n"))]
        files[lines] = project / f"inscope_cost_{lines}.{_SUFFIX[language]}"
        files[lines].write_text("".join(blocks), "utf-8")
    workspace = Workspace((project,))
    workspace.index()
    try:
        for lines, path in files.items():
            yield {
                "language": language,
                "project": project.name,
                "lines": lines,
                **_measure_file(workspace, path, rounds),
            }
    finally:
        workspace.close()


@dataclass(frozen=True, slots=True)
class _Method:
    """A method in the middle of a file, into which lines are inserted."""

    path: Path
    text: str
    """The file's text."""
    at: int
    """The offset of the line before which lines are inserted."""
    is_python: bool

    def beginning(self, name: str) -> str:
        """The beginning of a line that assigns a member of the object to a name: up to the dot."""
        return f"        {name} = self." if self.is_python else f"    const {name} = this."

    @property
    def member(self) -> str:
        """The rest of such a line."""
        return "entries" if self.is_python else "entries;"

    def with_line(self, line: str) -> Document:
        """The file with a line in the method."""
        return document(self.path, f"{self.text[: self.at]}{line}\n{self.text[self.at :]}")


def _measure_file(workspace: Workspace, path: Path, rounds: int) -> dict[str, object]:
    """Measure in one file; the figures of its row, the memory of its checker among them."""
    text = path.read_text("utf-8")
    syntax = parse(document(path, text))
    is_python = syntax.language.family == "python"
    at = text.index("        return total\n" if is_python else "    return sum;\n", len(text) // 2)
    method = _Method(path, text, at, is_python)
    verifier = Verifier(workspace)
    baseline = verifier.baseline(syntax)
    checker = workspace.checker_of(syntax.document)
    milliseconds = _time_ways(method, syntax, verifier, checker, rounds)
    is_reused = verifier.baseline(syntax) is baseline
    after_keystroke = _time_after_keystrokes(method, verifier, rounds)
    bare, defined, verified = (milliseconds[way] for way in (_BARE, _DEFINED, _VERIFIED))
    pid = checker.pid
    return {
        "bare ms": round(bare, 1),
        "with definition ms": round(defined, 1),
        "verified ms": round(verified, 1),
        "ratio": round(verified / bare, 2),
        "ratio to the same questions": round(verified / defined, 2),
        "after a keystroke ms": round(after_keystroke, 1),
        "baseline reused": is_reused,
        "checker MB": round(psutil.Process(pid).memory_info().rss / 1e6) if pid is not None else 0,
    }


def _time_ways(
    method: _Method, syntax: Syntax, verifier: Verifier, checker: Checker, rounds: int
) -> Mapping[str, float]:
    """By way of asking: the lower quartile of its milliseconds.

    The ways take turns, and ask about another line each time. The document itself does not change.

    Raises:
        SystemExit: a line is not accepted.
    """
    times: dict[str, list[float]] = {way: [] for way in _WAYS}
    for number in range(rounds + 1):
        for way in _WAYS if number % 2 else reversed(_WAYS):
            beginning = method.beginning(f"more{number}{way}")
            line, member = beginning + method.member, method.at + len(beginning)
            changed = method.with_line(line)
            verdict: object = None
            started = time.perf_counter()
            if way == _BARE:
                checker.ask(changed, lambda query: query.diagnostics()).result()
            elif way == _DEFINED:
                checker.ask(changed, lambda query, member=member: query.diagnostics_and_definitions([member])).result()  # type: ignore[misc]
            else:
                verdict = verifier.baseline(syntax).verify(Candidate(method.at, f"{line}\n"))
            milliseconds = (time.perf_counter() - started) * 1e3
            if way == _VERIFIED:
                _require_accepted(verdict)
            if number:  # in the first round the checker reads the file
                times[way].append(milliseconds)
    return {way: percentile(way_times, 0.25) for way, way_times in times.items()}


def _time_after_keystrokes(method: _Method, verifier: Verifier, rounds: int) -> float:
    """Median milliseconds of a verification in a document that was just changed, with the making of its baseline.

    Raises:
        SystemExit: a member is not accepted.
    """
    times: list[float] = []
    for number in range(rounds):
        beginning = method.beginning(f"typed{number}")
        typed = parse(method.with_line(beginning))
        started = time.perf_counter()
        verdict = verifier.verify(typed, Candidate(method.at + len(beginning), method.member))
        times.append((time.perf_counter() - started) * 1e3)
        _require_accepted(verdict)
    return median(times)


def _require_accepted(verdict: object) -> None:
    """End the benchmark if a text was not accepted: what it cost to refuse it is another figure.

    Raises:
        SystemExit: it was not.
    """
    if not isinstance(verdict, Verified):
        raise SystemExit(f"error: {verdict}")


if __name__ == "__main__":
    sys.exit(main())

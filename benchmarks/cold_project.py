"""How long a checker takes for a project of many files that it has never read, and what is answered meanwhile.

    inscope bench cold_project --files 2000

A project is written in which each file imports up to three others, so that the last file needs many of them. A text at
the end of the last file is verified again and again from the checker's start on, each time with a deadline, as somebody
who types asks. Each answer is late, and has its reason, until the checker has read the project. A second run gives the
checker a memory limit that it cannot keep.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import psutil

from benchmarks.documents import document
from benchmarks.timing import machine_line
from context_index import CheckerLimits, Syntax, Workspace, parse
from lsp_server.engine.verification import Candidate, Unanswered, Unverified, Verified, Verifier

_IMPORTED = 3
"""The most files that a file imports."""
_FUNCTIONS = 20
"""Functions of a file."""
_PATIENCE_S = 300.0
"""How long the checker may take to start, and for its first answer."""
_TOO_LITTLE_MEMORY = 32 << 20
"""Bytes; every checker needs more as soon as it runs."""
_SUFFIX = {"typescript": "ts", "python": "py"}
_MANIFEST = {
    "typescript": ("tsconfig.json", '{"compilerOptions": {"strict": true, "module": "preserve", "types": []}}'),
    "python": ("pyproject.toml", '[project]\nname = "cold"\nversion = "1"\n'),
}


def main() -> int:
    """Measure, and print a line for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--deadline", type=float, default=1.0, help="seconds for each question")
    parser.add_argument("--language", choices=tuple(_SUFFIX), action="append", help="default: both")
    arguments = parser.parse_args()
    for language in arguments.language or _SUFFIX:
        with tempfile.TemporaryDirectory() as scratch:
            last = _write_project(Path(scratch), language, arguments.files)
            print(language, json.dumps(_ask_until_read(last, arguments.deadline)), flush=True)
            print(language, json.dumps(_ask_above_memory_limit(last)), flush=True)
    print(machine_line())
    return 0


def _write_project(root: Path, language: str, files: int) -> Path:
    """Write a project of so many files into `root`; the path of the last one."""
    name, text = _MANIFEST[language]
    (root / name).write_text(text, "utf-8")
    for number in range(files):
        path = root / f"part{number}.{_SUFFIX[language]}"
        path.write_text("\n".join(_lines(language, number)) + "\n", "utf-8")
    return path


def _lines(language: str, number: int) -> Iterator[str]:
    """The lines of file `number`: imports of up to three files before it, a class, and functions that take it."""
    imported = [other for other in (number - 1, number // 2, number // 3) if 0 <= other < number][:_IMPORTED]
    is_python = language == "python"
    for other in dict.fromkeys(imported):
        name = f"Row{other}, row{other}_0"
        yield f"from part{other} import {name}" if is_python else f'import {{ {name} }} from "./part{other}";'
    if is_python:
        yield f"class Row{number}:\n    amount: int = {number}\n    names: list[str] = []"
    else:
        yield f"export class Row{number} {{ amount = {number}; names: string[] = []; }}"
    for index in range(_FUNCTIONS):
        sums = " + ".join([f"row{other}_0(Row{other}())" for other in dict.fromkeys(imported)] + [str(index)])
        name = f"row{number}_{index}"
        if is_python:
            yield f"def {name}(row: Row{number}) -> int:\n    return row.amount + {sums}"
        else:
            sums = sums.replace("(Row", "(new Row")
            yield f"export function {name}(row: Row{number}): number {{\n  return row.amount + {sums};\n}}"


def _ask_until_read(path: Path, deadline: float) -> Mapping[str, object]:
    """Verify a text in a file, with a deadline in seconds, until the checker has read the project; the figures.

    Raises:
        SystemExit: the checker rejects the text, or does not run here.
    """
    workspace, verifier, syntax, candidate = _open(path, CheckerLimits(start=_PATIENCE_S, first_answer=_PATIENCE_S))
    try:
        started = time.perf_counter()
        late, why = 0, ""
        while isinstance(verdict := verifier.verify(syntax, candidate, deadline), Unanswered):
            late, why = late + 1, verdict.why
        until_read = time.perf_counter() - started
        if not isinstance(verdict, Verified):
            raise SystemExit(f"error: {verdict}")
        again = time.perf_counter()
        verifier.verify(syntax, candidate)
        pid = workspace.checker_of(syntax.document).pid
        return {
            "late": late,
            "why": why,
            "first answer s": round(until_read, 2),
            "the next ms": round((time.perf_counter() - again) * 1e3, 1),
            "checker MB": round(psutil.Process(pid).memory_info().rss / 1e6) if pid is not None else 0,
        }
    finally:
        workspace.close()


def _ask_above_memory_limit(path: Path) -> Mapping[str, object]:
    """Verify texts until a checker that outgrows its memory counts as absent; its answers and starts up to there."""
    limits = CheckerLimits(start=_PATIENCE_S, first_answer=_PATIENCE_S, memory=_TOO_LITTLE_MEMORY, memory_interval=0.0)
    workspace, verifier, syntax, candidate = _open(path, limits)
    try:
        answers = 0
        while not isinstance(verdict := verifier.verify(syntax, candidate), Unverified):
            answers += 1
            candidate = replace(candidate, text=candidate.text + "\n")  # the verdict on the same text would be cached
        starts = workspace.checker_of(syntax.document).starts
        return {"answers": answers, "starts": starts, "then": verdict.why, "level": verdict.level}
    finally:
        workspace.close()


def _open(path: Path, limits: CheckerLimits) -> tuple[Workspace, Verifier, Syntax, Candidate]:
    """A workspace whose checker was not asked yet, its verifier, the file, and a text for the end of the file."""
    text = path.read_text("utf-8")
    workspace = Workspace((path.parent,), limits=limits)
    syntax = parse(document(path, text))
    declared = "last" if syntax.language.family == "python" else "export const last"
    added = f"{declared} = {path.stem.replace('part', 'row')}_1\n"
    return workspace, Verifier(workspace), syntax, Candidate(len(text), added)


if __name__ == "__main__":
    sys.exit(main())

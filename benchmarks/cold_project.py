"""What a checker takes for a project of many files that it has never read, and what is answered meanwhile.

    inscope bench cold_project --files 2000

A project is written in which each file imports three others, so that the last one needs all. Its last file is verified
with a deadline, again and again from the checker's start on, as somebody who types asks: each answer is `late` with its
reason until the checker has read the project. Then the same with a limit of memory that it cannot keep.
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
_FUNCTIONS = 20
_ASKED_S = 300.0
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
            last = _written(Path(scratch), language, arguments.files)
            print(language, json.dumps(_cold(last, arguments.deadline)), flush=True)
            print(language, json.dumps(_above_its_limit(last)), flush=True)
    print(machine_line())
    return 0


def _written(root: Path, language: str, files: int) -> Path:
    """The last file of a project."""
    name, text = _MANIFEST[language]
    (root / name).write_text(text, "utf-8")
    for number in range(files):
        path = root / f"part{number}.{_SUFFIX[language]}"
        path.write_text("\n".join(_lines(language, number)) + "\n", "utf-8")
    return path


def _lines(language: str, number: int) -> Iterator[str]:
    """A file that imports from three before it, and offers functions of types of its own."""
    imported = [other for other in (number - 1, number // 2, number // 3) if 0 <= other < number][:_IMPORTED]
    is_python = language == "python"
    for other in dict.fromkeys(imported):
        name = f"Row{other}, row{other}_0"
        yield f"from part{other} import {name}" if is_python else f'import {{ {name} }} from "./part{other}";'
    if is_python:
        yield f"class Row{number}:\n    amount: int = {number}\n    names: list[str] = []"
    else:
        yield f"export class Row{number} {{ amount = {number}; names: string[] = []; }}"
    for each in range(_FUNCTIONS):
        sums = " + ".join([f"row{other}_0(Row{other}())" for other in dict.fromkeys(imported)] + [str(each)])
        if is_python:
            yield f"def row{number}_{each}(row: Row{number}) -> int:\n    return row.amount + {sums}"
        else:
            sums = sums.replace("(Row", "(new Row")
            yield (
                f"export function row{number}_{each}(row: Row{number}): number {{\n  return row.amount + {sums};\n}}"
            )


def _cold(path: Path, deadline: float) -> Mapping[str, object]:
    workspace, verifier, syntax, candidate = _opened(path, CheckerLimits(start=_ASKED_S, first_answer=_ASKED_S))
    try:
        started = time.perf_counter()
        late, why = 0, ""
        while isinstance(found := verifier.verify(syntax, candidate, deadline), Unanswered):
            late, why = late + 1, found.why
        taken = time.perf_counter() - started
        if not isinstance(found, Verified):
            raise SystemExit(f"error: {found}")
        again = time.perf_counter()
        verifier.verify(syntax, candidate)
        pid = workspace.checker_of(syntax.document).pid
        return {
            "late": late,
            "why": why,
            "first answer s": round(taken, 2),
            "the next ms": round((time.perf_counter() - again) * 1e3, 1),
            "checker MB": round(psutil.Process(pid).memory_info().rss / 1e6) if pid is not None else 0,
        }
    finally:
        workspace.close()


def _above_its_limit(path: Path) -> Mapping[str, object]:
    limits = CheckerLimits(start=_ASKED_S, first_answer=_ASKED_S, memory=32 << 20, memory_interval=0.0)
    workspace, verifier, syntax, candidate = _opened(path, limits)
    try:
        answers = 0
        while not isinstance(found := verifier.verify(syntax, candidate), Unverified):
            answers += 1
            candidate = replace(candidate, text=candidate.text + "\n")  # of a text that was judged the answer is kept
        starts = workspace.checker_of(syntax.document).starts
        return {"answers": answers, "starts": starts, "then": found.why, "level": found.level}
    finally:
        workspace.close()


def _opened(path: Path, limits: CheckerLimits) -> tuple[Workspace, Verifier, Syntax, Candidate]:
    """A workspace in which nothing has been asked, and a text for the end of the file."""
    text = path.read_text("utf-8")
    workspace = Workspace((path.parent,), limits=limits)
    syntax = parse(document(path, text))
    declared = "last" if syntax.language.family == "python" else "export const last"
    added = f"{declared} = {path.stem.replace('part', 'row')}_1\n"
    return workspace, Verifier(workspace), syntax, Candidate(len(text), added)


if __name__ == "__main__":
    sys.exit(main())

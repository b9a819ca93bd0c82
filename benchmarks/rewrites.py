"""Unseen rewrites by the built-in model: how many are right, and what is wrong with those that are reported as done.

A result is right if its words are the expected ones. Results that are reported as done are judged by programs other
than the verifier: `tsc -p`, `ty check`, `node --check` and CPython's `compile`, on all results together, compared with
the files as they were. There is no bar for how many are right, as the model has only 8.5 million parameters.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.documents import document
from benchmarks.rewrite_tasks import RewriteCase, tasks
from benchmarks.timing import line, machine, machine_line
from benchmarks.verification_judges import errors_by_file
from context_index import Workspace, parse
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.engine.service import Service

_OPTIONS = {"strict": True, "noEmit": True, "module": "esnext", "target": "es2022", "moduleResolution": "bundler"}
_MANIFESTS = {
    "py": ("pyproject.toml", '[project]\nname = "unseen"\nversion = "1"\n'),
    "js": ("package.json", '{"name": "unseen", "type": "module"}'),
    "ts": ("tsconfig.json", json.dumps({"compilerOptions": _OPTIONS})),
}


@dataclass(frozen=True, slots=True)
class RewriteOutcome:
    """What came of one task."""

    task: RewriteCase
    done: RewriteResult

    @property
    def is_done(self) -> bool:
        """Whether the rewrite is reported as done."""
        return self.done.failure is None

    @property
    def is_right(self) -> bool:
        """Whether the rewrite is done and its text the expected one, but for white space."""
        before, after = self.task.around
        return self.is_done and self.done.text.split() == (before + self.task.after + after).split()

    @property
    def keeps_the_rest(self) -> bool:
        """Whether nothing outside of the region was changed."""
        before, after = self.task.around
        return self.done.text.startswith(before) and self.done.text.endswith(after)


def measure(
    chosen: Sequence[RewriteCase], model: str | None, faults: Counter[str], *, shows: bool
) -> list[RewriteOutcome]:
    """Ask for all tasks of one language in one project, write the results to its files, and count what is wrong there.

    Args:
        chosen: Tasks of one language.
        model: None for the built-in one.
        faults: Is added to; the keys say what is wrong.
        shows: Whether each outcome is printed.
    """
    outcomes = []
    language = chosen[0].language
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        name, manifest = _MANIFESTS[language]
        (root / name).write_text(manifest, "utf-8")
        for task in chosen:
            before, after = task.around
            (root / task.file).write_text(before + task.before + after, "utf-8")
            (root / f"uses_{task.file}").write_text(task.importer, "utf-8")
        intact = _errors(root, language)
        host = ModelHost(ModelSettings(name=model))
        workspace = Workspace([root])
        try:
            workspace.index()
            rewriter = Rewriter(Service(workspace, host))
            for task in chosen:
                outcomes.append(RewriteOutcome(task, rewriter.run(_request(root, task))))
                if shows:
                    print(f"    {task.kind}, {task.file}: {_sentence(outcomes[-1])}", flush=True)
        finally:
            workspace.close()
            host.close()
        for outcome in outcomes:
            (root / outcome.task.file).write_text(outcome.done.text, "utf-8")
        _count_faults(outcomes, intact, _errors(root, language), faults)
    return outcomes


def _count_faults(
    outcomes: Sequence[RewriteOutcome],
    intact: dict[str, Counter[str]],
    now: dict[str, Counter[str]],
    faults: Counter[str],
) -> None:
    """Count changes outside of a region and new errors of results that are reported as done; each error is printed.

    An error in the importer is none if a note of the result names that file.
    """
    for outcome in outcomes:
        task = outcome.task
        if not outcome.keeps_the_rest:
            faults["changed outside of its region"] += 1
        if not outcome.is_done:
            continue
        file, importer = task.file, f"uses_{task.file}"
        if new := now[file] - intact[file]:
            faults["new error in the file"] += 1
            print(f"    new error: {task.kind}, {file}: {', '.join(new)}")
        if (new := now[importer] - intact[importer]) and not any(importer in note for note in outcome.done.notes):
            faults["new error in an importer that no note names"] += 1
            print(f"    no note names it: {task.kind}, {importer}: {', '.join(new)}")


def _errors(root: Path, language: str) -> dict[str, Counter[str]]:
    """By file: the errors that the compilers report; in plain JavaScript only those of syntax."""
    by_file: dict[str, Counter[str]] = defaultdict(Counter)
    if language != "js":
        by_file |= {file: Counter(errors) for file, errors in errors_by_file(root).items()}
    for path in root.glob(f"*.{language}"):
        if language == "py":
            try:
                compile(path.read_text("utf-8"), str(path), "exec")
            except SyntaxError as error:
                by_file[path.name][f"CPython: {error.msg}"] += 1
        elif language == "js":
            checked = subprocess.run(["node", "--check", path], capture_output=True, check=False)  # noqa: S603, S607 - a benchmark
            by_file[path.name]["node"] += checked.returncode != 0
    return by_file


def _request(root: Path, task: RewriteCase) -> RewriteRequest:
    """The request for a task, with its region selected."""
    before, after = task.around
    text = before + task.before + after
    syntax = parse(document(root / task.file, text))
    region = len(before), len(before) + len(task.before)
    return RewriteRequest(syntax.document.uri, text, syntax, task.instruction, region)


def _sentence(outcome: RewriteOutcome) -> str:
    """Whether an outcome is right, or why it failed, for people."""
    latency = f"({outcome.done.latency_ms:.0f} ms)"
    if outcome.is_right:
        return f"right {latency}"
    return f"done, not right {latency}" if outcome.is_done else f"{outcome.done.failure}"


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench rewrites", description=__doc__)
    parser.add_argument("--model", help="another than the built-in one")
    parser.add_argument("--each", type=int, default=5, help="tasks of each kind (default 5, all)")
    parser.add_argument("--show", action="store_true", help="print each outcome")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    by_language: dict[str, list[RewriteCase]] = defaultdict(list)
    for task in tasks():
        if int(task.module.rpartition("_")[2]) < arguments.each:
            by_language[task.language].append(task)
    if not arguments.json:
        print(machine_line(), flush=True)
    faults: Counter[str] = Counter()
    outcomes: list[RewriteOutcome] = []
    for chosen in by_language.values():
        outcomes += measure(chosen, arguments.model, faults, shows=arguments.show)
    kinds: dict[str, list[RewriteOutcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[f"{outcome.task.kind} ({outcome.task.language})"].append(outcome)
    rows = {
        kind: {
            "tasks": len(of_kind),
            "right": sum(outcome.is_right for outcome in of_kind),
            "done": sum(outcome.is_done for outcome in of_kind),
            "unchanged": sum(str(outcome.done.failure) == "unchanged" for outcome in of_kind),
        }
        for kind, of_kind in {**kinds, "all": outcomes}.items()
    }
    if arguments.json:
        print(json.dumps({"machine": machine(), "kinds": rows, "faults": faults}))
        return 0
    line("", *rows["all"], width=12)
    for kind, row in rows.items():
        line(kind, *map(str, row.values()), width=12)
    print("faults:", dict(faults) or "none")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

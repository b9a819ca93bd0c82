"""Unseen rewrites by the built-in model: right by its tokens, and what is wrong in what is reported as done.

Done is judged by others than the verifier: `tsc -p`, `ty check`, `node --check` and CPython's `compile` on all results
together, against the files as they were. No bar on how many are right: the model has 8.5 million parameters.
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
from lsp_server.engine.rewriting.outcome import RewriteResult
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
        """Whether it is reported as done."""
        return self.done.failed is None

    @property
    def is_right(self) -> bool:
        """Whether it is what was to come, but for white space."""
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
    """All tasks of one language, in one project; then its files get the results, and what must not be is counted."""
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
                    print(f"    {task.kind}, {task.file}: {_said(outcomes[-1])}", flush=True)
        finally:
            workspace.close()
            host.close()
        for one in outcomes:
            (root / one.task.file).write_text(one.done.text, "utf-8")
        _count_faults(outcomes, intact, _errors(root, language), faults)
    return outcomes


def _count_faults(
    outcomes: Sequence[RewriteOutcome],
    intact: dict[str, Counter[str]],
    now: dict[str, Counter[str]],
    faults: Counter[str],
) -> None:
    """Changes outside of a region, and new errors that nothing reports; each is printed."""
    for one in outcomes:
        if not one.keeps_the_rest:
            faults["changed outside of its region"] += 1
        if not one.is_done:
            continue
        file, importer = one.task.file, f"uses_{one.task.file}"
        if new := now[file] - intact[file]:
            faults["new error in the file"] += 1
            print(f"    new error: {one.task.kind}, {file}: {', '.join(new)}")
        if (new := now[importer] - intact[importer]) and not any(importer in note for note in one.done.notes):
            faults["new error in an importer that no note names"] += 1
            print(f"    no note names it: {one.task.kind}, {importer}: {', '.join(new)}")


def _errors(root: Path, language: str) -> dict[str, Counter[str]]:
    """By file, what the compilers report; of plain JavaScript only its syntax is checked by anybody."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    if language != "js":
        found |= {file: Counter(errors) for file, errors in errors_by_file(root).items()}
    for path in root.glob(f"*.{language}"):
        if language == "py":
            try:
                compile(path.read_text("utf-8"), str(path), "exec")
            except SyntaxError as error:
                found[path.name][f"CPython: {error.msg}"] += 1
        elif language == "js":
            checked = subprocess.run(["node", "--check", path], capture_output=True, check=False)  # noqa: S603, S607 - a benchmark
            found[path.name]["node"] += checked.returncode != 0
    return found


def _request(root: Path, task: RewriteCase) -> RewriteRequest:
    before, after = task.around
    text = before + task.before + after
    syntax = parse(document(root / task.file, text))
    chosen = len(before), len(before) + len(task.before)
    return RewriteRequest(syntax.document.uri, text, syntax, task.instruction, chosen)


def _said(one: RewriteOutcome) -> str:
    if one.is_right:
        return f"right ({one.done.latency_ms:.0f} ms)"
    return f"done, not right ({one.done.latency_ms:.0f} ms)" if one.is_done else f"{one.done.failed}"


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
    outcomes = [
        one for chosen in by_language.values() for one in measure(chosen, arguments.model, faults, shows=arguments.show)
    ]
    kinds: dict[str, list[RewriteOutcome]] = defaultdict(list)
    for one in outcomes:
        kinds[f"{one.task.kind} ({one.task.language})"].append(one)
    rows = {
        kind: {
            "tasks": len(found),
            "right": sum(one.is_right for one in found),
            "done": sum(one.is_done for one in found),
            "unchanged": sum(str(one.done.failed) == "unchanged" for one in found),
        }
        for kind, found in {**kinds, "all": outcomes}.items()
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

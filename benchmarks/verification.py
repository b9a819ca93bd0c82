"""What verification refuses of real code, and what it catches of mutants; other programs judge the finished files.

    inscope bench verification --project DIR --count 300 --json

DIR is a project as its checker finds it: a tsconfig.json for TypeScript or checked JavaScript, a pyproject.toml for
Python. Acceptance: the rest of a line, a member or a block is taken out of a file and verified where it was. Recall:
a line is changed (a name, a member, an argument, a literal); those changes count for which `tsc -p` or `ty check`, as
processes of their own over the finished files, report an error that the intact files lack.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.timing import machine, machine_line
from context_index import Document, Node, Syntax, Workspace, language_of, parse
from context_index.oracles.places import Places
from context_index.oracles.ty import find_ty
from context_index.oracles.typescript import find_typescript
from lsp_server.verification import Candidate, Rejected, Verified, Verifier

_ASIDE = frozenset({"node_modules", ".venv", "tests", "test", "__pycache__"})
_LONGEST_FILE = 100_000
_LONGEST_BLOCK = 600
KINDS = ("line", "member", "block")
_USES = frozenset({"call", "call_expression", "argument_list", "arguments", "binary_expression", "binary_operator"})
_LITERALS = {"number": '"zork"', "integer": '"zork"', "string": "404"}


@dataclass(frozen=True)
class Place:
    """A stretch of a file, and what stands there in the finished file: the real text, or a mutant."""

    file: Path
    start: int
    end: int
    kind: str
    text: str


@dataclass
class Tally:
    """Verdicts over some places."""

    asked: int = 0
    refused: int = 0
    milliseconds: list[float] | None = None

    @property
    def share(self) -> float:
        """Of those asked, in per cent."""
        return 100 * self.refused / self.asked if self.asked else 0.0

    @property
    def error(self) -> float:
        """The standard error of the share, in points."""
        p = self.refused / self.asked if self.asked else 0.0
        return float(100 * (p * (1 - p) / self.asked) ** 0.5) if self.asked else 0.0


def main() -> int:
    """Measure, and print both tables, with every refusal of real code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--count", type=int, default=300, help="places of each kind, and mutants of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("acceptance", "recall"))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    project = arguments.project.resolve()
    chance = random.Random(arguments.seed)  # noqa: S311 -- draws places
    files = [parsed for path in _files(project) if (parsed := _parsed(path)) is not None]
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Workspace((project,))
        workspace.index()
        verifier = Verifier(workspace)
        report: dict[str, object] = {"machine": machine(), "project": project.name, "files": len(files)}
        try:
            if arguments.only != "recall":
                report["acceptance"] = _acceptance(verifier, workspace, files, arguments.count, chance)
            if arguments.only != "acceptance":
                drawn = mutants(files, arguments.count, chance)
                report["recall"] = _recall(verifier, workspace, drawn, project, Path(scratch))
        finally:
            workspace.close()
    print(json.dumps(report) if arguments.json else f"{machine_line()}\n{_rendered(report)}")
    return 0


def _files(project: Path) -> list[Path]:
    found = [path for path in sorted(project.rglob("*")) if not _ASIDE & set(path.relative_to(project).parts)]
    return [path for path in found if path.is_file() and language_of(path.name) and not path.name.endswith(".d.ts")]


def _parsed(path: Path) -> Syntax | None:
    language = language_of(path.name)
    text = path.read_text("utf-8", errors="replace")
    if language is None or len(text) > _LONGEST_FILE:
        return None
    syntax = parse(Document(path.as_uri(), language, text))
    return None if syntax.errors else syntax


def _path(syntax: Syntax) -> Path:
    return Path(syntax.document.uri.removeprefix("file://"))


def real_places(files: Sequence[Syntax], kind: str, count: int, chance: random.Random) -> list[Place]:
    """Stretches of real code: the rest of a line from a token, a member after its dot, a block's statements."""
    places = [place for syntax in files for place in _stretches(syntax, kind)]
    return chance.sample(places, min(count, len(places)))


def _stretches(syntax: Syntax, kind: str) -> Iterator[Place]:
    text, path = syntax.document.text, _path(syntax)
    for node in nodes(syntax.root):
        start, end = syntax.span(node)
        match kind:
            case "line" if not node.child_count and "comment" not in node.type and "string" not in node.type:
                stop = text.find("\n", start)
                stop = len(text) if stop < 0 else stop
                if start < stop and "string" not in syntax.node_at(stop - 1).type:
                    yield Place(path, start, stop, kind, text[start:stop].rstrip())
            case "member" if _is_member(node):
                yield Place(path, start, end, kind, text[start:end])
            case "block" if node.type in {"block", "statement_block"} and node.named_child_count:
                first, last = node.named_children[0], node.named_children[-1]
                start, end = syntax.start(first), syntax.end(last)
                if end - start <= _LONGEST_BLOCK:
                    yield Place(path, start, end, kind, text[start:end])


def nodes(root: Node) -> Iterator[Node]:
    """A node and all below it."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _is_member(node: Node) -> bool:
    parent = node.parent
    return parent is not None and any(parent.child_by_field_name(name) == node for name in ("property", "attribute"))


def mutants(files: Sequence[Syntax], count: int, chance: random.Random) -> list[Place]:
    """Changed lines: what is inserted is the rest of the line from the place of the change on."""
    by_kind: dict[str, list[Place]] = {}
    for syntax in files:
        for place in _changes(syntax):
            by_kind.setdefault(place.kind, []).append(place)
    each = max(1, count // max(1, len(by_kind)))
    return [place for kind in sorted(by_kind) for place in chance.sample(by_kind[kind], min(each, len(by_kind[kind])))]


def _changes(syntax: Syntax) -> Iterator[Place]:
    text, path = syntax.document.text, _path(syntax)
    for node in nodes(syntax.root):
        start, end = syntax.span(node)
        parent = node.parent
        changed: tuple[str, int, int, str] | None = None
        if _is_member(node) and not _is_assigned(node):
            changed = ("member", start, end, f"{text[start:end]}Zork")
        elif node.type == "identifier" and parent is not None and _refers(parent):
            changed = ("name", start, end, f"{text[start:end]}Zork")
        elif node.type in {"arguments", "argument_list"} and node.named_child_count and _refers(parent):
            last = node.named_children[-1]
            before = node.named_children[-2] if node.named_child_count > 1 else None
            changed = ("argument", syntax.end(before) if before else start + 1, syntax.end(last), "")
        elif node.type in _LITERALS and parent is not None and "import" not in parent.type:
            changed = ("literal", start, end, _LITERALS[node.type])
        elif parent is not None and parent.type == "import_specifier" and parent.child_by_field_name("name") == node:
            changed = ("import", start, end, f"{text[start:end]}Zork")
        if changed is None:
            continue
        kind, first, last_, new = changed
        stop = text.find("\n", last_)
        stop = len(text) if stop < 0 else stop
        if "\n" not in text[first:last_]:
            yield Place(path, first, stop, kind, new + text[last_:stop])


def _is_assigned(member: Node) -> bool:
    """Whether a member is being made rather than looked up: its uses are then wrong, in other places."""
    around = member.parent.parent if member.parent is not None else None
    return around is not None and around.child_by_field_name("left") == member.parent


def _refers(parent: Node | None) -> bool:
    """Whether what stands in a node is looked up, or called."""
    return parent is not None and parent.type in _USES


def _acceptance(
    verifier: Verifier, workspace: Workspace, files: Sequence[Syntax], count: int, chance: random.Random
) -> dict[str, object]:
    tallies = {kind: Tally(milliseconds=[]) for kind in KINDS}
    refusals: list[dict[str, object]] = []
    for kind, tally in tallies.items():
        for place in real_places(files, kind, count, chance):
            rejected = _judged(verifier, workspace, place, tally)
            if rejected is not None:
                line = place.file.read_text("utf-8")[: place.start].count("\n") + 1
                told = [[one.code, one.message] for one in rejected.rejections]
                refusals.append({"kind": kind, "place": f"{place.file}:{line}", "text": place.text[:80], "said": told})
    return {"kinds": {kind: _row(tally) for kind, tally in tallies.items()}, "refusals": refusals}


def _judged(verifier: Verifier, workspace: Workspace, place: Place, tally: Tally) -> Rejected | None:
    text = place.file.read_text("utf-8")
    language = language_of(place.file.name)
    assert language is not None  # noqa: S101 -- such files are drawn
    document = Document(place.file.as_uri(), language, text[: place.start] + text[place.end :])
    baseline = verifier.baseline(parse(document))
    baseline.verify(Candidate(place.start, place.text))  # the checker has read the file; what is timed is a question
    started = time.perf_counter()
    found = baseline.verify(Candidate(place.start, place.text))
    if tally.milliseconds is not None:
        tally.milliseconds.append((time.perf_counter() - started) * 1e3)
    workspace.forget(document.uri)
    if not isinstance(found, Verified | Rejected):
        raise SystemExit(f"error: {found.why}")
    tally.asked += 1
    tally.refused += isinstance(found, Rejected)
    return found if isinstance(found, Rejected) else None


def _recall(
    verifier: Verifier, workspace: Workspace, drawn: Sequence[Place], project: Path, scratch: Path
) -> dict[str, object]:
    wrong = _wrong(project, scratch, drawn)
    tallies: dict[str, Tally] = {}
    missed = []
    for place, said in wrong:
        tally = tallies.setdefault(place.kind, Tally())
        if _judged(verifier, workspace, place, tally) is None:
            line = place.file.read_text("utf-8")[: place.start].count("\n") + 1
            missed.append({"kind": place.kind, "place": f"{place.file}:{line}", "text": place.text[:80], "said": said})
    whole = Tally(sum(one.asked for one in tallies.values()), sum(one.refused for one in tallies.values()))
    kinds = {kind: _row(tally) for kind, tally in tallies.items()}
    return {"drawn": len(drawn), "kinds": kinds, "all": _row(whole), "missed": missed}


def _wrong(project: Path, scratch: Path, drawn: Sequence[Place]) -> list[tuple[Place, list[str]]]:
    """The mutants that the judge calls wrong: one for each file at a time, all files of a round in one run."""
    copy = scratch / project.name
    shutil.copytree(project, copy, symlinks=True)
    by_file: dict[Path, list[Place]] = {}
    for place in drawn:
        by_file.setdefault(place.file, []).append(place)
    intact = errors_by_file(copy)
    found = []
    for number in range(max(map(len, by_file.values()), default=0)):
        now = [places[number] for places in by_file.values() if number < len(places)]
        for place in now:
            text = place.file.read_text("utf-8")
            changed = text[: place.start] + place.text + text[place.end :]
            (copy / place.file.relative_to(project)).write_text(changed, "utf-8")
        errors = errors_by_file(copy)
        for place in now:
            name = place.file.relative_to(project).as_posix()
            new = errors.get(name, Counter()) - intact.get(name, Counter())
            if new:
                found.append((place, sorted(new)))
            shutil.copy(place.file, copy / name)
    return found


_TSC = re.compile(r"^(.+?)\(\d+,\d+\): error (TS\d+: .*)$")
_TY = re.compile(r"^(.+?):\d+:\d+: (error\[.*)$")


def errors_by_file(project: Path, config: str = "tsconfig.json") -> dict[str, Counter[str]]:
    """The judge's errors by file; their lines are left out, as a change may move them.

    Args:
        config: of scripts whose folder has no tsconfig.json.
    """
    configs = [name for name in ("tsconfig.json", config) if (project / name).is_file()]
    if configs:
        binary = find_typescript(None, (), trusted=False).binary
        unused = ["--noUnusedLocals", "false", "--noUnusedParameters", "false"]
        command = [str(binary), "-p", configs[0], "--pretty", "false", *unused]
        pattern = _TSC
    else:
        ty = find_ty(Places((project,)))
        assert ty is not None  # noqa: S101 -- it comes with Inscope
        environment = ["--python", ".venv"] if (project / ".venv").is_dir() else []
        command, pattern = [str(ty.binary), "check", "--output-format", "concise", *environment, "."], _TY
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)  # noqa: S603 -- the judge
    found: dict[str, Counter[str]] = {}
    for line in done.stdout.splitlines():
        if (told := pattern.match(line)) is not None:
            found.setdefault(told[1], Counter())[told[2]] += 1
    return found


def _row(tally: Tally) -> dict[str, object]:
    row: dict[str, object] = {"asked": tally.asked, "refused": tally.refused, "percent": round(tally.share, 2)}
    row["error"] = round(tally.error, 2)
    if tally.milliseconds:
        row["median_ms"] = round(median(tally.milliseconds), 1)
    return row


def _rendered(report: dict[str, object]) -> str:
    return json.dumps({key: value for key, value in report.items() if key != "machine"}, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())

"""Bodies of functions: how many statements are right until the first wrong one, from the header and its docstring.

    inscope bench bodies --set heldout            a hundred bodies, beside the model alone
    inscope bench bodies --draw heldout           draw them, once: what is frozen is never overwritten

`places/bodies-SET.jsonl` has a body a line, drawn from the packages of `inscope bench pauses`: of a function or method
with 2 to 10 statements in at most 20 lines. All of it is removed, a docstring aside, and asked for where its first
statement stood. A statement is right if it is the file's own, white space aside. The judges of `inscope bench replays`
look at the file with the text as the body.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, takewhile
from pathlib import Path

from benchmarks import pauses, places
from benchmarks.documents import document, text_of
from benchmarks.shares import mean
from benchmarks.suggestions_judges import Finished, JudgedProject, lines_around
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes
from context_index import Node, Syntax, Workspace, parse
from decoder import SamplingOptions
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest
from lsp_server.engine.verification import Candidate
from lsp_server.engine.verification.candidate import Applied

_COUNTS = {"javascript": 34, "typescript": 33, "python": 33}
_STATEMENTS, _LINES = range(2, 11), 20
_TOKENS = 96
"""As in editors."""
_READING = 20.0
_BLOCKS = ("block", "body", "module", "program")
"""Ends of the types of nodes that hold statements: Python's has the same span as its statements."""
_FOLDER = Path(__file__).with_name("places")


@dataclass(frozen=True)
class Body:
    """A function whose statements are to be written."""

    package: str
    root: Path
    path: Path
    language: str
    start: int
    """Of its first statement, in code points of the intact file; `end` is of its last."""
    end: int
    text: str
    """The intact file."""

    @property
    def below(self) -> str:
        """What is left after the cursor."""
        return self.text[self.end :]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written for a body."""

    body: Body
    right: int
    """Statements until the first wrong one."""
    statements: int
    """Of the file's own body."""
    candidate: Candidate


def main() -> int:
    """Draw, or ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=pauses.SETS, default="fitting")
    parser.add_argument("--draw", choices=pauses.SETS, help="draw this set and freeze it")
    parser.add_argument("--seed", type=int, default=59)
    parser.add_argument("--texts", action="store_true", help="print each text, too")
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
        return 0
    bodies = load(arguments.set)
    asked, alone, errors = measure(bodies)
    print("| language | bodies | statements | right first, asked | the model alone | difference | new errors |")
    print("|---|---|---|---|---|---|---|")
    for language in (*_COUNTS, "all"):
        here = [number for number, one in enumerate(bodies) if language in (one.language, "all")]
        pairs = [(asked[number], alone[number]) for number in here]
        cells = (
            len(here),
            sum(one.statements for one, _ in pairs),
            mean(one.right for one, _ in pairs),
            mean(other.right for _, other in pairs),
            mean(one.right - other.right for one, other in pairs),
            sum(bool(errors.get(number)) for number in here),
        )
        print(f"| {language} | {' | '.join(map(str, cells))} |")
    for number, found in sorted(errors.items()):
        for error in found:
            print(f"error: {bodies[number].path.name} {asked[number].candidate.text[:80]!r}: {error}")
    for one in asked.values() if arguments.texts else ():
        print(f"{one.right} of {one.statements}: {one.candidate.text!r}")
    print(machine_line())
    return 0


def measure(
    bodies: Sequence[Body],
) -> tuple[Mapping[int, Written], Mapping[int, Written], Mapping[int, Sequence[str]]]:
    """By the number of each body: what was written, by the model alone, and the judges' new errors of the first."""
    by_root: dict[Path, list[int]] = defaultdict(list)
    for number, one in enumerate(bodies):
        by_root[one.root].append(number)
    asked, alone, errors = dict[int, Written](), dict[int, Written](), dict[int, Sequence[str]]()
    host = ModelHost(ModelSettings(device="cpu", idle_unload_seconds=None))
    try:
        for root, numbers in by_root.items():
            print(root.name, file=sys.stderr)
            workspace = Workspace((root,))
            workspace.index()
            service = Service(workspace, host)
            service.read_name_counts(_READING)
            for number in numbers:
                asked[number] = _written(bodies[number], service, constrained=True)
                alone[number] = _written(bodies[number], service, constrained=False)
            workspace.close()
            errors |= _judged(root, {number: asked[number] for number in numbers})
    finally:
        host.close()
    return asked, alone, errors


def _written(body: Body, service: Service, *, constrained: bool) -> Written:
    torn = parse(document(body.path, body.text[: body.start] + body.below))
    service.workspace.update(torn.document)
    request = CompletionRequest(
        torn, body.start, SamplingOptions(), max_tokens=_TOKENS, constrained=constrained, imports=constrained
    )
    found = service.complete(request)
    service.workspace.forget(torn.document.uri)
    candidate = Candidate(body.start, found.text, found.replaces, found.additional_edits)
    own = _statements(parse(document(body.path, body.text)), body.start, body.end)
    given = parse(document(body.path, body.text[: body.start] + found.text + body.below[found.replaces :]))
    theirs = _statements(given, body.start, body.start + len(found.text))
    right = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, theirs, strict=False)))
    return Written(body, right, len(own), candidate)


def _judged(root: Path, written: Mapping[int, Written]) -> Iterator[tuple[int, Sequence[str]]]:
    files = []
    for number, one in written.items():
        torn = parse(document(one.body.path, one.body.text[: one.body.start] + one.body.below))
        applied = Applied(torn, one.candidate)
        extent, around = lines_around(applied)
        file = one.body.path.relative_to(root).as_posix()
        if one.candidate.text:
            files.append(Finished(str(number), file, one.body.text, applied.document.text, extent, around))
    if not files:
        return
    is_python = next(iter(written.values())).body.language == "python"
    with tempfile.TemporaryDirectory() as scratch:
        for judged, errors in JudgedProject(root, Path(scratch), is_python=is_python).new_errors(files):
            yield int(judged.name), [f"{error.judge} {error.code} {error.message}" for error in errors]


def load(name: str) -> Sequence[Body]:
    """The bodies of a set, in their frozen order.

    Raises:
        SystemExit: a file is not the one that they were drawn from.
    """
    found = []
    for line in (_FOLDER / f"bodies-{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        root = _roots(name, row["language"])[row["package"]]
        text = text_of(root / row["file"])
        if places.digest(text) != row["sha256"]:
            raise SystemExit(
                f"error: {root / row['file']} is not the file that was frozen; delete {root} and try again"
            )
        found.append(Body(row["package"], root, root / row["file"], row["language"], row["start"], row["end"], text))
    return found


def _freeze(name: str, seed: int) -> None:
    path = _FOLDER / f"bodies-{name}.jsonl"
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Bodies are drawn once; a new set gets a new name.")
    lines = []
    for language, count in _COUNTS.items():
        chance = random.Random(f"{seed} {name} {language}")  # noqa: S311 - a reproducible draw
        for body in islice(_drawn(_roots(name, language), language, chance), count):
            file = body.path.relative_to(body.root).as_posix()
            row = {"package": body.package, "file": file, "language": language, "start": body.start, "end": body.end}
            lines.append(json.dumps({**row, "sha256": places.digest(body.text)}))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _roots(name: str, language: str) -> Mapping[str, Path]:
    return {package: root for one in pauses.SETS[name] for package, root in places.packages(one, language).items()}


def _drawn(roots: Mapping[str, Path], language: str, chance: random.Random) -> Iterator[Body]:
    """Bodies of all packages in turn, of files that no other is of."""
    left = {}
    for package, root in roots.items():
        files = places.sources(language, root)
        left[package] = chance.sample(files, len(files))
    for package in cycle(roots):
        if not any(left.values()):
            return
        while left[package]:
            path = left[package].pop()
            syntax = places.parsed(path)
            spans = [] if syntax is None or "\r" in syntax.document.text else list(_bodies(syntax))
            if syntax is not None and spans:
                start, end = chance.choice(spans)
                yield Body(package, roots[package], path, language, start, end, syntax.document.text)
                break


def _bodies(syntax: Syntax) -> Iterator[tuple[int, int]]:
    """The statements of each function, a docstring aside."""
    for node in nodes(syntax.root):
        body = node.child_by_field_name("body")
        if body is None or node.child_by_field_name("parameters") is None:
            continue
        statements = [one for one in body.named_children if not _is_comment(one)]
        if statements and _is_docstring(statements[0]):
            statements = statements[1:]
        if len(statements) not in _STATEMENTS:
            continue
        start, end = syntax.start(statements[0]), syntax.end(statements[-1])
        text = syntax.document.text
        begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        if begins_line and text.count("\n", start, end) < _LINES:
            yield start, end


def _is_comment(node: Node) -> bool:
    return node.type == "comment"


def _is_docstring(node: Node) -> bool:
    return (
        node.type == "expression_statement" and node.named_child_count == 1 and node.named_children[0].type == "string"
    )


def _statements(syntax: Syntax, start: int, end: int) -> Sequence[str]:
    """The statements of a part of a file, each with single blanks."""
    found = (node for node in nodes(syntax.root) if start <= syntax.start(node) and syntax.end(node) <= end)
    inside = [node for node in found if not node.type.endswith(_BLOCKS)]
    outermost = min((_depth(node) for node in inside), default=0)
    texts = (syntax.text(node) for node in inside if _depth(node) == outermost and node.is_named)
    return [" ".join(text.split()) for text in texts]


def _depth(node: Node) -> int:
    depth, parent = 0, node.parent
    while parent is not None:
        depth, parent = depth + 1, parent.parent
    return depth


if __name__ == "__main__":
    sys.exit(main())

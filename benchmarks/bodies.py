"""Bodies of functions: how many statements are right until the first wrong one, from the header and its docstring.

    inscope bench bodies --set heldout            a hundred bodies, beside the model alone
    inscope bench bodies --draw heldout           draw them, once: what is frozen is never overwritten

`places/bodies-SET.jsonl` has one body a line, of a function or method with 2 to 10 statements in at most 20 lines. They
were drawn from the packages of `inscope bench pauses`. The body is removed except for a docstring, and asked for where
its first statement was. A statement is right if it is the file's own, white space aside. The judges of `inscope bench
replays` look at the file with the text as the body.
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
from lsp_server.engine.verification.applied import Applied

_COUNTS = {"javascript": 34, "typescript": 33, "python": 33}
"""Bodies of each language."""
_STATEMENTS, _LINES = range(2, 11), 20
_TOKENS = 96
"""The most tokens of an answer, as in editors."""
_READING_S = 20.0
"""The most seconds in which the names of a package are counted."""
_BLOCKS = ("block", "body", "module", "program")
"""What the types of nodes end with that hold statements. Python's block has the same span as its statements."""
_FOLDER = Path(__file__).with_name("places")


@dataclass(frozen=True)
class Body:
    """A function whose statements are to be written."""

    package: str
    root: Path
    path: Path
    language: str
    start: int
    """Where its first statement begins, in code points of the intact file; its last ends at `end`."""
    end: int
    text: str
    """The intact file."""

    @property
    def below(self) -> str:
        """The text after the body."""
        return self.text[self.end :]

    @property
    def torn(self) -> Syntax:
        """The file without the body."""
        return parse(document(self.path, self.text[: self.start] + self.below))


@dataclass(frozen=True, slots=True)
class Written:
    """What was written for a body."""

    body: Body
    right: int
    """Statements before the first wrong one."""
    statements: int
    """How many the file's own body has."""
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
        numbers = [number for number, body in enumerate(bodies) if language in (body.language, "all")]
        pairs = [(asked[number], alone[number]) for number in numbers]
        cells = (
            len(numbers),
            sum(written.statements for written, _ in pairs),
            mean(written.right for written, _ in pairs),
            mean(by_model.right for _, by_model in pairs),
            mean(written.right - by_model.right for written, by_model in pairs),
            sum(bool(errors.get(number)) for number in numbers),
        )
        print(f"| {language} | {' | '.join(map(str, cells))} |")
    for number, messages in sorted(errors.items()):
        for message in messages:
            print(f"error: {bodies[number].path.name} {asked[number].candidate.text[:80]!r}: {message}")
    for written in asked.values() if arguments.texts else ():
        print(f"{written.right} of {written.statements}: {written.candidate.text!r}")
    print(machine_line())
    return 0


def measure(
    bodies: Sequence[Body],
) -> tuple[Mapping[int, Written], Mapping[int, Written], Mapping[int, Sequence[str]]]:
    """Write each body twice and have the first text judged. The keys of all three are numbers of bodies.

    Returns:
        What Inscope wrote, what the model wrote alone, and the judges' new errors in what Inscope wrote.
    """
    by_root: dict[Path, list[int]] = defaultdict(list)
    for number, body in enumerate(bodies):
        by_root[body.root].append(number)
    asked, alone, errors = dict[int, Written](), dict[int, Written](), dict[int, Sequence[str]]()
    host = ModelHost(ModelSettings(device="cpu", idle_unload_seconds=None))
    try:
        for root, numbers in by_root.items():
            print(root.name, file=sys.stderr)
            workspace = Workspace((root,))
            workspace.index()
            service = Service(workspace, host)
            service.read_name_counts(_READING_S)
            for number in numbers:
                asked[number] = _write(bodies[number], service, constrained=True)
                alone[number] = _write(bodies[number], service, constrained=False)
            workspace.close()
            errors |= _new_errors(root, {number: asked[number] for number in numbers})
    finally:
        host.close()
    return asked, alone, errors


def _write(body: Body, service: Service, *, constrained: bool) -> Written:
    """Ask for a body, and compare its statements with the file's own.

    Args:
        constrained: False for the model alone, which then brings no imports either.
    """
    torn = body.torn
    service.workspace.update(torn.document)
    request = CompletionRequest(
        torn, body.start, SamplingOptions(), max_tokens=_TOKENS, constrained=constrained, imports=constrained
    )
    suggestion = service.complete(request)
    service.workspace.forget(torn.document.uri)
    text, replaces = suggestion.text, suggestion.replaces
    candidate = Candidate(body.start, text, replaces, suggestion.additional_edits)
    true_statements = _statements(parse(document(body.path, body.text)), body.start, body.end)
    with_text = parse(document(body.path, body.text[: body.start] + text + body.below[replaces:]))
    statements = _statements(with_text, body.start, body.start + len(text))
    right = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(true_statements, statements, strict=False)))
    return Written(body, right, len(true_statements), candidate)


def _new_errors(root: Path, written_by_number: Mapping[int, Written]) -> Iterator[tuple[int, Sequence[str]]]:
    """The judges' new errors in what was written for the bodies of one package, by the number of the body."""
    files = []
    for number, written in written_by_number.items():
        applied = Applied(written.body.torn, written.candidate)
        extent, around = lines_around(applied)
        file = written.body.path.relative_to(root).as_posix()
        if written.candidate.text:
            files.append(Finished(str(number), file, written.body.text, applied.document.text, extent, around))
    if not files:
        return
    is_python = next(iter(written_by_number.values())).body.language == "python"
    with tempfile.TemporaryDirectory() as scratch:
        for judged, errors in JudgedProject(root, Path(scratch), is_python=is_python).new_errors(files):
            yield int(judged.name), [f"{error.judge} {error.code} {error.message}" for error in errors]


def load(name: str) -> Sequence[Body]:
    """The bodies of a set, in their frozen order.

    Raises:
        SystemExit: a file is not the one that a body was drawn from.
    """
    bodies = []
    for line in (_FOLDER / f"bodies-{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        root = _roots(name, row["language"])[row["package"]]
        text = text_of(root / row["file"])
        if places.digest(text) != row["sha256"]:
            raise SystemExit(
                f"error: {root / row['file']} is not the file that was frozen; delete {root} and try again"
            )
        bodies.append(Body(row["package"], root, root / row["file"], row["language"], row["start"], row["end"], text))
    return bodies


def _freeze(name: str, seed: int) -> None:
    """Draw the bodies of a set and write them to its file, which must not exist."""
    path = _FOLDER / f"bodies-{name}.jsonl"
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Bodies are drawn once; a new set gets a new name.")
    lines = []
    for language, count in _COUNTS.items():
        rng = random.Random(f"{seed} {name} {language}")  # noqa: S311 - a reproducible draw
        for body in islice(_draw_bodies(_roots(name, language), language, rng), count):
            file = body.path.relative_to(body.root).as_posix()
            row = {"package": body.package, "file": file, "language": language, "start": body.start, "end": body.end}
            lines.append(json.dumps({**row, "sha256": places.digest(body.text)}))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _roots(name: str, language: str) -> Mapping[str, Path]:
    """The folders of the packages of a set of pauses, by the package's name."""
    return {
        package: root
        for places_set in pauses.SETS[name]
        for package, root in places.packages(places_set, language).items()
    }


def _draw_bodies(roots: Mapping[str, Path], language: str, rng: random.Random) -> Iterator[Body]:
    """Bodies of all packages in turn, at most one of each file."""
    left = {}
    """The files of each package that are not drawn yet, in random order."""
    for package, root in roots.items():
        files = places.sources(language, root)
        left[package] = rng.sample(files, len(files))
    for package in cycle(roots):
        if not any(left.values()):
            return
        while left[package]:
            path = left[package].pop()
            syntax = places.parse_file(path)
            spans = [] if syntax is None or "\r" in syntax.document.text else list(_body_spans(syntax))
            if syntax is not None and spans:
                start, end = rng.choice(spans)
                yield Body(package, roots[package], path, language, start, end, syntax.document.text)
                break


def _body_spans(syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Where the statements of each function of the wanted size begin and end, a docstring aside."""
    for node in nodes(syntax.root):
        body = node.child_by_field_name("body")
        if body is None or node.child_by_field_name("parameters") is None:
            continue
        statements = [child for child in body.named_children if child.type != "comment"]
        if statements and _is_docstring(statements[0]):
            statements = statements[1:]
        if len(statements) not in _STATEMENTS:
            continue
        start, end = syntax.start(statements[0]), syntax.end(statements[-1])
        text = syntax.document.text
        begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        if begins_line and text.count("\n", start, end) < _LINES:
            yield start, end


def _is_docstring(node: Node) -> bool:
    return (
        node.type == "expression_statement" and node.named_child_count == 1 and node.named_children[0].type == "string"
    )


def _statements(syntax: Syntax, start: int, end: int) -> Sequence[str]:
    """The outermost statements between two offsets, as text in which each run of white space is one blank."""
    within = (node for node in nodes(syntax.root) if start <= syntax.start(node) and syntax.end(node) <= end)
    inside = [node for node in within if not node.type.endswith(_BLOCKS)]
    outermost = min((_depth(node) for node in inside), default=0)
    texts = (syntax.text(node) for node in inside if _depth(node) == outermost and node.is_named)
    return [" ".join(text.split()) for text in texts]


def _depth(node: Node) -> int:
    """How many ancestors a node has."""
    depth, parent = 0, node.parent
    while parent is not None:
        depth, parent = depth + 1, parent.parent
    return depth


if __name__ == "__main__":
    sys.exit(main())

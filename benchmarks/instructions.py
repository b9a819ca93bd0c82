"""Frozen rewrites in the words of somebody who does not know the built-in model's recipe, over real functions.

    inscope bench instructions [--set heldout ...] [--show]

`places/instructions.jsonl` has one a line: package, file, lines, the file's SHA-256, what is asked for, and the edits
that are expected of it, with offsets in the lines. `fitting` and `heldout` share no function; only the first may be
fitted to. `known` asks for what the recipe has, in words of everyday. A result is right if it is the expected one: by
its tree in Python, by its tokens elsewhere. The text itself stays in the user's cache, see `benchmarks.places`.

A set is measured as a person has it: in the package, with its checker. The mean probability is to be at most the share
that is right and two standard errors; what is done is to be taken by Node.js or by CPython, and nothing is to be
written without a yes.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import subprocess
import tempfile
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import places
from benchmarks.documents import document, text_of
from benchmarks.timing import line, machine_line
from context_index import Document, Language, Node, Syntax, Workspace, identifiers, names_from_outside, parse
from decoder.draft import Prediction
from decoder.rewriting.task import RewriteTask
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.rewriting.outcome import RewriteResult
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.engine.service import Service

SETS = ("fitting", "heldout", "known")
_FROZEN = Path(places.__file__).with_suffix("") / "instructions.jsonl"
_OPTIONAL = frozenset({";", ","})
"""Tokens whose absence changes nothing here: at the end of a statement, after the last item."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A function of a file, what is asked for, and what is to come of it."""

    set: str
    root: Path
    """The unpacked package."""
    path: Path
    text: str
    """The whole file."""
    start: int
    end: int
    """Where the function is in the text, as whole lines."""
    instruction: str
    expected: str
    """The function as it is to be."""

    @property
    def region(self) -> str:
        """The function as it is."""
        return self.text[self.start : self.end]

    @property
    def around(self) -> tuple[str, str]:
        """The text of the file before and after it."""
        return self.text[: self.start], self.text[self.end :]

    @property
    def syntax(self) -> Syntax:
        """The file's tree."""
        return parse(document(self.path, self.text))

    def is_right(self, written: str) -> bool:
        """Whether a text for the function is the expected one, however it is laid out."""
        language = self.syntax.document.language
        return _meant(written, language) == _meant(self.expected, language)

    def task(self, workspace: Workspace) -> RewriteTask:
        """The request that the function be rewritten."""
        syntax, (before, after) = self.syntax, self.around
        return RewriteTask(
            self.region,
            self.instruction,
            workspace.context(syntax, self.start),
            prefix=before,
            suffix=after,
            names=names_from_outside(syntax),
            words=frozenset(syntax.text(node) for node in identifiers(syntax)),
            prediction=Prediction(self.region),
        )


def load(name: str) -> list[Instruction]:
    """The instructions of a set, in their frozen order; missing packages are downloaded.

    Raises:
        SystemExit: a file is not the one that was frozen.
    """
    return list(_rows(name))


def _rows(name: str) -> Iterator[Instruction]:
    for text_line in _FROZEN.read_text("utf-8").splitlines():
        row = json.loads(text_line)
        if row["set"] != name:
            continue
        root = places.project(row["package"], row["language"])
        path = root / row["file"]
        text = text_of(path)
        if places.digest(text) != row["sha256"]:
            raise SystemExit(f"error: {path} is not the file that was frozen; delete {root} and try again")
        first, last = map(int, row["lines"].split(":"))
        lines = text.splitlines(keepends=True)
        start, end = len("".join(lines[: first - 1])), len("".join(lines[:last]))
        expected = text[start:end]
        for first, last, new in sorted(row["edits"], reverse=True):
            expected = expected[:first] + new + expected[last:]
        yield Instruction(row["set"], root, path, text, start, end, row["instruction"], expected)


def _meant(text: str, language: Language) -> object:
    """What is compared of a function: neither its layout, nor quotes, nor what may be left out."""
    text = textwrap.dedent(text).strip("\n")
    if language.family == "python":
        try:
            return ast.dump(ast.parse(text))
        except SyntaxError:
            return text.split()
    syntax = parse(Document("untitled:function", language, text))
    return [word for node in _tokens(syntax.root) if (word := _spelled(node)) not in _OPTIONAL]


def _tokens(node: Node) -> Iterator[Node]:
    """The tokens of a tree in order, a string being one."""
    if node.child_count and node.type != "string":
        for child in node.children:
            yield from _tokens(child)
    elif node.type != "comment":
        yield node


def _spelled(node: Node) -> str:
    spelled = (node.text or b"").decode("utf-8")
    return f"'{spelled[1:-1]}'" if node.type == "string" else spelled


def measured(chosen: Sequence[Instruction], host: ModelHost) -> Iterator[tuple[Instruction, RewriteResult]]:
    """What comes of each, package by package."""
    by_root: dict[Path, list[Instruction]] = defaultdict(list)
    for one in chosen:
        by_root[one.root].append(one)
    for root, found in by_root.items():
        workspace = Workspace([root])
        try:
            rewriter = Rewriter(Service(workspace, host))
            for one in found:
                syntax, span = one.syntax, (one.start, one.end)
                request = RewriteRequest(syntax.document.uri, one.text, syntax, one.instruction, span)
                yield one, rewriter.run(request)
        finally:
            workspace.close()


def is_taken(one: Instruction, text: str) -> bool:
    """Whether the language takes a file as well as it took it before; TypeScript is its checker's."""
    language = one.syntax.document.language
    if language.family == "python":
        return not _compiles(one.text) or _compiles(text)
    if language is not Language.JAVASCRIPT:
        return True
    with tempfile.TemporaryDirectory() as folder:
        kinds = [kind for kind in ("cjs", "mjs") if _checks(Path(folder) / f"before.{kind}", one.text)]
        return not kinds or any(_checks(Path(folder) / f"after.{kind}", text) for kind in kinds)


def _compiles(text: str) -> bool:
    try:
        compile(text, "file", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _checks(path: Path, text: str) -> bool:
    path.write_text(text, "utf-8")
    return subprocess.run(["node", "--check", path], capture_output=True, check=False).returncode == 0  # noqa: S603, S607 - a benchmark


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="inscope bench instructions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", nargs="*", choices=SETS, default=SETS, help="the sets (default: all)")
    parser.add_argument("--show", action="store_true", help="print what is done, and whether it is right")
    arguments = parser.parse_args(argv)
    print(machine_line(), flush=True)
    host = ModelHost(ModelSettings())
    line("", "asked", "done", "right", "said", "most", "unasked", "refused", width=10)
    try:
        for name in arguments.set:
            _print(name, load(name), host, shows=arguments.show)
    finally:
        host.close()
    return 0


def _print(name: str, chosen: Sequence[Instruction], host: ModelHost, *, shows: bool) -> None:
    done: list[tuple[bool, float]] = []
    unasked = refused = 0
    for one, result in measured(chosen, host):
        if result.failed is not None:
            continue
        written = result.text[one.start : len(result.text) - len(one.text) + one.end]
        is_right = one.is_right(written)
        done.append((is_right, result.probability or 0.0))
        unasked += not result.doubts
        refused += not is_taken(one, result.text)
        if shows:
            print(f"    {'right' if is_right else 'wrong'} {result.probability:.2f}  {one.instruction}", flush=True)
    right, said = sum(is_right for is_right, _ in done), sum(said for _, said in done) / max(len(done), 1)
    share = right / max(len(done), 1)
    most = share + 2 * math.sqrt(share * (1 - share) / max(len(done), 1))
    counts = map(str, (len(chosen), len(done), right))
    line(name, *counts, f"{said:.3f}", f"{most:.3f}", str(unasked), str(refused), width=10)


if __name__ == "__main__":
    raise SystemExit(main())

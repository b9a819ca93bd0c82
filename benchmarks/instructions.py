"""Frozen rewrites in the words of somebody who does not know the built-in model's recipe, over real functions.

    inscope bench instructions [--set heldout ...] [--show]

`places/instructions.jsonl` has one rewrite a line: package, file, lines, the file's SHA-256, the instruction, and the
edits that are expected, with offsets within these lines. `fitting` and `heldout` share no function; only `fitting` may
be fitted to. `known` asks for kinds of rewrites that the recipe has, in everyday words. A result is right if it has the
expected one's tree in Python, and its tokens in other languages. The files are in the user's cache, see
`benchmarks.places`.

A set is measured as a person would use it: in the package, with its checker. Three things should hold. The mean
probability (`said`) is at most the share that is right plus two standard errors (`most`). Node.js or CPython accepts
what was written (else `refused`). Nothing is written without a confirmation (else `unasked`).
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
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.engine.service import Service

SETS = ("fitting", "heldout", "known")
_FROZEN = Path(places.__file__).with_suffix("") / "instructions.jsonl"
_OPTIONAL = frozenset({";", ","})
"""Tokens that are not compared: they may be left out at the end of a statement and after the last item."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A function of a file, the instruction for rewriting it, and the expected text."""

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
    """The rewritten function."""

    @property
    def region(self) -> str:
        """The function as it is in the file."""
        return self.text[self.start : self.end]

    @property
    def around(self) -> tuple[str, str]:
        """The text of the file before the function, and the text after it."""
        return self.text[: self.start], self.text[self.end :]

    @property
    def syntax(self) -> Syntax:
        """The file's tree."""
        return parse(document(self.path, self.text))

    def is_right(self, written: str) -> bool:
        """Whether a text for the function is the expected one, layout aside."""
        language = self.syntax.document.language
        return _without_layout(written, language) == _without_layout(self.expected, language)

    def task(self, workspace: Workspace) -> RewriteTask:
        """The task of rewriting the function, for the decoder."""
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
    return list(_load(name))


def _load(name: str) -> Iterator[Instruction]:
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


def _without_layout(text: str, language: Language) -> object:
    """What is compared of a function: its tree in Python, else its tokens without optional ones and kinds of quotes."""
    text = textwrap.dedent(text).strip("\n")
    if language.family == "python":
        try:
            return ast.dump(ast.parse(text))
        except SyntaxError:
            return text.split()
    syntax = parse(Document("untitled:function", language, text))
    return [token for node in _tokens(syntax.root) if (token := _spell(node)) not in _OPTIONAL]


def _tokens(node: Node) -> Iterator[Node]:
    """The tokens of a tree in order, without comments; a string is one token."""
    if node.child_count and node.type != "string":
        for child in node.children:
            yield from _tokens(child)
    elif node.type != "comment":
        yield node


def _spell(node: Node) -> str:
    """The text of a token, a string in single quotes."""
    spelled = (node.text or b"").decode("utf-8")
    return f"'{spelled[1:-1]}'" if node.type == "string" else spelled


def measure(chosen: Sequence[Instruction], host: ModelHost) -> Iterator[tuple[Instruction, RewriteResult]]:
    """Each instruction and the result of its rewrite, package by package."""
    by_root: dict[Path, list[Instruction]] = defaultdict(list)
    for instruction in chosen:
        by_root[instruction.root].append(instruction)
    for root, of_root in by_root.items():
        workspace = Workspace([root])
        try:
            rewriter = Rewriter(Service(workspace, host))
            for instruction in of_root:
                syntax, span = instruction.syntax, (instruction.start, instruction.end)
                request = RewriteRequest(syntax.document.uri, instruction.text, syntax, instruction.instruction, span)
                yield instruction, rewriter.run(request)
        finally:
            workspace.close()


def is_taken(instruction: Instruction, text: str) -> bool:
    """Whether CPython or Node.js accepts `text` as the whole file, or did not accept the file before either.

    Always true for TypeScript, which the checker judges.
    """
    language = instruction.syntax.document.language
    if language.family == "python":
        return not _compiles(instruction.text) or _compiles(text)
    if language is not Language.JAVASCRIPT:
        return True
    with tempfile.TemporaryDirectory() as folder:
        kinds = [kind for kind in ("cjs", "mjs") if _checks(Path(folder) / f"before.{kind}", instruction.text)]
        return not kinds or any(_checks(Path(folder) / f"after.{kind}", text) for kind in kinds)


def _compiles(text: str) -> bool:
    """Whether CPython compiles a file."""
    try:
        compile(text, "file", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _checks(path: Path, text: str) -> bool:
    """Whether Node.js accepts the syntax of a file; the path's suffix says what kind of module it is."""
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
    """Measure one set, and print its row; with `shows`, a line for each rewrite too."""
    probabilities: list[float] = []
    right = unasked = refused = 0
    for instruction, result in measure(chosen, host):
        if result.failure is not None:
            continue
        end = len(result.text) - len(instruction.text) + instruction.end
        is_right = instruction.is_right(result.text[instruction.start : end])
        probabilities.append(result.probability or 0.0)
        right += is_right
        unasked += not result.doubts
        refused += not is_taken(instruction, result.text)
        if shows:
            verdict = "right" if is_right else "wrong"
            print(f"    {verdict} {result.probability:.2f}  {instruction.instruction}", flush=True)
    done = len(probabilities)
    said, share = sum(probabilities) / max(done, 1), right / max(done, 1)
    most = share + 2 * math.sqrt(share * (1 - share) / max(done, 1))
    counts = map(str, (len(chosen), done, right))
    line(name, *counts, f"{said:.3f}", f"{most:.3f}", str(unasked), str(refused), width=10)


if __name__ == "__main__":
    raise SystemExit(main())

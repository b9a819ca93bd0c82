"""What a suggestion waits for a type checker, beside a model whose forward takes as long as a larger one's.

    python -m benchmarks.checker_wait --count 20 --packages node_modules

Places as in `benchmarks.gaps`. The file is opened first, of which the server tells the checker. As an editor asks
with every key, each place is asked about twice: before the last character in front of the cursor has been typed, and
then as it is, which counts; the text is another one by then. `--patience-ms` is what an editor grants
(`checker.deadlineMs`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import timing
from benchmarks.around_model import AroundModel
from benchmarks.batch_positions import files, javascript_roots, python_roots
from benchmarks.copies import SUFFIXES, Copies
from benchmarks.gaps import drawn
from benchmarks.traced_types import NOTICED, Traced
from context_index import Document, Workspace, language_of, parse
from decoder import Completion, CompletionTask, DocumentStates, Model, complete, load_model
from decoder.models.model import Logits

_OPENING = 30.0
"""Seconds in which the checker may look through a file that has been opened."""


class Paced(AroundModel):
    """A model whose forwards take at least so many seconds."""

    def __init__(self, model: Model, seconds: float) -> None:
        super().__init__(model)
        self._seconds = seconds

    def branch(self) -> Paced:
        """The same with a cache of its own."""
        return Paced(self.inner.branch(), self._seconds)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """The model's logits, not too soon."""
        ready = time.perf_counter() + self._seconds
        logits = super().forward(tokens, rows)
        time.sleep(max(0.0, ready - time.perf_counter()))
        return logits


def main() -> None:
    """Measure, and print one row for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="places per language (default: 20)")
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--languages", nargs="*", choices=SUFFIXES, default=list(SUFFIXES))
    parser.add_argument("--forward-ms", type=float, default=15.0)
    parser.add_argument("--patience-ms", type=float, default=200.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="tell of each place what was waited for")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    model = Paced(load_model(None), arguments.forward_ms / 1000)
    figures = {}
    for language in arguments.languages:
        roots = python_roots()[1:] if language == "python" else arguments.packages or javascript_roots()
        completions = _completions(model, language, roots, arguments)
        seconds = sum(one.seconds for one in completions)
        waited = sum(one.types_seconds for one in completions)
        figures[language] = {
            "suggestions": float(len(completions)),
            "ms": 1000 * seconds / (len(completions) or 1),
            "waiting ms": 1000 * waited / (len(completions) or 1),
            "share %": 100 * waited / (seconds or 1),
            "waiting at all": float(sum(one.types_seconds > NOTICED for one in completions)),
        }
    if arguments.json:
        print(json.dumps({"machine": timing.machine(), "figures": figures}, indent=2))
        return
    timing.line("", *next(iter(figures.values())))
    for language, row in figures.items():
        timing.line(language, *(f"{value:.1f}" for value in row.values()))
    print(timing.machine_line())


def _completions(model: Model, language: str, roots: Sequence[Path], arguments: argparse.Namespace) -> list[Completion]:
    roots = [root.resolve() for root in roots]
    found = [path for path in files(roots, SUFFIXES[language]) if not path.name.endswith((".d.ts", ".d.mts"))]
    states = DocumentStates()
    completions: list[Completion] = []
    with tempfile.TemporaryDirectory() as directory:
        below = Path(directory).resolve()
        copies = Copies(roots, below)
        workspace = Workspace(copies.roots)
        try:
            for place in drawn(found, language, arguments.seed):
                kind = language_of(place.path.name)
                if kind is None or not copies.can_hold(place.path):
                    continue
                path = copies.copy_of(place.path)
                offset = Document(path.as_uri(), kind, place.text).offset(place.position)
                workspace.prepare(Document(path.as_uri(), kind, place.text)).wait(_OPENING)
                waits: list[str] = []
                for keys in (1, 0):
                    text, at = place.text[: offset - keys] + place.text[offset:], offset - keys
                    syntax = parse(Document(path.as_uri(), kind, text))
                    traced = Traced(workspace.types(syntax.document))
                    task = CompletionTask(
                        text[:at],
                        text[at:],
                        workspace.context(syntax, at),
                        document=syntax.document.uri,
                        syntax_errors=syntax.errors,
                        max_tokens=32,
                        types=traced,
                        types_patience=arguments.patience_ms / 1000,
                    )
                    completion, waits = complete(model, task, states=states), traced.waits
                completions.append(completion)
                if arguments.verbose:
                    where = f"{copies.name(place.path)}:{place.position.line + 1}:{place.position.column + 1}"
                    print(f"{where} {completion.seconds * 1000:.0f} ms", *waits, sep="\n  ")
                if len(completions) == arguments.count:
                    break
        finally:
            workspace.close()
    return completions


if __name__ == "__main__":
    main()

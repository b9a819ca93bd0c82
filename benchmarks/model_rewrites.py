"""Rewrites of held-out functions, with wordings and identifiers that training never saw: how many are exact.

A function is rewritten in its file, as if it were selected in the editor. A part of `inscope bench model`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from context_index import Document, Workspace, identifiers, names_from_outside, parse
from decoder import Model
from decoder.draft import Prediction
from decoder.errors import RegionTooLongError
from decoder.rewriting.rewriting import Rewriting
from decoder.rewriting.task import RewriteTask
from training.corpus import SourceFile
from training.rewrites import Rewrite, functions
from training.rewrites import rewrite as drawn_rewrite
from training.rewrites.task import Function
from training.rewrites.wordings import UnseenDraw

_LONGEST = 20
"""The most line ends in a function's text."""


class FunctionRewrite(NamedTuple):
    """A function of a file, and the rewrite that is expected of it."""

    file: SourceFile
    function: Function
    rewrite: Rewrite
    """The kind, the instruction, and the function before and after it, as the training data makes them.

    Some kinds make the function before the rewrite, and expect the one in the file.
    """

    @property
    def around(self) -> tuple[str, str]:
        """The text of the file before the function, and the text after it."""
        before, _, following = self.file.text.partition(self.function.text)
        return before, following


def draw_rewrites(
    files: Sequence[SourceFile], count: int, draw: random.Random, *, in_seen_words: bool = False
) -> Mapping[str, list[FunctionRewrite]]:
    """By kind of rewrite: at most `count` functions of random files.

    Args:
        in_seen_words: Whether the instructions have wordings that training saw, and not those kept from it.
    """
    words = (random.Random if in_seen_words else UnseenDraw)(draw.random())
    by_kind: dict[str, list[FunctionRewrite]] = defaultdict(list)
    for file in draw.sample(files, len(files)):
        for function in functions(file.text, file.language):
            drawn = drawn_rewrite(function, words) if function.text.count("\n") <= _LONGEST else None
            if drawn is not None and len(by_kind[drawn.kind]) < count:
                by_kind[drawn.kind].append(FunctionRewrite(file, function, drawn))
    return by_kind


def exact(model: Model, cases: Iterable[FunctionRewrite]) -> dict[str, float]:
    """The share of cases whose result is the expected one, but for white space around it; without and with constraint.

    A function that is too long for the model is not among the `tasks`; it is counted as `too long`.
    """
    hits = {False: 0, True: 0}
    workspace = Workspace([])
    asked = too_long = 0
    for case in cases:
        try:
            results = {constrained: _is_exact(model, workspace, case, constrained=constrained) for constrained in hits}
        except RegionTooLongError:
            too_long += 1
            continue
        asked += 1
        for constrained, is_exact in results.items():
            hits[constrained] += is_exact
    return {
        "exact": hits[False] / max(asked, 1),
        "exact, constrained": hits[True] / max(asked, 1),
        "tasks": asked,
        "too long": too_long,
    }


def _is_exact(model: Model, workspace: Workspace, case: FunctionRewrite, *, constrained: bool) -> bool:
    """Whether the model's rewrite is the expected text.

    Raises:
        RegionTooLongError: the function does not fit into the model's context.
    """
    task = rewrite_task(workspace, case, case.rewrite.instruction, constrained=constrained)
    result = Rewriting(model, task).search()
    return any(written.text.strip() == case.rewrite.result.strip() for written in result.accepted)


def rewrite_task(
    workspace: Workspace, case: FunctionRewrite, instruction: str, *, constrained: bool = True
) -> RewriteTask:
    """The decoder's task: to rewrite the function before the rewrite, put in place of the one in the file."""
    before, after = case.around
    syntax = parse(Document("untitled:file", case.function.language, before + case.rewrite.original + after))
    return RewriteTask(
        case.rewrite.original,
        instruction,
        workspace.context(syntax, len(before)),
        prefix=before,
        suffix=after,
        names=names_from_outside(syntax),
        words=frozenset(syntax.text(node) for node in identifiers(syntax)),
        prediction=Prediction(case.rewrite.original),
        constrained=constrained,
    )

"""Rewrites of held-out functions, with wordings and identifiers that training never saw: how many are exact.

A function is rewritten in its file, as somebody who has selected it in the editor would have it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from context_index import Document, Workspace, identifiers, names_from_outside, parse
from decoder import Model
from decoder.draft import Prediction
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import RewriteTask
from training.corpus import SourceFile
from training.rewrites import Rewrite, functions
from training.rewrites import rewrite as drawn_rewrite
from training.rewrites.task import Function
from training.rewrites.wordings import UnseenDraw

_LONGEST = 20
"""Lines of a function."""


class Task(NamedTuple):
    """A function of a file, and what is to become of it."""

    file: SourceFile
    function: Function
    made: Rewrite

    @property
    def around(self) -> tuple[str, str]:
        """The text before it and after it in its file."""
        before, _, following = self.file.text.partition(self.function.text)
        return before, following


def draw_rewrites(files: Sequence[SourceFile], count: int, draw: random.Random) -> Mapping[str, list[Task]]:
    """At most `count` functions of each kind of rewrite."""
    unseen = UnseenDraw(draw.random())
    found: dict[str, list[Task]] = defaultdict(list)
    for file in draw.sample(files, len(files)):
        for function in functions(file.text, file.language):
            made = drawn_rewrite(function, unseen) if function.text.count("\n") <= _LONGEST else None
            if made is not None and len(found[made.kind]) < count:
                found[made.kind].append(Task(file, function, made))
    return found


def exact(model: Model, tasks: Iterable[Task]) -> dict[str, float]:
    """Share of the tasks whose result is the expected one, byte for byte, without and with the constraint."""
    hits = {False: 0, True: 0}
    workspace = Workspace([])
    number = 0
    for task in tasks:
        number += 1
        made, (before, after) = task.made, task.around
        for constrained in hits:
            text = before + made.original + after
            syntax = parse(Document("untitled:file", task.function.language, text))
            request = RewriteTask(
                made.original,
                made.instruction,
                workspace.context(syntax, len(before)),
                prefix=before,
                suffix=after,
                names=names_from_outside(syntax),
                words=frozenset(syntax.text(node) for node in identifiers(syntax)),
                prediction=Prediction(made.original),
                constrained=constrained,
            )
            _, found = rewrite(model, request)
            hits[constrained] += any(one.text.strip() == made.result.strip() for one in found.accepted)
    return {
        "exact": hits[False] / max(number, 1),
        "exact, constrained": hits[True] / max(number, 1),
        "tasks": number,
    }

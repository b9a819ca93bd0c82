"""Rewrites of held-out functions, with wordings and identifiers that training never saw: how many are exact.

A function is rewritten where it stands, as somebody who has selected it in the editor would have it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from context_index import Document, Workspace, names_from_outside, parse
from decoder import Model
from decoder.rewriting.rewriting import Rewriting
from decoder.rewriting.task import RewriteTask
from decoder.stops import Stop
from decoder.training.corpus import SourceFile
from decoder.training.rewrites import Rewrite, functions, rewrite
from decoder.training.rewrites.task import Function
from decoder.training.rewrites.wordings import UnseenDraw
from lsp_server.rewriting.objections import objections

_LONGEST = 20
"""Lines of a function."""
_SLICE_S = 60.0


class Task(NamedTuple):
    """A function of a file, and what is to become of it."""

    file: SourceFile
    function: Function
    made: Rewrite

    @property
    def around(self) -> tuple[str, str]:
        """What stands before it and behind it in its file."""
        before, _, behind = self.file.text.partition(self.function.text)
        return before, behind


def draw_rewrites(files: Sequence[SourceFile], count: int, draw: random.Random) -> Mapping[str, list[Task]]:
    """At most `count` functions of each kind of rewrite."""
    unseen = UnseenDraw(draw.random())
    found: dict[str, list[Task]] = defaultdict(list)
    for file in draw.sample(files, len(files)):
        for function in functions(file.text, file.language):
            made = rewrite(function, unseen) if function.text.count("\n") <= _LONGEST else None
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
        made, (before, behind) = task.made, task.around
        for constrained in hits:
            text = before + made.original + behind
            syntax = parse(Document("untitled:file", task.function.language, text))
            request = RewriteTask(
                made.original,
                made.instruction,
                workspace.context(syntax, len(before)),
                prefix=before,
                suffix=behind,
                outer=names_from_outside(syntax),
                draft=made.original,
                objections=partial(objections, syntax, before, behind) if constrained else None,
                constrained=constrained,
            )
            done = None
            rewriting = Rewriting(model, request)
            while done is None:
                done = rewriting.advance(_SLICE_S)
            hits[constrained] += done.stop is Stop.END and done.text.strip() == made.result.strip()
    return {
        "exact": hits[False] / max(number, 1),
        "exact, constrained": hits[True] / max(number, 1),
        "tasks": number,
    }

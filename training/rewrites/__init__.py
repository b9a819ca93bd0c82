"""Pairs of a function and its rewrite, with an instruction, made by program transformation so that they are correct.

task        what a rewrite is, and new names
wordings    different ways to phrase the same instruction
python      on the tree of the standard library's `ast` (`python_functions`, `python_formatting`)
javascript  on tokens (`javascript_tokens`, `javascript_functions`, `javascript_templates`), also for TypeScript
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from context_index.symbols import Language
from training.rewrites import javascript, python
from training.rewrites.task import Function, Rewrite, Transformation, words_of

__all__ = ["Rewrite", "functions", "rewrite", "rewrites"]

_FREQUENT_PER_FUNCTION = 1.4
"""The mean number of rewrites of a function by transformations that often apply."""
_RARE_FIRST = 0.7
"""How probable it is that transformations that seldom apply are tried before those that often do."""
_PLANTED_SHARE = 0.5
"""The share of functions into which code is planted that a rewrite then changes (`PLANTED`)."""
_LONGEST = 900
"""Characters of a function. Twice the function and an instruction must fit into the model's context."""


def functions(text: str, language: Language) -> Iterator[Function]:
    """The functions of a file that are short enough, each with the words of the file; none if it cannot be parsed."""
    of_file = python.functions(text) if language.family == "python" else javascript.functions(text)
    short = [function for function in of_file if len(function.text) <= _LONGEST]
    words = words_of(text) if short else ()
    return (replace(function, words=words) for function in short)


def rewrite(function: Function, draw: random.Random) -> Rewrite | None:
    """One random rewrite of a function, of a kind that applies to it; None if none does."""
    rare, frequent = (list(kinds) for kinds in (python if function.language.family == "python" else javascript).KINDS)
    draw.shuffle(rare)
    draw.shuffle(frequent)
    kinds = [*rare, *frequent] if draw.random() < _RARE_FIRST else [*frequent, *rare]
    return _first_that_applies(kinds, function, draw)


def rewrites(text: str, language: Language, draw: random.Random) -> Iterator[Rewrite]:
    """Rewrites of the functions in a file.

    For each function: one by every transformation that seldom applies and does here, one or two by the others, and for
    some functions one of code that was planted in it.
    """
    module = python if language.family == "python" else javascript
    rare, frequent = module.KINDS
    for function in functions(text, language):
        yield from (result for kind in rare if (result := kind(function, draw)) is not None)
        for _ in range(int(_FREQUENT_PER_FUNCTION + draw.random())):
            if result := _first_that_applies(draw.sample(frequent, len(frequent)), function, draw):
                yield result
        if draw.random() < _PLANTED_SHARE and (result := module.PLANTED(function, draw)) is not None:
            yield result


def _first_that_applies(kinds: Sequence[Transformation], function: Function, draw: random.Random) -> Rewrite | None:
    """The rewrite by the first of some transformations that applies; None if none does."""
    return next((result for kind in kinds if (result := kind(function, draw)) is not None), None)

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

_SHARE = 1.4
"""How often a function is rewritten in ways that nearly always apply, on the average."""
_RARE_FIRST = 0.7
"""How often kinds that seldom apply are tried before those that nearly always do."""
_MADE_UP = 0.5
"""How often something is put into a function for a rewrite to change."""
_LONGEST = 900
"""Characters of a function: twice of it and an instruction must go into the model's context."""


def functions(text: str, language: Language) -> Iterator[Function]:
    """The functions of a file that are short enough; none where the file cannot be read."""
    found = python.functions(text) if language.family == "python" else javascript.functions(text)
    short = [function for function in found if len(function.text) <= _LONGEST]
    words = words_of(text) if short else ()
    return (replace(function, words=words) for function in short)


def rewrite(function: Function, draw: random.Random) -> Rewrite | None:
    """One rewrite of a function, of a kind that applies to it; None where none does."""
    rare, frequent = (list(kinds) for kinds in (python if function.language.family == "python" else javascript).KINDS)
    draw.shuffle(rare)
    draw.shuffle(frequent)
    kinds = [*rare, *frequent] if draw.random() < _RARE_FIRST else [*frequent, *rare]
    return _first(kinds, function, draw)


def rewrites(text: str, language: Language, draw: random.Random) -> Iterator[Rewrite]:
    """Rewrites of functions in a file: all that seldom apply, and of the others one or two for each function."""
    kinds = python if language.family == "python" else javascript
    rare, frequent = kinds.KINDS
    for function in functions(text, language):
        yield from (made for kind in rare if (made := kind(function, draw)) is not None)
        for _ in range(int(_SHARE + draw.random())):
            if made := _first(draw.sample(frequent, len(frequent)), function, draw):
                yield made
        if draw.random() < _MADE_UP and (made := kinds.MADE_UP(function, draw)) is not None:
            yield made


def _first(kinds: Sequence[Transformation], function: Function, draw: random.Random) -> Rewrite | None:
    return next((made for kind in kinds if (made := kind(function, draw)) is not None), None)

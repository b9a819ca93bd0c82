"""An instruction, a function, and the function rewritten: by program transformation, so that the result is certain.

task        what a rewrite is, and how the same wish is put in several ways
python      on the tree of the standard library's `ast`
javascript  on tokens (`javascript_tokens`), for JavaScript and TypeScript
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from context_index.symbols import Language
from decoder.training.rewrites import javascript, python
from decoder.training.rewrites.task import Function, Rewrite

__all__ = ["Rewrite", "functions", "rewrite", "rewrites"]

_SHARE = 0.4
"""Of the functions that can be rewritten, so many are: the rest of the file is seen in holes anyway."""
_RARE_FIRST = 0.7
"""How often kinds that seldom apply are tried before those that nearly always do."""
_LONGEST = 1_600
"""Characters of a function: twice of it and an instruction must go into the model's context."""


def functions(text: str, language: Language) -> Iterator[Function]:
    """The functions of a file that are short enough; none where the file cannot be read."""
    found = python.functions(text) if language.is_python else javascript.functions(text)
    return (function for function in found if len(function.text) <= _LONGEST)


def rewrite(function: Function, draw: random.Random) -> Rewrite | None:
    """One rewrite of a function, of a kind that applies to it; None where none does."""
    rare, frequent = (list(kinds) for kinds in (python if function.language.is_python else javascript).KINDS)
    draw.shuffle(rare)
    draw.shuffle(frequent)
    kinds = [*rare, *frequent] if draw.random() < _RARE_FIRST else [*frequent, *rare]
    return next((made for kind in kinds if (made := kind(function, draw)) is not None), None)


def rewrites(text: str, language: Language, draw: random.Random) -> Iterator[Rewrite]:
    """Rewrites of functions in a file."""
    for function in functions(text, language):
        if draw.random() < _SHARE and (made := rewrite(function, draw)) is not None:
            yield made

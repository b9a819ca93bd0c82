"""What needs no import has these members, by tables that `regenerate` makes. Lists of names; none is exact."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from context_index.oracles.builtin.shapes import Shape
from context_index.symbols import NameKind


def standard(name: str) -> Shape | None:
    """What objects of one of ECMAScript's classes have; None where the table does not know it."""
    return _table("standard").get(name)


def given(name: str) -> Shape | None:
    """What a global itself has: `console`, `Math`, the class `Promise`; None where the table does not know it."""
    return _table("given").get(name)


@cache
def _table(which: str) -> dict[str, Shape]:
    text = files(__package__).joinpath(f"{which}.tsv").read_text(encoding="utf-8")
    shapes = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, methods, properties = line.split("\t")
            kinds = dict.fromkeys(methods.split(), NameKind.METHOD)
            shapes[name] = Shape({**kinds, **dict.fromkeys(properties.split(), NameKind.PROPERTY)})
    return shapes

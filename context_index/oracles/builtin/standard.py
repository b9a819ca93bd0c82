"""The members of ECMAScript's own objects, from a table that `regenerate` makes. Lists of names; none is exact."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from context_index.oracles.builtin.shapes import Shape
from context_index.symbols import NameKind


def standard(name: str) -> Shape | None:
    """What objects of a standard class have; None where the table does not know it."""
    return _table().get(name)


@cache
def _table() -> dict[str, Shape]:
    text = files(__package__).joinpath("standard.tsv").read_text(encoding="utf-8")
    shapes = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, methods, properties = line.split("\t")
            kinds = dict.fromkeys(methods.split(), NameKind.METHOD)
            shapes[name] = Shape({**kinds, **dict.fromkeys(properties.split(), NameKind.PROPERTY)})
    return shapes

"""What values a setting may have, each kind with the words in which a person is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from context_index import Language


@dataclass(frozen=True, slots=True)
class Kind:
    """What values a setting takes. `said` completes the sentence "x must be ..."."""

    said: str
    fits: Callable[[object], bool]
    read: Callable[[Any], object] = lambda value: value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(least: int, most: int) -> Kind:
    """Whole numbers within bounds, both of them fine."""
    return Kind(
        f"a whole number from {least} to {most}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most,
    )


def number(least: float, most: float) -> Kind:
    """Numbers within bounds, both of them fine; read as a float."""
    return Kind(
        f"a number from {least:g} to {most:g}",
        lambda value: _is_number(value) and least <= cast("float", value) <= most,
        float,
    )


def one_of(*choices: str) -> Kind:
    """One of some words."""
    said = " or ".join([", ".join(f'"{choice}"' for choice in choices[:-1]), f'"{choices[-1]}"'])
    return Kind(said, lambda value: isinstance(value, str) and value in choices)


def or_null(kind: Kind) -> Kind:
    """What another kind takes, and null."""
    return Kind(
        f"{kind.said}, or null",
        lambda value: value is None or kind.fits(value),
        lambda value: None if value is None else kind.read(value),
    )


def _list_of(said: str, fits: Callable[[str], bool]) -> Kind:
    return Kind(
        said,
        lambda value: isinstance(value, list | tuple) and all(isinstance(one, str) and fits(one) for one in value),
        tuple,
    )


SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
TEXT = Kind("a text that is not empty", lambda value: isinstance(value, str) and value.strip() != "")
GLOBS = _list_of('a list of globs as in .gitignore ("**/*.min.js")', lambda one: one.strip() != "")
LANGUAGES = _list_of(
    "a list of " + ", ".join(f'"{language}"' for language in Language),
    lambda one: one in tuple(Language),
)

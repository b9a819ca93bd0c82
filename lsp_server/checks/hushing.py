"""Comments that silence a checker: whether one is wanted no text tells, and a model writes them behind anything."""

from __future__ import annotations

import re
from typing import Final

_HUSHES: Final = re.compile(
    r"""\s*(?:\#|//|/\*)\s*(?:
        type:\s*ignore | noqa\b | nosec\b | (?:pylint|pyright|mypy|ruff|ty|flake8):\s*(?:disable|ignore|noqa)
        | pragma:\s*no\b | fmt:\s*(?:off|skip) | isort:\s*skip
        | (?:es|js|x|ts|std)lint\b | eslint- | tslint: | jshint\b | biome-ignore | oxlint- | deno-lint-
        | @ts-(?:ignore|expect-error|nocheck) | prettier-ignore | (?:istanbul|c8|v8)\s+ignore
    )""",
    re.VERBOSE,
)


def hushes(text: str) -> bool:
    """Whether a text begins with such a comment; behind code of its own it is a part of that."""
    return _HUSHES.match(text) is not None

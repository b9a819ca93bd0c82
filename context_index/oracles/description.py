"""What a checker says of a name, read from LSP's answer to a hover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCED = re.compile(r"\s*```\w*\n(.*?)\n```[^\S\n]*(?:\n+|$)(?:---\n)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Description:
    """A name for people."""

    signature: str
    """Its declaration as the checker writes it, of one line or more."""
    documentation: str = ""
    """In Markdown."""


def described(answer: object) -> Description | None:
    """The first block of code of a hover, and the prose behind it; None where it says nothing."""
    contents = answer.get("contents") if isinstance(answer, dict) else None
    text = "\n".join(_texts(contents))
    fenced = _FENCED.match(text)
    if fenced is None:
        return Description("", text.strip()) if text.strip() else None
    return Description(fenced[1].strip(), text[fenced.end() :].strip())


def _texts(contents: object) -> Iterator[str]:
    """LSP has four shapes of contents."""
    for one in contents if isinstance(contents, list) else [contents]:
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            value = str(one.get("value", ""))
            yield f"```{one['language']}\n{value}\n```\n" if "language" in one else value

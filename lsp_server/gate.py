"""The last look at a suggestion: does the file still parse with it, and does it say anything?

A suggestion that fails as a whole may pass up to the end of one of its lines. Knows nothing of tokens or editors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import Edit
from lsp_server.suggestion import Withheld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Syntax

_SHORTEST_ECHO = 4
"""Characters from which a line that recurs counts as an echo: closing brackets recur everywhere."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be shown: `text`, or nothing and why."""

    text: str = ""
    withheld: Withheld | None = None
    reason: str = ""


def judge(syntax: Syntax, offset: int, text: str) -> Verdict:
    """The longest beginning of `text`, cut at a line's end, that may stand at `offset`."""
    document = syntax.document
    rest = document.text[offset:].split("\n", 1)[0].strip()
    fitting = without_overlap(text, rest).rstrip()
    if not fitting.strip():
        return Verdict(withheld=Withheld.EMPTY, reason="The model had nothing to say here.")
    before = syntax.errors
    for candidate in _beginnings(fitting):
        if _echoes(document.text[offset:], candidate):
            continue
        edit = Edit(offset, offset, candidate)
        if syntax.edited(document.edited([edit], document.revision), [edit]).errors <= before:
            return Verdict(candidate)
    if _echoes(document.text[offset:], fitting):
        return Verdict(withheld=Withheld.REPEATS_FOLLOWING, reason="It repeats what stands after the cursor.")
    return Verdict(withheld=Withheld.SYNTAX_ERROR, reason="The file would have a new syntax error with it.")


def without_overlap(text: str, rest: str) -> str:
    """`text` without an end that says the rest of the line, white space apart, again."""
    if rest and text.rstrip().endswith(rest):
        return text.rstrip()[: -len(rest)]
    return text


def _beginnings(text: str) -> Iterator[str]:
    """The text, then ever shorter beginnings of whole lines."""
    while text.strip():
        yield text
        text = text[: text.rfind("\n")].rstrip() if "\n" in text else ""


def _echoes(following: str, text: str) -> bool:
    """Whether the text says what the file says right after the cursor: all of it, or its first line below."""
    said = [line.strip() for line in text.strip().split("\n")]
    below = [line.strip() for line in following.split("\n") if line.strip()]
    return len("".join(said)) >= _SHORTEST_ECHO and below[: len(said)] == said

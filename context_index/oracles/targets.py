"""Whether what stands at a place is being assigned to, as far as its line tells: there a new name is a definition."""

from __future__ import annotations

import re

from context_index.oracles.overlays import line_end, word_end

_ASSIGNED = re.compile(r"['\"`]?\]?\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>>?|&&|\|\||\?\?)?=(?![=>])")
_ANNOTATED = re.compile(r"\s*:[^=]*=(?!=)|\s*:\s*[\w.\[\], |]+$")
_LISTED = re.compile(r"\s*,[\w\s.,*\[\]]*=(?![=>])")
_TARGET_LIST = re.compile(r"[\s\w.,*]*")
_NAMED = re.compile(r"(?:^|[^\w$])(?:del|delete|as|for)\s+[\w$.]*$")


def is_assigned(text: str, offset: int, *, python: bool) -> bool:
    """Whether the name at an offset is the target of an assignment, a deletion, a `with` or a `for`."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    end = word_end(text, offset)
    behind = text[end : line_end(text, end)]
    if _ASSIGNED.match(behind) or _NAMED.search(before):
        return True
    if not python or not _TARGET_LIST.fullmatch(before):
        return False
    return bool(_ANNOTATED.match(behind) or _LISTED.match(behind))

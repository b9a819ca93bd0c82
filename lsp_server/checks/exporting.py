"""Lists of what a file offers to others: it names what the file has, and nothing is imported for it.

Knows the text before a place only, which is often torn where somebody writes at the end of a file.
"""

from __future__ import annotations

import re
from typing import Final

_REACH: Final = 2_000
"""Characters before a place in which its list begins."""
_LISTS: Final = re.compile(
    r"(?:\bmodule\.exports\s*=\s*|(?<![\w$.])exports\s*=\s*)(?:\{(?:[^{};:]|:\s*[\w$.]+\s*(?=,))*)?$"
    r"|\bexport\s+(?:type\s+)?\{[^{};]*$"
    r"|\bexport\s+default\s*(?:\{[^{};:]*)?$"
    r"|^__all__\s*(?::[^=\n]*)?\+?=\s*[\[(][^\])]*$",
    re.MULTILINE,
)


def is_exporting(text: str, place: int) -> bool:
    """Whether a name at a place of a text would be offered to others: `module.exports = { `, `export default `."""
    return _LISTS.search(text[max(place - _REACH, 0) : place]) is not None

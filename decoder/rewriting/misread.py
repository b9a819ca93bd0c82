"""Words of a wish that a text has for names though nobody asked for that: `make total optional` wants no `optional`.

A small model that has learned to rename takes many a sentence for one that wants a name replaced. Where the sentence
does not say so, and the word is not spelled as only a name is, that is held against a text. A word that is bound
beside the name, as `sorted` in `const sorted = rows.toSorted()`, takes the place of none, nor does an imported one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from decoder.rewriting.instruction import introduced, may_rename, words
from decoder.rewriting.original import Original

if TYPE_CHECKING:
    from collections.abc import Container


def misread(
    instruction: str, original: str, text: str, *, python: bool, known: Container[str] = frozenset()
) -> tuple[str, str] | None:
    """A name that the instruction mentions, and the word of it that the text has in its place; None for none.

    Args:
        original: The text that was written anew, or its file.
        text: What it became.
        known: Names that mean something there.
    """
    if may_rename(instruction, original):
        return None
    said = words(instruction)
    read = Original(original, python=python)
    before = read.names()
    mentioned = [name for name in before if name in said]
    if not mentioned:
        return None
    after = Original(text, python=python).names()
    old = read.words() | introduced(instruction)
    new = [name for name in after if name in said and len(name) > 1 and name not in old and name not in known]
    new = [name for name in new if not _is_bound(name, text, "import")]
    for name in mentioned:
        instead = new if not after[name] else [word for word in new if not _is_bound(word, text)]
        if instead and after[name] < before[name]:
            return name, instead[0]
    return None


def _is_bound(name: str, text: str, by: str = "const|let|var|def|function|class") -> bool:
    """Whether a line binds a name with one of these words, or with none of them where it stands first."""
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    alone = "" if by == "import" else rf"|^\s*{word}\s*(?::[^\n=]+)?=(?!=)"
    return re.search(rf"\b(?:{by})\b[^\n=(]*{word}{alone}", text, re.MULTILINE) is not None

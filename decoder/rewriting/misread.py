"""Words of a wish that a text has for names though nobody asked for that: `make total optional` wants no `optional`.

A small model that has learned to rename takes many a sentence for one that wants a name replaced. Where the sentence
does not say so, and the word is not spelled as only a name is, that is held against a text. A word that is bound
beside the name, as `sorted` in `const sorted = rows.toSorted()`, takes the place of none, nor does an imported one.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from decoder.rewriting.differing import changed_lines
from decoder.rewriting.instruction import introduced, may_rename, words
from decoder.rewriting.original import LEXEME, WORD, Original

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_LONGEST: Final = 300
"""Lexemes on either side that differ in one go, above which nobody looks for words that were swapped."""
_REWORDS: Final = re.compile(
    r"\w_?case\b|\b(?:camel|snake|pascal|plural|singular|prefix|suffix|clear|readable|descriptive|meaning|shorten|expand|abbrev)",
    re.IGNORECASE,
)
"""Wants other words for names, and leaves them to who does it."""
_VALUES: Final = frozenset({"null", "undefined", "None", "True", "False", "true", "false", "this", "self", "super"})


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
    swapped = None if _REWORDS.search(instruction) else _swapped(said, original, text, read, known)
    if swapped is not None and swapped[1] in introduced(instruction):
        swapped = None
    if swapped is not None or not mentioned:
        return swapped
    after = Original(text, python=python).names()
    old = read.words() | introduced(instruction)
    new = [name for name in after if name in said and len(name) > 1 and name not in old and name not in known]
    new = [name for name in new if not _is_bound(name, text, "import")]
    for name in mentioned:
        instead = new if not after[name] else [word for word in new if not _is_bound(word, text)]
        if instead and after[name] < before[name]:
            return name, instead[0]
    return None


def _swapped(
    said: Container[str], original: str, text: str, read: Original, known: Container[str]
) -> tuple[str, str] | None:
    """A word of the code that the instruction mentions, and a new one that stands where it stood, all else as before.

    A word that the old one is part of is another form of it (`_total`, `getTotal`).
    """
    old, kept = read.words(), Original(text, python=read.is_python).words()
    for one, other in changed_lines(original, text):
        for name, word in _swaps(one, other, python=read.is_python):
            is_new = word not in old and word not in known and word not in _VALUES and not word[0].isdigit()
            if name not in said or name in read.keywords or not is_new or name.lower() in word.lower():
                continue
            stands_beside = name in kept and _is_bound(word, text, alone=read.is_python)
            if not stands_beside and not _is_bound(word, text, "import"):
                return name, word
    return None


def _swaps(one: str, other: str, *, python: bool) -> Iterator[tuple[str, str]]:
    """The words of the code that another one stands for; not behind a dot, where it may be another member."""
    line = Original(one, python=python)
    places = [place for place in range(len(line)) if not line.lexemes[place].isspace()]
    old = [line.lexemes[place] for place in places]
    new = [lexeme for lexeme in LEXEME.findall(other) if not lexeme.isspace()]
    if len(old) * len(new) > _LONGEST**2:
        return
    for change, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_one = change == "replace" and stop - start == end - begin == 1
        if is_one and line.in_code[places[start]] and old[start - 1 : start] != ["."]:
            name, word = old[start], new[begin]
            if WORD.fullmatch(name) and WORD.fullmatch(word):
                yield name, word


def _is_bound(name: str, text: str, by: str = "const|let|var|def|function|class", *, alone: bool = True) -> bool:
    """Whether a line binds a name with one of these words, or with none of them where it stands first."""
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    first = "" if by == "import" or not alone else rf"|^\s*{word}\s*(?::[^\n=]+)?=(?!=)"
    return re.search(rf"\b(?:{by})\b[^\n=(]*{word}{first}", text, re.MULTILINE) is not None

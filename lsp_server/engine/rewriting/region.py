"""Which part of a file a rewrite may change: the selection, the declaration at the cursor, what is named, or all.

The identifiers of the instruction are looked up among the file's declarations. Of English, code reads one form only,
`rename OLD to NEW`, which may end with `in NAME`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from context_index import (
    continues_identifier,
    declaration_around,
    declarations,
    identifiers,
    lines_around,
    whole_lines,
    word_end,
    word_start,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Syntax


_RENAME, _RENAME_IN = ["rename", "to"], ["rename", "to", "in"]
"""The words beside the names in the one form of English that code reads."""
_MOST_LEFT_OUT = 4
"""The most words that say where: `in the method total`."""
INSTRUCTION_OR_RENAME = "say what is to change: either 'instruction' or 'rename'"
"""The message for a request that has neither or both."""


def region_of(
    text: str, syntax: Syntax | None, instruction: str, chosen: tuple[int, int] | None, cursor: int | None = None
) -> tuple[int, int]:
    """Start and end offset of the region, which consists of whole lines.

    Args:
        syntax: The tree of the text; None for plain text.
        chosen: Start and end offset of the selection; None if there is none.
        cursor: Its offset, where somebody sees what is around it; else None.
    """
    if chosen is not None:
        return whole_lines(text, *chosen)
    around = None if syntax is None or cursor is None else declaration_around(syntax, cursor)
    if syntax is not None and around is not None:
        return lines_around(syntax, around.span)
    named = [] if syntax is None else declarations(syntax, frozenset(words_of(instruction)))
    if syntax is None or not named:
        return 0, len(text)
    spans = [lines_around(syntax, declaration) for declaration in named]
    return min(start for start, _ in spans), max(end for _, end in spans)


def without_place(syntax: Syntax, instruction: str, region: tuple[int, int]) -> tuple[str, ...]:
    """The instruction without words at its end or its beginning that only say where, the longest first.

    Such words have the name of a declaration in the region or around it, and no other name that the file uses.

    Args:
        region: Start and end offset of what is rewritten.
    """
    words, used = instruction.split(), frozenset(map(syntax.text, identifiers(syntax)))
    start, end = region
    declared = frozenset(
        word
        for word in words_of(instruction)
        if any(first < end and start < last for first, last in declarations(syntax, {word}))
    )
    wordings = []
    for count in range(1, min(_MOST_LEFT_OUT, len(words) - 1) + 1):
        for left_out, rest in ((words[-count:], words[:-count]), (words[:count], words[count:])):
            names = used & frozenset(words_of(" ".join(left_out)))
            if names and names <= declared:
                wordings.append(" ".join(rest))
    return tuple(wordings)


class RenameWords(NamedTuple):
    """What an instruction of the form `rename OLD to NEW in NAME` says."""

    old: str
    new: str
    within: str = ""
    """The name of a declaration; empty if the instruction ends before `in`."""


def rename_in(instruction: str) -> RenameWords | None:
    """The names in `rename OLD to NEW` and `rename OLD to NEW in NAME`; None for any other instruction.

    The names may be in backticks, the other words have capitals, and a full stop end the sentence.
    """
    words = instruction.replace("`", " ").strip().removesuffix(".").split()
    if [word.casefold() for word in (*words[0:1], *words[2:3], *words[4:5])] not in (_RENAME, _RENAME_IN):
        return None
    names = words[1::2]
    return RenameWords(*names) if len(words) in (4, 6) and all(map(is_name, names)) else None


def parsed_rename(text: str) -> tuple[str, str]:
    """Old and new name in `OLD=NEW`.

    Raises:
        ValueError: these are not two names; the message says what was expected.
    """
    old, _, new = (part.strip() for part in text.partition("="))
    if not (is_name(old) and is_name(new)):
        raise ValueError(f"expected two names such as total=amount, not '{text}'")
    return old, new


def is_name(word: str) -> bool:
    """Whether a word can be an identifier; one of ECMAScript's private names begins with `#`."""
    identifier = word.removeprefix("#")
    return bool(identifier) and not identifier[0].isdigit() and all(map(continues_identifier, identifier))


def word_around(text: str, offset: int) -> tuple[int, int]:
    """Start and end of the name that an offset is in or at the end of, with the `#` of a private one; else empty."""
    start, end = word_start(text, offset), word_end(text, offset)
    if start > 0 and text[start - 1] == "#":
        start -= 1
    elif text[start : start + 1] == "#" and start == end:
        start, end = word_around(text, offset + 1)
    return start, end


def words_of(text: str) -> Iterator[str]:
    """The identifiers in a text, in order, with repetitions."""
    word = ""
    for char in f"{text}\n":
        if continues_identifier(char):
            word += char
        elif word:
            yield word
            word = ""

"""Closings of a text in a file that our tree cannot read, as a preprocessor reads it otherwise.

The text is read from the block around it, with blanks for directives, or from a statement near it with what is open
there put before it. What the grammar cannot read from there, such as a macro, has its brackets closed. Each is only a
proposal: a checker's parser decides. `DocumentCloser` asks.
"""

from __future__ import annotations

from itertools import chain, dropwhile, islice, takewhile
from typing import TYPE_CHECKING

from context_index import CLOSES, blocks_of
from decoder import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Blocks, Document, Language, Opener
    from decoder import Closer

_OF_EACH = 2
"""So many proposals from each beginning are made."""
_VALUE_ENDS = frozenset({")", "]"})
"""What closes a bracket within a statement."""
_PARTNERS = {opening: closing for closing, opening in CLOSES.items()}


def region_closings(closer: Closer, document: Document, offset: int, place: int) -> Iterator[str]:
    """What may be put at a place of a document so that the block around it is complete, the likeliest first.

    Args:
        offset: Where the text that is tried begins, not after `place`.
    """
    text, language = document.text, document.language
    begin = _beginning(document, offset)
    above = blocks_of(language, text[begin:offset])
    tried, below = text[offset:place], _rest_of_block(text, place)
    proposals = (
        islice(closer.proposals(prefix + read, tried, following), _OF_EACH)
        for prefix, read in _readings(above)
        for following in dict.fromkeys((below, ""))
    )
    by_brackets = _by_brackets(closer, language, text[begin:place], below)
    yield from dict.fromkeys(filter(None, chain(chain.from_iterable(proposals), by_brackets)))


def leaves_open(document: Document, offset: int, place: int) -> bool:
    """Whether a bracket of the block around a part of a document is open where the block ends by its layout."""
    text, begin = document.text, _beginning(document, offset)
    end = place + len(_rest_of_block(text, place))
    return bool(_within_block(blocks_of(document.language, text[begin:end]).open))


def _beginning(document: Document, offset: int) -> int:
    """The start of the line after the nearest one above that begins with a closing bracket and is not indented."""
    for line in range(document.position(offset).line - 1, -1, -1):
        if document.text[document.lines[line]] in CLOSES:
            return document.lines[line + 1]
    return 0


def _rest_of_block(text: str, place: int) -> str:
    """The text after a place up to the next line that is not indented and does not begin with a closing bracket."""
    end = text.find("\n", place)
    while end >= 0 and (text[end + 1 : end + 2].isspace() or text[end + 1 : end + 2] in CLOSES):
        end = text.find("\n", end + 1)
    return text[place:] if end < 0 else text[place : end + 1]


def _readings(above: Blocks) -> Iterator[tuple[str, str]]:
    """Texts that may be read in place of all that is above: first what is put before each, then a part of the text."""
    if block := _within_block(above.open):
        yield "", above.text[block[0].start :]
    for statement in above.statements:
        around, read = _within_block(statement.around), above.text[statement.start :]
        for prefix in dict.fromkeys((_with_words(around), "".join(opener.text for opener in around))):
            yield prefix, read


def _with_words(openers: Sequence[Opener]) -> str:
    """A text that opens what is open, with the words before the blocks: `do` is closed by `while`."""
    return "".join(opener.text if opener is openers[0] else f" {opener.words} {opener.text}" for opener in openers)


def _within_block(openers: Sequence[Opener]) -> Sequence[Opener]:
    """What is open from the outermost bracket on: a conditional part around it is closed below it."""
    return [*dropwhile(lambda opener: opener.text not in _PARTNERS, openers)]


def _by_brackets(closer: Closer, language: Language, text: str, below: str) -> Iterator[str]:
    """What closes the brackets of a statement, and the blocks and conditional parts that the text below leaves open.

    Each comes with the end of a statement and without, and with a value before it.
    """
    openers = _within_block(blocks_of(language, text).open)
    signs = (_PARTNERS.get(opener.text, "") for opener in reversed(openers))
    ends = "".join(takewhile(_VALUE_ENDS.__contains__, signs))
    still_open = _within_block(blocks_of(language, f"{text}{ends};{below}").open)
    lexis = language.record.lexis
    end_of_part = f"\n{lexis.directive}{min(lexis.ends_part)}\n"
    by_signs = "".join(_PARTNERS.get(opener.text, end_of_part) for opener in reversed(still_open))
    for blocks in dict.fromkeys((next(closer.proposals(_with_words(still_open), "", ""), by_signs), by_signs)):
        yield from (f"{ends};{blocks}", f"{ends}{blocks}")
        yield from (f" {PLACEHOLDER}{ends};{blocks}", f" {PLACEHOLDER}{ends}{blocks}")

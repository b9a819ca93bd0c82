"""Names in a stretch of a text of which a checker says that they do not exist."""

from __future__ import annotations

import re
from collections.abc import Sequence

from context_index.oracles.pending import Waiting
from context_index.oracles.protocol import Remark
from context_index.symbols import Open, continues_identifier
from context_index.text import Document, Encoding

_CODES = frozenset(
    {
        *("2304", "2552", "2580", "2582", "2583", "2584", "2591", "2592", "2593", "2686", "18004"),  # names
        *("2339", "2551", "2550", "2694", "2724", "2305", "2614"),  # members and exports
        *("2749", "2693", "2709"),  # values, types and namespaces, one as another
        *("unresolved-reference", "unresolved-attribute", "missing-attribute", "missing-union-attribute"),
        *("unresolved-import", "unknown-argument"),
    }
)
"""TypeScript's and ty's codes of remarks that refuse a name."""
_NAMED = re.compile(r"(?:attribute|member|Argument) `(\w+)`")
"""What ty misses, where its remark stands at the receiver."""


class AskedUnknown:
    """The question on its way, for a `TypeOracle`'s caller."""

    def __init__(self, asked: Waiting[Sequence[Remark]], document: Document, start: int, stop: int) -> None:
        """`start` and `stop` are offsets of the document's text."""
        self._asked = asked
        self._document = document
        self._start, self._stop = start, stop

    def names(self, timeout: float) -> frozenset[str]:
        """What was found within so many seconds.

        What the checker also says outside of the stretch does not count: there people wrote it, and it works.
        """
        told = self._asked.wait(timeout).value
        if isinstance(told, Open):
            self._asked.drop()
            return frozenset()
        inside, outside = {}, set()
        for remark in told:
            if remark.code not in _CODES:
                continue
            place = self._document.offset_from_client(remark.line, remark.column, Encoding.UTF16)
            if self._start <= place < self._stop:
                named = _NAMED.search(remark.message)
                name = named[1] if named else _word(self._document.text, place)
                inside[name] = remark.code, remark.message
            else:
                outside.add((remark.code, remark.message))
        return frozenset(name for name, remark in inside.items() if remark not in outside)


def _word(text: str, place: int) -> str:
    stop = place
    while stop < len(text) and continues_identifier(text[stop]):
        stop += 1
    return text[place:stop]

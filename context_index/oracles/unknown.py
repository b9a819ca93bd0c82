"""Names and paths of modules in a stretch of a text of which a checker says that they do not exist."""

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
        *("1192", "2613", "2306", "2307", "2459", "2460", "2792"),  # modules, and what they do not export
        *("unresolved-reference", "unresolved-attribute", "missing-attribute", "missing-union-attribute"),
        *("unresolved-import", "unknown-argument"),
    }
)
"""TypeScript's and ty's codes of remarks that refuse a name."""
_LACKS_DEFAULT = frozenset({"1192", "2613"})
_LACKS_MODULE = frozenset({"2307", "2792"})
_PATH = re.compile(r"""(['"])([^'"\n]*)\1""")
_FROM = re.compile(r"\bfrom\s*['\"]")
_LONGEST = 2_000
"""Characters of a list of imports."""
_OTHER_FILE = re.compile(r"\.(?!(?:[cm]?[jt]sx?|json|node)$)[^./]*$")
"""The end of a path to what only bundlers read: a style, a picture."""
_NODE = "node:"
_NAMED = re.compile(r"(?:attribute|member|Argument) `(\w+)`")
"""What ty misses, where its remark stands at the receiver."""


class AskedUnknown:
    """The question on its way, for a `TypeOracle`'s caller.

    A module that is not found counts only where the checker finds all others of its kind that the file takes: bundlers
    have their own ways.
    """

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
        inside, outside, missing = {}, set(), set[bool]()
        for remark in told:
            if remark.code not in _CODES:
                continue
            place = self._document.offset_from_client(remark.line, remark.column, Encoding.UTF16)
            if any(self._start <= one < self._stop for one in (place, *_module(remark, self._document.text, place))):
                inside[_named(remark, self._document.text, place)] = remark.code, remark.message
            else:
                outside.add((remark.code, remark.message))
                if remark.code in _LACKS_MODULE:
                    missing.add(_is_relative(_named(remark, self._document.text, place)))
        return frozenset(
            name
            for name, remark in inside.items()
            if remark not in outside and (remark[0] not in _LACKS_MODULE or _is_missed(name, missing))
        )


def _module(remark: Remark, text: str, place: int) -> tuple[int, ...]:
    """Where the path stands of a module that has no default, behind the name that it was to get."""
    path = _FROM.search(text, place, place + _LONGEST) if remark.code in _LACKS_DEFAULT else None
    return () if path is None else (path.end(),)


def _is_missed(path: str, missing: set[bool]) -> bool:
    """Whether nothing but the checker could find a path, paths of some kinds being missed in the file anyhow."""
    if path.startswith(_NODE):
        return True
    return _is_relative(path) not in missing and not _OTHER_FILE.search(path)


def _is_relative(path: str) -> bool:
    return path.startswith(".")


def _named(remark: Remark, text: str, place: int) -> str:
    """What a remark is about; a whole path where that is a module's."""
    if remark.code in _LACKS_DEFAULT:
        return "default"
    if named := _NAMED.search(remark.message):
        return named[1]
    if path := _PATH.match(text, place):
        return path[2]
    stop = place
    while stop < len(text) and continues_identifier(text[stop]):
        stop += 1
    return text[place:stop]

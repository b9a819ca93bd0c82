"""Judges that are not ours: node, CPython, TypeScript and ty, and what they hold against an insertion.

Each is one process for all places, and is asked once about each text of a place, whichever columns wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from benchmarks.validity_node import NodeParser
from context_index import Document, Encoding, Language, Open, Workspace
from context_index.oracles.protocol import Remark

_PATIENCE = 60.0
_NAMES = frozenset(["2304", "2552", "2580", "2582", "2583", "2584", "2591", "2592", "2593", "2686", "18004"])
_MEMBERS = frozenset(["2339", "2551", "2550", "2694", "2724", "2305", "2614"])
_NOT_SYNTAX = frozenset(
    ["1117", "1192", "1202", "1203", "1259", "1286", "1287", "1293", "1295", "1371", "1484", "1485"]
)
"""Of TypeScript's 1xxx those that its parser does not know of: a property written twice, modules and the manifest."""
_OTHERS_PARSE = frozenset({Language.PYTHON, Language.JAVASCRIPT})
"""CPython and node have the word there."""
_TY_NAMES = frozenset(["unresolved-reference"])
_TY_MEMBERS = frozenset(["unresolved-attribute", "missing-attribute", "unresolved-import", "unknown-argument"])
_NAMED = re.compile(r"(?:attribute|member|Argument) `(\w+)`")
"""What ty misses, where its remark stands at the receiver."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge holds against inserted text."""

    kind: str
    """`syntax`, `name` or `member`."""
    name: str
    message: str
    inserted: str
    explained: str = ""
    """`open` place, `outside` of a list, or whose fault it is."""


JUDGE = "judge: it says so of the file's own code, too"


class Judge:
    """All judges, with the checkers of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Judges are started when first asked."""
        self._workspace = workspace
        self._node = NodeParser()

    def at(self, document: Document, offset: int, original: str) -> JudgedPlace:
        """What is to be said about insertions at a place at which `original` stood."""
        return JudgedPlace(self._workspace, self._node, document, offset, original)

    def close(self) -> None:
        """Stop node; the workspace is its owner's."""
        self._node.close()


@dataclass(slots=True)
class JudgedPlace:
    """What the judges say about one place; remembers what was asked."""

    workspace: Workspace
    node: NodeParser
    document: Document
    offset: int
    original: str
    _remarks: dict[str, Sequence[Remark] | None] = field(default_factory=dict)
    _parses: dict[str, bool] = field(default_factory=dict)

    def breaks(self, text: str) -> bool:
        """Whether the file parses, and does so no longer with the insertion."""
        return bool(text.strip()) and not self._is_parsed(text) and self._is_parsed("")

    def refusal(self, text: str) -> str:
        """What TypeScript says of the syntax with the insertion, in one line; empty where it is not asked."""
        remarks = [] if self.document.language in _OTHERS_PARSE else self._told(text) or []
        return "; ".join(f"{one.line + 1}: {one.code} {one.message}" for one in remarks if _is_of_syntax(one))

    def is_silent(self, text: str) -> bool:
        """Whether the checker says nothing at all of the file with the insertion."""
        return self._told(text) is None

    def findings(self, text: str) -> tuple[Finding, ...]:
        """What is wrong inside of the insertion, and syntax that it broke."""
        found = [Finding("syntax", "", "does not parse", text)] if self.breaks(text) else []
        inside, outside = self._placed(text)
        if inside and self.original.strip():
            outside = [*outside, *(remark for _, remark in self._placed(self.original)[0])]
        own = {(remark.code, remark.message) for remark in outside}
        whole = self._with(text).text
        for place, remark in inside:
            told = f"{remark.code}: {remark.message}"
            blame = JUDGE if (remark.code, remark.message) in own else ""
            named = _NAMED.search(remark.message)
            found.append(Finding(_kind(remark), named[1] if named else _word(whole, place), told, text, blame))
        return tuple(found)

    def _placed(self, text: str) -> tuple[list[tuple[int, Remark]], list[Remark]]:
        """Remarks on names and members, inside of an insertion with their places, and outside of it."""
        inserted = self._with(text)
        inside: list[tuple[int, Remark]] = []
        outside: list[Remark] = []
        for remark in self._told(text) or ():
            if _kind(remark):
                place = inserted.offset_from_client(remark.line, remark.column, Encoding.UTF16)
                if self.offset <= place < self.offset + len(text):
                    inside.append((place, remark))
                else:
                    outside.append(remark)
        return inside, outside

    def _with(self, text: str) -> Document:
        before = self.document.text
        return replace(self.document, text=before[: self.offset] + text + before[self.offset :])

    def _told(self, text: str) -> Sequence[Remark] | None:
        if text not in self._remarks:
            inserted = self._with(text)
            told = self.workspace.types(inserted).remarks(inserted.text).wait(_PATIENCE)
            self._remarks[text] = None if isinstance(told.value, Open) else told.value
        return self._remarks[text]

    def _is_parsed(self, text: str) -> bool:
        if text not in self._parses:
            self._parses[text] = self._parse(text)
        return self._parses[text]

    def _parse(self, text: str) -> bool:
        inserted = self._with(text)
        if inserted.language is Language.PYTHON:
            try:
                compile(inserted.text, "inserted.py", "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                return False
            return True
        if inserted.language is Language.JAVASCRIPT and self.node.is_there:
            return self.node.parses(inserted.text)
        return not any(map(_is_of_syntax, self._told(text) or ()))


def _is_of_syntax(remark: Remark) -> bool:
    """Whether TypeScript's parser says so, or its checker of the grammar."""
    return remark.code.startswith("1") and len(remark.code) == len("1005") and remark.code not in _NOT_SYNTAX


def _kind(remark: Remark) -> str:
    if remark.code in _NAMES | _TY_NAMES:
        return "name"
    return "member" if remark.code in _MEMBERS | _TY_MEMBERS else ""


def _word(text: str, place: int) -> str:
    end = place
    while end < len(text) and (text[end].isalnum() or text[end] in "_$"):
        end += 1
    return text[place:end]

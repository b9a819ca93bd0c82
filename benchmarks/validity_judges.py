"""Judges that are not ours: node, CPython, TypeScript and ty, and what they hold against an insertion."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from context_index import Document, Encoding, Language, Open, Workspace
from context_index.oracles.protocol import Remark

_PATIENCE = 60.0
_NAMES = frozenset(["2304", "2552", "2580", "2582", "2583", "2584", "2591", "2592", "2593", "2686", "18004"])
_MEMBERS = frozenset(["2339", "2551", "2550", "2694", "2724", "2305", "2614"])
_NOT_SYNTAX = frozenset(
    ["1117", "1192", "1202", "1203", "1259", "1286", "1287", "1293", "1295", "1371", "1484", "1485"]
)
"""Of TypeScript's 1xxx those that its parser does not know of: a property written twice, modules and the manifest."""
_TY_NAMES = frozenset(["unresolved-reference"])
_TY_MEMBERS = frozenset(["unresolved-attribute", "missing-attribute", "unresolved-import", "unknown-argument"])


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
    """All judges of one copy of packages."""

    def __init__(self, directory: Path, roots: Sequence[Path]) -> None:
        """Checkers are started when first asked; `roots` are where the originals lie."""
        self._checkers = Workspace([directory], typescript=next((root / "typescript" for root in roots), None))
        self._node = shutil.which("node")

    def close(self) -> None:
        """Stop the checkers."""
        self._checkers.close()

    def baseline(self, document: Document) -> Counter[str] | None:
        """Codes of what is wrong before anything is inserted; None where the checker says nothing of the file."""
        remarks = self._remarks(document)
        if remarks is None:
            return None
        found = Counter(remark.code for remark in remarks)
        found["syntax"] = not self._parses(document)
        return found

    def breaks(self, document: Document, offset: int, text: str, baseline: Counter[str] | None) -> bool:
        """Whether a text that parses does so no longer with the insertion."""
        whole = not baseline["syntax"] if baseline is not None else self._parses(document)
        return whole and bool(text) and not self._parses(_with(document, offset, text))

    def findings(
        self, document: Document, offset: int, text: str, baseline: Counter[str] | None
    ) -> tuple[Finding, ...]:
        """What is wrong inside of the insertion, and syntax that it broke."""
        inserted = _with(document, offset, text)
        found = []
        if self.breaks(document, offset, text, baseline):
            found.append(Finding("syntax", "", "does not parse", text))
        remarks = [
            (inserted.offset_from_client(remark.line, remark.column, Encoding.UTF16), remark)
            for remark in self._remarks(inserted) or ()
            if _kind(remark)
        ]
        inside = range(offset, offset + len(text))
        own = {(remark.code, remark.message) for place, remark in remarks if place not in inside}
        for place, remark in remarks:
            if place in inside:
                told = f"{remark.code}: {remark.message}"
                blame = JUDGE if (remark.code, remark.message) in own else ""
                found.append(Finding(_kind(remark), _word(inserted.text, place), told, text, blame))
        return tuple(found)

    def _remarks(self, document: Document) -> Sequence[Remark] | None:
        told = self._checkers.types(document).remarks(document.text).wait(_PATIENCE)
        return None if isinstance(told.value, Open) else told.value

    def _parses(self, document: Document) -> bool:
        if document.language is Language.PYTHON:
            try:
                compile(document.text, "inserted.py", "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                return False
            return True
        if document.language is not Language.JAVASCRIPT or self._node is None:
            return not any(
                remark.code.startswith("1") and len(remark.code) == len("1005") and remark.code not in _NOT_SYNTAX
                for remark in self._remarks(document) or ()
            )
        is_module = "\nimport " in "\n" + document.text or "\nexport " in document.text
        with tempfile.NamedTemporaryFile("w", suffix=".mjs" if is_module else ".cjs", encoding="utf-8") as file:
            file.write(document.text)
            file.flush()
            command = [self._node, "--check", file.name]
            return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - node


def _kind(remark: Remark) -> str:
    if remark.code in _NAMES | _TY_NAMES:
        return "name"
    return "member" if remark.code in _MEMBERS | _TY_MEMBERS else ""


def _word(text: str, place: int) -> str:
    end = place
    while end < len(text) and (text[end].isalnum() or text[end] in "_$"):
        end += 1
    return text[place:end]


def _with(document: Document, offset: int, text: str) -> Document:
    return replace(document, text=document.text[:offset] + text + document.text[offset:])

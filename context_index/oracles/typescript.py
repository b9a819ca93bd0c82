"""TypeScript 7's native server as a checker: how it is asked, and how its lists are to be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_index.globals import global_names
from context_index.oracles.dialects import LSP, Dialect
from context_index.oracles.overlays import filled
from context_index.oracles.protocol import KEYWORD, NAME_KINDS, PROBE, Completions, Item, Overlay, Remark
from context_index.parts import PartMissingError, find, part
from context_index.processes import workspace_holding
from context_index.symbols import Closed, Language, Listed, Members, NameKind, Open, Position
from context_index.text import Document

_OFF = {
    "suggest": {"autoImports": False},
    "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
    "disableAutomaticTypeAcquisition": True,
}
"""No imports of its own, and no packages of types: for these it would run npm, over the network."""
_WORD = 1
_NOT_MEMBERS = frozenset({"15", "16", "18"})
"""sortText of globals, auto-imports and words; members have 11, optional keys 12, a "z" before it means deprecated."""
_IDENTIFIER = re.compile(r"#?[\w$]+")
_SCRIPT_HEAD = '// @ts-check\n/// <reference types="node" />\n'
"""The native server does not load Node's types by itself."""
_RECEIVER = re.compile(r"(?:(?<![\w$.)\]])([A-Za-z]\w*)|(['\"`]))\s*\??\.$")
OF_OBJECTS = dict.fromkeys(
    ("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
    NameKind.METHOD,
) | {"constructor": NameKind.PROPERTY}
"""Every object has them, though TypeScript lists them of few. A `const enum` is none; of others nobody uses them."""
_REFUSALS: Mapping[Position, frozenset[str]] = {
    Position.MEMBER: frozenset({"2339", "2551", "2694", "2724"}),
    Position.SUBSCRIPT: frozenset({"7053", "2339", "2551"}),
    Position.IMPORTED_NAME: frozenset({"2305", "2614", "2724"}),
    Position.OBJECT_KEY: frozenset({"2353", "2561", "2339", "2551"}),
    Position.LITERAL: frozenset({"2322", "2345", "2367", "2678", "2820"}),
    Position.PROP: frozenset({"2322"}),
}
"""Codes of remarks that refuse a name at a place."""
_ON_TYPE = "does not exist on type "
_WHY_OPEN = {Position.MEMBER: "the type of the receiver is any, unknown or open"}
_STANDARD = frozenset({NameKind.NAMESPACE, NameKind.CLASS})
_LANGUAGE_IDS = {
    Language.JAVASCRIPT: "javascript",
    Language.TYPESCRIPT: "typescript",
    Language.TSX: "typescriptreact",
}


@dataclass(frozen=True)
class TypeScript:
    """One native binary."""

    binary: Path
    version: str
    settings: Mapping[str, object] = field(
        default_factory=lambda: dict.fromkeys(("js/ts", "typescript", "javascript"), _OFF)
    )
    environment: Mapping[str, str] = field(default_factory=dict)
    outside_of: Sequence[Path] = ()

    @property
    def name(self) -> str:
        """As people know it."""
        return f"TypeScript {self.version}"

    @property
    def command(self) -> Sequence[str]:
        """Talks LSP on its pipes."""
        return (str(self.binary), "--lsp", "--stdio")

    @property
    def dialect(self) -> Dialect:
        """LSP."""
        return LSP

    def language_id(self, document: Document) -> str:
        """JSX is told by the suffix."""
        return "javascriptreact" if document.uri.endswith(".jsx") else _LANGUAGE_IDS[document.language]

    def overlay(self, document: Document, offset: int, position: Position) -> Overlay:
        """The text with the probe at the place, so that list and proof come from one check of one text."""
        text = document.text
        if not text.startswith("#!"):
            text, offset = _head(document) + text, len(_head(document)) + offset
        return filled(text, offset, PROBE, position)

    def names(self, found: Completions, document: Document, offset: int, position: Position) -> Members:
        """Nothing left means any, unknown, `{}` or an index signature.

        In plain JavaScript a list proves nothing, unless the receiver is a string, an object of the language, or
        imported from a package: one without types would have had no members at all. Nor are modules ever all known.
        """
        if position is Position.KEYWORD_ARGUMENT:
            return Open("there are no keyword arguments in this language")
        names = _members(found.items) if position is Position.MEMBER else _expected(found.items, position)
        names.pop(PROBE, None)
        if position is Position.MEMBER and not all(kind is NameKind.ENUM_MEMBER for kind in names.values()):
            names = {**names, **OF_OBJECTS, **names}
        if not names:
            return Open(_WHY_OPEN.get(position, "nothing is known of what is expected here"))
        if position is Position.MODULE or found.incomplete:
            return Listed(names)
        if document.language is Language.JAVASCRIPT and not _is_known_well(document.text, offset, position):
            return Listed(names)
        return Closed(names)

    def probe(self, document: Document, offset: int, position: Position) -> str:
        """It is in the text already."""
        return self.overlay(document, offset, position).text

    def refuses_probe(self, remarks: Sequence[Remark], position: Position) -> bool:
        """Remarks that say there is no such name, type or literal; each kind of place has its own.

        A list is not complete of a type of which the same file uses members that TypeScript does not know.
        """
        codes = _REFUSALS.get(position, frozenset())
        told = [remark.message for remark in remarks if remark.is_error and remark.code in codes]
        types = {message.partition(_ON_TYPE)[2] for message in told if PROBE in message}
        others = {message.partition(_ON_TYPE)[2] for message in told if PROBE not in message}
        return bool(types) and (position is not Position.MEMBER or not types & others - {""})

    def whole(self, document: Document, offset: int = 0) -> Overlay:
        """The text under a line that brings Node's types in."""
        head = "" if document.text.startswith("#!") else _head(document)
        return Overlay(head + document.text, len(head) + offset)

    def ahead(self, document: Document) -> Sequence[str]:  # noqa: ARG002 -- part of the protocol
        """To look through a file is to read all that it imports."""
        return ()

    def empty(self, document: Document) -> Overlay:
        """A module, since scripts share their names with each other."""
        text = _head(document) + "export {};\n"
        return Overlay(text, len(text))

    def globals(self, found: Completions) -> Mapping[str, NameKind]:
        """What is neither of the file nor a keyword."""
        return {
            item.insert: NAME_KINDS.get(item.kind, NameKind.VARIABLE)
            for item in found.items
            if item.kind not in (_WORD, KEYWORD) and not item.is_import and _IDENTIFIER.fullmatch(item.insert)
        }


def find_typescript(setting: Path | None, workspaces: Sequence[Path], *, trusted: bool) -> TypeScript:
    """TypeScript 7: as set, ours, or on the path; one that lies in a workspace only if it is set and trusted.

    Raises:
        PartMissingError: there is none, or it may not be used; the sentence says what to do.
    """
    found = find(part("typescript"), setting, workspaces)
    inside = workspace_holding(found.path, workspaces) if found.named else None
    if inside is not None and not trusted:
        raise PartMissingError(
            f"TypeScript at '{found.path}' is not used: it lies in the workspace '{inside}', which is not trusted. "
            "Trust the workspace (`--trust`, or the setting `workspace.trusted`) to use it."
        )
    return TypeScript(found.path, found.version or "7", outside_of=() if inside else tuple(workspaces))


def _head(document: Document) -> str:
    """What stands above every text of plain JavaScript: without it, its mistakes would not be told."""
    return _SCRIPT_HEAD if document.language is Language.JAVASCRIPT else ""


def _members(items: Sequence[Item]) -> dict[str, NameKind]:
    """What is a property of the receiver and can be written behind a dot."""
    names = {}
    for item in items:
        insert = item.insert.removeprefix("?.")
        is_member = item.kind != _WORD and item.sort.lstrip("z")[:2] not in _NOT_MEMBERS and not item.is_import
        if is_member and _IDENTIFIER.fullmatch(insert):
            names[insert] = NAME_KINDS.get(item.kind, NameKind.PROPERTY)
    return names


def _expected(items: Sequence[Item], position: Position) -> dict[str, NameKind]:
    """The names that are expected, unless any expression may stand there: then globals are among the items."""
    kept = [item for item in items if item.kind not in (_WORD, KEYWORD) and not item.is_import]
    if any(item.sort.lstrip("z")[:2] in _NOT_MEMBERS for item in kept):
        return {}
    if position is Position.MODULE:
        return {item.insert: NameKind.MODULE for item in kept if not item.insert.startswith(".")}
    if position in (Position.SUBSCRIPT, Position.LITERAL):
        kind = NameKind.CONSTANT if position is Position.LITERAL else NameKind.PROPERTY
        return {item.insert: NAME_KINDS.get(item.kind, kind) for item in kept}
    names = {item.insert.partition("=")[0].strip("'\""): item for item in kept}
    return {name: NAME_KINDS.get(item.kind, NameKind.PROPERTY) for name, item in names.items()}


def _is_known_well(text: str, offset: int, position: Position) -> bool:
    """Whether the receiver is a string, an object of the language, or the import of a package."""
    if position is not Position.MEMBER:
        return False
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    found = _RECEIVER.search(line)
    if found is None:
        return False
    if found[2]:
        return True
    name = re.escape(found[1])
    if re.search(rf"\bimport\b[^;'\"]*\b{name}\b[^;'\"]*\bfrom\s*['\"][^'\".]", text):
        return True
    if re.search(rf"\b{name}\s*=\s*require\(['\"][^'\".]", text):
        return True
    known = global_names(Language.JAVASCRIPT).get(found[1])
    if known is None or known.kind not in _STANDARD or known.detail != "ecmascript":
        return False
    return re.search(rf"\b(?:const|let|var|function|class|import|as)\s+{name}\b", text) is None

"""A checker's answers in our terms: offsets in code points, texts, edits.

Knows LSP's JSON, and nothing of processes. Values of a shape that LSP does not have are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from context_index.symbols import NameKind, Signature, Signatures
from context_index.text import Document, Edit, Encoding
from context_index.uris import path_of

_FENCED = re.compile(r"\s*```\w*\n(.*?)\n```[^\S\n]*(?:\n+|$)(?:---\n)?", re.DOTALL)
"""A fenced block of code in Markdown, and the horizontal rule that a checker writes after it."""
_SYNTAX = {*range(1000, 2000), 17000, 17002, 17008, 17014, 17015}
"""The last are attributes without a value, and elements and fragments without their closing tag."""
_OF_PARSER = "Parse Issue"
"""clangd's category of a parser's errors."""
_MARK = "syntax/"
"""Put before the code of an error whose checker says that its parser reports it."""
_MARKS = (" ", "•")
"""What clangd puts before a label, which is more than a name: a bullet, where an entry brings an include."""
_UNNECESSARY = 1
"""LSP's `DiagnosticTag.Unnecessary`."""


_LAST = re.compile(r"(?:\n---)?\n```\w*\n((?:(?!```).)*)\n```\s*\Z", re.DOTALL)
"""The block of code that a description ends with: the declaration, as clangd has it."""


class Severity(IntEnum):
    """A diagnostic's severity, with LSP's numbers."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class ItemKind(IntEnum):
    """The kinds of completion items that are told apart here, with LSP's numbers."""

    TEXT = 1
    METHOD = 2
    FUNCTION = 3
    CONSTRUCTOR = 4
    FIELD = 5
    VARIABLE = 6
    CLASS = 7
    INTERFACE = 8
    MODULE = 9
    PROPERTY = 10
    VALUE = 12
    ENUM = 13
    KEYWORD = 14
    FILE = 17
    FOLDER = 19
    ENUM_MEMBER = 20
    CONSTANT = 21
    STRUCT = 22
    TYPE_PARAMETER = 25


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error, warning or hint of a checker."""

    code: str
    message: str
    severity: Severity
    start: int
    end: int
    """Offsets in the text that was judged."""
    is_unnecessary: bool = False
    """Whether the code there does nothing: it is unused, or never reached."""

    @property
    def is_error(self) -> bool:
        """Whether it is an error; warnings and hints are advice."""
        return self.severity is Severity.ERROR

    @property
    def is_syntax(self) -> bool:
        """Whether a parser reports it."""
        return is_syntax_code(self.code)


def is_syntax_code(code: str) -> bool:
    """Whether a code is of a parser's errors.

    TypeScript numbers these from 1000 to 1999, but for a few of JSX; ty has one code for all; clangd says its category.
    """
    return code == "invalid-syntax" or code.startswith(_MARK) or (code.isdigit() and int(code) in _SYNTAX)


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A repair that a checker offers."""

    title: str
    edits: tuple[Edit, ...]
    """Edits of the text that was checked, each with offsets of that text."""


@dataclass(frozen=True, slots=True)
class PositionCodec:
    """Converts between our offsets in a text and a checker's positions."""

    document: Document
    encoding: Encoding

    def position(self, offset: int) -> Mapping[str, int]:
        """LSP's position of an offset."""
        line, character = self.document.client_position(offset, self.encoding)
        return {"line": line, "character": character}

    def range(self, start: int, end: int) -> Mapping[str, Mapping[str, int]]:
        """LSP's range between two offsets."""
        return {"start": self.position(start), "end": self.position(end)}

    def offsets(self, found: object) -> tuple[int, int] | None:
        """The offsets of LSP's range; None for any other value."""
        match found:
            case {
                "start": {"line": int(line), "character": int(character)},
                "end": {"line": int(last), "character": int(end)},
            }:
                start = self.document.offset_from_client(line, character, self.encoding)
                return start, self.document.offset_from_client(last, end, self.encoding)
        return None


def diagnostics(answer: object, codec: PositionCodec) -> Iterator[Diagnostic]:
    """The answer to `textDocument/diagnostic`."""
    for item in _items(answer):
        match item:
            case {"message": str(message), "range": found} if (place := codec.offsets(found)) is not None:
                level = item.get("severity")
                severity = Severity(level) if isinstance(level, int) and level in set(Severity) else Severity.ERROR
                tags = item.get("tags")
                is_unnecessary = isinstance(tags, list) and _UNNECESSARY in tags
                mark = _MARK if item.get("category") == _OF_PARSER else ""
                yield Diagnostic(f"{mark}{item.get('code', '')}", message, severity, *place, is_unnecessary)


def data_members(answer: object) -> Iterator[tuple[str, NameKind]]:
    """The answer to `textDocument/completion` after a dot: public members that are not methods."""
    for item in _items(answer):
        match item:
            case {"label": str(label), "kind": int(kind)} if kind in _DATA_KINDS and not label.startswith("_"):
                name = label.removesuffix("?")
                if name.replace("$", "_").isidentifier() and item.get("insertText", name) in (name, f"?.{name}"):
                    yield name, _DATA_KINDS[kind]  # others are written in another way: `[Symbol.iterator]`


_DATA_KINDS: Mapping[int, NameKind] = {
    ItemKind.FIELD: NameKind.PROPERTY,
    ItemKind.VARIABLE: NameKind.VARIABLE,
    ItemKind.PROPERTY: NameKind.PROPERTY,
    ItemKind.ENUM: NameKind.ENUM_MEMBER,  # ty's kind for a member of one
    ItemKind.ENUM_MEMBER: NameKind.ENUM_MEMBER,
    ItemKind.CONSTANT: NameKind.CONSTANT,
    ItemKind.STRUCT: NameKind.PROPERTY,  # ty's kind for an attribute
}


def quick_fixes(answer: object, codec: PositionCodec, resolve: Callable[[object], object]) -> Iterator[QuickFix]:
    """The answer to `textDocument/codeAction`: fixes of this text alone.

    Args:
        resolve: Asks the checker for an action with its edit, which it may compute only then.
    """
    for action in _objects(answer):
        if action.get("disabled") is None:
            whole = resolve(action) if "edit" not in action and "data" in action else action
            if (fix := _quick_fix(whole, codec)) is not None:
                yield fix


def _quick_fix(action: object, codec: PositionCodec) -> QuickFix | None:
    """A code action with its edit; None where that has no edits of this text, or changes anything else."""
    if not isinstance(action, dict):
        return None
    edits = []
    for change in _changes(action.get("edit")):
        if change is None or path_of(change[0]) != path_of(codec.document.uri):
            return None
        edits += [text_edit(found, codec) for found in change[1]]
    known = tuple(edit for edit in edits if edit is not None)
    return QuickFix(str(action.get("title", "")), known) if known and len(known) == len(edits) else None


def definitions(answer: object, codec: PositionCodec, uri: str) -> tuple[int | None, ...]:
    """Where a name is defined: offsets in the document with a URI, None for a place in another file."""
    places = [answer] if isinstance(answer, dict) else answer
    return tuple(
        offsets[0] if place.get("uri") == uri and (offsets := codec.offsets(place.get("range"))) else None
        for place in _objects(places)
    )


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """A place in a file as a checker gives it, in its own lines and columns."""

    uri: str
    line: int
    character: int


def targets(answer: object) -> tuple[Target, ...]:
    """The answer to `textDocument/definition`, with the places in all files."""
    found = (_target(place, "range") for place in ([answer] if isinstance(answer, dict) else _objects(answer)))
    return tuple(one for one in found if one is not None)


def hierarchy_items(answer: object) -> tuple[tuple[Target, object], ...]:
    """The answer to `typeHierarchy/supertypes` or `subtypes`: where each class has its name, and the item itself."""
    found = ((_target(item, "selectionRange"), item) for item in _objects(answer))
    return tuple((target, item) for target, item in found if target is not None)


def _target(place: Mapping[str, object], name: str) -> Target | None:
    match place.get("uri"), place.get(name):
        case str(uri), {"start": {"line": int(line), "character": int(character)}}:
            return Target(uri, line, character)
    return None


def edits_by_uri(edit: object) -> Mapping[str, Sequence[object]]:
    """LSP's text edits of a workspace edit, by the URI of the document that they change; other changes are ignored."""
    found: dict[str, list[object]] = {}
    for change in _changes(edit):
        if change is not None:
            found.setdefault(change[0], []).extend(change[1])
    return found


def text_edit(found: object, codec: PositionCodec) -> Edit | None:
    """LSP's text edit, with offsets of the codec's text."""
    match found:
        case {"range": place, "newText": str(text)} if (offsets := codec.offsets(place)) is not None:
            return Edit(*offsets, text)
    return None


def _changes(edit: object) -> Iterator[tuple[str, Sequence[object]] | None]:
    """Each document that a workspace edit changes, with LSP's text edits; None for all other changes."""
    match edit:
        case {"changes": dict(changes)} if changes:
            yield from ((uri, edits) if isinstance(edits, list) else None for uri, edits in changes.items())
        case {"documentChanges": list(changes)}:
            for change in changes:
                match change:
                    case {"textDocument": {"uri": str(uri)}, "edits": list(edits)}:
                        yield uri, edits
                    case _:  # a file is made, renamed or deleted
                        yield None


def _items(answer: object) -> Iterator[dict[str, object]]:
    """The items of diagnostics or of completions, which LSP has as a list or as an object with one."""
    return _objects(answer.get("items") if isinstance(answer, dict) else answer)


def _objects(values: object) -> Iterator[dict[str, object]]:
    """The objects in a list; nothing where it is no list."""
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())


@dataclass(frozen=True, slots=True)
class Description:
    """A checker's description of a name."""

    signature: str
    """Its declaration as the checker writes it, of one line or more."""
    documentation: str = ""
    """In Markdown."""


def described(answer: object) -> Description | None:
    """The answer to `textDocument/hover`: the block of code that it begins with, if any, and its prose.

    None where the checker says nothing.
    """
    contents = answer.get("contents") if isinstance(answer, dict) else None
    text = "\n".join(_texts(contents))
    fenced = _FENCED.match(text)
    if fenced is None and (last := _LAST.search(text)) is not None:
        return Description(last[1].strip(), text[: last.start()].strip())
    if fenced is None:
        return Description("", text.strip()) if text.strip() else None
    return Description(fenced[1].strip(), text[fenced.end() :].strip())


def _texts(contents: object) -> Iterator[str]:
    """The texts of a hover or a documentation: a text, an object with one, or a list of those."""
    for one in contents if isinstance(contents, list) else [contents]:
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            value = str(one.get("value", ""))
            yield f"```{one['language']}\n{value}\n```\n" if "language" in one else value


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a checker's completion."""

    name: str
    written: str
    """The text that accepting it inserts."""
    start: int | None
    """Where the text that it replaces begins; None where the checker leaves that to us."""
    kind: int
    """An `ItemKind`, or another number of LSP's; 0 where the checker gives none."""
    detail: str
    """A type or a signature, as the checker writes it."""
    documentation: str
    commit: tuple[str, ...]
    """Characters that accept it when they are typed."""
    is_import: bool
    """Whether accepting it also imports it."""
    is_optional: bool = False
    """Whether it is a property that may be left out."""

    @property
    def is_property(self) -> bool:
        """Whether it is a member of a value."""
        return self.kind in (ItemKind.METHOD, ItemKind.FIELD, ItemKind.PROPERTY)


def completion_items(answer: object) -> list[Mapping[str, object]]:
    """The answer to `textDocument/completion`: items in the checker's order, each with the list's defaults."""
    defaults = answer.get("itemDefaults") if isinstance(answer, dict) else None
    found = sorted(_items(answer), key=lambda item: str(item.get("sortText") or item.get("label")))
    return [{**defaults, **item} if isinstance(defaults, dict) else item for item in found]


def completion_item(item: Mapping[str, object], codec: PositionCodec) -> Item:
    """One item of a completion."""
    edit = text_edit(item.get("textEdit"), codec)
    label = str(item.get("label", ""))
    name = label.removesuffix("?")  # an optional property
    if label.startswith(_MARKS):
        name = str(item.get("filterText") or label[1:])
    written = edit.text if edit is not None else str(item.get("insertText") or name)
    kind, commit, data = item.get("kind"), item.get("commitCharacters"), item.get("data")
    return Item(
        name,
        written,
        None if edit is None else edit.start,
        kind if isinstance(kind, int) else 0,
        str(item.get("detail") or ""),
        "\n".join(_texts(item.get("documentation"))),
        tuple(map(str, commit)) if isinstance(commit, list) else (),
        bool(item.get("additionalTextEdits") or (isinstance(data, dict) and data.get("autoImport"))),
        label.endswith("?"),
    )


def signatures(answer: object) -> Signatures | None:
    """The answer to `textDocument/signatureHelp`; None where no call of a known function is open."""
    if not isinstance(answer, dict):
        return None
    outer, chosen = answer.get("activeParameter"), answer.get("activeSignature")
    found = tuple(_signature(one, outer) for one in _objects(answer.get("signatures")))
    return Signatures(found, chosen if isinstance(chosen, int) and 0 <= chosen < len(found) else 0) if found else None


def _signature(given: Mapping[str, object], outer: object) -> Signature:
    label = str(given.get("label", ""))
    parameters = tuple(_parameter(label, one.get("label")) for one in _objects(given.get("parameters")))
    active = given.get("activeParameter", outer)
    known = active if isinstance(active, int) and 0 <= active < len(parameters) else None
    return Signature(label, parameters, known, "\n".join(_texts(given.get("documentation"))).strip())


def _parameter(label: str, given: object) -> str:
    """A text, or its place in the label, which LSP counts in UTF-16."""
    match given:
        case [int(start), int(end)]:
            return label.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")
    return str(given)

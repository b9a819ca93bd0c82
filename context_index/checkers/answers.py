"""Reads a checker's answers: from LSP's JSON to values with offsets in code points.

`query` calls each function with the answer to one LSP method. Knows nothing of processes. A value of a shape that LSP
does not have is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from context_index.checkers.position_codec import PositionCodec
from context_index.symbols import NameKind, Signature, Signatures
from context_index.text import Edit
from context_index.uris import path_of

_FIRST_BLOCK = re.compile(r"\s*```\w*\n(.*?)\n```[^\S\n]*(?:\n+|$)(?:---\n)?", re.DOTALL)
"""The block of code that a hover in Markdown begins with, and the rule after it: the declaration of most checkers."""
_LAST_BLOCK = re.compile(r"(?:\n---)?\n```\w*\n((?:(?!```).)*)\n```\s*\Z", re.DOTALL)
"""The block of code that a hover in Markdown ends with: clangd's declaration."""
_SYNTAX_CODES = {*range(1000, 2000), 17000, 17002, 17008, 17014, 17015}
"""TypeScript's codes for errors of syntax. The last five are of JSX: attributes without a value, and elements and
fragments without a closing tag."""
_PARSER_CATEGORY = "Parse Issue"
"""The category of the errors of clangd's parser."""
_SYNTAX_MARK = "syntax/"
"""What we put before the code of an error in this category."""
_LABEL_MARKS = (" ", "•")
"""What clangd puts before a completion's label: a bullet if the completion adds an include, else a space. Such a label
also has the parameters, so the name is the item's `filterText`."""
_UNNECESSARY = 1
"""LSP's `DiagnosticTag.Unnecessary`."""


class Severity(IntEnum):
    """A diagnostic's severity, with LSP's numbers."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class ItemKind(IntEnum):
    """The kinds of completion items that Inscope distinguishes, with LSP's numbers."""

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


_DATA_KINDS: Mapping[int, NameKind] = {
    ItemKind.FIELD: NameKind.PROPERTY,
    ItemKind.VARIABLE: NameKind.VARIABLE,
    ItemKind.PROPERTY: NameKind.PROPERTY,
    ItemKind.ENUM: NameKind.ENUM_MEMBER,  # ty's kind for a member of one
    ItemKind.ENUM_MEMBER: NameKind.ENUM_MEMBER,
    ItemKind.CONSTANT: NameKind.CONSTANT,
    ItemKind.STRUCT: NameKind.PROPERTY,  # ty's kind for an attribute
}
"""The kinds of members that hold a value and are no methods, and the kind of name that each is."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error, warning or hint of a checker."""

    code: str
    message: str
    severity: Severity
    start: int
    end: int
    """Offsets in the text that was checked."""
    is_unnecessary: bool = False
    """Whether it reports code that is unused or never reached."""

    @property
    def is_error(self) -> bool:
        """Whether it is an error, not a warning or a hint."""
        return self.severity is Severity.ERROR

    @property
    def is_syntax(self) -> bool:
        """Whether the checker's parser reports it."""
        return is_syntax_code(self.code)


def is_syntax_code(code: str) -> bool:
    """Whether a code is one of a checker's parser.

    ty has a single code for these errors, TypeScript the `_SYNTAX_CODES`; for clangd, `diagnostics` adds a mark.
    """
    return code == "invalid-syntax" or code.startswith(_SYNTAX_MARK) or (code.isdigit() and int(code) in _SYNTAX_CODES)


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A repair that a checker offers."""

    title: str
    edits: tuple[Edit, ...]
    """Edits of the text that was checked, all with offsets of this text as it was."""


def diagnostics(answer: object, codec: PositionCodec) -> Iterator[Diagnostic]:
    """The answer to `textDocument/diagnostic`."""
    for item in _items(answer):
        match item:
            case {"message": str(message), "range": place} if (offsets := codec.offsets(place)) is not None:
                level = item.get("severity")
                severity = Severity(level) if isinstance(level, int) and level in set(Severity) else Severity.ERROR
                tags = item.get("tags")
                is_unnecessary = isinstance(tags, list) and _UNNECESSARY in tags
                mark = _SYNTAX_MARK if item.get("category") == _PARSER_CATEGORY else ""
                yield Diagnostic(f"{mark}{item.get('code', '')}", message, severity, *offsets, is_unnecessary)


def data_members(answer: object) -> Iterator[tuple[str, NameKind]]:
    """The answer to `textDocument/completion` after a dot: the names and kinds of public members but methods.

    A member that is not written after a dot, such as `[Symbol.iterator]`, is left out.
    """
    for item in _items(answer):
        match item:
            case {"label": str(label), "kind": int(kind)} if kind in _DATA_KINDS and not label.startswith("_"):
                name = label.removesuffix("?")
                is_written_so = item.get("insertText", name) in (name, f"?.{name}")
                if is_written_so and name.replace("$", "_").isidentifier():
                    yield name, _DATA_KINDS[kind]


def quick_fixes(answer: object, codec: PositionCodec, resolve: Callable[[object], object]) -> Iterator[QuickFix]:
    """The answer to `textDocument/codeAction`: the fixes that change nothing but the codec's document.

    Args:
        resolve: Asks the checker for the edit of an action that came without one, and returns the whole action.
    """
    for action in _objects(answer):
        if action.get("disabled") is None:
            whole = resolve(action) if "edit" not in action and "data" in action else action
            if (fix := _quick_fix(whole, codec)) is not None:
                yield fix


def _quick_fix(action: object, codec: PositionCodec) -> QuickFix | None:
    """The fix of a code action; None if it has no edits, or changes anything but the codec's document."""
    if not isinstance(action, dict):
        return None
    edits = []
    for change in _changes(action.get("edit")):
        if change is None or path_of(change[0]) != path_of(codec.document.uri):
            return None
        edits += [text_edit(edit, codec) for edit in change[1]]
    read = tuple(edit for edit in edits if edit is not None)
    return QuickFix(str(action.get("title", "")), read) if read and len(read) == len(edits) else None


def definitions(answer: object, codec: PositionCodec, uri: str) -> tuple[int | None, ...]:
    """The answer to `textDocument/definition`: offsets in the document with a URI, None for each place elsewhere."""
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
    """The answer to `textDocument/definition`: the places in all files."""
    places = [answer] if isinstance(answer, dict) else _objects(answer)
    return tuple(target for place in places if (target := _target(place, "range")) is not None)


def hierarchy_items(answer: object) -> tuple[tuple[Target, object], ...]:
    """The answer to a question about the hierarchy of types: where each class has its name, and LSP's item of it."""
    placed = ((_target(item, "selectionRange"), item) for item in _objects(answer))
    return tuple((target, item) for target, item in placed if target is not None)


def hierarchy_name(item: object) -> str:
    """The name of the class of an item of `hierarchy_items`; empty if it has none."""
    match item:
        case {"name": str(name)}:
            return name
    return ""


def _target(place: Mapping[str, object], range_key: str) -> Target | None:
    """The start of a range in an object with a URI; None if the object has no such range."""
    match place.get("uri"), place.get(range_key):
        case str(uri), {"start": {"line": int(line), "character": int(character)}}:
            return Target(uri, line, character)
    return None


def edits_by_uri(edit: object) -> Mapping[str, Sequence[object]]:
    """The text edits of LSP's workspace edit, by the URI of the changed document; other changes are ignored."""
    by_uri: dict[str, list[object]] = {}
    for change in _changes(edit):
        if change is not None:
            by_uri.setdefault(change[0], []).extend(change[1])
    return by_uri


def text_edit(edit: object, codec: PositionCodec) -> Edit | None:
    """LSP's text edit as an edit of the codec's document; None for any other value."""
    match edit:
        case {"range": place, "newText": str(text)} if (offsets := codec.offsets(place)) is not None:
            return Edit(*offsets, text)
    return None


def _changes(edit: object) -> Iterator[tuple[str, Sequence[object]] | None]:
    """The changes of LSP's workspace edit: a document's URI with its text edits, or None for any other change."""
    match edit:
        case {"changes": dict(changes)} if changes:
            yield from ((uri, edits) if isinstance(edits, list) else None for uri, edits in changes.items())
        case {"documentChanges": list(changes)}:
            for change in changes:
                match change:
                    case {"textDocument": {"uri": str(uri)}, "edits": list(edits)}:
                        yield uri, edits
                    case _:  # a file is created, renamed or deleted
                        yield None


def _items(answer: object) -> Iterator[dict[str, object]]:
    """The items of an answer that LSP has as a list or as an object with a list."""
    return _objects(answer.get("items") if isinstance(answer, dict) else answer)


def _objects(values: object) -> Iterator[dict[str, object]]:
    """The objects in a list; none if the value is no list."""
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())


@dataclass(frozen=True, slots=True)
class Description:
    """A checker's description of a name."""

    signature: str
    """The declaration as the checker writes it, of one line or more; empty if the description has none."""
    documentation: str = ""
    """The rest of the description, in Markdown."""


def described(answer: object) -> Description | None:
    """The answer to `textDocument/hover`; None if the checker says nothing."""
    contents = answer.get("contents") if isinstance(answer, dict) else None
    text = "\n".join(_texts(contents))
    if (first := _FIRST_BLOCK.match(text)) is not None:
        return Description(first[1].strip(), text[first.end() :].strip())
    if (last := _LAST_BLOCK.search(text)) is not None:
        return Description(last[1].strip(), text[: last.start()].strip())
    return Description("", text.strip()) if text.strip() else None


def _texts(contents: object) -> Iterator[str]:
    """The texts of a hover or a documentation, which LSP has as a text, an object with one, or a list of these."""
    for content in contents if isinstance(contents, list) else [contents]:
        if isinstance(content, str):
            yield content
        elif isinstance(content, dict):
            value = str(content.get("value", ""))
            yield f"```{content['language']}\n{value}\n```\n" if "language" in content else value


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a checker's completion."""

    name: str
    written: str
    """The text that accepting it inserts."""
    start: int | None
    """The offset at which the replaced text begins; None if the checker leaves that to us."""
    kind: int
    """An `ItemKind`, or another number of LSP; 0 if the checker gives none."""
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
    """The answer to `textDocument/completion`: LSP's items in the checker's order, each with the list's defaults."""
    defaults = answer.get("itemDefaults") if isinstance(answer, dict) else None
    items = sorted(_items(answer), key=lambda item: str(item.get("sortText") or item.get("label")))
    return [{**defaults, **item} if isinstance(defaults, dict) else item for item in items]


def completion_item(item: Mapping[str, object], codec: PositionCodec) -> Item:
    """One of the items that `completion_items` returns."""
    edit = text_edit(item.get("textEdit"), codec)
    label = str(item.get("label", ""))
    name = label.removesuffix("?")  # an optional property
    if label.startswith(_LABEL_MARKS):
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
    """The answer to `textDocument/signatureHelp`; None if no call of a known function is open."""
    if not isinstance(answer, dict):
        return None
    active = answer.get("activeSignature")
    read = tuple(_signature(item, answer.get("activeParameter")) for item in _objects(answer.get("signatures")))
    return Signatures(read, active if isinstance(active, int) and 0 <= active < len(read) else 0) if read else None


def _signature(item: Mapping[str, object], default_active: object) -> Signature:
    """One signature of the answer.

    Args:
        default_active: The answer's number of the active parameter, for a signature without its own.
    """
    label = str(item.get("label", ""))
    parameters = tuple(_parameter(label, parameter.get("label")) for parameter in _objects(item.get("parameters")))
    active = item.get("activeParameter", default_active)
    valid_active = active if isinstance(active, int) and 0 <= active < len(parameters) else None
    return Signature(label, parameters, valid_active, "\n".join(_texts(item.get("documentation"))).strip())


def _parameter(signature: str, label: object) -> str:
    """The text of a parameter from its label: this text, or the text's place in the signature in UTF-16 units."""
    match label:
        case [int(start), int(end)]:
            return signature.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")
    return str(label)

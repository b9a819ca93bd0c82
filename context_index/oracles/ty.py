"""`ty server` as a checker: where it and the project's environment are found, and how its lists are to be read."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from context_index.oracles.dialects import LSP, Dialect
from context_index.oracles.environments import find_environment
from context_index.oracles.overlays import filled, open_quote, word_end
from context_index.oracles.places import Places
from context_index.oracles.protocol import KEYWORD, NAME_KINDS, PROBE, Completions, Overlay, Remark
from context_index.processes import on_path
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position
from context_index.text import Document

_WORD_FOLLOWS = re.compile(r"\s*\w")
_TYPE = re.compile(r"type `([^`]*)`")
_BRACKETS = re.compile(r"\[[^][]*\]|\([^()]*\)")
_OF_METHOD = re.compile(r"(?<=^Self)@\w+$")
_CLASS_HEADER = re.compile(r"\s*class\s+\w+[^\n]*$")
_UNKNOWN_MEMBERS = frozenset({"missing-attribute", "missing-union-attribute", "unresolved-attribute"})
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(.+)$", re.MULTILINE)
_IMPORTED = re.compile(r"(?:^|,\s*)(?:[\w.]+[ \t]+as[ \t]+)?(\w+)")
_MOST_AHEAD = 20
_VALUE = 12
"""LSP's kind of an item that is a literal."""
_STRINGS = frozenset({Position.LITERAL, Position.SUBSCRIPT, Position.OBJECT_KEY})
_NAMES = frozenset({Position.MEMBER, Position.IMPORTED_NAME})
_OTHER = frozenset({"unresolved-reference", "invalid-syntax"})
"""Codes of remarks that say nothing of the expected names."""


@dataclass(frozen=True)
class Ty:
    """One binary and the environment that it shall look into."""

    binary: Path
    version: str
    environment: Mapping[str, str]
    outside_of: Sequence[Path] = ()
    settings: Mapping[str, object] = field(default_factory=lambda: {"ty": {"completions": {"autoImport": False}}})

    @property
    def name(self) -> str:
        """As people know it."""
        return f"ty {self.version}".strip()

    @property
    def command(self) -> Sequence[str]:
        """Talks LSP on its pipes."""
        return (str(self.binary), "server")

    @property
    def dialect(self) -> Dialect:
        """LSP."""
        return LSP

    def language_id(self, document: Document) -> str:  # noqa: ARG002 -- part of the protocol
        """There is only one."""
        return "python"

    def overlay(self, document: Document, offset: int, position: Position) -> Overlay:
        """The text without the rest of the name at the place.

        A word that follows, in the same line or in the next one of an open bracket, would be read as the name, and
        ty would answer with nothing: a bracket keeps it away, and parses well enough.
        """
        text = document.text
        if open_quote(text, offset, position) is not None:
            return filled(text, offset, "", position)
        end = word_end(text, offset)
        fence = ")" if _WORD_FOLLOWS.match(text, end) else ""
        return Overlay(text[:offset] + fence + text[end:], offset)

    def names(self, found: Completions, document: Document, offset: int, position: Position) -> Members:
        """Nothing but dunders means that the type is not known. Whether a list is complete is left to the probe.

        Modules are never all known: compiled ones, and those that are made when the program runs, are not listed.
        """
        items = [item for item in found.items if not item.is_import and item.kind != KEYWORD]
        if position is Position.KEYWORD_ARGUMENT:
            named = [item.insert[:-1] for item in items if item.insert.endswith("=")]
            keywords = dict.fromkeys(named, NameKind.PARAMETER)
            return Closed(keywords) if keywords else Open("no parameter is known that could be named here")
        if position in _STRINGS and open_quote(document.text, offset, position) is not None:
            literals = {item.insert: NameKind.CONSTANT for item in items if item.kind == _VALUE}
            return Closed(literals) if literals else Open("no strings are known that are expected here")
        names = {
            item.insert: NAME_KINDS.get(item.kind, NameKind.PROPERTY) for item in items if item.insert.isidentifier()
        }
        if position is Position.MODULE:
            return Listed(names) if names else Open("no module of that package is known")
        if position not in _NAMES or all(name.startswith("__") for name in names):
            return Open("the type of the receiver is not known" if position in _NAMES else f"ty lists no {position}")
        line = document.text[document.text.rfind("\n", 0, offset) + 1 : offset]
        if _CLASS_HEADER.match(line):  # among its bases, ty leaves out what has the name of the class itself
            return Listed(names)
        return Closed(names)

    def probe(self, document: Document, offset: int, position: Position) -> str:
        """Lists do not tell whether a base is unknown or a `__getattr__` answers for more; a made-up member does."""
        if position is Position.KEYWORD_ARGUMENT:
            return filled(document.text, offset, f"{PROBE}=0", position).text
        return filled(document.text, offset, PROBE, position).text

    def refuses_probe(self, remarks: Sequence[Remark], position: Position) -> bool:
        """Such remarks name it, between backquotes or as a literal.

        Of a union only what all its types have is listed, while programs use what one of them has. Nor is a list
        complete of a type of which the same file uses members that ty does not know: they are set in a way of its own.
        """
        quoted = f'"{PROBE}"' if position in _STRINGS else f"`{PROBE}`"
        refusals = [
            remark.message
            for remark in remarks
            if remark.is_error and quoted in remark.message and remark.code not in _OTHER
        ]
        if position is not Position.MEMBER:
            return bool(refusals)
        types = {_type_in(message) for message in refusals}
        told = [
            remark.message for remark in remarks if remark.code in _UNKNOWN_MEMBERS and quoted not in remark.message
        ]
        return bool(refusals) and not any(map(_is_union, types)) and not types & {_type_in(one) for one in told} - {""}

    def whole(self, document: Document, offset: int = 0) -> Overlay:
        """The text as it is."""
        return Overlay(document.text, offset)

    def ahead(self, document: Document) -> Sequence[str]:
        """Behind each module that the file imports as such: what its names are is found out one by one."""
        modules = dict.fromkeys(name for line in _IMPORT.findall(document.text) for name in _IMPORTED.findall(line))
        text = document.text.rstrip("\\ \t\n")
        return [f"{text}\n{module}." for module in list(modules)[:_MOST_AHEAD]]

    def empty(self, document: Document) -> Overlay:  # noqa: ARG002 -- part of the protocol
        """Outside of brackets ty would list the module's own names only."""
        return Overlay("[]", 1)

    def globals(self, found: Completions) -> Mapping[str, NameKind]:
        """Builtins, and what every module has."""
        return {
            item.insert: NAME_KINDS.get(item.kind, NameKind.VARIABLE)
            for item in found.items
            if item.kind != KEYWORD and not item.is_import and item.insert.isidentifier()
        }


def _type_in(message: str) -> str:
    """The type that a remark names; of `self`, whichever method it is in."""
    named = _TYPE.search(message)
    return "" if named is None else _OF_METHOD.sub("", named[1])


def _is_union(named: str) -> bool:
    """Whether a type is a union itself; those within brackets are its parts."""
    outer = named
    while (inner := _BRACKETS.sub("", outer)) != outer:
        outer = inner
    return "|" in outer


def find_ty(places: Places) -> Ty | None:
    """The binary that came with us, else one on the path."""
    binary = _bundled() or on_path("ty", places.workspaces)
    if binary is None:
        return None
    environment = find_environment(places)
    variables = {"VIRTUAL_ENV": str(environment)} if environment is not None else {}
    return Ty(binary, _version(), variables, places.workspaces)


def _bundled() -> Path | None:
    """The binary of the package `ty`, which we depend on; a distribution may leave it out."""
    name = "ty.exe" if sys.platform == "win32" else "ty"
    beside = Path(sys.executable).with_name(name)
    if beside.is_file():
        return beside
    try:
        from ty import find_ty_bin  # noqa: PLC0415 -- may be missing
    except ImportError:
        return None
    try:
        return Path(find_ty_bin())
    except FileNotFoundError:
        return None


def _version() -> str:
    """Of the package; a binary from elsewhere is not worth a process to ask it."""
    try:
        return version("ty")
    except PackageNotFoundError:
        return ""

"""TypeScript 7's native server as a checker: where it is found, and how its lists are to be read.

Versions before 7 have no such server and are not found here.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_index.globals import global_names
from context_index.modules.jsonc import read_jsonc
from context_index.oracles.protocol import NAME_KINDS, Item, Overlay, Places, word_end
from context_index.symbols import Closed, Language, Listed, Members, NameKind, Open
from context_index.text import Document

_OFF = {"suggest": {"autoImports": False}}
_WORD = 1
_NOT_MEMBERS = frozenset({"15", "16", "18"})
"""sortText of globals, auto-imports and words; members have 11, optional keys 12, a "z" before it means deprecated."""
_IDENTIFIER = re.compile(r"#?[\w$]+")
_JAVASCRIPT_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs")
_NODE_TYPES = '/// <reference types="node" />\n'
"""The native server does not load them by itself."""
_RECEIVER = re.compile(r"(?:(?<![\w$.)\]])([A-Za-z]\w*)|(['\"`]))\s*\??\.$")
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

    @property
    def name(self) -> str:
        """As people know it."""
        return f"TypeScript {self.version}"

    @property
    def command(self) -> Sequence[str]:
        """Talks LSP on its pipes."""
        return (str(self.binary), "--lsp", "--stdio")

    def language_id(self, document: Document) -> str:
        """JSX is told by the suffix."""
        return "javascriptreact" if document.uri.endswith(".jsx") else _LANGUAGE_IDS[document.language]

    def overlay(self, document: Document, offset: int) -> Overlay:
        """The text without the rest of the word at the place, under a line that brings Node's types in."""
        text = document.text
        end = word_end(text, offset)
        head = _NODE_TYPES if document.language is Language.JAVASCRIPT else ""
        return Overlay(head + text[:offset] + text[end:], len(head) + offset)

    def members(self, items: Sequence[Item], document: Document, offset: int) -> Members:
        """Nothing left means any, unknown, `{}` or an index signature.

        In plain JavaScript a list proves nothing, unless the receiver is a string, an object of the language, or
        imported from a package: one without types would have had no members at all.
        """
        names: dict[str, NameKind] = {}
        for item in items:
            insert = item.insert.removeprefix("?.")
            is_member = item.kind != _WORD and item.sort.lstrip("z")[:2] not in _NOT_MEMBERS and not item.is_import
            if is_member and _IDENTIFIER.fullmatch(insert):
                names[insert] = NAME_KINDS.get(item.kind, NameKind.PROPERTY)
        if not names:
            return Open("the type of the receiver is any, unknown or open")
        if document.language is Language.JAVASCRIPT and not _is_known_well(document.text, offset):
            return Listed(names)
        return Closed(names)

    def probe(self, document: Document, offset: int) -> str | None:  # noqa: ARG002 -- part of the protocol
        """A list of TypeScript's is complete by its rules."""
        return None

    def refuses_probe(self, diagnostics: Sequence[str]) -> bool:  # noqa: ARG002 -- part of the protocol
        """Never asked."""
        return False


def find_typescript(places: Places) -> TypeScript | None:
    """The native server: as set, in the workspace's node_modules, beside a `tsc` on the path."""
    for modules in _node_modules(places):
        package = modules / "@typescript" / f"typescript-{_platform()}"
        binary = package / "lib" / ("tsc.exe" if sys.platform == "win32" else "tsc")
        if binary.is_file():
            version = read_jsonc(package / "package.json").get("version")
            return TypeScript(binary, str(version or "7"))
    return None


def _node_modules(places: Places) -> Iterator[Path]:
    """The directories of packages that may hold it, the most particular first."""
    if places.typescript is not None:
        given = places.typescript
        yield from (place / "node_modules" for place in (given, *given.parents))
        yield from (place for place in (given, *given.parents) if place.name == "node_modules")
    for root in places.roots:
        for place in (root, *root.parents):
            modules = place / "node_modules"
            yield modules
            if (modules / "typescript").is_symlink():  # pnpm keeps packages elsewhere, each beside its dependencies
                yield (modules / "typescript").resolve().parent
    if (found := shutil.which("tsc")) is not None:
        yield from (place for place in Path(found).resolve().parents if place.name == "node_modules")
        yield from (place / "node_modules" for place in (Path(found).parent, Path(found).parent.parent / "lib"))


def _platform() -> str:
    """As npm names packages of native code."""
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(machine, machine)
    return f"{sys.platform}-{processor}"


def _is_known_well(text: str, offset: int) -> bool:
    """Whether the receiver is a string, an object of the language, or the import of a package."""
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

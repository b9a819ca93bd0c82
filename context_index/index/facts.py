"""The facts of one file: a function of its text, so they can be computed anywhere and stored under its hash."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from context_index.exports import Exports, Import, exports_of, imports_of
from context_index.languages.parts import part
from context_index.symbols import Language, ModuleKind
from context_index.syntax import Syntax

EXTRACTOR_VERSION = 6
"""Increased whenever the same text would yield other facts."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one text exports and imports."""

    language: Language
    exports: Exports
    imports: tuple[Import, ...]
    module_kind: ModuleKind | None = None
    """The kind of a script, as its text shows it; None where it does not."""


def facts_of(syntax: Syntax) -> FileFacts:
    """The facts of one text."""
    imports = imports_of(syntax)
    rules = part(syntax.language, "module_kind")
    kind: ModuleKind | None = None if rules is None else rules.module_kind(syntax)
    return FileFacts(syntax.language, exports_of(syntax, imports), imports, kind)


def content_key(language: Language, text: str) -> bytes:
    """The key under which a text's facts are stored: the same text in another language has other facts."""
    data = f"{EXTRACTOR_VERSION} {language}\n{text}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).digest()

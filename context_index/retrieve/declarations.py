"""Where an imported name is declared, and the lines that declare it: a signature, and the members of a class.

Files that only re-export a name are followed to the file that declares it. `declaration` reads lines, not trees: in
code that is laid out as usual, indentation shows where a declaration ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.cursor import Cursor
from context_index.exports import Export, Import
from context_index.retrieve.texts import Texts
from context_index.scopes import names_at
from context_index.symbols import NameKind, Origin
from context_index.syntax import Syntax

_MEMBER = re.compile(
    r"(?:(?:async|public|protected|static|readonly|abstract|get|set|declare|export)\s+)*"
    r"(?:def\s+\w|@property|class\s|[\w$]+\s*[?!]?\s*[(:<=]|\[|constructor\b|[A-Z][A-Z0-9_]*\b|\|)",
)
_PRIVATE = re.compile(
    r"(?:private\s|#|(?:async\s+)?(?:def\s+)?_[a-z]|return\b|if\b|for\b|while\b|switch\b|super\b|this\b)"
)
_MOST_MEMBERS = 12
_MOST_HEADER_LINES = 8
_LONGEST = 160
_HAS_MEMBERS = re.compile(r"\b(?:class|interface|enum|type|namespace)\b")


def declaration(lines: Sequence[str], line: int) -> list[str]:
    """The declaration that begins at a 0-based line: its header and its public members."""
    if not 0 <= line < len(lines):
        return []
    header, after = _header(lines, line)
    if not _HAS_MEMBERS.search(lines[line]):
        return header
    return header + _members(lines, line, after)


def _header(lines: Sequence[str], line: int) -> tuple[list[str], int]:
    """The lines until the parentheses of a signature are closed, and the line after them."""
    found: list[str] = []
    depth = 0
    for index in range(line, min(line + _MOST_HEADER_LINES, len(lines))):
        text = lines[index]
        depth += sum(text.count(one) for one in "([") - sum(text.count(one) for one in ")]")
        found.append(text)
        if depth <= 0:
            break
    found[-1] = found[-1].rstrip(" {:")
    return [text[:_LONGEST] for text in found], line + len(found)


def _members(lines: Sequence[str], line: int, after: int) -> list[str]:
    outer, inner = _indentation(lines[line]), -1
    found: list[str] = []
    for text in lines[after:]:
        stripped = text.strip()
        if not stripped:
            continue
        column = _indentation(text)
        if column <= outer or len(found) == _MOST_MEMBERS:
            break
        inner = column if inner < 0 else inner
        if column == inner and _MEMBER.match(stripped) and not _PRIVATE.match(stripped):
            found.append(text.rstrip(" {:")[:_LONGEST])
    return found


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


ResolveModule = Callable[[Path, str], tuple[Path, Sequence[Export]] | None]
"""The file that a module specifier in a file names, and what it exports; None for a file outside the workspace."""
_STARS = re.compile(r"""export\s*\*\s*from\s*['"]([^'"]+)|^from\s+([\w.]+)\s+import\s+\*""", re.MULTILINE)
_MOST_HOPS = 3


@dataclass(frozen=True, slots=True)
class Origins:
    """Follows names through the files of a workspace."""

    resolve_module: ResolveModule
    texts: Texts

    def signature(
        self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import]
    ) -> tuple[Path, str] | None:
        """The file that declares the function being called, and what follows its name there; None if unknown."""
        head, _, member = cursor.callee.partition(".")
        for found in imports:
            for one in found.names:
                wanted = member if one.name == "*" else "" if member else one.name
                there = self.resolve_module(path, found.module) if one.local == head and wanted else None
                export = next((e for e in there[1] if e.name == wanted), None) if there is not None else None
                if there is not None and export is not None:
                    file, declared = self.declared(there[0], export)
                    return (file, declared.detail) if declared.kind is NameKind.FUNCTION else None
        own = names_at(syntax, cursor.offset).get(cursor.callee)
        is_function = own is not None and own.origin is Origin.LOCAL and own.kind is NameKind.FUNCTION
        return (path, own.detail) if own is not None and is_function else None

    def declared(self, target: Path, export: Export) -> tuple[Path, Export]:
        """The declaration of an export, through the files that only re-export it."""
        for _ in range(_MOST_HOPS):
            passed = self._passed_on(target, export)
            if passed is None:
                break
            target, export = passed
        return target, export

    def _passed_on(self, target: Path, export: Export) -> tuple[Path, Export] | None:
        """The file from which `target` re-exports a name, with its export there; None where `target` declares it."""
        if export.source is not None:
            modules, name = [export.source.module], export.source.name
        else:
            source = self.texts.source(target)
            name = export.local or export.name
            if source is None or name in "".join(source.lines[export.line : export.line + 1]):
                return None
            modules = [one or other for one, other in _STARS.findall(source.text)]
        for module in modules:
            there = self.resolve_module(target, module)
            found = next((one for one in there[1] if one.name == name), None) if there is not None else None
            if there is not None and found is not None:
                return there[0], found
        return None

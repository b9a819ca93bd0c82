"""Places of real files at which a name, or a member, is about to be typed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ranking_members import JAVASCRIPT, TYPESCRIPT, accesses, python_roots, script_roots, shared
from benchmarks.symbols_places import File, Place, files, script_references
from benchmarks.symbols_python import compiler_references
from context_index import Document

_PER_FILE = 8
"""Of each kind, so that no file has the say."""
SUFFIXES = {"typescript": (".ts", ".tsx"), "javascript": (".js", ".mjs", ".cjs"), "python": (".py",)}
TYPED = (0, 2)
"""Characters of the name that have been typed when the menu is asked for."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A document without one name, and that name."""

    document: Document
    offset: int
    name: str
    is_member: bool

    def typed(self, count: int) -> tuple[Document, int]:
        """The document with the first characters of the name in it, and the cursor after them."""
        whole, offset = self.document, self.offset
        text = whole.text[:offset] + self.name[:count] + whole.text[offset:]
        return Document(whole.uri, whole.language, text), offset + count


def roots(family: str, modules: Path | None, scratch: Path) -> list[tuple[Path, Path]]:
    """Project root and folder of sources; packages of Python are copied, those of Node are taken where they are."""
    if family == "python":
        return python_roots(scratch)
    return [] if modules is None else script_roots(modules, TYPESCRIPT if family == "typescript" else JAVASCRIPT)


def drawn(family: str, folders: list[tuple[Path, Path]], count: int, seed: int) -> dict[Path, list[Blank]]:
    """By folder, `count` names and as many members in all, drawn by seed."""
    found: dict[Path, list[Blank]] = {}
    members = shared({folder: accesses(folder, SUFFIXES[family], count, seed) for _, folder in folders}, count)
    for number, (_, folder) in enumerate(folders):
        wanted = count // len(folders) + (number < count % len(folders))
        blanks = [Blank(one.document, one.offset, one.name, is_member=True) for one in members[folder]]
        found[folder] = blanks + list(_names(family, folder, wanted, seed))
    return found


def _references(family: str, file: File) -> list[Place]:
    return [place for place, _ in compiler_references(file)] if family == "python" else script_references(file)


def _names(family: str, folder: Path, count: int, seed: int) -> Iterator[Blank]:
    chance = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    left = count
    for file in files(family, [folder], seed):
        references = [one for one in _references(family, file) if one.role != "type"]
        for one in chance.sample(references, min(_PER_FILE, left, len(references))):
            text = file.text[: one.start] + file.text[one.end :]
            yield Blank(Document(file.path.as_uri(), file.language, text), one.start, one.name, is_member=False)
            left -= 1
        if not left:
            return

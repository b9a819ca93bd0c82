"""Collects the declarations for a place, and keeps them while only its line changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from context_index.cursor import Cursor
from context_index.declarations import identifiers
from context_index.exports import Export, Import
from context_index.index import Index
from context_index.recently_used import remember
from context_index.retrieve.budget import Budget
from context_index.retrieve.excerpt import excerpt
from context_index.scan import Exclusion, read_text
from context_index.scopes import names_at
from context_index.source_text import LARGEST, stamp_of
from context_index.symbols import Origin, Snippet
from context_index.syntax import Syntax, parse
from context_index.text import Document, language_of

_NEAR = 12
"""Lines above the cursor whose names are in reach."""
_FAR = 120
"""Lines from which on a declaration of the same file may be cut from a prompt."""
_MOST_NAMES = 24
"""Imported names that are looked up."""
_KEPT_DOCUMENTS = 16
_KEPT_TREES = 64


@dataclass(frozen=True, slots=True)
class _Snippets:
    """The snippets of a document, and what they were collected for."""

    line: int
    imports: Sequence[Import]
    callee: str
    snippets: tuple[Snippet, ...]


class Retriever:
    """One per workspace; may be asked from several threads.

    Args:
        allowed: Which files may be shown to a model.
    """

    def __init__(self, index: Index, allowed: Callable[[Path], bool]) -> None:
        self._index = index
        self._allowed = allowed
        self._snippets: dict[str, _Snippets] = {}
        self._trees: dict[Path, tuple[tuple[int, int] | None, Syntax]] = {}
        """Trees of files on disk, and how these were then."""
        self._lock = Lock()

    def snippets(
        self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import], budget: Budget
    ) -> tuple[Snippet, ...]:
        """What a model should see beside the text at the cursor, most useful first; earlier snippets stay in front."""
        document = syntax.document
        line = document.position(cursor.offset).line
        with self._lock:
            latest = self._snippets.get(document.uri)
            if (
                latest is None
                or (latest.line, latest.imports) != (line, imports)
                or cursor.callee not in {"", latest.callee}
            ):
                found = dict.fromkeys(self._collect(syntax, path, cursor, imports))
                stay = [one for one in latest.snippets if one in found] if latest is not None else ()
                latest = _Snippets(line, imports, cursor.callee, tuple(dict.fromkeys((*stay, *found))))
            remember(self._snippets, document.uri, latest, _KEPT_DOCUMENTS)
        return budget.fitting(latest.snippets)

    def _collect(self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import]) -> Iterator[Snippet]:
        """Declarations of imported names, those in reach before the others, and of names of the file far away."""
        document = syntax.document
        line = document.position(cursor.offset).line
        above = document.lines[max(line - _NEAR, 0)], document.lines[line]
        reach = {syntax.text(node) for node in identifiers(syntax, above)} | {*cursor.callee.split(".")}
        names = [(one.local not in reach, found.module, one.name) for found in imports for one in found.names]
        for _, module, name in sorted(names, key=lambda one: one[0])[:_MOST_NAMES]:
            for target, export in self._declared(path, module, name, reach):
                tree = self._tree(target)
                if tree is not None and (text := excerpt(tree, export.line)):
                    yield Snippet(self._shown_as(target), text)
        visible = names_at(syntax, cursor.offset)
        own = (visible[name] for name in reach & visible.keys() if visible[name].origin is Origin.LOCAL)
        for at in sorted({one.line for one in own if one.line is not None}):
            if abs(at - line) > _FAR:
                yield Snippet(self._shown_as(path), excerpt(syntax, at))

    def _declared(self, path: Path, module: str, name: str, reach: set[str]) -> Iterator[tuple[Path, Export]]:
        """The file that declares an imported name, and the name there; of a whole module, all that are in reach."""
        resolved = self._index.resolve_module(path, module) if name == "*" else None
        names = [name] if resolved is None else [one.name for one in resolved[1] if one.name in reach]
        for one in names:
            if (found := self._index.declared(path, module, one)) is not None:
                yield found

    def _tree(self, path: Path) -> Syntax | None:
        """A file's tree, as the editor has it or else the disk; None where it must not be shown, or cannot be read."""
        if (opened := self._index.tree(path)) is not None:
            return opened
        stamp, cached = stamp_of(path), self._trees.pop(path, None)
        if cached is None or cached[0] != stamp:
            text, language = read_text(path, LARGEST) if self._allowed(path) else "", language_of(path.name)
            if not text or isinstance(text, Exclusion) or language is None:
                return None
            cached = stamp, parse(Document(path.as_uri(), language, text))
        remember(self._trees, path, cached, _KEPT_TREES)
        return cached[1]

    def _shown_as(self, path: Path) -> str:
        """A path as the model sees it: below its root."""
        root = self._index.scanner.root_of(path)
        return path.name if root is None else path.relative_to(root).as_posix()

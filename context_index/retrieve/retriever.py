"""Collects the declarations for a place, and keeps them while only the text of the place's line changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
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

_LINES_ABOVE = 12
"""The lines above the cursor whose names are in reach."""
_FAR_LINES = 120
"""The distance from which a declaration of the same file may be cut from a prompt."""
_MOST_NAMES = 24
"""The most imported names that are looked up."""
_KEPT_DOCUMENTS = 16
_KEPT_TREES = 64


@dataclass(frozen=True, slots=True)
class _Snippets:
    """The snippets of a document, and the cursor that they were collected for."""

    line: int
    imports: Sequence[Import]
    callee: str
    """The called function around the cursor; empty where there is none."""
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
        """Trees of files on disk, each with the file's `stamp_of` when it was parsed."""
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
                collected = dict.fromkeys(self._collect(syntax, path, cursor, imports))
                still_there = [snippet for snippet in latest.snippets if snippet in collected] if latest else ()
                latest = _Snippets(line, imports, cursor.callee, tuple(dict.fromkeys((*still_there, *collected))))
            remember(self._snippets, document.uri, latest, _KEPT_DOCUMENTS)
        return budget.fitting(latest.snippets)

    def _collect(self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import]) -> Iterator[Snippet]:
        """Declarations of imported names, those in reach first, then of names in reach that the file declares far away.

        A name is in reach if the lines above the cursor use it, or it is in the called expression.
        """
        document = syntax.document
        line = document.position(cursor.offset).line
        above = document.lines[max(line - _LINES_ABOVE, 0)], document.lines[line]
        reach = {syntax.text(node) for node in identifiers(syntax, above)} | {*cursor.callee.split(".")}
        names = [
            (name.local not in reach, statement.module, name.name) for statement in imports for name in statement.names
        ]
        for _, module, name in sorted(names, key=itemgetter(0))[:_MOST_NAMES]:
            for target, export in self._declared(path, module, name, reach):
                tree = self._tree_of(target)
                if tree is not None and (text := excerpt(tree, export.line)):
                    yield Snippet(self._shown_as(target), text)
        visible = names_at(syntax, cursor.offset)
        declared_here = (visible[name] for name in reach & visible.keys() if visible[name].origin is Origin.LOCAL)
        for declared_line in sorted({name.line for name in declared_here if name.line is not None}):
            if abs(declared_line - line) > _FAR_LINES:
                yield Snippet(self._shown_as(path), excerpt(syntax, declared_line))

    def _declared(self, path: Path, module: str, name: str, reach: set[str]) -> Iterator[tuple[Path, Export]]:
        """The file that declares an imported name, and the declared name; none where the workspace has no such file.

        Of a whole module, "*", those of all its names in reach.
        """
        resolved = self._index.resolve_module(path, module) if name == "*" else None
        names = [name] if resolved is None else [export.name for export in resolved[1] if export.name in reach]
        for wanted in names:
            if (declaration := self._index.declared(path, module, wanted)) is not None:
                yield declaration

    def _tree_of(self, path: Path) -> Syntax | None:
        """The tree of a file's text in the editor, else on disk; None where it must not be shown or cannot be read."""
        if (opened := self._index.tree(path)) is not None:
            return opened
        stamp, cached = stamp_of(path), self._trees.pop(path, None)
        if cached is None or cached[0] != stamp:
            text = read_text(path, LARGEST) if self._allowed(path) else ""
            language = language_of(path.name)
            if not text or isinstance(text, Exclusion) or language is None:
                return None
            cached = stamp, parse(Document(path.as_uri(), language, text))
        remember(self._trees, path, cached, _KEPT_TREES)
        return cached[1]

    def _shown_as(self, path: Path) -> str:
        """A path as the model sees it: relative to its root."""
        root = self._index.scanner.root_of(path)
        return path.name if root is None else path.relative_to(root).as_posix()

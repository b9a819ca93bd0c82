"""Collects the snippets for a place, and keeps them while only its line changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from context_index.cursor import Cursor
from context_index.exports import Import
from context_index.retrieve.budget import Budget
from context_index.retrieve.declarations import Origins, ResolveModule, declaration
from context_index.retrieve.edits import RecentEdits
from context_index.retrieve.parameters import argument_at, parameter_for
from context_index.retrieve.similar import SimilarPassages, words
from context_index.retrieve.texts import Source, Texts
from context_index.scopes import names_at
from context_index.symbols import Name, Origin, Snippet
from context_index.syntax import Syntax

_Declared = Sequence[tuple[Path, Sequence[str]]]
"""Files, and the lines in which they declare something."""
_NEAR = 12
"""Lines above the cursor whose words say what is in reach."""
_FAR = 120
"""Lines from which on a declaration of the same file may be cut from a prompt."""
_AROUND_EDIT = 4
_MOST_EDITS = 2
_MOST_SIMILAR = 2
_MOST_MODULES = 8
_MOST_NAMES = 6
_MOST_LINES = 40
_MOST_SIBLINGS = 6
_MOST_OPEN = 6
_KEPT_DECLARATIONS = 512
_SLICE = (3, 4_000)
"""Imported names that are looked up, and characters indexed, for one question: some 2 ms. The rest comes next."""
_FIRST_SLICE = (_KEPT_DECLARATIONS, 24_000)
"""For the first question about a document."""
_KEPT_DOCUMENTS = 16


@dataclass(frozen=True, slots=True)
class _CachedSnippets:
    """The snippets of a document, and what they were gathered for."""

    line: int
    imports: Sequence[Import]
    callee: str
    snippets: tuple[Snippet, ...]
    complete: bool
    """Whether every imported name could be looked up."""


class Retriever:
    """One per workspace; may be asked from several threads."""

    def __init__(self, roots: Sequence[Path], allowed: Callable[[Path], bool], resolve_module: ResolveModule) -> None:
        """Nothing is read until it is asked for.

        Args:
            allowed: which files may be shown to a model.
        """
        self._roots = roots
        self._resolve_module = resolve_module
        self._texts = Texts(allowed)
        self._origins = Origins(resolve_module, self._texts)
        self._edits = RecentEdits()
        self._similar = SimilarPassages()
        self._kept: dict[str, _CachedSnippets] = {}
        self._declared: dict[tuple[Path, str, str], _Declared] = {}
        self._lock = Lock()

    def update(self, path: Path, text: str) -> None:
        """The editor has this text."""
        with self._lock:
            before = self._texts.source(path) if path in self._texts.opened() else None
            if before is not None:
                self._edits.note(path, before.text, text)
            self._texts.put(path, text)
            self._forget_declarations(path)

    def forget(self, path: Path) -> None:
        """The editor closed a file."""
        with self._lock:
            self._texts.drop(path)
            self._forget_declarations(path)

    def refresh(self) -> None:
        """Files were made, changed or deleted on disk."""
        with self._lock:
            self._declared.clear()

    def _forget_declarations(self, path: Path) -> None:
        """Forget the declarations of a file whose text has changed; those that the file itself imports stay."""
        self._declared = {
            asked: found for asked, found in self._declared.items() if all(one != path for one, _ in found)
        }

    def snippets(
        self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import], budget: Budget
    ) -> tuple[Snippet, ...]:
        """What a model should see beside the file itself, most useful first."""
        uri, line = syntax.document.uri, syntax.document.position(cursor.offset).line
        with self._lock:
            kept = self._kept.get(uri)
            same = kept is not None and kept.line == line and [*kept.imports] == [*imports]
            if kept is None or not same or not kept.complete or (cursor.callee and cursor.callee != kept.callee):
                before = kept.snippets if kept is not None else ()
                gathering = _Gathering(self, syntax, path, cursor, imports, _SLICE if kept else _FIRST_SLICE)
                found = _sticky(before, gathering.declarations(), gathering.passages())
                kept = _CachedSnippets(line, imports, cursor.callee, found, gathering.complete)
                self._kept.pop(uri, None)
                self._kept[uri] = kept
                while len(self._kept) > _KEPT_DOCUMENTS:
                    del self._kept[next(iter(self._kept))]
            marked = self._marked(syntax, path, cursor, imports)
        return budget.fitting(kept.snippets) if marked is None else budget.ending(kept.snippets, marked)

    def _marked(self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import]) -> Snippet | None:
        """The signature of the function being called, and which parameter the argument at the cursor is for."""
        argument = argument_at(syntax, cursor.offset) if cursor.callee else None
        declared = self._origins.signature(syntax, path, cursor, imports) if argument is not None else None
        if argument is None or declared is None:
            return None
        parameter = parameter_for(argument, declared[1])
        if parameter is None:
            return None
        mark = "#" if syntax.language.is_python else "//"
        called = cursor.callee.rpartition(".")[2] + declared[1]
        return Snippet(self.shown_as(declared[0]), f"{mark} {called}\n{mark} the argument here: {parameter}\n")

    def shown_as(self, path: Path) -> str:
        """A path as the model sees it: below its root."""
        for root in self._roots:
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name


def _sticky(
    before: Sequence[Snippet], declarations: Sequence[Snippet], passages: Sequence[Snippet]
) -> tuple[Snippet, ...]:
    """What was found; what is still right of what was there before stays as it was, and the rest comes after it."""
    declared: dict[str, set[str]] = {}
    for snippet in declarations:
        declared.setdefault(snippet.path, set()).update(snippet.text.splitlines())
    stay = [one for one in before if one in passages or {*one.text.splitlines()} <= declared.get(one.path, set())]
    result = {(snippet.path, line) for snippet in stay for line in snippet.text.splitlines()}
    for snippet in declarations:
        lines = [line for line in snippet.text.splitlines() if (snippet.path, line) not in result]
        result.update((snippet.path, line) for line in lines)
        if lines:
            stay.append(Snippet(snippet.path, "\n".join(lines) + "\n"))
    return (*stay, *(snippet for snippet in passages if snippet not in stay))


class _Gathering:
    """One search, for one place."""

    def __init__(  # noqa: PLR0917 - all that a place is
        self,
        retriever: Retriever,
        syntax: Syntax,
        path: Path,
        cursor: Cursor,
        imports: Sequence[Import],
        slice_: tuple[int, int],
    ) -> None:
        self._room = slice_
        self._retriever = retriever
        self._syntax = syntax
        self._path = path
        self._cursor = cursor
        self._imports = imports
        document = syntax.document
        self._line = document.position(cursor.offset).line
        first = document.lines[max(self._line - _NEAR, 0)]
        self._above = document.text[first : document.lines[self._line]]
        callee = cursor.callee.rpartition(".")[0] or cursor.callee
        self._reach = words(self._above) | words(f"{callee} {cursor.callee} {cursor.receiver}")
        self._targets: list[Path] = []
        self._shown: list[Snippet] = []
        self._new = 0
        self.complete = True
        """Whether every imported name could be looked up."""

    def declarations(self) -> list[Snippet]:
        """Signatures of what is in reach, most useful first."""
        self._shown = [*self._imported(), *self._far_away()]
        return self._shown

    def passages(self) -> list[Snippet]:
        """Code of other places that the declarations do not show, most useful first."""
        found = self._edited()
        shown = {line.strip(" {:") for snippet in (*self._shown, *found) for line in snippet.text.splitlines()}
        return list(dict.fromkeys(snippet for snippet in (*found, *self._alike(shown)) if snippet.text.strip()))

    def _imported(self) -> list[Snippet]:
        """Declarations of imported names, those of names in reach before the others."""
        names = [
            (one.local not in self._reach, found.module, one.name) for found in self._imports for one in found.names
        ]
        groups: dict[tuple[bool, Path], list[str]] = {}
        for apart, module, name in sorted(names, key=lambda name: name[0]):
            if len(groups) >= _MOST_MODULES:
                break
            for target, lines in self._declared(module, name):
                known = groups.setdefault((apart, target), [])
                if len(known) < _MOST_LINES:
                    known += [line for line in lines if line not in known]
        self._targets = list(dict.fromkeys(path for _, path in groups))
        return [self._snippet(path, lines) for (_, path), lines in groups.items()]

    def _declared(self, module: str, name: str) -> _Declared:
        """The file that declares an imported name, and the lines; for a whole module, those of names in reach."""
        known, asked = self._retriever._declared, (self._path, module, name)
        if name == "*":
            return tuple(self._declarations(module, name))
        if asked not in known:
            if self._new >= self._room[0]:
                self.complete = False
                return ()
            self._new += 1
            if len(known) >= _KEPT_DECLARATIONS:
                known.clear()
            known[asked] = tuple(self._declarations(module, name))
        return known[asked]

    def _declarations(self, module: str, name: str) -> Iterator[tuple[Path, list[str]]]:
        resolved = self._retriever._resolve_module(self._path, module)
        if resolved is None:
            return
        target, exports = resolved
        wanted = [one for one in exports if one.name in ({name} if name != "*" else self._reach)]
        for export in wanted[:_MOST_NAMES]:
            path, declared = self._retriever._origins.declared(target, export)
            source = self._retriever._texts.source(path)
            if source is not None and (lines := declaration(source.lines, declared.line)):
                yield path, lines

    def _far_away(self) -> list[Snippet]:
        """Declarations of the file itself that are so far from the cursor that a prompt may not hold them."""
        document = self._syntax.document
        names = names_at(self._syntax, self._cursor.offset)
        lines: list[str] = []
        for name in sorted((names[word] for word in self._reach & names.keys()), key=_by_line):
            if name.line is not None and name.origin is Origin.LOCAL and abs(name.line - self._line) > _FAR:
                lines += declaration([document.line_text(at) for at in range(name.line, self._stop(name.line))], 0)
        return [self._snippet(self._path, lines)] if lines else []

    def _snippet(self, path: Path, lines: Sequence[str]) -> Snippet:
        return Snippet(self._retriever.shown_as(path), "\n".join(lines) + "\n")

    def _stop(self, line: int) -> int:
        return min(line + _FAR // 2, len(self._syntax.document.lines))

    def _edited(self) -> list[Snippet]:
        """Places of other files, or far away in this one, that were edited last."""
        found: list[Snippet] = []
        for place in self._retriever._edits.places:
            source = self._retriever._texts.source(place.path)
            here = place.path == self._path and abs(place.line - self._line) <= _FAR
            if source is not None and not here and len(found) < _MOST_EDITS:
                found.append(self._lines(source, place.line - _AROUND_EDIT, place.line + _AROUND_EDIT))
        return found

    def _alike(self, shown: set[str]) -> list[Snippet]:
        """Passages of open files, imported ones and those beside this one."""
        texts = self._retriever._texts
        candidates = dict.fromkeys([*texts.opened()[-_MOST_OPEN:], *self._targets[:_MOST_OPEN], *self._siblings()])
        sources = [source for path in candidates if path != self._path and (source := texts.source(path)) is not None]
        passages = self._retriever._similar.find(sources, self._above.splitlines(), self._room[1])
        found = [self._lines(one.source, one.start, one.end) for one in passages]
        return [snippet for snippet in found if not _mostly_in(snippet.text, shown)][:_MOST_SIMILAR]

    def _siblings(self) -> list[Path]:
        siblings = self._retriever._texts.siblings(self._path)
        place = bisect_left(siblings, self._path)
        return [*siblings[max(place - _MOST_SIBLINGS // 2, 0) :][:_MOST_SIBLINGS]]

    def _lines(self, source: Source, start: int, end: int) -> Snippet:
        text = "\n".join(source.lines[max(start, 0) : end])
        return Snippet(self._retriever.shown_as(source.path), text.strip("\n") + "\n")


def _mostly_in(text: str, shown: set[str]) -> bool:
    """Whether at least half of the lines have been shown already."""
    lines = [line.strip(" {:") for line in text.splitlines() if line.strip(" {}:")]
    return sum(line in shown for line in lines) * 2 >= len(lines)


def _by_line(name: Name) -> tuple[int, str]:
    return name.line or 0, name.text

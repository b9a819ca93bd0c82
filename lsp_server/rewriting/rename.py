"""Rename a symbol in all files by the checker's own rename.

A checker renames without checking that the new name is free. So the result is tested: in the files as they would be,
the checker renames the symbol back, and that must change exactly the places that were changed; and it reports no new
error at a place that had the new name before.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from context_index import CheckerError, identifiers, parse, path_of, renamings, strings, whole_lines
from lsp_server.rewriting.breaks import MOST_FILES, as_break, listed, new_errors, shown
from lsp_server.rewriting.outcome import RewriteFailure, RewriteResult, failure
from lsp_server.rewriting.region import words_of
from lsp_server.suggestion import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from context_index import Checker, Diagnostic, Document, Edit, Renaming, Renamings, Syntax, Workspace

_MOST: Final = 400
"""The most other files with the name that are searched."""


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """A symbol and its new name."""

    syntax: Syntax
    old: str
    new: str
    chosen: tuple[int, int] | None = None
    """A range in which the name means the symbol; None for the whole file."""


class Renamer:
    """Renames in one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, request: RenameRequest) -> RewriteResult:
        """The files as they would be; writes none of them."""
        started = time.perf_counter()
        try:
            done = self._renamed(request)
        except CheckerError as error:
            done = failure(request.syntax.document.text, RewriteFailure.NO_CHECKER, f"Nothing can be renamed: {error}.")
        except CancelledError:
            done = failure(request.syntax.document.text, RewriteFailure.CANCELLED, "The rename was cancelled.")
        return replace(done, latency_ms=(time.perf_counter() - started) * 1000)

    def _renamed(self, request: RenameRequest) -> RewriteResult:
        document = request.syntax.document
        text, path = document.text, path_of(document.uri)
        if path is not None and (why := self._workspace.excluded(path)):
            return failure(text, RewriteFailure.EXCLUDED, f"This file is not to be read: {why}.")
        places = _places(request)
        if not places:
            where = "the file" if request.chosen is None else "these lines"
            return failure(text, RewriteFailure.NO_SUCH_NAME, f"No name `{request.old}` is in {where}.")
        if request.old == request.new:
            return failure(text, RewriteFailure.UNCHANGED, "Both names are the same.")
        checker = self._workspace.checker_of(document)
        documents, notes = self._mentioning(request)
        found = renamings(checker, documents, places, request.new, diagnosed=MOST_FILES).result()
        if found.unread and (more := self._read(found.unread)):
            documents += more
            found = renamings(checker, documents, places, request.new, diagnosed=MOST_FILES).result()
        if refused := _refused(request, found):
            return failure(text, *refused)
        return self._tested(request, checker, documents, found, notes)

    def _mentioning(self, request: RenameRequest) -> tuple[list[Document], list[str]]:
        """The documents that have the name, the present one first, and notes on files that are not searched."""
        document = request.syntax.document
        path = path_of(document.uri)
        file = None if path is None else path.resolve()
        others = [one for one in self._workspace.mentioning(request.old, document) if not _is_at(one, file)]
        notes = [f"{len(others) - _MOST} files that have the name were not searched."] if others[_MOST:] else []
        unread = self._workspace.unread_mentioning(request.old, document.language)
        if unread:
            names = listed(f"{self._workspace.shown(one)} ({why})" for one, why in unread)
            notes.append(f"Not searched, though the name is in it: {names}.")
        return [document, *others[:_MOST]], notes

    def _tested(
        self,
        request: RenameRequest,
        checker: Checker,
        documents: Sequence[Document],
        found: Renamings,
        notes: list[str],
    ) -> RewriteResult:
        """The result of the only renaming found, once renaming back has shown that the new name is free."""
        document, (meaning,) = request.syntax.document, found.meanings
        by_uri = {one.uri: one for one in documents}
        after = {uri: by_uri[uri].edited(edits[::-1], by_uri[uri].revision) for uri, edits in meaning.edits.items()}
        now = [after.get(one.uri, one) for one in documents]
        expected = {uri: _new_places(edits, request) for uri, edits in meaning.edits.items()}
        back = renamings(checker, now, [min(expected[document.uri])], request.old, diagnosed=MOST_FILES).result()
        changed, edits = now[:MOST_FILES], [meaning.edits.get(one.uri, ()) for one in now[:MOST_FILES]]
        errors = list(new_errors(self._workspace, changed, edits, found.diagnostics, back.diagnostics, binding=True))
        taken = self._taken(request, back, documents, now, expected) or self._clash(request, errors, expected)
        if taken:
            return failure(document.text, RewriteFailure.NAME_TAKEN, taken)
        changes = {
            shown(self._workspace, new): (by_uri[uri], new.text) for uri, new in after.items() if uri != document.uri
        }
        renamed = after.get(document.uri, document).text
        breaks = tuple(as_break(self._workspace, *one) for one in errors)
        notes = [*notes, *self._left_alone(request, documents, meaning), *(f"Breaks {one}" for one in breaks)]
        return RewriteResult(
            text=renamed, attempt=renamed, verified=Level.TYPES, changes=changes, breaks=breaks, notes=tuple(notes)
        )

    def _read(self, uris: Iterable[str]) -> list[Document]:
        """The documents that the checker reads as files of the project, although the index does not know them."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None]
        return [one for path in paths if not self._workspace.skipped(path) and (one := self._workspace.document(path))]

    def _taken(
        self,
        request: RenameRequest,
        back: Renamings,
        before: Sequence[Document],
        now: Sequence[Document],
        expected: Mapping[str, set[int]],
    ) -> str:
        """Why the new name is not free: renaming back would change other places; empty where it is free."""
        edits = back.meanings[0].edits if back.meanings else {}
        for old, document in zip(before, now, strict=True):
            renamed_back = {edit.start for edit in edits.get(document.uri, ())}
            if differing := renamed_back ^ expected.get(document.uri, set()):
                syntax = parse(old)
                is_there = any(syntax.text(node) == request.new for node in identifiers(syntax))
                why = "already means something else" if is_there else "would not mean the same"
                return self._not_free(request, why, document, min(differing))
        return ""

    def _clash(
        self,
        request: RenameRequest,
        errors: Iterable[tuple[Document, Diagnostic]],
        expected: Mapping[str, set[int]],
    ) -> str:
        """Why the new name is not free: where it was before, there is a new error; empty where there is none."""
        for document, error in errors:
            is_name = document.text[error.start : error.end] == request.new
            if is_name and error.start not in expected.get(document.uri, ()):
                return self._not_free(request, "already means something else", document, error.start)
        return ""

    def _not_free(self, request: RenameRequest, why: str, document: Document, offset: int) -> str:
        line = document.position(offset).line + 1
        return f"`{request.new}` {why} in {shown(self._workspace, document)}, line {line}; choose another name."

    def _left_alone(self, request: RenameRequest, documents: Sequence[Document], meaning: Renaming) -> list[str]:
        """Notes on the names and the strings of the same text that the checker does not rename."""
        names, texts = list[str](), list[str]()
        for document in documents:
            syntax = request.syntax if document is request.syntax.document else parse(document)
            file, renamed = shown(self._workspace, document), {one.start for one in meaning.edits.get(document.uri, ())}
            same = (node for node in identifiers(syntax) if syntax.text(node) == request.old)
            for nodes, found in ((same, names), (strings(syntax, request.old), texts)):
                left = (start for node in nodes if (start := syntax.start(node)) not in renamed)
                found.extend(dict.fromkeys(f"{file}:{document.position(start).line + 1}" for start in left))
        notes = []
        if names:
            notes.append(f"`{request.old}` stays in {listed(names)}: another name, as the checker reads it.")
        if texts:
            notes.append(f"The string `{request.old}` stays in {listed(texts)}: no name, as the checker reads it.")
        return notes


def _is_at(document: Document, file: Path | None) -> bool:
    """Whether a document is a file, by another link to it."""
    own = path_of(document.uri)
    return own is not None and own.resolve() == file


def _places(request: RenameRequest) -> list[int]:
    """The offsets of the name in the region."""
    syntax = request.syntax
    part = None if request.chosen is None else whole_lines(syntax.document.text, *request.chosen)
    return [syntax.start(node) for node in identifiers(syntax, part) if syntax.text(node) == request.old]


def _refused(request: RenameRequest, found: Renamings) -> tuple[RewriteFailure, str] | None:
    """Why what the checker found is no renaming to make; None where there is exactly one."""
    if not found.meanings:
        reason = found.refused or "the checker does not know it"
        return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` cannot be renamed: {reason}."
    if len(found.meanings) > 1:
        return RewriteFailure.AMBIGUOUS, _choices(request, found.meanings)
    if found.unread:
        return (
            RewriteFailure.NO_CHECKER,
            f"It would change files outside of the workspace: {listed(found.unread)}.",
        )
    return None


def _choices(request: RenameRequest, meanings: Iterable[Renaming]) -> str:
    """A sentence with the lines of each meaning of the name."""
    document = request.syntax.document
    lines = [sorted({document.position(place).line + 1 for place in one.places}) for one in meanings]
    answer = "; ".join(f"line{'s' * (len(one) > 1)} {', '.join(map(str, one))}" for one in lines)
    return f"`{request.old}` means {len(lines)} things here: {answer}. Choose the lines of one of them."


def _new_places(edits: Sequence[Edit], request: RenameRequest) -> set[int]:
    """The offsets of the new name after the edits; an edit may insert text before it (`total: amount`)."""
    places, grown = set[int](), 0
    for edit in edits:
        places.add(edit.start + grown + _offset_of_word(request.new, edit.text))
        grown += len(edit.text) - (edit.end - edit.start)
    return places


def _offset_of_word(name: str, text: str) -> int:
    """The offset of a name as a whole word in a text; 0 where the text does not have it."""
    at = 0
    for word in words_of(text):
        at = text.index(word, at)
        if word == name.lstrip("#"):
            return at
        at += len(word)
    return 0

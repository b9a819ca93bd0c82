"""Rename a symbol in all files by the checker's own rename.

A checker renames without checking that the new name is free. So the result is tested in the files as they would be:
the checker renames the symbol back, and that must change places that were changed and nothing else; every place of
either name is defined where it was before; and no new error is reported at a place that had the new name before. Where
an error is new at a place that was left, the place is taken as well if that mends it.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_index import (
    CheckerError,
    Doubt,
    Edit,
    MentionForm,
    Trees,
    mention_rules,
    mentions,
    path_of,
    renamings,
    statement_around,
    survey,
    whole_lines,
    words_in_text,
)
from lsp_server.engine.edits import moved
from lsp_server.engine.rewriting.breaks import MOST_FILES, as_break, new_errors, shown
from lsp_server.engine.rewriting.outcome import PerhapsPlace, RewriteFailure, RewriteResult, failure, listed
from lsp_server.engine.rewriting.region import words_of
from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from context_index import Checker, Diagnostic, Document, Perhaps, Renaming, Renamings, Survey, Syntax, Workspace

_MOST: Final = 400
"""The most other files with the name that are searched."""
_ROUNDS: Final = 4
"""How often places at which an error is new are added."""
Edits = dict[str, tuple[Edit, ...]]
"""By URI, in order."""


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """A symbol and its new name."""

    syntax: Syntax
    old: str
    new: str
    chosen: tuple[int, int] | None = None
    """A range in which the name means the symbol; None for the whole file."""
    place: int | None = None
    """The offset of the name, where one place is meant."""
    takes_all: bool = False
    """Whether the places that may have the name are renamed as well."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """The files as they would be after some edits, and what a checker reports of them."""

    edits: Edits
    documents: Sequence[Document]
    """After the edits."""
    survey: Survey
    back: Edits
    """What renaming back changes."""
    errors: tuple[tuple[Document, Diagnostic], ...]
    """The new ones."""


class Renamer:
    """Renames in one workspace; it keeps the trees of what it has read."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._trees = Trees()

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
        self._trees = Trees([request.syntax])
        text, path = document.text, path_of(document.uri)
        if path is not None and (excluded := self._workspace.excluded(path)):
            return failure(text, RewriteFailure.EXCLUDED, f"This file is not to be read: {excluded}.")
        places = _places(request)
        if not places:
            where = "in the file" if request.chosen is None else "in these lines"
            where = where if request.place is None else "at this place"
            return failure(text, RewriteFailure.NO_SUCH_NAME, f"No name `{request.old}` is {where}.")
        if request.old == request.new:
            return failure(text, RewriteFailure.UNCHANGED, "Both names are the same.")
        if request.old.startswith("#") != request.new.startswith("#"):
            sentence = "A private name stays private: both names begin with `#`, or neither does."
            return failure(text, RewriteFailure.NAME_TAKEN, sentence)
        checker = self._workspace.checker_of(document)
        documents, dangers = self._mentioning(request)
        names = request.old, request.new
        ask = partial(renamings, checker, documents, places, *names, trees=self._trees, diagnosed=MOST_FILES)
        found = ask().result()
        if found.unread and (more := self._read(found.unread)):
            documents += more
            found = ask().result()
        if refused := _refused(request, found) or self._declared_outside(request, found):
            return failure(text, *refused)
        done = self._tested(request, checker, documents, found, dangers)
        if done.breaks and not done.failed:
            # what has the name by its shape alone, such as a literal for an interface, is among all namesakes
            wide = ask(namesakes=True).result()
            everywhere = self._tested(replace(request, takes_all=True), checker, documents, wide, dangers)
            if not everywhere.failed and len(everywhere.breaks) < len(done.breaks):
                return everywhere if request.takes_all else self._tested(request, checker, documents, wide, dangers)
        return done

    def _declared_outside(self, request: RenameRequest, found: Renamings) -> tuple[RewriteFailure, str] | None:
        """Why a name of Python that is a library's is not renamed; TypeScript says so itself, or makes an alias."""
        paths = [path for uri in found.meanings[0].elsewhere if (path := path_of(uri)) is not None]
        own = [
            one
            for one in paths
            if any(map(one.is_relative_to, self._workspace.roots)) and not self._workspace.skipped(one)
        ]
        if own or not paths or request.syntax.language.record.checker.renames_overrides:
            return None
        file = listed(path.name for path in paths)
        return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` is not of this project: it is declared in {file}."

    def _mentioning(self, request: RenameRequest) -> tuple[list[Document], list[str]]:
        """The documents that have either name, the present one first, and reasons why others may be missed."""
        document = request.syntax.document
        path = path_of(document.uri)
        file = None if path is None else path.resolve()
        either = self._workspace.mentioning((request.old, request.new), document)
        either = [other for other in either if not _is_at(other, file)]
        others = [other for other in either if request.old in other.text]
        dangers = [f"{len(others) - _MOST} files that have the name were not searched"] if others[_MOST:] else []
        unread = self._workspace.unread_mentioning(request.old, document.language)
        if unread:
            names = listed(f"{self._workspace.shown(one)} ({why})" for one, why in unread)
            dangers.append(f"the name is in files that were not searched: {names}")
        taken = [other for other in either if request.old not in other.text]
        return [document, *others[:_MOST], *taken[:_MOST]], dangers

    def _tested(
        self,
        request: RenameRequest,
        checker: Checker,
        documents: Sequence[Document],
        found: Renamings,
        dangers: list[str],
    ) -> RewriteResult:
        """The result of the only renaming found, once the checker has seen the files as they would be."""
        document, (meaning,) = request.syntax.document, found.meanings
        edits: Edits = dict(meaning.edits)
        perhaps = self._reachable(documents, meaning)
        if request.takes_all:
            edits, perhaps = _with(edits, perhaps), []
        trial = self._trial(request, checker, documents, found, edits)
        for _ in range(_ROUNDS):
            if not (more := self._at_errors(trial, perhaps)):
                break
            further = self._trial(request, checker, documents, found, _with(trial.edits, more))
            if len(further.errors) >= len(trial.errors):
                break
            trial, perhaps = further, [one for one in perhaps if one not in more]
        if taken := self._taken(request, documents, found, trial):
            return failure(document.text, RewriteFailure.NAME_TAKEN, taken)
        before = {one.uri: one for one in documents}
        after = {one.uri: one for one in trial.documents if one.uri in trial.edits}
        changes = {
            shown(self._workspace, new): (before[uri], new.text) for uri, new in after.items() if uri != document.uri
        }
        renamed = after.get(document.uri, document).text
        breaks = tuple(as_break(self._workspace, *one) for one in trial.errors)
        left = tuple(self._perhaps_place(before[one.uri], one) for one in perhaps)
        in_words = [] if meaning.is_local else self._in_words(request.old, documents)
        notes = [*self._left_alone(request, documents, trial.edits, perhaps), *in_words, *_reasons(left)]
        return RewriteResult(
            text=renamed,
            attempt=renamed,
            verified=Level.TYPES,
            changes=changes,
            breaks=breaks,
            renamed=tuple((before[uri], some) for uri, some in trial.edits.items()),
            perhaps=left,
            dangers=(*dangers, *self._dangers(request, meaning, trial)),
            notes=(*notes, *(f"Breaks {one}" for one in breaks)),
        )

    def _reachable(self, documents: Sequence[Document], meaning: Renaming) -> list[Perhaps]:
        """The places that may have the name; of a module's name those on receivers only where one may be a module."""
        perhaps, document, by_uri = list(meaning.perhaps), documents[0], {one.uri: one for one in documents}
        said_alone = [
            place
            for place in perhaps
            if place.doubt is Doubt.UNTYPED or (place.doubt is Doubt.TEXT and not _is_path(by_uri[place.uri], place))
        ]
        if meaning.is_member or meaning.is_local or not said_alone:
            return perhaps
        stems = set[str]()
        for path in filter(None, map(path_of, meaning.edits)):
            stems |= {path.stem, path.parent.name} if path.stem in ("__init__", "index") else {path.stem}
        words = document.language.record.module_words | stems
        others = self._workspace.mentioning(words, document)
        if any(mention_rules(self._trees.of(other)).has_modules_as_values(stems) for other in (document, *others)):
            return perhaps
        return [one for one in perhaps if one not in said_alone]

    def _trial(
        self,
        request: RenameRequest,
        checker: Checker,
        documents: Sequence[Document],
        found: Renamings,
        edits: Edits,
    ) -> _Trial:
        (meaning,) = found.meanings
        now = [one.edited(edits[one.uri][::-1], one.revision) if one.uri in edits else one for one in documents]
        own = edits.get(documents[0].uri, ())
        places = [_place_of_new(edit, own, request.new) for edit in own if edit.start == meaning.seed]
        back = (places[0], request.old) if places else None
        seen, renamed_back = survey(
            checker,
            now,
            request.new,
            back=back,
            old=request.old,
            classes=meaning.classes,
            trees=self._trees,
            diagnosed=MOST_FILES,
        ).result()
        changed, made = now[:MOST_FILES], [edits.get(one.uri, ()) for one in now[:MOST_FILES]]
        errors = new_errors(self._workspace, changed, made, found.diagnostics, seen.diagnostics, binding=True)
        return _Trial(edits, now, seen, dict(renamed_back), tuple(errors))

    def _at_errors(self, trial: _Trial, perhaps: Iterable[Perhaps]) -> list[Perhaps]:
        """The places left that a new error is about: it is in the same statement."""
        statements = [
            (document.uri, *statement_around(self._trees.of(document), error.start)) for document, error in trial.errors
        ]
        about = []
        for place in perhaps:
            at = moved(place.edit.start, trial.edits.get(place.uri, ()))
            if any(uri == place.uri and start <= at < end for uri, start, end in statements):
                about.append(place)
        return about

    def _read(self, uris: Iterable[str]) -> list[Document]:
        """The documents that the checker reads as files of the project, although the index does not know them."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None]
        return [one for path in paths if not self._workspace.skipped(path) and (one := self._workspace.document(path))]

    def _taken(self, request: RenameRequest, documents: Sequence[Document], found: Renamings, trial: _Trial) -> str:
        """Why the new name is not free; empty where it is."""
        (meaning,) = found.meanings
        expected = {uri: _new_places(edits, request.new) for uri, edits in trial.edits.items()}
        for index, (old, document) in enumerate(zip(documents, trial.documents, strict=True)):
            renamed_back = {edit.start for edit in trial.back.get(document.uri, ())}
            places = expected.get(document.uri, set())
            own = trial.edits.get(document.uri, ()) if index == 0 and meaning.seed in meaning.back else ()
            wanted = {_place_of_new(edit, own, request.new) for edit in own if edit.start in meaning.back}
            if differing := (renamed_back - places) | (wanted - renamed_back):
                is_there = any(_is_name(mention.form) for mention in mentions(self._trees.of(old), request.new))
                why = "already means something else" if is_there else "would not mean the same"
                return self._not_free(request, why, document, min(differing))
        for document, error in trial.errors:
            is_name = document.text[error.start : error.end] == request.new
            if is_name and error.start not in expected.get(document.uri, ()):
                return self._not_free(request, "already means something else", document, error.start)
        return self._moved_meaning(request, documents, found, trial)

    def _moved_meaning(
        self, request: RenameRequest, documents: Sequence[Document], found: Renamings, trial: _Trial
    ) -> str:
        """Why a place of either name would be defined elsewhere than before; empty where none would."""
        edits = [trial.edits.get(one.uri, ()) for one in documents]
        renamed = [{edit.start: edit for edit in made} for made in edits]

        def relocated(index: int, offset: int) -> tuple[int, int]:
            edit = renamed[index].get(offset)
            at = moved(offset, edits[index])
            return index, at if edit is None else _place_of_new(edit, edits[index], request.new)

        def is_halved(index: int, offset: int) -> bool:
            edit = renamed[index].get(offset)
            return edit is not None and edit.text != request.new

        halved = {relocated(index, at) for index, made in enumerate(renamed) for at in made if is_halved(index, at)}
        for survey_before, why in (
            (found.new_name, "already means something else"),
            (found.old_name, "would not mean the same"),
        ):
            for (index, offset), meaning in survey_before.meanings.items():
                is_renamed = offset in renamed[index]
                if is_renamed != (survey_before is found.old_name) or is_halved(index, offset):
                    continue
                place = relocated(index, offset)
                now = trial.survey.meanings.get(place)
                wanted = {relocated(*one) if isinstance(one, tuple) else one for one in meaning}
                if now is not None and meaning and now - halved != wanted - halved:
                    others = sorted(one for one in now - halved - wanted if isinstance(one, tuple))
                    taker = (trial.documents[others[0][0]], others[0][1]) if others else None
                    return self._not_free(request, why, trial.documents[index], place[1], taker)
        return ""

    def _not_free(
        self,
        request: RenameRequest,
        why: str,
        document: Document,
        offset: int,
        taker: tuple[Document, int] | None = None,
    ) -> str:
        """Why a new name is not free.

        Args:
            taker: Where the name is declared that is meant instead.
        """
        instead = f": {self._line(*taker)} declares what it would be" if taker else ""
        return f"`{request.new}` {why} in {self._line(document, offset)}{instead}; choose another name."

    def _line(self, document: Document, offset: int) -> str:
        return f"{shown(self._workspace, document)}, line {document.position(offset).line + 1}"

    def _dangers(self, request: RenameRequest, meaning: Renaming, trial: _Trial) -> Iterator[str]:
        """Why what is renamed may be reached by other means than its name in these files."""
        document, old = request.syntax.document, request.old
        record = document.language.record
        is_marked = bool(record.own_mark) and old.startswith(record.own_mark) and old.endswith(record.own_mark)
        if is_marked or old in record.own_names:
            yield f"the language itself uses the name `{old}`"
        rules = mention_rules(request.syntax)
        if rules.is_mangled(request.new) and not rules.is_mangled(old):
            yield f"{record.title} gives `{request.new}` another name within each class"
        probed = trial.survey.probed.values()
        elsewhere = {target.uri for found in probed for target in found if not isinstance(target, tuple)}
        if files := sorted({Path(path_of(uri) or uri).name for uri in elsewhere.union(meaning.outside)}):
            yield f"a class outside of the project has `{old}`, too, and may have it called ({listed(files)})"
        for function in sorted(meaning.functions - {""}):
            callers = [document, *self._workspace.mentioning((function,), document)]
            if calls := [one for caller in callers for one in self._unpacked(caller, function, old)]:
                yield f"`{function}` is called with a mapping whose keys are not known ({listed(calls)})"
        if meaning.is_local:
            starts = (
                (uri, edit.start) for uri, edits in meaning.edits.items() for edit in edits if uri == document.uri
            )
            near = {at for _, start in starts for at in rules.reflections_near(start)}
            if near:
                lines = listed(
                    f"{shown(self._workspace, document)}:{document.position(at).line + 1}" for at in sorted(near)
                )
                yield f"names are read as the program runs ({lines})"

    def _unpacked(self, document: Document, function: str, name: str) -> Iterator[str]:
        """Where a function is called with a mapping in a file that does not say the name of the parameter as a key."""
        syntax = self._trees.of(document)
        if any(one.form is MentionForm.TEXT for one in mentions(syntax, name)):
            return
        for at in mention_rules(syntax).calls_with_mapping(function):
            yield f"{shown(self._workspace, document)}:{document.position(at).line + 1}"

    def _perhaps_place(self, document: Document, one: Perhaps) -> PerhapsPlace:
        line = document.position(one.edit.start).line
        return PerhapsPlace(shown(self._workspace, document), line, str(one.doubt), document, one.edit)

    def _left_alone(
        self, request: RenameRequest, documents: Sequence[Document], edits: Edits, perhaps: Iterable[Perhaps]
    ) -> list[str]:
        """Notes on the names and the strings of the same text that are something else."""
        names, texts = list[str](), list[str]()
        open_places = {(one.uri, one.edit.start) for one in perhaps}
        for document in documents:
            file, renamed = shown(self._workspace, document), {one.start for one in edits.get(document.uri, ())}
            for one in mentions(self._trees.of(document), request.old):
                if one.start not in renamed and (document.uri, one.start) not in open_places:
                    found = names if _is_name(one.form) else texts
                    found.append(f"{file}:{document.position(one.start).line + 1}")
        notes = []
        if names:
            notes.append(f"`{request.old}` stays in {listed(names)}: another name, as the checker reads it.")
        if texts:
            notes.append(f"The string `{request.old}` stays in {listed(texts)}: no name, as the checker reads it.")
        return notes

    def _in_words(self, name: str, documents: Sequence[Document]) -> list[str]:
        """A note on the strings and comments with the name among other words: a format, an example, or just prose."""
        places = [
            f"{shown(self._workspace, document)}:{document.position(at).line + 1}"
            for document in documents
            for at in words_in_text(self._trees.of(document), name)
        ]
        return [f"The word `{name}` stays in strings and comments: {listed(places)}."] if places else []


def _is_at(document: Document, file: Path | None) -> bool:
    """Whether a document is a file, by another link to it."""
    own = path_of(document.uri)
    return own is not None and own.resolve() == file


def _is_path(document: Document, place: Perhaps) -> bool:
    """Whether a string says more than the name: `shop.total` is meant for some module."""
    return document.text[place.edit.start - 1 : place.edit.start] in (".", ":")


def _is_name(form: MentionForm) -> bool:
    return form not in (MentionForm.TEXT, MentionForm.EXPORTED)


def _places(request: RenameRequest) -> list[int]:
    """The offsets of the name in the region; strings of `__all__` come last."""
    text = request.syntax.document.text
    start, end = (0, len(text)) if request.chosen is None else whole_lines(text, *request.chosen)
    found = [
        one for one in mentions(request.syntax, request.old) if one.form not in (MentionForm.TEXT, MentionForm.LABEL)
    ]
    if request.place is not None:
        return [one.start for one in found if one.start == request.place]
    found.sort(key=lambda one: one.form is MentionForm.EXPORTED)
    return [one.start for one in found if start <= one.start < end]


def _with(edits: Mapping[str, tuple[Edit, ...]], more: Iterable[Perhaps]) -> Edits:
    """Edits, and those of places that may have the name."""
    found = {uri: list(some) for uri, some in edits.items()}
    for one in more:
        found.setdefault(one.uri, []).append(one.edit)
    return {uri: tuple(sorted(some, key=lambda edit: edit.start)) for uri, some in found.items()}


def _reasons(places: Iterable[PerhapsPlace]) -> list[str]:
    """A note for each reason why places may have the name, with their lines."""
    by_reason: dict[str, list[str]] = {}
    for place in places:
        by_reason.setdefault(place.why, []).append(str(place))
    return [f"Perhaps the same name: {', '.join(dict.fromkeys(some))} ({why})." for why, some in by_reason.items()]


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
    """A sentence with the places of each meaning of the name, by lines and columns from 1."""
    document = request.syntax.document
    positions = [[document.position(place) for place in sorted(one.places)] for one in meanings]
    answer = "; ".join(", ".join(f"{place.line + 1}:{place.column + 1}" for place in places) for places in positions)
    return f"`{request.old}` means {len(positions)} things here: at {answer}. Say which by one of its places."


def _new_places(edits: Sequence[Edit], new: str) -> set[int]:
    """The offsets of the new name after the edits."""
    return {_place_of_new(edit, edits, new) for edit in edits}


def _place_of_new(edit: Edit, edits: Sequence[Edit], new: str) -> int:
    """The offset of the new name after the edits; one may insert text before it (`total: amount`)."""
    return moved(edit.start, edits) + _offset_of_word(new, edit.text)


def _offset_of_word(name: str, text: str) -> int:
    """The offset of a name as a whole word in a text; 0 where the text does not have it."""
    at = 0
    for word in words_of(text):
        at = text.index(word, at)
        if word == name.lstrip("#"):
            return at - (len(name) - len(word))
        at += len(word)
    return 0

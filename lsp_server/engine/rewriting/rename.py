"""Renames a symbol in all files by the checker's own rename; `kinds` and the server's rename handler use `Renamer`.

A checker renames without checking that the new name is free. So the result is tested in the files as they would be:

- The checker renames the symbol back; that must change places that were changed, and nothing else.
- Every place of either name must be defined where it was before.
- No new error may be reported at a place that had the new name before.

If an error is new at a place that may have the name and was left, the place is renamed as well if that mends the error.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from context_index import (
    CheckerError,
    Document,
    Doubt,
    Edit,
    MentionForm,
    ReadForm,
    Trees,
    ancestors,
    lines_around,
    mention_rules,
    mentions,
    parse,
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
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Checker, Diagnostic, Perhaps, Renaming, Renamings, Survey, Syntax, Target, Workspace

_MOST_SEARCHED: Final = 400
"""The most other files with the old name, and with the new one only, that are searched."""
_ROUNDS: Final = 4
"""How often places at which an error is new are added."""
_TAKEN, _CHANGED = "already means something else", "would not mean the same"
"""Why a new name is not free at a place; parts of a sentence for people."""
Edits = dict[str, tuple[Edit, ...]]
"""The edits of each document by its URI, in order."""


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """A symbol and its new name."""

    syntax: Syntax
    """The tree of the file in which the rename is asked for."""
    old: str
    new: str
    chosen: tuple[int, int] | None = None
    """Start and end of a range in which the name means the symbol; None for the whole file."""
    place: int | None = None
    """The offset of the name; None if no single place is meant."""
    takes_all: bool = False
    """Whether the places that only may have the name are renamed as well."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """The files as they would be after some edits, and what a checker reports of them."""

    edits: Edits
    documents: Sequence[Document]
    """After the edits, in the order of the documents before."""
    survey: Survey
    """What the new name means at each of its places."""
    back: Edits
    """What renaming the symbol back changes."""
    errors: tuple[tuple[Document, Diagnostic], ...]
    """The errors that are new, each with its document."""


class _Relocation:
    """Where the places of some documents are after the edits of a rename.

    A place is the index of a document and an offset in it. It is halved if one name becomes two there, as `total` does
    in `{total}`, which becomes `{total: count}`: it is defined by both.
    """

    def __init__(self, new: str, edits: Sequence[Sequence[Edit]]) -> None:
        """Take the new name, and the edits of each document in order."""
        self._new, self._edits = new, edits
        self._by_start = [{edit.start: edit for edit in edits_there} for edits_there in edits]

    def after(self, index: int, offset: int) -> tuple[int, int]:
        """A place of the documents before, in those after; a renamed one is where the new name is."""
        edit = self._by_start[index].get(offset)
        place = moved(offset, self._edits[index])
        return index, place if edit is None else _place_of_new(edit, self._edits[index], self._new)

    def is_renamed(self, index: int, offset: int) -> bool:
        """Whether an edit begins at a place."""
        return offset in self._by_start[index]

    def is_halved(self, index: int, offset: int) -> bool:
        """Whether an edit at a place writes more than the new name."""
        edit = self._by_start[index].get(offset)
        return edit is not None and edit.text != self._new

    def halved(self) -> set[tuple[int, int]]:
        """All halved places, in the documents after."""
        return {
            self.after(index, offset)
            for index, edits_there in enumerate(self._by_start)
            for offset in edits_there
            if self.is_halved(index, offset)
        }


class Renamer:
    """Renames in one workspace; keeps the trees of what it has read. For one request at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._trees = Trees()

    def run(self, request: RenameRequest) -> RewriteResult:
        """The files as they would be, or why there is no rename; writes no file."""
        started = time.perf_counter()
        text = request.syntax.document.text
        try:
            result = self._rename(request)
        except CheckerError as error:
            result = failure(text, RewriteFailure.NO_CHECKER, f"Nothing can be renamed: {error}.")
        except CancelledError:
            result = failure(text, RewriteFailure.CANCELLED, "The rename was cancelled.")
        return replace(result, latency_ms=(time.perf_counter() - started) * 1000)

    def _rename(self, request: RenameRequest) -> RewriteResult:
        """`run`, without its time; raises a checker's errors.

        First the checker is asked what it would rename, and again if that reaches files that it was not given. Then the
        result is tested. If it brings errors, it is compared with a rename of all namesakes: if that brings fewer, they
        are taken if the request takes all, and otherwise listed as what may have the name.
        """
        document = request.syntax.document
        self._trees = Trees([request.syntax])
        text, places = document.text, _places(request)
        if impossible := self._impossible(request, places):
            return failure(text, *impossible)
        checker = self._workspace.checker_of(document)
        documents, unchecked, dangers = self._involved(request)
        names = request.old, request.new
        ask = partial(renamings, checker, documents, places, *names, trees=self._trees, diagnosed=MOST_FILES)
        answer = ask().result()
        if answer.unread and (more := self._read(answer.unread)):
            documents += more
            answer = ask().result()
        if len(answer.meanings) == 1 and (more := self._own_documents(answer.meanings[0].getters)):
            documents += more
            answer = ask().result()
        if refused := (
            _refused(request, answer)
            or self._declared_outside(request, answer)
            or _not_a_name(request, answer)
            or self._taken_by_relative(request, documents, answer)
            or self._taken_by_base(request, checker, documents, answer)
        ):
            return failure(text, *refused)
        result = self._test(request, checker, documents, answer, dangers)
        if result.breaks and not result.failed:
            # what has the name by its shape alone, such as a literal for an interface, is among all namesakes
            wide = ask(namesakes=True).result()
            everywhere = self._test(replace(request, takes_all=True), checker, documents, wide, dangers)
            if not everywhere.failed and len(everywhere.breaks) < len(result.breaks):
                result = everywhere if request.takes_all else self._test(request, checker, documents, wide, dangers)
        if result.failed:
            return result
        is_local = _is_local(request, answer.meanings[0])
        return replace(result, notes=(*result.notes, *self._unseen(request.old, unchecked, is_local=is_local)))

    def _own_documents(self, uris: Sequence[str]) -> list[Document]:
        """The documents of the project, of some."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None and self._is_own(path)]
        return [document for path in paths if (document := self._workspace.document(path)) is not None]

    def _unseen(self, name: str, unchecked: Sequence[Path], *, is_local: bool) -> Iterator[str]:
        """Notes on files that nobody asked about: importers of what changes, and those in no index with the name.

        Args:
            is_local: Whether no other file can mean the name.
        """
        if unchecked:
            yield f"Not asked about: {listed(map(self._workspace.shown, unchecked))}, which import what changes."
        if not is_local and (others := self._workspace.others_mentioning(name)):
            yield f"The word `{name}` stays in files that are not read: {listed(map(self._workspace.shown, others))}."

    def _impossible(self, request: RenameRequest, places: Sequence[int]) -> tuple[RewriteFailure, str] | None:
        """Why a request cannot be done, as far as can be said without a checker; None if nothing is against it.

        Args:
            places: The offsets of the name in the region.
        """
        path = path_of(request.syntax.document.uri)
        if path is not None and (excluded := self._workspace.excluded(path)):
            return RewriteFailure.EXCLUDED, f"This file is not to be read: {excluded}."
        if not places:
            where = "in the file" if request.chosen is None else "in these lines"
            where = where if request.place is None else "at this place"
            return RewriteFailure.NO_SUCH_NAME, f"No name `{request.old}` is {where}."
        if request.old == request.new:
            return RewriteFailure.UNCHANGED, "Both names are the same."
        if request.old.startswith("#") != request.new.startswith("#"):
            sentence = "A private name stays private: both names begin with `#`, or neither does."
            return RewriteFailure.NAME_TAKEN, sentence
        return None

    def _declared_outside(self, request: RenameRequest, answer: Renamings) -> tuple[RewriteFailure, str] | None:
        """Why a name is not renamed that only a library declares; None if it may be renamed.

        TypeScript refuses such a rename itself, or makes an alias; ty does not.
        """
        modules = answer.meanings[0].imported_from
        if "" in modules:
            sentence = (
                f"`{request.old}` is imported from a module that the checker does not find, so not of this project."
            )
            return RewriteFailure.NO_SUCH_NAME, sentence
        if outside := [path for path in map(path_of, modules) if path is not None and not self._is_own(path)]:
            files = listed(path.name for path in outside)
            return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` is not of this project: it is imported from {files}."
        paths = [path for uri in answer.meanings[0].elsewhere if (path := path_of(uri)) is not None]
        if any(map(self._is_own, paths)) or not paths or request.syntax.language.record.checker.renames_overrides:
            return None
        files = listed(path.name for path in paths)
        return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` is not of this project: it is declared in {files}."

    def _is_own(self, path: Path) -> bool:
        """Whether a file is one of the project's, and not installed in it."""
        return any(map(path.is_relative_to, self._workspace.roots)) and not self._workspace.skipped(path)

    def _taken_by_relative(
        self, request: RenameRequest, documents: Sequence[Document], answer: Renamings
    ) -> tuple[RewriteFailure, str] | None:
        """Why a member is not renamed whose new name a related class of the project has; None if it may be renamed."""
        (meaning,) = answer.meanings
        if not meaning.taken:
            return None
        index, offset = meaning.taken[0]
        place = self._line(documents[index], offset)
        sentence = f"`{request.new}` is a member of a related class already, in {place}; choose another name."
        return RewriteFailure.NAME_TAKEN, sentence

    def _taken_by_base(
        self, request: RenameRequest, checker: Checker, documents: Sequence[Document], answer: Renamings
    ) -> tuple[RewriteFailure, str] | None:
        """Why a member is not renamed whose new name a base outside of the project has; None if it may be renamed."""
        (meaning,) = answer.meanings
        if not meaning.classes:
            return None
        surveyed, _ = survey(
            checker,
            documents,
            request.new,
            rename_back=None,
            old=request.new,
            classes=meaning.classes,
            trees=self._trees,
            diagnosed=0,
            of_instances=True,
        ).result()
        for (_, path), targets in surveyed.probed.items():
            outside = sorted({target.uri for target in targets if not isinstance(target, tuple)})
            if outside:
                files = listed(Path(path_of(uri) or uri).name for uri in outside)
                sentence = f"`{request.new}` is a member of a base of `{path}` ({files}); choose another name."
                return RewriteFailure.NAME_TAKEN, sentence
        return None

    def _involved(self, request: RenameRequest) -> tuple[list[Document], Sequence[Path], list[str]]:
        """The documents to ask about, the importers for which there is no room, and why uses may be missed.

        First are the documents with the old name, the request's own before all. Then come those that import them, also
        by others, as a file need not say a name to use it: as many as may be asked for errors. Last are those that have
        the new name alone.
        """
        document = request.syntax.document
        path = path_of(document.uri)
        file = None if path is None else path.resolve()
        either = self._workspace.mentioning((request.old, request.new), document)
        either = [other for other in either if not _is_at(other, file)]
        with_old = [other for other in either if request.old in other.text]
        only_new = [other for other in either if request.old not in other.text]
        dangers: list[str] = []
        if (left_out := len(with_old) - _MOST_SEARCHED) > 0:
            dangers.append(f"{left_out} files that have the name were not searched")
        if unread := self._workspace.unread_mentioning(request.old, document.language):
            names = listed(f"{self._workspace.shown(file_path)} ({why})" for file_path, why in unread)
            dangers.append(f"the name is in files that were not searched: {names}")
        changed = [document, *with_old[:_MOST_SEARCHED]]
        room = max(MOST_FILES - len(changed), 0)
        importers = self._workspace.importers(*filter(None, (path_of(each.uri) for each in changed)), indirect=True)
        read = [each for path in importers[:room] if (each := self._workspace.document(path)) is not None]
        uris = {each.uri for each in read}
        others = (other for other in only_new[:_MOST_SEARCHED] if other.uri not in uris)
        return [*changed, *read, *others], importers[room:], dangers

    def _test(
        self,
        request: RenameRequest,
        checker: Checker,
        documents: Sequence[Document],
        answer: Renamings,
        dangers: list[str],
    ) -> RewriteResult:
        """The result of a rename, once the checker has seen the files as they would be.

        Args:
            documents: Those that have either name; the request's own is the first.
            answer: What the checker would rename; it has one meaning.
            dangers: What `_involved` returned.
        """
        document, (meaning,) = request.syntax.document, answer.meanings
        edits: Edits = dict(meaning.edits)
        perhaps = self._reachable(documents, meaning)
        if request.takes_all:
            edits, perhaps = _with(edits, perhaps), []
        try_edits = partial(self._try_edits, request, checker, documents, answer)
        trial, perhaps = self._widened(try_edits, try_edits(edits), perhaps)
        if taken := self._taken(request, documents, answer, trial):
            return failure(document.text, RewriteFailure.NAME_TAKEN, taken)
        return self._result(request, documents, answer, trial, perhaps, dangers=dangers)

    def _widened(
        self, try_edits: Callable[[Edits], _Trial], trial: _Trial, perhaps: list[Perhaps]
    ) -> tuple[_Trial, list[Perhaps]]:
        """The trial with the places that mend its errors renamed as well, and the places among `perhaps` that are left.

        A round adds all places in statements with a new error. It counts only if fewer errors are new with them.
        """
        for _ in range(_ROUNDS):
            if not (more := self._at_errors(trial, perhaps)):
                break
            further = try_edits(_with(trial.edits, more))
            if len(further.errors) >= len(trial.errors):
                break
            trial, perhaps = further, [place for place in perhaps if place not in more]
        return trial, perhaps

    def _result(
        self,
        request: RenameRequest,
        documents: Sequence[Document],
        answer: Renamings,
        trial: _Trial,
        perhaps: Sequence[Perhaps],
        *,
        dangers: Sequence[str],
    ) -> RewriteResult:
        """The result of a rename whose new name is free.

        Args:
            perhaps: The places that may have the name and are left.
            dangers: What `_involved` returned.
        """
        document, (meaning,) = request.syntax.document, answer.meanings
        before = {original.uri: original for original in documents}
        after = {edited.uri: edited for edited in trial.documents if edited.uri in trial.edits}
        changes = {
            shown(self._workspace, new): (before[uri], new.text) for uri, new in after.items() if uri != document.uri
        }
        renamed = after.get(document.uri, document).text
        breaks = tuple(as_break(self._workspace, *error) for error in trial.errors)
        taken = [place for place in meaning.perhaps if place.edit in trial.edits.get(place.uri, ())]
        left, guessed = (
            tuple(self._perhaps_place(before[place.uri], place) for place in places) for places in (perhaps, taken)
        )
        is_in_function = meaning.is_local and not _is_private(request)
        within = _function_around(request.syntax, trial.edits.get(document.uri, ())) if is_in_function else None
        in_words = self._in_words(request.old, documents, within)
        notes = [*self._left_alone(request, documents, trial.edits, perhaps), *in_words]
        notes += [*_reasons("Perhaps the same name", left), *_reasons("Renamed, though perhaps another name", guessed)]
        return RewriteResult(
            text=renamed,
            attempt=renamed,
            verified=Level.TYPES,
            changes=changes,
            breaks=breaks,
            renamed=tuple((before[uri], edits_there) for uri, edits_there in trial.edits.items()),
            perhaps=left,
            guessed=guessed,
            dangers=(*dangers, *self._dangers(request, documents, answer, trial)),
            notes=(*notes, *(f"Breaks {error}" for error in breaks)),
        )

    def _reachable(self, documents: Sequence[Document], meaning: Renaming) -> list[Perhaps]:
        """The places that may have the name, without those that cannot.

        A module's name is said after a receiver without a type, or alone in a string, only if a module may be a value
        in these files.
        """
        perhaps, document = list(meaning.perhaps), documents[0]
        by_uri = {original.uri: original for original in documents}
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
        return [place for place in perhaps if place not in said_alone]

    def _try_edits(
        self,
        request: RenameRequest,
        checker: Checker,
        documents: Sequence[Document],
        answer: Renamings,
        edits: Edits,
    ) -> _Trial:
        """Ask the checker about the files as they would be after some edits.

        Raises:
            CheckerError: it fails.
            CancelledError: the question was cancelled.
        """
        (meaning,) = answer.meanings
        edits_of = [edits.get(document.uri, ()) for document in documents]
        after = [
            document.edited(edits[document.uri][::-1], document.revision) if document.uri in edits else document
            for document in documents
        ]
        places = [_place_of_new(edit, edits_of[0], request.new) for edit in edits_of[0] if edit.start == meaning.seed]
        back = (places[0], request.old) if places else None
        surveyed, renamed_back = survey(
            checker,
            after,
            request.new,
            rename_back=back,
            old=request.old,
            classes=meaning.classes,
            trees=self._trees,
            diagnosed=MOST_FILES,
        ).result()
        reports = answer.diagnostics, surveyed.diagnostics
        errors = new_errors(self._workspace, after[:MOST_FILES], edits_of[:MOST_FILES], *reports, binding=True)
        return _Trial(edits, after, surveyed, dict(renamed_back), tuple(errors))

    def _at_errors(self, trial: _Trial, perhaps: Iterable[Perhaps]) -> list[Perhaps]:
        """The places among `perhaps` that are in a statement with a new error."""
        statements = [
            (document.uri, *statement_around(self._trees.of(document), error.start)) for document, error in trial.errors
        ]
        at_errors = []
        for place in perhaps:
            offset = moved(place.edit.start, trial.edits.get(place.uri, ()))
            if any(uri == place.uri and start <= offset < end for uri, start, end in statements):
                at_errors.append(place)
        return at_errors

    def _read(self, uris: Iterable[str]) -> list[Document]:
        """The documents that the checker reads as files of the project, although the index does not know them."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None and not self._workspace.skipped(path)]
        return [document for path in paths if (document := self._workspace.document(path))]

    def _taken(self, request: RenameRequest, documents: Sequence[Document], answer: Renamings, trial: _Trial) -> str:
        """Why the new name is not free, as a sentence; empty if it is.

        The rename back is tested first, then the new errors, then the definitions; the module says by which rules.
        """
        (meaning,) = answer.meanings
        expected = {uri: _new_places(edits, request.new) for uri, edits in trial.edits.items()}
        for index, (old, document) in enumerate(zip(documents, trial.documents, strict=True)):
            renamed_back = {edit.start for edit in trial.back.get(document.uri, ())}
            places = expected.get(document.uri, set())
            asked = index == 0 and meaning.seed in meaning.by_checker
            edits = trial.edits.get(document.uri, ()) if asked else ()
            # renaming back must change places that were changed, and the checker's own again
            required = {_place_of_new(edit, edits, request.new) for edit in edits if edit.start in meaning.by_checker}
            if differing := (renamed_back - places) | (required - renamed_back):
                is_there = any(_is_name(mention.form) for mention in mentions(self._trees.of(old), request.new))
                return self._not_free(request, _TAKEN if is_there else _CHANGED, document, min(differing))
        for document, error in trial.errors:
            is_name = document.text[error.start : error.end] == request.new
            if is_name and error.start not in expected.get(document.uri, ()):
                return self._not_free(request, _TAKEN, document, error.start)
        return self._moved_meaning(request, documents, answer, trial)

    def _moved_meaning(
        self, request: RenameRequest, documents: Sequence[Document], answer: Renamings, trial: _Trial
    ) -> str:
        """Why a place of either name would be defined elsewhere than before, as a sentence; empty if none would.

        If `total` becomes `count`, two kinds of places are compared:

        - Those that had `count` before and are not renamed: the renamed symbol must not be meant there (`_TAKEN`).
        - Those of `total` that are renamed: another `count` must not be meant there (`_CHANGED`).

        What defines such a place before, moved by the edits, must define it after. Places that are halved, see
        `_Relocation`, are left out on both sides.
        """
        moves = _Relocation(request.new, [trial.edits.get(document.uri, ()) for document in documents])
        halved = moves.halved()
        for survey_before, why in ((answer.new_name, _TAKEN), (answer.old_name, _CHANGED)):
            for (index, offset), before in survey_before.meanings.items():
                is_of_kind = moves.is_renamed(index, offset) == (survey_before is answer.old_name)
                if not is_of_kind or moves.is_halved(index, offset):
                    continue
                place = moves.after(index, offset)
                after = trial.survey.meanings.get(place)
                expected = {moves.after(*target) if isinstance(target, tuple) else target for target in before}
                # nothing is known of a place that was not surveyed (None), or that no definition was known of before
                if after is not None and before and after - halved != expected - halved:
                    others = sorted(target for target in after - halved - expected if isinstance(target, tuple))
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
        """The sentence that says why a new name is not free.

        Args:
            why: `_TAKEN` or `_CHANGED`.
            document: After the rename, as is `taker`'s.
            taker: Where the name is declared that would be meant instead, if it is known.
        """
        instead = f": {self._line(*taker)} declares what it would be" if taker else ""
        return f"`{request.new}` {why} in {self._line(document, offset)}{instead}; choose another name."

    def _line(self, document: Document, offset: int) -> str:
        return f"{shown(self._workspace, document)}, line {document.position(offset).line + 1}"

    def _reads(self, meaning: Renaming, perhaps: Iterable[Perhaps], documents: Mapping[str, Document]) -> Iterator[str]:
        """Where the program reads the name as it runs, as parts of a sentence.

        Computed names are left out if a key or a string may be the name: then that is what they are made of. So are
        listed names, unless errors showed of each such place that it has the name.

        Args:
            perhaps: The places that may have the name and that no error showed to have it.
        """
        is_key, are_keys = (
            any(place.doubt in (Doubt.TEXT, Doubt.COPIED) for place in places) for places in (meaning.perhaps, perhaps)
        )
        left_out = {form for form, is_out in ((ReadForm.KEYS, is_key), (ReadForm.LISTED, are_keys)) if is_out}
        by_form: dict[ReadForm, list[str]] = {}
        for read in sorted(meaning.reads, key=lambda read: (read.uri, read.offset)):
            if read.form not in left_out:
                by_form.setdefault(read.form, []).append(self._file_and_line(documents[read.uri], read.offset))
        yield from (f"{form} ({listed(lines)})" for form, lines in by_form.items())

    def _dangers(
        self, request: RenameRequest, documents: Sequence[Document], answer: Renamings, trial: _Trial
    ) -> Iterator[str]:
        """Why the program may not do the same though all places were renamed, as parts of a sentence."""
        document, old, (meaning,) = request.syntax.document, request.old, answer.meanings
        record = document.language.record
        for name in (old, request.new) if meaning.is_member else (old,):
            if record.is_own_name(name):
                yield f"the language itself uses the name `{name}`"
        rules = mention_rules(request.syntax)
        if rules.is_mangled(request.new) and not rules.is_mangled(old):
            yield f"{record.title} gives `{request.new}` another name within each class"
        if files := sorted({Path(path_of(uri) or uri).name for uri in meaning.outside_new}):
            yield f"every object has `{request.new}` already, and it may be called ({listed(files)})"
        meanings = trial.survey.probed.values()
        elsewhere = {target.uri for targets in meanings for target in targets if not isinstance(target, tuple)}
        if files := sorted({Path(path_of(uri) or uri).name for uri in elsewhere.union(meaning.outside)}):
            yield f"a class outside of the project has `{old}`, too, and may have it called ({listed(files)})"
        for function in sorted((meaning.functions | meaning.made_with) - {""}):
            callers = [document, *self._workspace.mentioning((function,), document)]
            if calls := [call for caller in callers for call in self._calls_with_mapping(caller, function, old)]:
                yield f"`{function}` is called with a mapping whose keys are not known ({listed(calls)})"
        yield from self._other_exports(request, answer, trial)
        yield from self._other_values(request, answer, trial)
        perhaps = [
            each for each in meaning.perhaps if request.takes_all or each.edit not in trial.edits.get(each.uri, ())
        ]
        yield from self._reads(meaning, perhaps, {original.uri: original for original in documents})

    def _other_exports(self, request: RenameRequest, answer: Renamings, trial: _Trial) -> Iterator[str]:
        """Why a module with `export *` would export other things than before, as parts of a sentence.

        There the old name may stand for something that the renamed one hid, and the new name may hide something.
        """
        documents, exports = trial.documents, answer.old_name.exports
        moves = _Relocation(request.new, [trial.edits.get(document.uri, ()) for document in documents])
        for (index, name), before in exports.items():
            after, module = trial.survey.exports[index, name], shown(self._workspace, documents[index])
            renamed = {place for place in before if isinstance(place, tuple) and moves.is_renamed(*place)}
            kept = {moves.after(*place) if isinstance(place, tuple) else place for place in before - renamed}
            if name == request.old and after - kept - {moves.after(*place) for place in renamed}:
                yield f"`{module}` would go on to export a `{name}`, but another one, by `export *`"
            new = {moves.after(*place) for place in renamed} if name == request.old else kept
            if new - trial.survey.exports[index, request.new]:
                yield f"`{module}` would no longer export what it exports as `{name}`, as that is exported twice"

    def _other_values(self, request: RenameRequest, answer: Renamings, trial: _Trial) -> Iterator[str]:
        """Which values of an enumeration's members are made of their names, or may be, as parts of a sentence."""
        for key, before in answer.old_name.values.items():
            after = trial.survey.values.get(key)
            member = f"`{key[1]}.{request.new}`"
            if after is not None and after.value != before.value:
                yield f"the value of {member} is made of its name: {before.value} becomes {after.value}"
            elif not before.value.startswith("Literal[") and any(map(self._is_of_project, before.maker)):
                yield f"the value of {member} may be made of its name"

    def _is_of_project(self, definition: tuple[int, int] | Target) -> bool:
        if isinstance(definition, tuple):
            return True
        path = path_of(definition.uri)
        return path is not None and self._is_own(path)

    def _calls_with_mapping(self, document: Document, function: str, name: str) -> Iterator[str]:
        """The calls of a function with a mapping that may have a parameter's name as a key, by file and line.

        A file that has the name as a string is left out: the key is written there.
        """
        syntax = self._trees.of(document)
        if any(mention.form is MentionForm.TEXT for mention in mentions(syntax, name)):
            return
        for offset in mention_rules(syntax).calls_with_mapping(function):
            yield self._file_and_line(document, offset)

    def _file_and_line(self, document: Document, offset: int) -> str:
        return f"{shown(self._workspace, document)}:{document.position(offset).line + 1}"

    def _perhaps_place(self, document: Document, place: Perhaps) -> PerhapsPlace:
        line = document.position(place.edit.start).line
        return PerhapsPlace(shown(self._workspace, document), line, str(place.doubt), document, place.edit)

    def _left_alone(
        self, request: RenameRequest, documents: Sequence[Document], edits: Edits, perhaps: Iterable[Perhaps]
    ) -> list[str]:
        """Notes on the names and the strings of the same text that mean something else."""
        names, texts = list[str](), list[str]()
        open_places = {(place.uri, place.edit.start) for place in perhaps}
        for document in documents:
            renamed = {edit.start for edit in edits.get(document.uri, ())}
            for mention in mentions(self._trees.of(document), request.old):
                if mention.start not in renamed and (document.uri, mention.start) not in open_places:
                    places = names if _is_name(mention.form) else texts
                    places.append(self._file_and_line(document, mention.start))
        notes = []
        if names:
            notes.append(f"`{request.old}` stays in {listed(names)}: another name, as the checker reads it.")
        if texts:
            notes.append(f"The string `{request.old}` stays in {listed(texts)}: no name, as the checker reads it.")
        return notes

    def _in_words(self, name: str, documents: Sequence[Document], within: tuple[int, int] | None) -> list[str]:
        """A note on the strings and comments with the name among other words: a format, an example, or just prose.

        Args:
            within: The part of the document that counts, as elsewhere the word is seldom a function's own variable; all
                documents with None.
        """
        places = [
            self._file_and_line(document, offset)
            for document in documents
            for offset in words_in_text(self._trees.of(document), name)
            if within is None or within[0] <= offset < within[1]
        ]
        return [f"The word `{name}` stays in strings and comments: {listed(places)}."] if places else []


def _is_local(request: RenameRequest, meaning: Renaming) -> bool:
    """Whether nothing outside of a function or a class can mean the name."""
    return meaning.is_local or _is_private(request)


def _function_around(syntax: Syntax, edits: Sequence[Edit]) -> tuple[int, int]:
    """The function around all edits of a local name, with the comments above it; the whole text if there is none."""
    start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    node = syntax.node_at(start, end)
    fields = ("parameters", "parameter")
    function = next((each for each in (node, *ancestors(node)) if any(map(each.child_by_field_name, fields))), None)
    return (0, len(syntax.document.text)) if function is None else lines_around(syntax, syntax.span(function))


def _is_private(request: RenameRequest) -> bool:
    """Whether the name is one of ECMAScript's private names."""
    return request.old.startswith("#")


def _is_at(document: Document, file: Path | None) -> bool:
    """Whether a document is a file; it may lead there by a link."""
    path = path_of(document.uri)
    return path is not None and path.resolve() == file


def _is_path(document: Document, place: Perhaps) -> bool:
    """Whether a string says more than the name: `shop.total` is meant for some module."""
    return document.text[place.edit.start - 1 : place.edit.start] in (".", ":")


def _is_name(form: MentionForm) -> bool:
    """Whether a mention is a name and not a string."""
    return form not in (MentionForm.TEXT, MentionForm.EXPORTED)


def _places(request: RenameRequest) -> list[int]:
    """The offsets of the name in the region; those in strings of `__all__` come last."""
    text = request.syntax.document.text
    start, end = (0, len(text)) if request.chosen is None else whole_lines(text, *request.chosen)
    names = [
        mention
        for mention in mentions(request.syntax, request.old)
        if mention.form not in (MentionForm.TEXT, MentionForm.LABEL)
    ]
    if request.place is not None:
        return [name.start for name in names if name.start == request.place]
    names.sort(key=lambda name: name.form is MentionForm.EXPORTED)
    return [name.start for name in names if start <= name.start < end]


def _with(edits: Mapping[str, tuple[Edit, ...]], more: Iterable[Perhaps]) -> Edits:
    """Edits, and those of places that may have the name."""
    joined = {uri: list(edits_there) for uri, edits_there in edits.items()}
    for place in more:
        joined.setdefault(place.uri, []).append(place.edit)
    return {uri: tuple(sorted(edits_there, key=lambda edit: edit.start)) for uri, edits_there in joined.items()}


def _reasons(what: str, places: Iterable[PerhapsPlace]) -> list[str]:
    """A note for each reason why places may have the name, with their files and lines.

    Args:
        what: What the places are; the beginning of a sentence.
    """
    by_reason: dict[str, list[str]] = {}
    for place in places:
        by_reason.setdefault(place.why, []).append(str(place))
    return [f"{what}: {listed(lines)} ({why})." for why, lines in by_reason.items()]


def _refused(request: RenameRequest, answer: Renamings) -> tuple[RewriteFailure, str] | None:
    """Why the checker's answer is no rename to make; None if it is exactly one."""
    if not answer.meanings:
        reason = answer.refused or "the checker does not know it"
        return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` cannot be renamed: {reason}."
    if len(answer.meanings) > 1:
        return RewriteFailure.AMBIGUOUS, _choices(request, answer.meanings)
    if answer.unread:
        files = listed(answer.unread)
        return RewriteFailure.NO_CHECKER, f"It would change files outside of the workspace: {files}."
    return None


def _not_a_name(request: RenameRequest, answer: Renamings) -> tuple[RewriteFailure, str] | None:
    """Why the new name is none where a word of the language was given; members of ECMAScript may be called so."""
    language = request.syntax.document.language
    record = language.record
    takes_words = answer.meanings[0].is_member and record.lexis.has_object_literals
    if takes_words or not record.binding:
        return None
    bound = parse(Document("", language, record.binding.format(name=request.new)))
    if not bound.errors:
        return None
    return RewriteFailure.NAME_TAKEN, f"`{request.new}` is a word of {record.title}; choose another name."


def _choices(request: RenameRequest, meanings: Sequence[Renaming]) -> str:
    """A sentence with the places of each meaning of the name, by lines and columns from 1.

    A place with two meanings, as a shorthand is, says neither; it is listed only for a meaning that has no other.
    """
    document = request.syntax.document
    shared = Counter(place for meaning in meanings for place in meaning.places)
    choices = []
    for meaning in meanings:
        own = [place for place in meaning.places if shared[place] == 1] or meaning.places
        positions = map(document.position, sorted(own))
        choices.append(", ".join(f"{position.line + 1}:{position.column + 1}" for position in positions))
    return f"`{request.old}` means {len(choices)} things here: at {'; '.join(choices)}. Say which by one of its places."


def _new_places(edits: Sequence[Edit], new: str) -> set[int]:
    """The offsets of the new name after the edits."""
    return {_place_of_new(edit, edits, new) for edit in edits}


def _place_of_new(edit: Edit, edits: Sequence[Edit], new: str) -> int:
    """The offset, after all edits, of the new name in one of them; that may insert text before it (`total: amount`)."""
    return moved(edit.start, edits) + _offset_of_word(new, edit.text)


def _offset_of_word(name: str, text: str) -> int:
    """The offset of a name as a whole word in a text; 0 if the text does not have it."""
    offset = 0
    for word in words_of(text):
        offset = text.index(word, offset)
        if word == name.lstrip("#"):
            return offset - (len(name) - len(word))
        offset += len(word)
    return 0

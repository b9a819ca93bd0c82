"""Why a rename is refused before it is tried: by the request, by the checker's answer, or by what has the new name.

What has the new name is looked for here if a checker would not report it of the files as they would be. What a trial
shows is in `rename_conflicts`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import Document, parse, path_of, scopes_at, survey
from lsp_server.engine.rewriting.listing import abridged, listed, long_place, shown
from lsp_server.engine.rewriting.rename_files import is_own
from lsp_server.engine.rewriting.result import RewriteFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Renaming, Renamings, Workspace
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal
    from lsp_server.engine.rewriting.rename_request import RenameRequest

RenameRefusal = tuple[RewriteFailure, str]
"""The code of a refusal, and its reason as a sentence for people."""


def refusal_of_request(workspace: Workspace, request: RenameRequest, places: Sequence[int]) -> RenameRefusal | None:
    """Why a request cannot be done, as far as can be said without a checker; None if nothing is against it.

    Args:
        places: What `RenameRequest.places` returned.
    """
    path = path_of(request.document.uri)
    if path is not None and (excluded := workspace.excluded(path)):
        return RewriteFailure.EXCLUDED, f"This file is not to be read: {excluded}."
    if not places:
        return RewriteFailure.NO_SUCH_NAME, _not_there(request)
    if request.old == request.new:
        return RewriteFailure.UNCHANGED, "Both names are the same."
    if request.is_private != request.new.startswith("#"):
        sentence = "A private name stays private: both names begin with `#`, or neither does."
        return RewriteFailure.NAME_TAKEN, sentence
    return None


def _not_there(request: RenameRequest) -> str:
    """The sentence that the name is not where it was looked for, and where in the file it is; lines count from 1."""
    elsewhere = replace(request, chosen=None, place=None).places()
    if not elsewhere:
        return f"No name `{request.old}` is in the file."
    positions = abridged(_line_and_column(request.document, offset) for offset in elsewhere)
    if request.place is None:
        return f"No name `{request.old}` is in these lines. It is at {positions}; choose lines with it."
    where = _line_and_column(request.document, request.place)
    return f"No name `{request.old}` is at {where}. It is at {positions}; say one of these places."


def _line_and_column(document: Document, offset: int) -> str:
    """The line and the column of an offset, from 1: `3:9`."""
    position = document.position(offset)
    return f"{position.line + 1}:{position.column + 1}"


def refusal_of_answer(request: RenameRequest, answer: Renamings) -> RenameRefusal | None:
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


def _choices(request: RenameRequest, meanings: Sequence[Renaming]) -> str:
    """A sentence with the kind and the places of each meaning of the name, by lines and columns from 1.

    A place with two meanings, as a shorthand is, says neither; it is listed only for a meaning that has no other.
    """
    document = request.document
    shared = Counter(place for meaning in meanings for place in meaning.places)
    choices = []
    for meaning in meanings:
        unshared = [place for place in meaning.places if shared[place] == 1] or meaning.places
        kind = "a member" if meaning.is_member else "a local name" if meaning.is_local else "a name of the module"
        choices.append(f"{kind} at {', '.join(_line_and_column(document, offset) for offset in sorted(unshared))}")
    return f"`{request.old}` means {len(choices)} things here: {'; '.join(choices)}. Say which by one of its places."


def refusal_of_proposal(proposal: RenameProposal) -> RenameRefusal | None:
    """Why what the checker proposes is not tried; None if nothing is against it.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    return (
        _declared_outside(proposal)
        or _not_a_name(proposal)
        or _taken_in_scope(proposal)
        or _taken_by_relative(proposal)
        or _taken_by_base(proposal)
    )


def _declared_outside(proposal: RenameProposal) -> RenameRefusal | None:
    """Why a name is not renamed that only a library declares; None if it may be renamed.

    TypeScript refuses such a rename itself, or makes an alias; ty does not.
    """
    workspace, request, meaning = proposal.workspace, proposal.request, proposal.meaning
    modules = meaning.imported_from
    if "" in modules:
        sentence = f"`{request.old}` is imported from a module that the checker does not find, so not of this project."
        return RewriteFailure.NO_SUCH_NAME, sentence
    if outside := [path for path in map(path_of, modules) if path is not None and not is_own(workspace, path)]:
        files = listed(path.name for path in outside)
        return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` is not of this project: it is imported from {files}."
    paths = [path for path in map(path_of, meaning.declared_elsewhere) if path is not None]
    is_declared_here = not paths or any(is_own(workspace, path) for path in paths)
    if is_declared_here or request.document.language.record.checker.renames_overrides:
        return None
    files = listed(path.name for path in paths)
    return RewriteFailure.NO_SUCH_NAME, f"`{request.old}` is not of this project: it is declared in {files}."


def _not_a_name(proposal: RenameProposal) -> RenameRefusal | None:
    """Why the new name is none where a word of the language was given; members of ECMAScript may be called so."""
    request = proposal.request
    language = request.document.language
    record = language.record
    takes_words = proposal.meaning.is_member and record.lexis.has_object_literals
    if takes_words or not record.binding:
        return None
    bound = parse(Document("", language, record.binding.format(name=request.new)))
    if not bound.errors:
        return None
    return RewriteFailure.NAME_TAKEN, f"`{request.new}` is a word of {record.title}; choose another name."


def _taken_in_scope(proposal: RenameProposal) -> RenameRefusal | None:
    """Why a name is not given that a declaration beside one of the old name has already; None if it may be given.

    A checker that allows both, as in Python, reports no error: the later declaration takes the place of the other.
    Types are left out, as a type and a value may have one name.
    """
    request, edits = proposal.request, proposal.meaning.edits
    for (index, offset), declared in proposal.answer.old_name.meanings.items():
        document = proposal.documents[index]
        is_declaration = (index, offset) in declared
        if not is_declaration or all(edit.start != offset for edit in edits.get(document.uri, ())):
            continue
        line = document.position(offset).line
        around = scopes_at(proposal.trees.of(document), offset)
        scope = next((scope for scope in around if request.old in scope.bindings), None)
        if scope is None or (new := scope.bindings.get(request.new)) is None:
            continue
        old = scope.bindings[request.old]
        if old.line + old.binding.line == line and not (old.binding.is_type or new.binding.is_type):
            place = f"{shown(proposal.workspace, document)}, line {new.line + new.binding.line + 1}"
            sentence = f"`{request.new}` already means something else in {place}; choose another name."
            return RewriteFailure.NAME_TAKEN, sentence
    return None


def _taken_by_relative(proposal: RenameProposal) -> RenameRefusal | None:
    """Why a member is not renamed whose new name a related class of the project has; None if it may be renamed."""
    if not proposal.meaning.relatives_with_new_name:
        return None
    index, offset = proposal.meaning.relatives_with_new_name[0]
    place = long_place(proposal.workspace, proposal.documents[index], offset)
    sentence = f"`{proposal.request.new}` is a member of a related class already, in {place}; choose another name."
    return RewriteFailure.NAME_TAKEN, sentence


def _taken_by_base(proposal: RenameProposal) -> RenameRefusal | None:
    """Why a member is not renamed whose new name a base outside of the project has; None if it may be renamed.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    new, classes = proposal.request.new, proposal.meaning.classes
    if not classes:
        return None
    surveyed, _ = survey(
        proposal.checker,
        proposal.documents,
        new,
        rename_back=None,
        old=new,
        classes=classes,
        trees=proposal.trees,
        diagnosed=0,
        of_instances=True,
    ).result()
    for (_, of_class), targets in surveyed.members.items():
        outside = sorted({target.uri for target in targets if not isinstance(target, tuple)})
        if outside:
            files = listed(Path(path_of(uri) or uri).name for uri in outside)
            sentence = f"`{new}` is a member of a base of `{of_class}` ({files}); choose another name."
            return RewriteFailure.NAME_TAKEN, sentence
    return None

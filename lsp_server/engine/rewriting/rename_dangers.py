"""Why a program may not do the same after a rename, though all places of the name were renamed.

No edit helps there: a library may ask for the name, or the program may read names as it runs. Each danger is a part of
a sentence for people, with its files and lines.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import Doubt, MentionForm, ReadForm, mention_rules, mentions, path_of, survey
from lsp_server.engine.rewriting.hoisting import parted_by_hoisting
from lsp_server.engine.rewriting.listing import listed, short_place, shown
from lsp_server.engine.rewriting.modules_as_values import possible_uses_of_new_name
from lsp_server.engine.rewriting.rename_files import is_own
from lsp_server.engine.rewriting.script_names import is_of_script
from lsp_server.engine.rewriting.shapes import ShapeEffect, shape_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_index import Document, NameRead, Perhaps, Target
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal
    from lsp_server.engine.rewriting.rename_trial import Trial


def dangers(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """All dangers of the edits of a trial whose new name is free.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    yield from _of_language(proposal)
    yield from _of_other_classes(proposal, trial)
    yield from _of_mappings(proposal)
    yield from _of_new_name(proposal)
    yield from _of_hoisting(proposal, trial)
    yield from _of_shapes(proposal, trial)
    yield from _of_exports(proposal, trial)
    yield from _of_reserved_names(proposal)
    yield from _of_enumerations(proposal, trial)
    yield from _of_reads(proposal, trial)


def _of_language(proposal: RenameProposal) -> Iterator[str]:
    """Whether the language gives one of the names a meaning of its own, or mangles the new one."""
    request = proposal.request
    record, rules = request.document.language.record, mention_rules(request.syntax)
    # a name of a module is a member, too: of what `import` returns
    for name in (request.old,) if proposal.meaning.is_local else (request.old, request.new):
        if record.is_own_name(name):
            yield f"the language itself uses the name `{name}`"
    if rules.is_mangled(request.new) and not rules.is_mangled(request.old):
        yield f"{record.title} gives `{request.new}` another name within each class"


def _of_other_classes(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Which classes outside of the project have a member of either name, or may have."""
    old, new, meaning = proposal.request.old, proposal.request.new, proposal.meaning
    if files := _file_names(meaning.new_on_every_object):
        yield f"every object has `{new}` already, and it may be called ({listed(files)})"
    definitions = (each for targets in trial.survey.members.values() for each in targets)
    elsewhere = {each.uri for each in definitions if not isinstance(each, tuple)}
    if files := _file_names(elsewhere.union(meaning.on_every_object)):
        yield f"a class outside of the project has `{old}`, too, and may have it called ({listed(files)})"
    if files := _file_names(meaning.dispatching_bases):
        yield f"a base of its class asks for members by computed names, and `{old}` may be one ({listed(files)})"
    bases = [short_place(proposal.workspace, proposal.documents[at], offset) for at, offset in meaning.unknown_bases]
    if bases:
        yield f"the checker does not know a base of its class, which may have `{old}`, too ({listed(bases)})"


def unused(proposal: RenameProposal) -> str:
    """A sentence that says that nothing is seen to use the name; empty if something does, or may."""
    places = [short_place(proposal.workspace, proposal.documents[at], offset) for at, offset in proposal.meaning.unused]
    if not places or proposal.meaning.perhaps or (proposal.meaning.is_local and not is_of_script(proposal)):
        return ""
    return (
        f"Nothing in the project uses `{proposal.request.old}`, declared in {listed(places)}: what finds it by "
        "its name, as a test runner or a framework does, finds it no more."
    )


def _file_names(uris: Iterable[str]) -> list[str]:
    """The names of the files at some URIs without their folders, sorted."""
    return sorted({Path(path_of(uri) or uri).name for uri in uris})


def _of_mappings(proposal: RenameProposal) -> Iterator[str]:
    """Which functions and classes that take an argument of the name are called with mappings of unknown keys."""
    request, meaning = proposal.request, proposal.meaning
    for function in sorted((meaning.functions | meaning.constructors) - {""}):
        callers = [request.document, *proposal.workspace.mentioning((function,), request.document)]
        if calls := [call for caller in callers for call in _calls_with_mapping(proposal, caller, function)]:
            yield f"`{function}` is called with a mapping whose keys are not known ({listed(calls)})"


def _calls_with_mapping(proposal: RenameProposal, document: Document, function: str) -> Iterator[str]:
    """The calls of a function in a document with a mapping that may have the old name as a key, by file and line.

    A file that has the name as a string is left out: the key is written there.
    """
    syntax = proposal.trees.of(document)
    if any(mention.form is MentionForm.TEXT for mention in mentions(syntax, proposal.request.old)):
        return
    for offset in mention_rules(syntax).calls_with_mapping(function):
        yield short_place(proposal.workspace, document, offset)


def _of_new_name(proposal: RenameProposal) -> Iterator[str]:
    """Where the new name is asked for already."""
    by_uri = {document.uri: document for document in proposal.documents}
    uses = possible_uses_of_new_name(proposal)
    if places := [short_place(proposal.workspace, by_uri[use.uri], use.offset) for use in uses]:
        yield f"`{proposal.request.new}` is asked for already, perhaps of what has it then ({listed(places)})"


def _of_hoisting(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Which functions in blocks would have another name outside of these than before."""
    if functions := list(_parted_functions(proposal, trial)):
        yield f"a function in a block may be meant outside of it, where another name is ({listed(functions)})"


def _parted_functions(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """The functions in blocks, by file and line, of which some places in a file are renamed and others are not."""
    request, workspace = proposal.request, proposal.workspace
    for index, (before, after) in enumerate(zip(proposal.documents, trial.documents, strict=True)):
        edits = trial.edits.get(before.uri, ())
        if not edits:
            continue
        starts, new_places = {edit.start for edit in edits}, trial.relocation.renamed_in(index)
        for document, name, renamed in ((before, request.old, starts), (after, request.new, new_places)):
            for offset in parted_by_hoisting(workspace, proposal.trees.of(document), name, renamed):
                yield short_place(workspace, document, offset)


def _of_shapes(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Where an object is of another type by one of the names alone."""
    places = defaultdict[ShapeEffect, list[str]](list)
    for change in shape_changes(proposal, trial.edits):
        places[change.shape].append(short_place(proposal.workspace, change.document, change.offset))
    old, new = proposal.request.old, proposal.request.new
    if by_new := places[ShapeEffect.GAINED]:
        yield f"an object is taken for a type that has `{new}` already ({listed(by_new)})"
    if by_old := places[ShapeEffect.LOST]:
        yield f"an object is taken for a type whose `{old}` keeps its name ({listed(by_old)})"
    if kept := places[ShapeEffect.KEPT]:
        yield f"an object whose `{old}` keeps its name is taken for the type with `{new}` ({listed(kept)})"


def _of_exports(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Why a module with `export *` would export other things than before.

    There the old name may stand for something that the renamed one hid, and the new name may hide something.
    """
    request, moves = proposal.request, trial.relocation
    for (index, name), before in proposal.answer.old_name.exports.items():
        after, module = trial.survey.exports[index, name], shown(proposal.workspace, trial.documents[index])
        renamed = {place for place in before if isinstance(place, tuple) and moves.is_renamed(*place)}
        kept = {moves.after(*place) if isinstance(place, tuple) else place for place in before - renamed}
        if name == request.old and after - kept - {moves.after(*place) for place in renamed}:
            yield f"`{module}` would go on to export a `{name}`, but another one, by `export *`"
        new = {moves.after(*place) for place in renamed} if name == request.old else kept
        if new - trial.survey.exports[index, request.new]:
            yield f"`{module}` would no longer export what it exports as `{name}`, as that is exported twice"


def _of_reserved_names(proposal: RenameProposal) -> Iterator[str]:
    """Which enumerations would have a member whose name all enumerations reserve.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    request, classes = proposal.request, proposal.meaning.classes
    of_enumerations = request.document.language.record.enum_members
    if of_enumerations is None or not classes or mention_rules(request.syntax).may_be_enumerated(request.new):
        return
    *_, maker = of_enumerations  # what only an enumeration has
    surveyed, _ = survey(
        proposal.checker,
        proposal.documents,
        request.new,
        rename_back=None,
        old=maker,
        classes=classes,
        trees=proposal.trees,
        diagnosed=0,
    ).result()
    for (_, of_class), definitions in surveyed.members.items():
        if definitions:
            yield f"an enumeration takes no member `{of_class}.{request.new}`: the name is reserved"


def _of_enumerations(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Which values of an enumeration's members are made of their names, or may be."""
    for key, before in proposal.answer.old_name.values.items():
        after = trial.survey.values.get(key)
        _, of_class = key
        member = f"`{of_class}.{proposal.request.new}`"
        if after is not None and after.value != before.value:
            yield f"the value of {member} is made of its name: {before.value} becomes {after.value}"
        elif not before.value.startswith("Literal[") and any(_is_of_project(proposal, each) for each in before.maker):
            yield f"the value of {member} may be made of its name"


def _is_of_project(proposal: RenameProposal, definition: tuple[int, int] | Target) -> bool:
    """Whether what is defined at a place is the project's own."""
    if isinstance(definition, tuple):
        return True
    path = path_of(definition.uri)
    return path is not None and is_own(proposal.workspace, path)


def _of_reads(proposal: RenameProposal, trial: Trial) -> Iterator[str]:
    """Where the program reads the name as it runs.

    Computed names are left out if a key or a string may be the name: then that is what they are made of. So are
    listed names, unless errors showed of each such place that it has the name.
    """
    meaning = proposal.meaning
    unsure = [  # no error showed of these that they have the name
        place
        for place in meaning.perhaps
        if proposal.request.takes_all or place.edit not in trial.edits.get(place.uri, ())
    ]
    possible_keys = {ReadForm.KEYS: meaning.perhaps, ReadForm.UNPACKED: meaning.perhaps, ReadForm.LISTED: unsure}
    left_out = {form for form, places in possible_keys.items() if any(map(_is_key, places))}
    yield from _in_words(proposal, (read for read in meaning.reads if read.form not in left_out | {ReadForm.HANDED}))


def unseen_reads(proposal: RenameProposal) -> Iterator[str]:
    """Where a function of which nothing is known gets what has the name, and may or may not read it."""
    yield from _in_words(proposal, (read for read in proposal.meaning.reads if read.form is ReadForm.HANDED))


def _in_words(proposal: RenameProposal, reads: Iterable[NameRead]) -> Iterator[str]:
    """What is said of reads: for each form, with the files and lines."""
    by_uri = {document.uri: document for document in proposal.documents}
    by_form: dict[ReadForm, list[str]] = {}
    for read in sorted(reads, key=lambda read: (read.uri, read.offset)):
        place = short_place(proposal.workspace, by_uri[read.uri], read.offset)
        by_form.setdefault(read.form, []).append(place)
    yield from (f"{form} ({listed(places)})" for form, places in by_form.items())


def _is_key(place: Perhaps) -> bool:
    """Whether a place that may have the name is a key or a string."""
    return place.doubt in (Doubt.TEXT, Doubt.COPIED, Doubt.BESIDE)

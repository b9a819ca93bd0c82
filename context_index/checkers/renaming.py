"""Renames by a checker: what a name means at each place where a text says it, and what renaming each meaning changes.

`engine/rewriting/rename` calls `renamings` before a rename, and `rename_trial` calls `survey` on the renamed texts, to
see that no name has another meaning now. Each place of the name is asked for its definitions (`name_meanings`). Places
with the same definition are a group, which is renamed as a whole (`name_group`). Others may be the name or not
(`rename_doubts`). Documents are asked with *probes*: lines at their end that use the name, so that the checker tells
more (`name_places`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from context_index.checkers.answers import Diagnostic, Target
from context_index.checkers.checker import Checker
from context_index.checkers.errors import CheckerRefusedError
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings, file_of
from context_index.checkers.name_places import NamePlaces
from context_index.checkers.name_reads import NameReaders
from context_index.checkers.new_name_uses import uses_of_new_name
from context_index.checkers.query import Query
from context_index.checkers.rename_doubts import doubtful_places
from context_index.checkers.rename_results import Place, Renaming, Renamings, Survey
from context_index.mentions import MentionForm, mention_rules
from context_index.syntax import Trees
from context_index.text import Document, Edit


def renamings(
    checker: Checker,
    documents: Sequence[Document],
    places: Sequence[int],
    old: str,
    new: str,
    *,
    trees: Trees,
    diagnosed: int = 0,
    namesakes: bool = False,
) -> Future[Renamings]:
    """What renaming the name at some places of the first document changes, for each meaning that it has there.

    Args:
        documents: The texts that are edited; those after the first may have the name, too.
        places: Offsets in the first document.
        trees: Has the documents' trees, or gets them.
        diagnosed: The number of documents, from the first on, whose diagnostics are wanted.
        namesakes: Whether all other members of the same name are wanted as places that may have it.
    """
    old_places = NamePlaces(documents, old, trees, new=new, exported=(old, new))

    def ask(queries: Sequence[Query]) -> Renamings:
        answers = NameMeanings(old_places, queries, new)
        # the documents that are asked have the probes of the old name
        of_new = NameMeanings(NamePlaces(documents, new, trees), queries, old, has_probes=False)
        meanings: list[Renaming] = []
        refused = ""
        for place in places:
            if any(place in meaning.places for meaning in meanings):
                continue
            try:
                if (meaning := _renaming(answers, of_new, place, places, wants_namesakes=namesakes)) is not None:
                    meanings.append(meaning)
            except CheckerRefusedError as error:
                refused = refused or str(error)
        old_name = Survey(answers.meanings, {}, exports=answers.exports, values=answers.values)
        new_name = Survey(of_new.meanings, {})
        unread, diagnostics = tuple(sorted(answers.unread)), _diagnostics(documents, queries, diagnosed)
        return Renamings(tuple(meanings), refused, unread, diagnostics, old_name, new_name)

    return checker.ask_together(old_places.probed, ask)


def survey(
    checker: Checker,
    documents: Sequence[Document],
    name: str,
    *,
    rename_back: tuple[int, str] | None,
    old: str,
    classes: Sequence[tuple[str, str]],
    trees: Trees,
    diagnosed: int,
    of_instances: bool = False,
) -> Future[tuple[Survey, Mapping[str, tuple[Edit, ...]]]]:
    """What a name means at each of its places, and the checker's edits, by URI, for renaming it back.

    Args:
        rename_back: An offset in the first document and the name to give there; None to rename nothing.
        old: The name that was renamed: no module should export it, and none of `classes` have such a member.
        classes: The classes that are asked for this member: a document's URI and the class's path.
        of_instances: Whether JavaScript's classes are asked for members of instances alone, not for static ones.
        trees: Has the documents' trees, or gets them.
        diagnosed: The number of documents, from the first on, whose diagnostics are wanted.
    """
    of_classes = dict.fromkeys(classes, old)
    places = NamePlaces(documents, name, trees, of_classes, of_instances=of_instances, exported=(old, name))

    def ask(queries: Sequence[Query]) -> tuple[Survey, Mapping[str, tuple[Edit, ...]]]:
        answers = NameMeanings(places, queries, "")
        edits_back: dict[str, tuple[Edit, ...]] = {}
        if rename_back is not None:
            try:
                renamed = {file_of(uri): lsp_edits for uri, lsp_edits in queries[0].rename(*rename_back).items()}
            except CheckerRefusedError:
                renamed = {}
            for query, document in zip(queries, documents, strict=True):
                if edits := places.edits(document, query, renamed.get(file_of(query.uri), ())):
                    edits_back[document.uri] = edits
        diagnostics = _diagnostics(documents, queries, diagnosed)
        return Survey(answers.meanings, answers.members, diagnostics, answers.exports, answers.values), edits_back

    return checker.ask_together(places.probed, ask)


def module_finders(checker: Checker, documents: Sequence[Document], trees: Trees) -> Future[Sequence[frozenset[int]]]:
    """The names in each document by which the program gets modules by computed names, whatever else is called so.

    Args:
        documents: Not empty.
    """
    rules = [mention_rules(trees.of(document)) for document in documents]
    first, probes = documents[0], dict[str, int]()
    text = first.text
    for path in sorted(rules[0].FINDERS):
        receiver, name = rules[0].library_probe(path)
        text += f"{first.newline}{receiver}{name}"
        probes[path] = len(text) - len(name)
    shown = [Document(first.uri, first.language, f"{text}{first.newline}", first.revision), *documents[1:]]

    def ask(queries: Sequence[Query]) -> Sequence[frozenset[int]]:
        by_target = {target for targets in queries[0].targets(probes.values()) for target in targets}
        found = []
        for query, rules_here in zip(queries, rules, strict=True):
            said = rules_here.said_finders
            answers = zip(said.items(), query.targets(said), strict=True)
            found.append(
                frozenset(
                    offset
                    for (offset, path), targets in answers
                    if not by_target.isdisjoint(targets) or (path and not targets)
                )
            )
        return found

    return checker.ask_together(shown, ask)


def _diagnostics(
    documents: Sequence[Document], queries: Sequence[Query], most: int
) -> tuple[tuple[Diagnostic, ...], ...]:
    """The diagnostics of the first documents, without those of probes, which come after the text.

    An empty document has no name and so no probe.
    """
    lengths = [len(document.text) for document in documents[:most]]
    return tuple(
        tuple(diagnostic for diagnostic in query.diagnostics() if diagnostic.start < length or not length)
        for query, length in zip(queries[:most], lengths, strict=True)
    )


def _renaming(
    answers: NameMeanings, of_new: NameMeanings, place: int, asked_about: Sequence[int], *, wants_namesakes: bool
) -> Renaming | None:
    """What renaming the name at a place of the first document changes; None if that is nothing.

    Args:
        asked_about: The offsets, in the first document, of which those with the same meaning are reported.

    Raises:
        CheckerRefusedError: it cannot be renamed.
    """
    group = NameGroup(answers)
    seed, forms = (0, place), answers.places.forms
    meaning = answers.meanings[seed]  # asked now, as this finds `own_places`, which the group grows by
    if forms.get(seed) is MentionForm.EXPORTED:  # a string of `__all__`: what it stands for is renamed
        defined = (definition for definition in meaning if isinstance(definition, tuple))
        seed = next((definition for definition in defined if definition in forms), seed)
    index, offset = seed
    if forms.get(seed) is MentionForm.MEMBER and answers.places.rules[index].is_assigned_key(offset):  # `({a: b} = c)`
        raise CheckerRefusedError("the checker does not say of which value this key takes a member")
    by_checker = group.grow(seed)
    if not group.edits:
        return None
    reached_here = {offset for index, offset in group.reached if index == 0}
    library = LibraryNames(answers)
    readers = NameReaders(answers, group, library)
    reads = readers.name_reads()
    return Renaming(
        places=tuple(offset for offset in asked_about if offset in reached_here or offset == place),
        edits=group.edits_by_uri(),
        seed=seed[1] if seed[0] == 0 else -1,
        by_checker=tuple(sorted(offset for index, offset in by_checker if index == 0)),
        perhaps=tuple(doubtful_places(answers, group, library, readers, wants_namesakes=wants_namesakes)),
        is_member=group.is_member,
        is_local=not group.is_member and not group.is_of_module,
        functions=group.functions,
        constructors=group.constructors,
        classes=tuple(group.classes()),
        imported_from=_imported_from(answers, group),
        declared_elsewhere=_declared_elsewhere(answers, seed),
        on_every_object=_on_every_object(answers, group, answers.places.name),
        reads=reads.places,
        possible_readers=reads.possible_readers,
        dispatching_bases=reads.dispatching_bases,
        unknown_bases=reads.unknown_bases,
        unused=tuple(sorted(group.declared)) if readers.is_unused() else (),
        new_on_every_object=_on_every_object(answers, group, answers.new),
        relatives_with_new_name=tuple(sorted(set(group.relatives_with_new_name()))),
        new_uses=tuple(uses_of_new_name(of_new, group, library, readers)),
    )


def _imported_from(answers: NameMeanings, group: NameGroup) -> tuple[str, ...]:
    """See `Renaming.imported_from`."""
    uris = set[str]()
    for index, offset in group.reached & answers.places.forms.keys():
        module = answers.places.rules[index].module_of_import(offset)
        if module is not None and group.edit((index, offset)).text == answers.new:  # not `old as new`
            (targets,) = answers.queries[index].targets([module])
            uris |= {target.uri for target in targets} or {""}
    return tuple(sorted(uris))


def _declared_elsewhere(answers: NameMeanings, seed: Place) -> tuple[str, ...]:
    """The files that define the name at a place, if none of the documents does."""
    meaning = answers.meanings.get(seed, frozenset())
    if any(isinstance(definition, tuple) for definition in meaning):
        return ()
    return tuple(sorted({definition.uri for definition in meaning if isinstance(definition, Target)}))


def _on_every_object(answers: NameMeanings, group: NameGroup, name: str) -> tuple[str, ...]:
    """The files that declare a member for every object, as `toString` is; none if no member is renamed."""
    probe = answers.places.object_probes.get(name)
    if probe is None or not group.is_member:
        return ()
    (targets,) = answers.queries[0].targets([probe])
    return tuple(sorted({target.uri for target in targets}))

"""Finds the places that may have a name that is renamed, though the checker does not say so.

They are handed over one by one, each with its doubt: neither renaming nor leaving them is certain to be right. They
are found in this order:

1. Private names in Python that contain a class's name, such as `_Cart__total`.
2. Places of which the checker does not say what the name means: `unknown_names` says if it may be the renamed one.
3. Places of what the checker takes for another name: the declarations that may be used where the renamed name is
   meant, as `namesakes` says, and their uses. For a member it is all other members of the same name if a place of
   step 2 has no type, if a protocol declares the renamed one, or if the caller wants them.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.name_reads import NameReaders
from context_index.checkers.namesakes import Namesakes
from context_index.checkers.rename_results import Doubt, Perhaps, Place
from context_index.checkers.unknown_names import UnknownNames
from context_index.mentions import MentionForm
from context_index.text import Edit


def doubtful_places(
    answers: NameMeanings, group: NameGroup, library: LibraryNames, readers: NameReaders, *, wants_namesakes: bool
) -> Iterator[Perhaps]:
    """The places outside of a group that may have the name, each with the edit that would rename it.

    Only its class can say a private name (`#name`), and there the group has all its places.

    Args:
        answers: What the old name means at each of its places.
        group: The places that are renamed; `NameGroup.grow` has been called.
        wants_namesakes: Whether all other members of the same name are among them.
    """
    if group.is_private:
        return
    yield from _mangled(answers, group)
    forms, unknown_names = answers.places.forms, UnknownNames(answers, group, readers)
    has_untyped, seen = False, set(group.edits)
    for place, form in forms.items():
        if place not in group.edits and (doubt := unknown_names.doubt(place, form)) is not None:
            has_untyped = has_untyped or doubt is Doubt.UNTYPED
            seen.add(place)
            yield _perhaps(answers, place, answers.lone_edit(place, form), doubt)
    if group.is_member and (has_untyped or group.is_protocol or wants_namesakes):
        yield from _all_namesakes(answers, seen)
        return
    namesakes = Namesakes(answers, group, library, readers)
    for place, form in forms.items():
        if place not in seen and (doubt := namesakes.doubt(place, form)) is not None:
            yield from _with_uses(answers, place, form, doubt, seen)


def _mangled(answers: NameMeanings, group: NameGroup) -> Iterator[Perhaps]:
    """Private names of Python classes, written with the class's name, of which the renamed name is a part.

    In `_Cart__sum` it may be the member, `__sum`, or the class.
    """
    name, new = answers.places.name, answers.new
    for document, rules in zip(answers.places.documents, answers.places.rules, strict=True):
        for of_class in group.private_in:
            stem = of_class.lstrip("_")
            for stem_start, member in rules.mangled(of_class):
                start = stem_start + len(stem)
                if member == name:  # a new name that is not mangled stands without the class's
                    begin = start if rules.is_mangled(new) else stem_start - 1
                    yield Perhaps(document.uri, Edit(begin, start + len(name), new), Doubt.MANGLED)
        if group.is_class:
            stem = name.lstrip("_")
            for stem_start, _ in rules.mangled(name):
                edit = Edit(stem_start, stem_start + len(stem), new.lstrip("_"))
                yield Perhaps(document.uri, edit, Doubt.MANGLED)


def _all_namesakes(answers: NameMeanings, seen: set[Place]) -> Iterator[Perhaps]:
    """All other members of the same name that the documents declare, with their uses.

    Args:
        seen: The places that are left out; gets those that are yielded.
    """
    for place, form in answers.places.forms.items():
        meaning = answers.meanings[place]
        if place in seen or form not in (MentionForm.MEMBER, MentionForm.SHORTHAND) or not meaning:
            continue
        is_in_documents = all(isinstance(definition, tuple) for definition in meaning)  # a `Place`, and no `Target`
        if form is MentionForm.SHORTHAND or is_in_documents:
            yield from _with_uses(answers, place, form, Doubt.NAMESAKE, seen)


def _with_uses(
    answers: NameMeanings, place: Place, form: MentionForm, doubt: Doubt, seen: set[Place]
) -> Iterator[Perhaps]:
    """A place of another name, and all places that are the same name as it.

    Args:
        seen: The places that are left out; gets those that are yielded.
    """
    other = NameGroup(answers)
    if form is MentionForm.SHORTHAND:  # it links nothing, as it is the name of a member and of a variable
        other.edits[place] = {answers.lone_edit(place, form)}
    else:
        other.grow(place)
    for at in other.edits.keys() - seen:
        seen.add(at)
        yield _perhaps(answers, at, other.edit(at), doubt)


def _perhaps(answers: NameMeanings, place: Place, edit: Edit, doubt: Doubt) -> Perhaps:
    """The place as a result, with the edit that would rename it."""
    index, _ = place
    return Perhaps(answers.places.documents[index].uri, edit, doubt)

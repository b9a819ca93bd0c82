"""Finds the places that may have a name that is renamed, though the checker does not say so.

Such places are receivers without a type, strings, arguments by name, namesakes. They are handed over one by one, each
with its doubt: neither renaming nor leaving them is certain to be right.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Doubt, Perhaps, Place
from context_index.mentions import MentionForm, members_after, mentions
from context_index.text import Edit


def doubtful_places(
    answers: NameMeanings, group: NameGroup, library: LibraryNames, *, wants_namesakes: bool
) -> Iterator[Perhaps]:
    """The places outside of a group that may have the name, each with the edit that would rename it.

    Args:
        group: A group that has grown.
        wants_namesakes: Whether all other members of the same name are among them.
    """
    if not group.is_private:
        yield from _Doubts(answers, group, library).places(wants_namesakes=wants_namesakes)


class _Doubts:
    """The doubts about the places outside of one group."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames) -> None:
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._members: dict[str, bool] = {}
        """The results of `_is_member`."""

    def places(self, *, wants_namesakes: bool) -> Iterator[Perhaps]:
        """See `doubtful_places`."""
        group, forms = self._group, self._places.forms
        yield from self._mangled()
        has_untyped, taken = False, set(group.edits)
        for place, form in forms.items():
            if place not in group.edits and (doubt := self._doubt(place, form)) is not None:
                has_untyped = has_untyped or doubt is Doubt.UNTYPED
                taken.add(place)
                yield self._perhaps(place, self._answers.lone_edit(place, form), doubt)
        if group.is_member and (has_untyped or group.is_protocol or wants_namesakes):
            yield from self._namesakes(taken)
            return
        for place, form in forms.items():
            if place not in taken and (doubt := self._doubt_of_other(place, form)) is not None:
                yield from self._with_uses(place, form, doubt, taken)

    def _perhaps(self, place: Place, edit: Edit, doubt: Doubt) -> Perhaps:
        return Perhaps(self._places.documents[place[0]].uri, edit, doubt)

    def _mangled(self) -> Iterator[Perhaps]:
        """Private names of Python classes, written with the class's name, of which the renamed name is a part.

        In `_Cart__sum` it may be the member, `__sum`, or the class.
        """
        name, new, group = self._places.name, self._answers.new, self._group
        for document, rules in zip(self._places.documents, self._places.rules, strict=True):
            for of_class in group.private_in:
                stem = of_class.lstrip("_")
                for stem_start, member in rules.mangled(of_class):
                    start = stem_start + len(stem)
                    if member == name:
                        begin = start if rules.is_mangled(new) else stem_start - 1
                        yield Perhaps(document.uri, Edit(begin, start + len(name), new), Doubt.MANGLED)
            if group.is_class:
                stem = name.lstrip("_")
                for stem_start, _ in rules.mangled(name):
                    edit = Edit(stem_start, stem_start + len(stem), new.lstrip("_"))
                    yield Perhaps(document.uri, edit, Doubt.MANGLED)

    def _doubt(self, place: Place, form: MentionForm) -> Doubt | None:
        """Why a place outside of the group may have the name; None if it has not."""
        index, offset = place
        meaning, rules, group = self._answers.meanings[place], self._places.rules[index], self._group
        is_reachable = group.is_member or group.is_of_module
        match form:
            case MentionForm.SHORTHAND_PATTERN if meaning <= {place} and is_reachable:
                return Doubt.UNTYPED
            case _ if is_reachable and rules.is_assigned_key(offset):
                return Doubt.UNTYPED
            case _ if not group.own_globals.isdisjoint(meaning):
                return Doubt.GLOBAL
            case _ if meaning:
                return None
            case MentionForm.MEMBER | MentionForm.PATTERN if is_reachable:
                return Doubt.UNTYPED
            case MentionForm.KEYWORD if self._may_be_of_group(place):
                return Doubt.KEYWORD
            case MentionForm.KEYWORD if self._may_be_key(place):
                return Doubt.KEY
            case MentionForm.NAME | MentionForm.EXPORTED if group.is_of_module and self._may_be_of_project(place):
                return Doubt.UNKNOWN
            case MentionForm.TEXT if self._may_be_said(place):
                return Doubt.TEXT
        return None

    def _may_be_said(self, place: Place) -> bool:
        """Whether a string may be meant for the group's name: for a member, or for the key of an argument."""
        index, offset = place
        rules, group = self._places.rules[index], self._group
        if not all(map(self._is_member, members_after(self._places.syntaxes[index], offset, self._places.name))):
            return False
        if (group.is_member or group.is_of_module) and not rules.is_receiver_only(offset):
            return True
        decorated = rules.decorated(offset)  # `@each("size", [1, 2])` of a function with that parameter
        is_of_decorator = decorated is not None and (index, decorated) in group.function_places
        return group.is_unpacked or is_of_decorator or (rules.is_key(offset) and group.is_passed_on)

    def _is_member(self, name: str) -> bool:
        """Whether a document says a name as a member's."""
        if name not in self._members:
            forms = (mention.form for syntax in self._places.syntaxes for mention in mentions(syntax, name))
            self._members[name] = MentionForm.MEMBER in forms
        return self._members[name]

    def _may_be_of_project(self, place: Place) -> bool:
        """Whether a name without a definition is imported from a module that the checker finds, or not imported."""
        index, offset = place
        modules = list(self._places.rules[index].imported_from(self._places.name, offset))
        return not modules or any(map(bool, self._answers.queries[index].targets(modules)))

    def _may_be_of_group(self, place: Place) -> bool:
        """Whether the name of an argument may become that of the group's parameter or field."""
        index, offset = place
        call = self._places.rules[index].keyword_call(offset)
        if call is None or not (self._group.functions or self._group.is_field):
            return False
        called, names = call
        (meaning,) = (self._answers.meaning_of(targets) for targets in self._answers.queries[index].targets([called]))
        is_elsewhere = bool(meaning) and not any(isinstance(definition, tuple) for definition in meaning)
        return self._group.is_field or not is_elsewhere or not names.isdisjoint(self._group.functions)

    def _may_be_key(self, place: Place) -> bool:
        """Whether an argument's name may be a key that is the name: the function is known, and its name is not."""
        index, offset = place
        group, call = self._group, self._places.rules[index].keyword_call(offset)
        if call is None or not (group.is_member or group.is_unpacked or group.is_passed_on):
            return False
        return any(self._answers.queries[index].targets([call[0]]))

    def _doubt_of_other(self, place: Place, form: MentionForm) -> Doubt | None:
        """Why what the checker takes for another name may be this one; None if it is not."""
        index, offset = place
        syntax, rules, group = self._places.syntaxes[index], self._places.rules[index], self._group
        if place not in self._answers.meanings[place] and form is not MentionForm.SHORTHAND:
            return None
        if self._is_public(place, form) and group.is_declared_apart(index):
            return Doubt.DECLARED
        is_of_object = syntax.language.record.lexis.has_object_literals
        if not is_of_object or not group.is_member or form not in (MentionForm.MEMBER, MentionForm.SHORTHAND):
            return None
        if group.is_optional or rules.is_optional(offset):
            return Doubt.NAMESAKE
        is_key = form is MentionForm.SHORTHAND or rules.is_key(offset)
        return Doubt.COPIED if is_key and self._are_members_copied else None

    def _is_public(self, place: Place, form: MentionForm) -> bool:
        """Whether others may reach what is declared at a place in the way in which they reach the group's name."""
        index, offset = place
        rules, group = self._places.rules[index], self._group
        if (function := rules.parameter_function(offset)) is not None:
            return function[1] in group.functions
        is_public = form is MentionForm.MEMBER or rules.is_of_module(offset) or rules.is_declared_at_top(offset)
        return is_public and (group.is_member or group.is_of_module)

    @cached_property
    def _are_members_copied(self) -> bool:
        return any(rules.copies_members(self._library.at(index)) for index, rules in enumerate(self._places.rules))

    def _namesakes(self, taken: set[Place]) -> Iterator[Perhaps]:
        """All other members of the same name that the documents declare, with their uses, but those in `taken`."""
        for place, form in self._places.forms.items():
            meaning = self._answers.meanings[place]
            if place in taken or form not in (MentionForm.MEMBER, MentionForm.SHORTHAND) or not meaning:
                continue
            if form is MentionForm.SHORTHAND or all(isinstance(definition, tuple) for definition in meaning):
                yield from self._with_uses(place, form, Doubt.NAMESAKE, taken)

    def _with_uses(self, place: Place, form: MentionForm, doubt: Doubt, taken: set[Place]) -> Iterator[Perhaps]:
        """A place and all that is the same name as it, but what is in `taken`; adds them to `taken`."""
        other = NameGroup(self._answers)
        if form is MentionForm.SHORTHAND:
            other.edits[place] = {self._answers.lone_edit(place, form)}
        else:
            other.grow(place)
        for at in other.edits.keys() - taken:
            taken.add(at)
            yield self._perhaps(at, other.edit(at), doubt)

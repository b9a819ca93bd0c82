"""Whether what the checker takes for another name may be a renamed one, as the program uses the one for the other.

It may do so where the checker does not see it: it copies the keys of a literal, takes a value without a type for one
that has the name, or asks objects for a protocol's members as it runs.
"""

from __future__ import annotations

from functools import cached_property

from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.name_reads import NameReaders
from context_index.checkers.rename_results import Doubt, Place
from context_index.mentions import MentionForm


class Namesakes:
    """The doubts about declarations that are not in a group, of the group's name or of the one that it is to get."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames, readers: NameReaders) -> None:
        """Nothing is asked yet.

        Args:
            answers: What a name means at each of its places: the group's name, or the one that it is to get.
            group: A group that has grown. In all answers it is *the* group.
        """
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._readers = readers

    def doubt(self, place: Place, form: MentionForm) -> Doubt | None:
        """Why what is declared at a place may be the group's name; None if it is not.

        A use has no doubt of its own, as it goes with its declaration. But what a comment declares is asked about at
        its uses, as none of the name's places is in a comment.
        """
        index, offset = place
        rules, group = self._places.rules[index], self._group
        if group.is_member and form is MentionForm.MEMBER and self._is_declared_in_comment(place):
            return Doubt.NAMESAKE
        if not self._is_declared(place, form):
            return None
        if self._is_public(place, form) and group.is_declared_apart(index):
            return Doubt.DECLARED
        if group.is_member and form is MentionForm.MEMBER and self._is_asked_at_run_time(place):
            return Doubt.NAMESAKE
        is_of_object = self._has_object_literals(index) and form in (MentionForm.MEMBER, MentionForm.SHORTHAND)
        if not is_of_object or not group.is_member:
            return None
        if group.is_optional or rules.is_optional(offset):
            return Doubt.NAMESAKE
        if not self._is_key(place, form):
            return Doubt.NAMESAKE if self._readers.assumed.has(place) else None
        if self._are_members_copied:
            return Doubt.COPIED
        return Doubt.BESIDE if self._readers.flow.is_beside_value(place) else None

    def may_be_used_for(self, place: Place, form: MentionForm) -> bool:
        """Whether what has the group's name may be used for what declares the new name at a place, if that does.

        For `answers` about the name that the group is to get.
        """
        index, _ = place
        if not self._group.is_member:
            return False
        if form is MentionForm.MEMBER and self._is_declared_in_comment(place):
            return True
        if form is MentionForm.TEXT and self._group.is_key:
            return not self._answers.meanings[place]
        if not self._is_declared(place, form):
            return False
        if form is MentionForm.MEMBER and self._is_asked_at_run_time(place):
            return True
        if not self._has_object_literals(index):
            return False
        if self._is_key(place, form):
            return self._are_members_copied
        return form is MentionForm.MEMBER and self._readers.assumed.has(place)

    def _is_declared(self, place: Place, form: MentionForm) -> bool:
        """Whether a name is declared at a place; the key of a shorthand is, whatever its value is."""
        return form is MentionForm.SHORTHAND or place in self._answers.meanings[place]

    def _has_object_literals(self, index: int) -> bool:
        """Whether a document's language has objects with keys and no class."""
        return self._places.syntaxes[index].language.record.lexis.has_object_literals

    def _is_key(self, place: Place, form: MentionForm) -> bool:
        """Whether what is at a place is a key of a literal."""
        index, offset = place
        return form is MentionForm.SHORTHAND or self._places.rules[index].is_key(offset)

    def _is_declared_in_comment(self, place: Place) -> bool:
        """Whether a comment declares the type that has the member at a place (JSDoc), so that objects may be of it."""
        declared = (each for each in self._answers.meanings[place] if isinstance(each, tuple))
        return any("comment" in self._places.rules[index].node(offset).type for index, offset in declared)

    def _is_asked_at_run_time(self, place: Place) -> bool:
        """Whether a decorated protocol declares what is at a place: `isinstance` may ask any value for its members."""
        index, offset = place
        rules = self._places.rules[index]
        of_class = rules.enclosing_class(offset)
        if of_class is None or not rules.is_protocol(of_class) or (name := rules.class_name_place(of_class)) is None:
            return False
        return any(rules.decorators(name))

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
        """Whether any document gives objects members whose names it does not say (`Object.assign`)."""
        return any(rules.copies_members(self._library.at(index)) for index, rules in enumerate(self._places.rules))

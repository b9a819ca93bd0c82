"""Whether a place may have a renamed name of which the checker does not say what it means there.

The place's form decides what is looked at: the receiver of a member, the function of an argument's name, the module
that a name is imported from, what a string is used for. If the checker says that the place means a library's global,
and a script declares the same name, that counts as unknown, too.
"""

from __future__ import annotations

from itertools import chain

from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.name_reads import NameReaders
from context_index.checkers.rename_results import Doubt, Place
from context_index.mentions import MentionForm, members_after, mentions


class UnknownNames:
    """The doubts about places of a name that are not in a group."""

    def __init__(self, answers: NameMeanings, group: NameGroup, readers: NameReaders) -> None:
        """Nothing is asked yet.

        Args:
            answers: What a name means at each of its places: the group's name, or the one that it is to get.
            group: A group that has grown. In all answers it is *the* group.
        """
        self._answers, self._places, self._group, self._readers = answers, answers.places, group, readers
        self._is_reachable = group.is_member or group.is_of_module
        """Whether code may say the group's name after a receiver: an object, or a module."""
        self._members: dict[str, bool] = {}
        """The results of `_is_member`."""

    def doubt(self, place: Place, form: MentionForm) -> Doubt | None:
        """Why a place may have the group's name; None if it does not, or if the checker says what it is."""
        meaning = self._answers.meanings[place]
        if self._is_reachable and self._is_member_of_unknown(place, form):
            return Doubt.UNTYPED
        if not self._group.own_globals.isdisjoint(meaning):
            return Doubt.GLOBAL
        if meaning:
            return None
        match form:
            case MentionForm.MEMBER | MentionForm.PATTERN if self._is_reachable and self._may_be_received(place):
                return Doubt.UNTYPED
            case MentionForm.KEYWORD if self._may_be_argument(place):
                return Doubt.KEYWORD
            case MentionForm.KEYWORD if self._may_be_key(place):
                return Doubt.KEY
            case MentionForm.NAME | MentionForm.EXPORTED if self._group.is_of_module and self._may_be_imported(place):
                return Doubt.UNKNOWN
            case MentionForm.TEXT if (is_told := self._is_told(place)) or self._may_be_said(place):
                return Doubt.TOLD if is_told else Doubt.TEXT
            case MentionForm.CODE if self._may_be_said(place):
                return Doubt.CODE
        return None

    def _is_member_of_unknown(self, place: Place, form: MentionForm) -> bool:
        """Whether a name is a member of a value, or may be, and the checker never says of which value.

        It says only what the name itself declares, or what would be meant if the value did not have it: in
        `const {name} = cart`, in `({name: a} = cart)`, in `with (cart) name`.
        """
        index, offset = place
        if form is MentionForm.SHORTHAND_PATTERN and self._answers.meanings[place] <= {place}:
            return True
        rules = self._places.rules[index]
        return rules.is_assigned_key(offset) or (form is MentionForm.NAME and rules.may_be_member(offset))

    def _may_be_received(self, place: Place) -> bool:
        """Whether the receiver of the member at a place, if there is one, may be of the group's class or module."""
        index, offset = place
        receiver = self._places.rules[index].receiver(offset)
        return receiver is None or not self._group.is_member or self._readers.asked.may_be_given(index, receiver)

    def _may_be_argument(self, place: Place) -> bool:
        """Whether the name of an argument may become that of the group's parameter or field."""
        index, offset = place
        call = self._places.rules[index].keyword_call(offset)
        if call is None or not (self._group.functions or self._group.is_field):
            return False
        called, names = call
        meaning = self._answers.meaning_of(chain.from_iterable(self._answers.queries[index].targets(called)))
        is_elsewhere = bool(meaning) and not any(isinstance(definition, tuple) for definition in meaning)
        return self._group.is_field or not is_elsewhere or not names.isdisjoint(self._group.functions)

    def _may_be_key(self, place: Place) -> bool:
        """Whether an argument's name may be a key that is the name: the function is known, and its name is not."""
        index, offset = place
        group, call = self._group, self._places.rules[index].keyword_call(offset)
        if call is None:
            return False
        if not (group.is_member or group.is_unpacked or group.is_within_made(place) or group.is_passed_on):
            return False
        return any(self._answers.queries[index].targets(call[0]))

    def _may_be_imported(self, place: Place) -> bool:
        """Whether a name without a definition is imported from a module that the checker finds, or not imported."""
        index, offset = place
        modules = list(self._places.rules[index].imported_from(self._places.name, offset))
        return not modules or any(map(bool, self._answers.queries[index].targets(modules)))

    def _is_told(self, place: Place) -> bool:
        """Whether what the group's name is assigned to is told the name: by a string, when a call makes it."""
        index, offset = place
        name = self._places.rules[index].told_name(offset)
        return name is not None and (index, name) in self._group.reached

    def _may_be_said(self, place: Place) -> bool:
        """Whether a string may be meant for the group's name: for a member, or for the key of an argument."""
        index, offset = place
        rules, group = self._places.rules[index], self._group
        if offset in rules.code_in_strings:
            return self._may_be_in_code(rules.code_in_strings[offset][1])
        after = members_after(self._places.syntaxes[index], offset, self._places.name)
        if not all(map(self._is_member, after)):
            return self._group.is_member and rules.is_unpacked_key(offset)  # `Mock(**{"total.return_value": 1})`
        decorated = rules.decorated(offset)  # `@each("size", [1, 2])` of a function with that parameter
        if decorated is not None and "," in self._places.syntaxes[index].text(rules.node(offset)):
            return (index, decorated) in group.function_places
        if self._is_reachable and not rules.is_receiver_only(offset):
            return True
        if any(at == index and start <= offset < end for at, (start, end) in group.collecting_functions):
            return True  # `given["size"]` of a method that overrides one with the parameter
        is_of_decorator = decorated is not None and (index, decorated) in group.function_places
        return group.is_unpacked or is_of_decorator or (rules.is_key(offset) and group.is_passed_on)

    def _may_be_in_code(self, form: MentionForm) -> bool:
        """Whether a name in code that is a string may be the group's, by its form there."""
        if form is MentionForm.KEYWORD:
            return bool(self._group.functions) or self._group.is_field
        return self._group.is_of_module or (self._group.is_member and form is not MentionForm.NAME)

    def _is_member(self, name: str) -> bool:
        """Whether a document says a name as a member's."""
        if name not in self._members:
            forms = (mention.form for syntax in self._places.syntaxes for mention in mentions(syntax, name))
            self._members[name] = MentionForm.MEMBER in forms
        return self._members[name]

"""Whether a renamed name is an enumeration's member, and whether the member's text has the name."""

from __future__ import annotations

from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Place


class EnumNames:
    """Answers for one group that has grown."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames, holders: NameHolders) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
        self._library, self._holders = library, holders

    @cached_property
    def is_member(self) -> bool:
        """Whether the name is an enumeration's member, which knows its name."""
        return self._group.is_member and bool(self._answers.values)

    @cached_property
    def has_text(self) -> bool:
        """Whether the text of an enumeration's member has its name: no class makes another one."""
        rules, library = self._places.rules[0], self._library
        made = frozenset[Place | Target]().union(*(member.text for member in self._answers.values.values()))
        is_of_value = not library.defined(rules.ENUM_OF_VALUES).isdisjoint(self._holders.supertypes)
        return self.is_member and not made.isdisjoint(library.defined(rules.ENUM_TEXT)) and not is_of_value

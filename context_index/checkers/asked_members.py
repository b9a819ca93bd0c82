"""Where code asks a value for a member by a name in a string, or by a computed name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from context_index.checkers.broad_types import BroadTypes
from context_index.checkers.enum_names import EnumNames
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.possible_reads import PossibleReads
from context_index.checkers.rename_results import Place
from context_index.checkers.type_texts import ANYTHING, says_nothing
from context_index.checkers.value_flow import ValueFlow
from context_index.checkers.value_types import ValueTypes
from context_index.mentions import Read, ReadForm


class AskedMembers:
    """Answers for one group that has grown."""

    def __init__(
        self,
        answers: NameMeanings,
        *,
        enum: EnumNames,
        types: ValueTypes,
        broad: BroadTypes,
        flow: ValueFlow,
        possible: PossibleReads,
    ) -> None:
        """Nothing is asked yet."""
        self._places, self._enum, self._types = answers.places, enum, types
        self._broad, self._flow, self._possible = broad, flow, possible

    def by_name(self, name: str) -> Iterator[tuple[Place, bool]]:
        """Where a member is asked for by a name in a string, of a value that may have the group's name.

        Each with whether the checker says nothing of the value.
        """
        for index in range(len(self._places.rules)):
            reads = [read for read in self._possible.at(index) if name in read.keys]
            self._types.ask(index, (of_value for read in reads for of_value in read.names))
            for read in reads:
                is_meant = read.form is not ReadForm.ANY_KEYS and self._types.has_name_in_type(index, read)
                match read.form:
                    case ReadForm.ANY_KEYS:
                        may_be_meant = True
                    case ReadForm.MEMBER:
                        may_be_meant = is_meant and self._enum.is_member
                    case _:
                        may_be_meant = is_meant or self._is_open(index, read)
                if may_be_meant:
                    yield (index, read.start), not is_meant

    def by_computed_name(self) -> Iterator[Place]:
        """Where code asks a value for a member by a computed name, of which the checker may not know the type."""
        for index in range(len(self._places.rules)):
            of_keys = (read for read in self._possible.at(index) if read.form is ReadForm.KEYS)
            asked = [read for read in of_keys if not read.keys and read.names]
            self._types.ask(index, (read.names[0] for read in asked))
            for read in asked:
                is_asked = self._may_be_asked(index, replace(read, untyped=read.names[0]))
                if is_asked and self._possible.may_be_computed(index, read):
                    yield index, read.start

    def may_be_given(self, index: int, name: int) -> bool:
        """Whether what a name stands for may be of the group's; not if all that it may be given has another type."""
        (of_type,) = self._types.texts(index, [name])
        read = Read(name, ReadForm.KEYS, (name,), untyped=name)
        return of_type not in ANYTHING or self._flow.may_be_given(index, read, self._may_be_asked)

    def _may_be_asked(self, index: int, read: Read) -> bool:
        """Whether a value may have the group's name, by its type or as it has none."""
        return self._types.has_name_in_type(index, read) or self._is_open(index, read)

    def _is_open(self, index: int, read: Read) -> bool:
        """Whether the type of a value, if it has one, is no class, so that the value may be of any class."""
        types = list(self._types.declared(index, read.names, is_container=False))
        if read.untyped is None:
            return not types
        (of_type,) = self._types.texts(index, [read.untyped])
        is_receiver = self._places.rules[index].class_of_receiver(read.untyped) is not None
        if not (says_nothing(of_type) and not is_receiver) and not any(map(self._broad.is_no_class, types)):
            return False
        return self._flow.may_be_given(index, read, self._may_be_asked)

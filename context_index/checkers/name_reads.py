"""Finds where a program reads a name, or the names of a value's members, as it runs.

No edit mends such a place: after a rename the program has the new name where it had the old one. It is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.asked_members import AskedMembers
from context_index.checkers.assumed_types import AssumedTypes
from context_index.checkers.broad_types import BroadTypes
from context_index.checkers.enum_names import EnumNames
from context_index.checkers.handed_values import HandedValues
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.possible_reads import PossibleReads
from context_index.checkers.rename_results import NameRead, Place, in_documents
from context_index.checkers.type_texts import ANYTHING, split
from context_index.checkers.unpacked_calls import UnpackedCalls
from context_index.checkers.value_flow import ValueFlow
from context_index.checkers.value_types import ValueTypes
from context_index.mentions import NamePattern, ReadForm
from context_index.uris import path_of


@dataclass(frozen=True, slots=True)
class NameReads:
    """Who reads a name as the program runs."""

    places: tuple[NameRead, ...]
    """The places in the documents that read the name, or all names among which it is."""
    possible_readers: tuple[str, ...]
    """The URIs of the files, none of the documents, that define what gets the name or its classes: their bases,
    metaclasses and decorators, which may read it, too; of those that call what reads the values that it gets; and of
    those with functions that get values with the name as anything."""
    dispatching_bases: tuple[str, ...]
    """The URIs of the files, none of the documents, with bases of the name's classes that ask for members by computed
    names which the old or the new name may be."""
    unknown_bases: tuple[Place, ...]
    """Where the name's classes, or their bases, have a base that the checker does not know. It may have the name."""


class NameReaders:
    """Finds the reads of the name of one group that has grown."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
        self._passed = passed = PassedValues(answers)
        self._holders = holders = NameHolders(answers, group, library)
        self._types = types = ValueTypes(answers, group, holders)
        broad = BroadTypes(answers, holders, types)
        enum = EnumNames(answers, group, library, holders)
        self._handed = HandedValues(answers, group, passed, holders, types)
        self.flow = ValueFlow(answers, group, passed, types, broad)
        """What the program gives for values."""
        self._possible = PossibleReads(
            answers,
            group,
            library,
            holders=holders,
            enum=enum,
            types=types,
            broad=broad,
            flow=self.flow,
            unpacked=UnpackedCalls(answers, group, passed),
        )
        self.assumed = AssumedTypes(answers, group, holders, types)
        """The types for which code takes values."""
        self.asked = AskedMembers(answers, enum=enum, types=types, broad=broad, flow=self.flow, possible=self._possible)
        """Where code asks for members by names in strings."""

    def name_reads(self) -> NameReads:
        """Who reads the name; nobody reads a private one."""
        if self._group.is_private:
            return NameReads((), (), (), ())
        unknown_bases = tuple(self._unknown_bases()) if self._group.is_member else ()
        places = tuple(self._reads())  # before `_possible_readers`, as this finds who calls what reads the values
        return NameReads(places, tuple(self._possible_readers()), tuple(self._dispatching_bases()), unknown_bases)

    def is_unused(self) -> bool:
        """Whether nothing is seen to use the name, so that what uses it finds it by its name as the program runs.

        What a decorator of the project gets is used by it, and what a base asks for by a computed name goes on to be
        if the new name is such a one, too.
        """
        group, rules, old, new = self._group, self._places.rules, self._places.name, self._answers.new
        is_reachable = group.is_member or group.is_of_module or group.is_declared_at_top
        if not rules[0].READERS or group.is_private or not is_reachable or not group.is_only_declared:
            return False
        for index, offset in self._group.declared:
            for targets in self._answers.queries[index].targets(rules[index].decorators(offset)):
                if in_documents(self._answers.meaning_of(targets)):
                    return False
        return not any(pattern.matches(old) and pattern.matches(new) for _, pattern in self._asked_by_bases)

    def _reads(self) -> Iterator[NameRead]:
        """See `NameReads.places`."""
        yield from self._as_written()
        if self._group.is_member:
            yield from self._of_language()
            yield from self.assumed.reads()
            yield from self._handed.reads()
        yield from self._possible.reads()

    def _as_written(self) -> Iterator[NameRead]:
        """Where it matters how the name is written: in `f"{name=}"`, with an escape, or where a field gets its name."""
        documents, rules = self._places.documents, self._places.rules
        for index, offset in sorted(self._group.edits.keys() & self._places.forms.keys()):
            if rules[index].is_written_out(offset):
                yield NameRead(documents[index].uri, offset, ReadForm.TEXT)
        for index, rules_here in enumerate(rules):
            for offset in rules_here.respelled(self._places.name):
                yield NameRead(documents[index].uri, offset, ReadForm.RESPELLED)
        for (index, offset), probe in self._places.naming_probes.items():
            if (index, offset) in self._group.reached and any(self._answers.queries[index].targets([probe])):
                yield NameRead(documents[index].uri, offset, ReadForm.GIVEN)

    def _of_language(self) -> Iterator[NameRead]:
        """What the language itself gives the name of a member: metaclasses, and decorators in ECMAScript."""
        documents, rules = self._places.documents, self._places.rules
        for index, offset in sorted(in_documents(self._holders.metaclasses)):
            for maker in rules[index].makers_of_classes(self._places.declaration((index, offset))):
                yield NameRead(documents[index].uri, maker, ReadForm.SPACE)
        for index, offset in sorted(self._group.declared):
            for decorator in rules[index].name_getters(offset):
                yield NameRead(documents[index].uri, decorator, ReadForm.DECORATOR)

    def _possible_readers(self) -> Iterator[str]:
        """See `NameReads.possible_readers`; sorted."""
        definitions = (*self._holders.all_bases, *self._holders.metaclasses, *self._holders.decorators)
        found = self._passed.callers | self._handed.takers
        found |= self.assumed.generic_files if self._group.is_member else set()
        yield from sorted(found.union(each.uri for each in definitions if isinstance(each, Target)))

    def _dispatching_bases(self) -> Iterator[str]:
        """See `NameReads.dispatching_bases`; sorted."""
        old, new = self._places.name, self._answers.new
        yield from sorted({uri for uri, pattern in self._asked_by_bases if pattern.concerns(old, new)})

    @cached_property
    def _asked_by_bases(self) -> frozenset[tuple[str, NamePattern]]:
        """The computed names by which bases outside of the documents ask for members, each with the base's URI."""
        knows_families = not self._places.documents[0].language.record.checker.renames_overrides
        if not knows_families or not any(isinstance(base, Target) for base in self._holders.all_bases):
            return frozenset()
        return frozenset(
            (target.uri, pattern)
            for index, offset in self._holders.classes
            for target in self._answers.bases_elsewhere(index, offset)
            if (declared := path_of(target.uri)) is not None
            for pattern in self._places.rules[index].asked_by_class(declared, target.line)
        )

    def _unknown_bases(self) -> Iterator[Place]:
        """See `NameReads.unknown_bases`; sorted."""
        for index, offset in sorted(self._holders.classes | self._holders.around):
            names = list(self._places.rules[index].bases(self._places.declaration((index, offset))))
            for name, of_type in zip(names, self._types.texts(index, names), strict=True):
                returned = of_type.rpartition(" -> ")[2]  # of a function that makes a base
                if not returned or not ANYTHING.isdisjoint(split(returned, "|")):
                    yield index, name

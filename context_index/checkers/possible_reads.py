"""Which of the reads in the documents may read a renamed name, or all names among which it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.broad_types import BroadTypes
from context_index.checkers.enum_names import EnumNames
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import NameRead, Place, in_documents
from context_index.checkers.type_texts import ANYTHING, literal_texts
from context_index.checkers.unpacked_calls import UnpackedCalls
from context_index.checkers.value_flow import ValueFlow
from context_index.checkers.value_types import ValueTypes
from context_index.mentions import NamePattern, Read, ReadForm, name_patterns


class PossibleReads:
    """Answers for one group that has grown."""

    def __init__(
        self,
        answers: NameMeanings,
        group: NameGroup,
        library: LibraryNames,
        *,
        holders: NameHolders,
        enum: EnumNames,
        types: ValueTypes,
        broad: BroadTypes,
        flow: ValueFlow,
        unpacked: UnpackedCalls,
    ) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._holders, self._enum, self._unpacked = holders, enum, unpacked
        self._types, self._broad, self._flow = types, broad, flow
        self._all_reads: dict[int, Sequence[Read]] = {}
        """The results of `at`."""

    def reads(self) -> Iterator[NameRead]:
        """The reads of the name, but for those that say it in a string."""
        for index, document in enumerate(self._places.documents):
            reads = [read for read in self.at(index) if not read.keys]
            self._types.ask(index, (name for read in reads if self._is_typed(read.form) for name in read.names))
            read_here = (read for read in reads if self._may_read(index, read) and self.may_be_computed(index, read))
            yield from (NameRead(document.uri, read.start, read.form) for read in read_here)

    def at(self, index: int) -> Sequence[Read]:
        """All reads of a document."""
        if index not in self._all_reads:
            self._all_reads[index] = list(self._places.rules[index].reads(self._library.at(index)))
        return self._all_reads[index]

    def may_be_computed(self, index: int, read: Read) -> bool:
        """Whether a computed name may be the old or the new name, by its constant parts or by its type."""
        if read.key is None:
            return True
        patterns = name_patterns(self._places.rules[index], read.key)
        if not patterns and read.key.type == "identifier":
            (of_type,) = self._types.texts(index, [self._places.syntaxes[index].start(read.key)])
            patterns = tuple(NamePattern(text, is_whole=True) for text in literal_texts(of_type))
        return not patterns or any(each.concerns(self._places.name, self._answers.new) for each in patterns)

    def _may_read(self, index: int, read: Read) -> bool:
        """Whether a place of a document reads the group's name, or all names among which it is."""
        match read.form:
            case ReadForm.SCOPE | ReadForm.CODE:
                is_code = read.form is ReadForm.CODE
                here = (place for place in self._group.edits if place[0] == index)
                return any((is_code and self._group.is_member) or self._is_visible(place, read) for place in here)
            case ReadForm.NAME:
                return self._may_read_own_name(index, read)
            case ReadForm.PARAMETERS:
                return self._is_of_function(index, read) or self._is_unknown(index, read)
            case ReadForm.UNPACKED:
                return self._unpacked.may_give(index, read)
            case ReadForm.ANY_KEYS:
                return self._group.is_member
            case ReadForm.FRAME:
                return self._is_said(index, read)
            case ReadForm.SOURCE:
                return self._is_of_source(index, read)
            case ReadForm.MEMBER | ReadForm.STRING if self._is_said(index, read):
                return self._is_typed(read.form)
            case ReadForm.ARGUMENTS | ReadForm.ITEMS:
                is_read = self._may_read_members(index, read)
                return self._group.is_key and (is_read or self._types.is_in_signatures(index, read.names))
        return self._is_typed(read.form) and self._may_read_members(index, read)

    def _may_read_own_name(self, index: int, read: Read) -> bool:
        """Whether a place reads the own name of a function or a class, and it is the group's."""
        classes = self._group.reached | self._holders.around
        is_of_class = self._is_typed(read.form) and not classes.isdisjoint(self._types.declared(index, read.names))
        is_meant = self._is_said(index, read) or is_of_class or self._is_unknown(index, read)
        return is_meant and self._is_own_name(index, read)

    def _may_read_members(self, index: int, read: Read) -> bool:
        """Whether a place reads members of a value that has the group's name among them."""
        if self._types.is_any_module(index, read.names) or self._is_unknown(index, read):
            return True
        is_container, is_deep = read.form not in (ReadForm.KEYS, ReadForm.LISTED), read.form is ReadForm.MEMBERS
        if self._types.any_has_name(index, read.names, is_container=is_container, is_deep=is_deep):
            return True
        if is_deep and self._types.is_in_types(index, read.names):
            return True
        if read.form is ReadForm.STRING and self._types.is_returned(index, read.names):
            return True
        return read.value is not None and self._flow.has_name(index, read.value, is_deep=is_deep)

    def _is_unknown(self, index: int, read: Read) -> bool:
        """Whether members are read of a value of which the checker does not know the type."""
        match read.form:
            case ReadForm.NAME:
                may_get = self._is_passed_on
            case ReadForm.PARAMETERS:
                may_get = self._group.is_passed_on
            case _:
                may_get = self._group.is_member
        if read.untyped is None or not may_get:
            return False
        if self._places.rules[index].class_of_receiver(read.untyped) is not None:
            return False
        (of_type,) = self._types.texts(index, [read.untyped])
        match read.form:
            case ReadForm.PARAMETERS:
                return of_type in ANYTHING
            case ReadForm.NAME if of_type in ANYTHING or not self._holders.classes:
                return of_type in ANYTHING
            case ReadForm.NAME:
                may_read = self._may_read_own_name
            case _:
                may_read = self._may_read_members
        is_open = of_type in ANYTHING or self._broad.is_broad(index, read.untyped)
        return is_open and self._flow.may_be_given(index, read, may_read)

    def _is_typed(self, form: ReadForm) -> bool:
        """Whether the type of a value says if the group's name is read."""
        match form:
            case ReadForm.KEYS | ReadForm.LISTED | ReadForm.MEMBERS:
                return self._group.is_member or self._group.is_of_module
            case ReadForm.ARGUMENTS | ReadForm.ENTRIES | ReadForm.ITEMS:
                return self._group.is_key
            case ReadForm.NAME:
                return not self._group.is_member
            case ReadForm.MEMBER:
                return self._enum.is_member
            case ReadForm.STRING:
                return self._enum.has_text
        return False

    def _is_said(self, index: int, read: Read) -> bool:
        """Whether one of the names of a read is the group's."""
        return any((index, name) in self._group.reached for name in read.names)

    def _is_of_source(self, index: int, read: Read) -> bool:
        """Whether the name is in the code of what is said in a read."""
        for targets in self._answers.queries[index].targets(read.names):
            for at, offset in in_documents(self._answers.meaning_of(targets)):
                declaration, rules = self._places.declaration((at, offset)), self._places.rules[at]
                value = declaration.child_by_field_name("value") or declaration
                if value.type not in rules.LOCAL_SCOPES | rules.CLASSES:
                    continue
                start, end = self._places.syntaxes[at].span(declaration)
                if any(other == at and start <= place < end for other, place in self._group.edits):
                    return True
        return False

    def _is_of_function(self, index: int, read: Read) -> bool:
        """Whether a read is of a function with the name as its parameter, or of a class that is made with it."""
        functions = self._group.function_places
        if not functions:
            return False
        holders = ((at, self._places.rules[at].enclosing_class(offset)) for at, offset in functions)
        classes = ((at, of_class and self._places.rules[at].class_name_place(of_class)) for at, of_class in holders)
        own = functions | {(at, name) for at, name in classes if name is not None}
        targets = self._answers.queries[index].targets(read.names)
        return any(not own.isdisjoint(self._answers.meaning_of(each)) for each in targets)

    def _is_visible(self, place: Place, read: Read) -> bool:
        """Whether code at a read, in the same document, may mean the name by what a place says."""
        index, offset = place
        rules, group = self._places.rules[index], self._group
        if group.is_member:
            return False
        around = None if group.is_of_module else rules.function_around(offset)
        is_around = around is not None and around[0] <= read.start < around[1]
        return is_around or group.is_of_module or rules.is_declared_at_top(offset)

    def _is_own_name(self, index: int, read: Read) -> bool:
        """Whether what is read of a value is its own name, and not another member that is called so."""
        if read.member is None:
            return True
        (targets,) = self._answers.queries[index].targets([read.member])
        return bool(set(targets) & self._names_of_functions)

    @cached_property
    def _names_of_functions(self) -> frozenset[Target]:
        """Where the member with a function's own name is declared."""
        probe = self._places.function_probe
        return frozenset(() if probe is None else self._answers.queries[0].targets([probe])[0])

    @cached_property
    def _is_passed_on(self) -> bool:
        """Whether other code may get what is renamed as a value, also as what a decorator is called with."""
        rules, name = self._places.rules, self._places.name
        is_value = not self._group.is_member and any(each.is_passed_on(name) for each in rules)
        return is_value or any(any(rules[index].decorators(offset)) for index, offset in self._group.declared)

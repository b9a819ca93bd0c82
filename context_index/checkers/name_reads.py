"""Finds where a program reads a name, or the names of a value's members, as it runs.

No edit mends such a place: after a rename the program has the new name where it had the old one. It is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import Meaning, NameRead, Place
from context_index.checkers.type_texts import ANY_OBJECT, ANYTHING, NOTHING, flat, literal_texts, split
from context_index.checkers.unknown_functions import UnknownFunctions
from context_index.checkers.unpacked_calls import UnpackedCalls
from context_index.checkers.value_sources import ValueSources
from context_index.checkers.written_types import typed_name
from context_index.declarations import identifiers
from context_index.mentions import Assumption, NamePattern, Read, ReadForm, name_patterns
from context_index.symbols import ArrayType, LiteralType, PrimitiveType, RecordType, TypedName, whole_words
from context_index.syntax import Node, ancestors
from context_index.uris import path_of

_PARTS = "["
"""What a checker of Python writes before the types of the parts of a type."""


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
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._bases: dict[Place, Meaning] = {}
        """The results of `_bases_of`."""
        self._all_reads: dict[int, Sequence[Read]] = {}
        """The results of `_read_at`."""
        self._passed = PassedValues(answers)
        self._unknown = UnknownFunctions(answers, self._passed)
        self._unpacked = UnpackedCalls(answers, group, self._passed)
        self._has_literals = self._places.documents[0].language.record.lexis.has_object_literals
        """Whether objects have keys and no class, so that data is taken for any type; else it is for a dictionary's."""
        self._sources = ValueSources(answers, self._passed)
        self._readers_elsewhere = frozenset[str]()
        """The URIs of files that define what takes values with the name as anything."""
        self._untyped_values: dict[int, frozenset[int]] = {}
        """The results of `_without_type`."""
        self._in_question = set[Place]()
        """The values about which `_may_be_given` is being asked."""
        self._followed: dict[tuple[int, int, int, bool], bool] = {}
        """The results of `_is_given`; False for what is being asked."""
        self._targets: dict[Place, Sequence[Target]] = {}
        """Where the types of names are declared, by the names' places."""

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
                if self._in_documents(self._answers.meaning_of(targets)):
                    return False
        return not any(pattern.matches(old) and pattern.matches(new) for _, pattern in self._asked_by_bases)

    def asks_for(self, name: str) -> Iterator[tuple[Place, bool]]:
        """Where a member is asked for by a name in a string, of a value that may have the group's name.

        Each with whether the checker says nothing of the value.
        """
        for index in range(len(self._places.rules)):
            reads = [read for read in self._read_at(index) if name in read.keys]
            self._ask_types(index, (of_value for read in reads for of_value in read.names))
            for read in reads:
                is_meant = read.form is not ReadForm.ANY_KEYS and self._has_name_in_type(index, read)
                match read.form:
                    case ReadForm.ANY_KEYS:
                        may_be_meant = True
                    case ReadForm.MEMBER:
                        may_be_meant = is_meant and self._is_of_enum
                    case _:
                        may_be_meant = is_meant or self._is_open(index, read)
                if may_be_meant:
                    yield (index, read.start), not is_meant

    def may_be_given(self, index: int, name: int) -> bool:
        """Whether what a name stands for may be of the group's; not if all that it may be given has another type."""
        (of_type,) = self._types_of(index, [name])
        read = Read(name, ReadForm.KEYS, (name,), untyped=name)
        return of_type not in ANYTHING or self._may_be_given(index, read, self._may_be_asked)

    def asks_for_computed(self) -> Iterator[Place]:
        """Where code asks a value for a member by a computed name, of which the checker may not know the type."""
        for index in range(len(self._places.rules)):
            of_keys = (read for read in self._read_at(index) if read.form is ReadForm.KEYS)
            asked = [read for read in of_keys if not read.keys and read.names]
            self._ask_types(index, (read.names[0] for read in asked))
            for read in asked:
                is_asked = self._may_be_asked(index, replace(read, untyped=read.names[0]))
                if is_asked and self._may_be_computed(index, read):
                    yield index, read.start

    def _has_name_in_type(self, index: int, read: Read) -> bool:
        """Whether the type of a value says that it may have the group's name."""
        types = self._types(index, read.names, is_container=False)
        return self._is_any_module(index, read.names) or any(map(self._has_name, types))

    def _is_open(self, index: int, read: Read) -> bool:
        """Whether the type of a value, if it has one, is no class, so that the value may be of any class."""
        types = list(self._types(index, read.names, is_container=False))
        if read.untyped is None:
            return not types
        (of_type,) = self._types_of(index, [read.untyped])
        is_receiver = self._places.rules[index].class_of_receiver(read.untyped) is not None
        is_anything = not of_type or not ANY_OBJECT.isdisjoint(split(of_type, "|"))
        if not (is_anything and not is_receiver) and not any(map(self._is_no_class, types)):
            return False
        return self._may_be_given(index, read, self._may_be_asked)

    def _may_be_asked(self, index: int, read: Read) -> bool:
        """Whether a value may have the group's name, by its type or as it has none."""
        return self._has_name_in_type(index, read) or self._is_open(index, read)

    def _is_no_class(self, declared: Place) -> bool:
        """Whether what is declared at a place is a protocol, to which any class may conform, or a type variable."""
        rules, declaration = self._places.rules[declared[0]], self._declaration(declared)
        if declaration.type in rules.LOCAL_SCOPES:
            return False
        return declaration.type not in rules.CLASSES or rules.is_protocol(declaration)

    def is_beside_value(self, place: Place) -> bool:
        """Whether a call gets a literal's key at a place beside a value that has the name."""
        index, offset = place
        names = list(self._places.rules[index].names_beside(offset))
        self._ask_types(index, names)
        is_said = any((index, name) in self._group.reached for name in names)
        return is_said or any(map(self._has_name, self._types(index, names, is_container=False)))

    def is_assumed(self, place: Place) -> bool:
        """Whether the member at a place is of a type for which code takes a value that may have the name."""
        index, offset = place
        spans = ((at, self._places.syntaxes[at].span(self._declaration((at, name)))) for at, name in self._assumed)
        return any(at == index and start <= offset < end for at, (start, end) in spans)

    @cached_property
    def _assumed(self) -> frozenset[Place]:
        """Where the types are declared for which code takes values that may have the name."""
        places = set[Place]()
        for index, assumption in self._assumptions:
            if not assumption.types:
                continue
            may_hold = assumption.is_variable or self._is_of_documents(index, assumption.value)
            is_other = may_hold and (self._is_any(index, assumption.value) or self._is_cast(index, assumption))
            if is_other or (assumption.is_told and self._has_value_name(index, assumption.value)):
                said = self._types_said(index, assumption)
                places |= said.union(*(self._in_documents(self._bases_of(place)) for place in said))
        return frozenset(places)

    def _is_cast(self, index: int, assumption: Assumption) -> bool:
        """Whether code takes a value for another type than its own, or than one of several that it may be of."""
        if not assumption.cast_to:
            return False
        (of_type,) = self._types_of(index, [assumption.value])
        return set(split(of_type, "|")) - NOTHING != {assumption.cast_to}

    @cached_property
    def _assumptions(self) -> Sequence[tuple[int, Assumption]]:
        """All assumptions of the documents, each with the document's index."""
        return [(index, each) for index, rules in enumerate(self._places.rules) for each in rules.assumptions()]

    def _types_said(self, index: int, assumption: Assumption) -> frozenset[Place]:
        """Where the types of an assumption are declared, of those in the documents."""
        targets = self._answers.queries[index].targets(assumption.types)
        return frozenset[Place]().union(*(self._in_documents(self._answers.meaning_of(each)) for each in targets))

    def _is_of_documents(self, index: int, name: int) -> bool:
        """Whether the documents define what a name stands for."""
        (targets,) = self._answers.queries[index].targets([name])
        return bool(self._in_documents(self._answers.meaning_of(targets)))

    def _is_any(self, index: int, name: int) -> bool:
        """Whether the checker knows no type of what a name stands for, returns, or has in it: `any[]`."""
        (of_type,) = self._types_of(index, [name])
        return _says_anything(of_type.rpartition(" -> ")[2])  # in Python what is returned is after the parameters

    def _types_of(self, index: int, names: Sequence[int]) -> Iterator[str]:
        """What the checker writes as the types of some names; empty for a name of which it says nothing."""
        for description in self._answers.queries[index].descriptions(names):
            yield "" if description is None else description.signature.rpartition(": ")[2]

    def _has_value_name(self, index: int, name: int) -> bool:
        """Whether the value that a name stands for has the group's name."""
        self._ask_types(index, [name])
        return any(map(self._has_name, self._types(index, [name], is_container=False)))

    def _reads(self) -> Iterator[NameRead]:
        """See `NameReads.places`."""
        yield from self._as_written()
        if self._group.is_member:
            yield from self._of_language()
            yield from self._of_data()
            yield from self._handed_over()
            yield from self._entries_handed_over()
        for index, document in enumerate(self._places.documents):
            reads = [read for read in self._read_at(index) if not read.keys]
            self._ask_types(index, (name for read in reads if self._is_typed(read.form) for name in read.names))
            read_here = (read for read in reads if self._may_read(index, read) and self._may_be_computed(index, read))
            yield from (NameRead(document.uri, read.start, read.form) for read in read_here)

    def _handed_over(self) -> Iterator[NameRead]:
        """Where a function of which nothing is known gets a value that has the name, or a literal with it as a key."""
        for index, rules in enumerate(self._places.rules):
            given = list(rules.given_values())
            self._ask_types(index, (name for each in given for name in each.names))
            for each in given:
                has_key = any((index, key) in self._group.reached for key in each.keys)
                values = self._with_parts(self._types(index, each.names))
                if has_key or any(map(self._has_name, values)):
                    self._readers_elsewhere |= self._takers_elsewhere(index, each.called)
                    if self._unknown.has(index, each.called):
                        yield NameRead(self._places.documents[index].uri, each.start, ReadForm.HANDED)

    def _takers_elsewhere(self, index: int, called: int) -> frozenset[str]:
        """The URIs of the files, none of the documents, that define a called function which may take anything.

        Such a file need not have the name to read it.
        """
        (targets,) = self._answers.queries[index].targets([called])
        elsewhere = frozenset(each.uri for each in self._answers.meaning_of(targets) if isinstance(each, Target))
        (description,) = self._answers.queries[index].descriptions([called]) if elsewhere else (None,)
        signature = "" if description is None else description.signature
        function = typed_name(signature, "", self._places.documents[index].language).signature
        if function is None:
            return frozenset()
        types = [each for parameter in function.parameters for each in split(parameter.text, "|")]
        has_variables = function.text.startswith("<")  # in the place of which the checker writes what they are here
        return elsewhere if has_variables or not ANY_OBJECT.isdisjoint(types) else frozenset()

    def _entries_handed_over(self) -> Iterator[NameRead]:
        """Where a library's function gets a dictionary with the name as a key, and goes through its keys."""
        for index, rules in enumerate(self._places.rules) if self._group.is_key else ():
            given, query = list(rules.given_values()), self._answers.queries[index]
            self._ask_types(index, (name for each in given for name in each.names))
            for each, targets in zip(given, query.targets(each.called for each in given), strict=True):
                names = [name for name in each.names if any(map(self._has_name, self._types(index, [name])))]
                is_elsewhere = bool(targets) and not self._in_documents(self._answers.meaning_of(targets))
                if is_elsewhere and any(self._takes_entries(index, name) for name in names):
                    yield NameRead(self._places.documents[index].uri, each.start, ReadForm.ITEMS)

    def _takes_entries(self, index: int, argument: int) -> bool:
        """Whether the parameter for an argument is of a type with parts (`Iterable[T]`), and not of the argument's."""
        signatures = self._answers.queries[index].signatures(argument)
        parameter = None if signatures is None else signatures.active_signature.parameter
        of_type = (parameter or "").partition(":")[2].partition("=")[0]
        words = self._words_of_type - {self._places.name}
        is_own = any(next(whole_words(of_type, word), None) is not None for word in words)
        return not is_own and _PARTS in of_type

    def _may_be_computed(self, index: int, read: Read) -> bool:
        """Whether a computed name may be the old or the new name, by its constant parts or by its type."""
        if read.key is None:
            return True
        patterns = name_patterns(self._places.rules[index], read.key)
        if not patterns and read.key.type == "identifier":
            (of_type,) = self._types_of(index, [self._places.syntaxes[index].start(read.key)])
            patterns = tuple(NamePattern(text, is_whole=True) for text in literal_texts(of_type))
        return not patterns or any(each.concerns(self._places.name, self._answers.new) for each in patterns)

    def _read_at(self, index: int) -> Sequence[Read]:
        """All reads of a document."""
        if index not in self._all_reads:
            self._all_reads[index] = list(self._places.rules[index].reads(self._library.at(index)))
        return self._all_reads[index]

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

    def _of_data(self) -> Iterator[NameRead]:
        """Where code takes values without a type for those of a type that has the name."""
        if not (self._has_literals or self._group.is_key):
            return
        for index, assumption in self._assumptions:
            if not assumption.types and assumption.value not in self._without_type(index):
                continue
            if self._is_said_of(index, assumption) and self._is_of_anything(index, assumption):
                yield NameRead(self._places.documents[index].uri, assumption.value, ReadForm.ASSUMED)

    def _without_type(self, index: int) -> frozenset[int]:
        """Those values of a document's assumptions of which the checker knows no type, asked all at once."""
        if index not in self._untyped_values:
            said = [each.value for at, each in self._assumptions if at == index and not each.types]
            self._ask_types(index, said)
            values = [value for value in dict.fromkeys(said) if not any(self._types(index, [value]))]
            types = self._types_of(index, values)
            self._untyped_values[index] = frozenset(
                value
                for value, of_type in zip(values, types, strict=True)
                if _says_anything(of_type.rpartition(" -> ")[2])
            )
        return self._untyped_values[index]

    def _is_of_anything(self, index: int, assumption: Assumption) -> bool:
        """Whether the value of an assumption has no type, or one that says nothing of its members."""
        if assumption.callback is not None:
            return self._gets_anything(index, *assumption.callback)
        if self._is_any(index, assumption.value):
            return True
        if not assumption.cast_to:
            return False
        (targets,) = self._answers.queries[index].type_targets([assumption.value])
        if assumption.is_told and targets:
            return not self._in_documents(self._answers.meaning_of(targets))
        (description,) = self._answers.queries[index].descriptions([assumption.value])
        signature = "" if description is None else description.signature
        of_type = typed_name(signature, "", self._places.documents[index].language)
        structure = of_type.structure if of_type.signature is None else of_type.signature.returns
        return isinstance(structure, RecordType) and not structure.properties  # members by any name, or none

    def _gets_anything(self, index: int, function: int, position: int) -> bool:
        """Whether a function that is an argument is given values without a type for a parameter, by what is called."""
        signatures = self._answers.queries[index].signatures(function)
        parameter = None if signatures is None else signatures.active_signature.parameter
        of_function = typed_name(parameter or "", "", self._places.documents[index].language).signature
        if of_function is None or not of_function.parameters:
            return False
        given = of_function.parameters[position : position + 1] or of_function.parameters[-1:]
        is_there = position < len(of_function.parameters) or given[0].is_rest
        return is_there and _says_anything(given[0].text)

    def _is_said_of(self, index: int, assumption: Assumption) -> bool:
        """Whether the type of an assumption has the name, or that of one of its fields has."""
        if any((index, name) in self._group.declared for name in assumption.types):
            return True  # the type is written out: `as {total: number}`
        said = self._types_said(index, assumption)
        if any(map(self._has_name, self._with_types_said(said))) or any(map(self._may_stand_for_name, said)):
            return True
        if assumption.target is not None:
            return self._has_value_name(index, assumption.target)
        return assumption.argument is not None and self._is_parameter_of(index, assumption)

    def _may_stand_for_name(self, declared: Place) -> bool:
        """Whether a place declares a type variable that somewhere stands for a type with the name, as code says it.

        It is also if the checker writes such a type where the function or the class of the variable is said.
        """
        index, _ = declared
        rules = self._places.rules[index]
        variable = self._declaration(declared)
        generic = rules.name_of_generic(variable) if variable.type in rules.TYPE_VARIABLES else None
        if generic is None:
            return False
        for place in self._answers.meaning_of(self._answers.queries[index].references(generic)):
            if isinstance(place, tuple) and place != (index, generic):
                at, said = place
                if place in self._told_types[0] or self._is_in_signatures(at, [said]):
                    return True
        return False

    @cached_property
    def _told_types(self) -> tuple[frozenset[Place], frozenset[str]]:
        """The names of functions and classes whose type variables stand for types with the name, as code says it.

        And the URIs of the files, none of the documents, that define them: what is taken for the type is there.
        """
        places, files = set[Place](), set[str]()
        for index, rules in enumerate(self._places.rules):
            for each in rules.type_arguments():
                types = self._answers.queries[index].targets(each.types)
                said = frozenset[Place]().union(*(self._in_documents(self._answers.meaning_of(one)) for one in types))
                if any(map(self._has_name, self._with_types_said(said))):
                    (targets,) = self._answers.queries[index].targets([each.name])
                    meaning = self._answers.meaning_of(targets)
                    files |= {target.uri for target in meaning if isinstance(target, Target)}
                    places.add((index, each.name))
        return frozenset(places), frozenset(files)

    def _with_types_said(self, declared: Iterable[Place]) -> Iterator[Place]:
        """Places where types are declared, and where those are that their fields say or that they stand for.

        TypeScript's classes say none, as data is of no class.
        """
        pending, seen = list(declared), set[Place]()
        while pending:
            index, offset = place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            yield place
            rules, syntax = self._places.rules[index], self._places.syntaxes[index]
            if rules.is_type(offset) or (not self._has_literals and rules.class_declared_at(offset)):
                declaration = self._declaration(place)
                fields = [rules.node(field).parent for field in rules.fields(declaration)] or [declaration]
                names = [name for field in fields if field for name in identifiers(syntax, syntax.span(field))]
                said = [*map(syntax.start, names), *rules.bases(declaration)]
                for targets in self._answers.queries[index].targets(said):
                    pending += self._in_documents(self._answers.meaning_of(targets))

    def _is_parameter_of(self, index: int, assumption: Assumption) -> bool:
        """Whether the function that gets a value without a type says that it is of a type with the name."""
        if assumption.argument is None or not self._is_any(index, assumption.value):
            return False
        signatures = self._answers.queries[index].signatures(assumption.argument)
        parameter = None if signatures is None else signatures.active_signature.parameter
        of_type = (parameter or "").partition(":")[2]
        words = self._words_of_type - {self._places.name}
        return any(next(whole_words(of_type, word), None) is not None for word in words)

    def _of_language(self) -> Iterator[NameRead]:
        """What the language itself gives the name of a member: metaclasses, and decorators in ECMAScript."""
        documents, rules = self._places.documents, self._places.rules
        for index, offset in sorted(self._in_documents(self._metaclasses)):
            for maker in rules[index].makers_of_classes(self._declaration((index, offset))):
                yield NameRead(documents[index].uri, maker, ReadForm.SPACE)
        for index, offset in sorted(self._group.declared):
            for decorator in rules[index].name_getters(offset):
                yield NameRead(documents[index].uri, decorator, ReadForm.DECORATOR)

    def _possible_readers(self) -> Iterator[str]:
        """See `NameReads.possible_readers`; sorted."""
        definitions = (*self._all_bases, *self._metaclasses, *self._decorators)
        found = self._passed.callers | self._readers_elsewhere
        found |= self._told_types[1] if self._group.is_member else set()
        yield from sorted(found.union(each.uri for each in definitions if isinstance(each, Target)))

    def _dispatching_bases(self) -> Iterator[str]:
        """See `NameReads.dispatching_bases`; sorted."""
        old, new = self._places.name, self._answers.new
        yield from sorted({uri for uri, pattern in self._asked_by_bases if pattern.concerns(old, new)})

    @cached_property
    def _asked_by_bases(self) -> frozenset[tuple[str, NamePattern]]:
        """The computed names by which bases outside of the documents ask for members, each with the base's URI."""
        knows_families = not self._places.documents[0].language.record.checker.renames_overrides
        if not knows_families or not any(isinstance(base, Target) for base in self._all_bases):
            return frozenset()
        return frozenset(
            (target.uri, pattern)
            for index, offset in self._classes
            for target in self._answers.bases_elsewhere(index, offset)
            if (declared := path_of(target.uri)) is not None
            for pattern in self._places.rules[index].asked_by_class(declared, target.line)
        )

    def _unknown_bases(self) -> Iterator[Place]:
        """See `NameReads.unknown_bases`; sorted."""
        for index, offset in sorted(self._classes | self._around):
            names = list(self._places.rules[index].bases(self._declaration((index, offset))))
            for name, of_type in zip(names, self._types_of(index, names), strict=True):
                returned = of_type.rpartition(" -> ")[2]  # of a function that makes a base
                if not returned or not ANYTHING.isdisjoint(split(returned, "|")):
                    yield index, name

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
                return self._is_of_enum
            case ReadForm.STRING:
                return self._has_text
        return False

    def _ask_types(self, index: int, names: Iterable[int]) -> None:
        """Ask where the types of some names of a document are declared, all at once."""
        reached, known = self._group.reached, self._targets
        asked = [name for name in dict.fromkeys(names) if (index, name) not in reached and (index, name) not in known]
        targets = self._answers.queries[index].type_targets(asked) if asked else ()
        self._targets |= {(index, name): declared for name, declared in zip(asked, targets, strict=True)}

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
                return self._group.is_key and (is_read or self._is_in_signatures(index, read.names))
        return self._is_typed(read.form) and self._may_read_members(index, read)

    def _is_said(self, index: int, read: Read) -> bool:
        """Whether one of the names of a read is the group's."""
        return any((index, name) in self._group.reached for name in read.names)

    def _may_read_own_name(self, index: int, read: Read) -> bool:
        """Whether a place reads the own name of a function or a class, and it is the group's."""
        classes = self._group.reached | self._around
        is_of_class = self._is_typed(read.form) and not classes.isdisjoint(self._types(index, read.names))
        is_meant = self._is_said(index, read) or is_of_class or self._is_unknown(index, read)
        return is_meant and self._is_own_name(index, read)

    def _may_read_members(self, index: int, read: Read) -> bool:
        """Whether a place reads members of a value that has the group's name among them."""
        if self._is_any_module(index, read.names) or self._is_unknown(index, read):
            return True
        types = self._types(index, read.names, is_container=read.form not in (ReadForm.KEYS, ReadForm.LISTED))
        is_deep = read.form is ReadForm.MEMBERS
        if any(map(self._has_name, self._with_parts(types) if is_deep else types)):
            return True
        if is_deep and self._is_in_types(index, read.names):
            return True
        if read.form is ReadForm.STRING and self._is_returned(index, read.names):
            return True
        return read.value is not None and self._is_given(index, read.value, is_deep=is_deep)

    def _is_given(self, index: int, value: Node, *, is_deep: bool) -> bool:
        """Whether an expression's value is seen to have the group's name: by its parts, or by what is given for these.

        Args:
            is_deep: Whether its elements and its members' members count.
        """
        place = (index, *self._places.syntaxes[index].span(value), is_deep)
        if place not in self._followed:
            self._followed[place] = False
            parts = self._places.rules[index].value_parts(value, is_deep=is_deep)
            self._ask_types(index, parts.names)
            types = self._types(index, parts.names, is_container=is_deep)
            self._followed[place] = (
                any((index, key) in self._group.reached for key in parts.keys)
                or any(map(self._has_name, self._with_parts(types) if is_deep else types))
                or any(
                    self._is_given(source.index, source.node, is_deep=is_deep or source.is_part)
                    for name in self._objects(index, parts.names, has_parts=is_deep)
                    for source in self._sources.of(index, name, is_anything=self._may_be_anything(index, name))
                )
            )
        return self._followed[place]

    def _objects(self, index: int, names: Sequence[int], *, has_parts: bool) -> Iterator[int]:
        """Those of some names that may stand for an object with members of its own, by the checker's word.

        Args:
            has_parts: Whether lists count as well.
        """
        language = self._places.documents[index].language
        for name, description in zip(names, self._answers.queries[index].descriptions(names), strict=True):
            signature = "" if description is None else description.signature
            if _may_have_members(typed_name(signature, "", language), has_parts=has_parts):
                yield name

    def _is_any_module(self, index: int, names: Iterable[int]) -> bool:
        """Whether one of some names is of the type of modules, or of what has modules, if a module's name is meant."""
        module = self._places.documents[index].language.record.module_type
        if not module or not self._group.is_of_module:
            return False
        descriptions = self._answers.queries[index].descriptions(names)
        signatures = (description.signature for description in descriptions if description is not None)
        return any(next(whole_words(signature, module), None) is not None for signature in signatures)

    def _is_of_source(self, index: int, read: Read) -> bool:
        """Whether the name is in the code of what is said in a read."""
        for targets in self._answers.queries[index].targets(read.names):
            for at, offset in self._in_documents(self._answers.meaning_of(targets)):
                declaration, rules = self._declaration((at, offset)), self._places.rules[at]
                value = declaration.child_by_field_name("value") or declaration
                if value.type not in rules.LOCAL_SCOPES | rules.CLASSES:
                    continue
                start, end = self._places.syntaxes[at].span(declaration)
                if any(other == at and start <= place < end for other, place in self._group.edits):
                    return True
        return False

    def _is_in_types(self, index: int, names: Iterable[int]) -> bool:
        """Whether the checker writes the name of a member, or of what declares it, in the type of one of some names.

        So it does for what is made of a value: `{...cart}`, `Partial<Cart>`, `list[Cart]`.
        """
        called = self._places.rules[index].called
        return self._group.is_member and self._is_in_signatures(index, [name for name in names if name not in called])

    def _is_returned(self, index: int, names: Iterable[int]) -> bool:
        """Whether a function that is called returns what `_words_of_type` name, as the checker writes its type."""
        called = [name for name in names if name in self._places.rules[index].called]
        returned = (of_type.rpartition(" -> ")[2] for of_type in self._types_of(index, called) if " -> " in of_type)
        words = self._words_of_type - {self._places.name}
        return any(next(whole_words(each, word), None) is not None for each in returned for word in words)

    def _is_in_signatures(self, index: int, names: Iterable[int]) -> bool:
        """As `_is_in_types`, also for the types of what functions return."""
        for description in self._answers.queries[index].descriptions(names):
            signature = "" if description is None else description.signature
            of_type = signature.partition(": ")[2] or signature
            if any(next(whole_words(of_type, word), None) is not None for word in self._words_of_type):
                return True
        return False

    @cached_property
    def _words_of_type(self) -> frozenset[str]:
        """The name, and the names of the classes and types that declare it."""
        words = {self._places.name}
        for index, offset in self._classes:
            words.add(self._places.syntaxes[index].text(self._places.rules[index].node(offset)))
        for index, offset in self._group.declared:
            rules = self._places.rules[index]
            node = rules.node(offset)
            for around in ancestors(node):
                name = around.child_by_field_name("name")
                if name is not None and name != node:
                    words |= set() if around.type in rules.LOCAL_SCOPES else {self._places.syntaxes[index].text(name)}
                    break
        return frozenset(words)

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

    def _with_parts(self, declared: Iterable[Place]) -> Iterator[Place]:
        """Places where types are declared, and where those of their fields are, and of the fields of these."""
        pending, seen = list(declared), set[Place]()
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            yield place
            index, _ = place
            fields = list(self._places.rules[index].fields(self._declaration(place)))
            self._ask_types(index, (field for field in fields if (index, field) not in self._targets))
            pending += self._types(index, fields)

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
    def _is_of_enum(self) -> bool:
        """Whether the name is an enumeration's member, which knows its name."""
        return self._group.is_member and bool(self._answers.values)

    @cached_property
    def _has_text(self) -> bool:
        """Whether the text of an enumeration's member has its name: no class makes another one."""
        rules, library = self._places.rules[0], self._library
        made = frozenset[Place | Target]().union(*(member.text for member in self._answers.values.values()))
        is_of_value = not library.defined(rules.ENUM_OF_VALUES).isdisjoint(self._supertypes)
        return self._is_of_enum and not made.isdisjoint(library.defined(rules.ENUM_TEXT)) and not is_of_value

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
        (of_type,) = self._types_of(index, [read.untyped])
        match read.form:
            case ReadForm.PARAMETERS:
                return of_type in ANYTHING
            case ReadForm.NAME if of_type in ANYTHING or not self._classes:
                return of_type in ANYTHING
            case ReadForm.NAME:
                may_read = self._may_read_own_name
            case _:
                may_read = self._may_read_members
        is_broad = self._may_be_anything if self._has_literals else self._is_broad
        return (of_type in ANYTHING or is_broad(index, read.untyped)) and self._may_be_given(index, read, may_read)

    def _is_broad(self, index: int, name: int) -> bool:
        """Whether a value with the group's name may be of the type of what a name stands for, which does not say it.

        It may be of a base, of a type variable, of a protocol, and of a library's type that is no class. Where a check
        leaves a part of a type (`~None`), the type with which the name is declared counts.
        """
        query = self._answers.queries[index]
        (targets,), (types,) = query.targets([name]), query.type_targets([name])
        if set(targets) == set(types):  # it is a class, a function or a module itself
            return False
        if (is_broad := self._is_class_broad(index, name)) is not None:
            return is_broad
        declared = self._in_documents(self._answers.meaning_of(targets)) or {(index, name)}
        return any(self._is_broad_without_class(*place) for place in declared)

    def _is_broad_without_class(self, index: int, name: int) -> bool:
        """`_is_broad` of a declared name; what has no class is a protocol or the like, or anything (`type[Any]`)."""
        if (is_broad := self._is_class_broad(index, name)) is not None:
            return is_broad
        query = self._answers.queries[index]
        (types,), (description,) = query.type_targets([name]), query.descriptions([name])
        language = self._places.documents[index].language
        typed = None if description is None else typed_name(description.signature, "", language)
        return typed is not None and typed.signature is None and (bool(types) or self._is_any(index, name))

    def _is_class_broad(self, index: int, name: int) -> bool | None:
        """`_is_broad` by a name's type alone; None if the checker knows no class for it."""
        query = self._answers.queries[index]
        (types,) = query.type_targets([name])
        declared = self._answers.meaning_of(types)
        if not declared.isdisjoint(self._supertypes):
            return True
        others = [place for place in self._in_documents(declared) if self._is_no_class(place)]
        if others:
            return any(map(self._may_be_bound_to_name, others))
        return None if query.class_at(name) is None else False

    def _may_be_bound_to_name(self, declared: Place) -> bool:
        """Whether what is declared at a place is no type variable that is bound to other classes only."""
        index, offset = declared
        bounds = self._answers.queries[index].targets(self._places.rules[index].bounds(offset))
        places = self._in_documents(frozenset().union(*map(self._answers.meaning_of, bounds)))
        classes = [(at, place) for at, place in places if self._places.rules[at].class_declared_at(place)]
        return not classes or any(self._has_name(each) or self._is_no_class(each) for each in classes)

    def _may_be_anything(self, index: int, name: int) -> bool:
        """Whether the type of what a name stands for says nothing of its members: `any`, `object`, a type variable."""
        (of_type,) = self._types_of(index, [name])
        if not of_type or not ANY_OBJECT.isdisjoint(split(of_type, "|")):
            return True
        self._ask_types(index, [name])
        declarations = map(self._declaration, self._types(index, [name], is_container=False))
        return any(
            node.type in self._places.rules[index].TYPE_VARIABLES and _constraint_text(node) in ANY_OBJECT
            for node in declarations
        )

    def _may_be_given(self, index: int, read: Read, may_read: Callable[[int, Read], bool]) -> bool:
        """Whether the value that is read, which has no type, may be of the group's by what the calls give for it.

        Args:
            may_read: Whether it is so for the read of an argument.
        """
        if read.untyped is None:
            return True
        if (place := (index, read.untyped)) in self._in_question:  # a function that calls itself gives nothing more
            return False
        given = self._passed.given_for(index, read.untyped)
        if given is None:
            return True
        self._in_question.add(place)
        try:
            return any(self._may_argument_be(at, node, read.form, may_read) for at, node in given)
        finally:
            self._in_question.remove(place)

    def _may_argument_be(
        self, index: int, argument: Node, form: ReadForm, may_read: Callable[[int, Read], bool]
    ) -> bool:
        """Whether a read of an argument is one of the group's name, or nothing is known of what the argument is."""
        start = self._places.syntaxes[index].start(argument)
        parts = self._places.rules[index].value_parts(argument, is_deep=True)
        names = parts.names
        if any((index, key) in self._group.edits for key in parts.keys):
            return True
        is_name = argument.type == "identifier"
        if not is_name and any(self._is_any(index, name) for name in names):
            return True
        self._ask_types(index, names)
        return bool(names) and may_read(index, Read(start, form, names, untyped=start if is_name else None))

    @cached_property
    def _is_passed_on(self) -> bool:
        """Whether other code may get what is renamed as a value, also as what a decorator is called with."""
        rules, name = self._places.rules, self._places.name
        is_value = not self._group.is_member and any(each.is_passed_on(name) for each in rules)
        return is_value or any(any(rules[index].decorators(offset)) for index, offset in self._group.declared)

    def _types(self, index: int, names: Iterable[int], *, is_container: bool = True) -> Iterator[Place]:
        """Where the types of some names of a document are declared, of those asked about, and in the documents.

        Args:
            is_container: Whether TypeScript's type of a container counts, whose places are also those of its elements.
        """
        rules = self._places.rules[index]
        for name in names:
            if (index, name) not in self._targets:
                continue
            if (of_class := rules.class_of_receiver(name)) is not None:
                own_name = rules.class_name_place(of_class)
                yield from () if own_name is None else [(index, own_name)]
            meaning = self._answers.meaning_of(self._targets[index, name])
            places = self._in_documents(meaning)
            if is_container or places == meaning:
                yield from places

    def _has_name(self, declared: Place) -> bool:
        """Whether a value has the group's name among its members: by what its type declares, or a related class."""
        if declared in self._around or declared in self._metaclasses or self._declares(declared):
            return True
        return any(map(self._declares, self._in_documents(self._bases_of(declared))))

    def _declares(self, declared: Place) -> bool:
        """Whether what is declared at a place declares the name within: a class, a type, a literal, or a module."""
        index, offset = declared
        if offset == 0 and self._group.is_of_module:
            rules = self._places.rules[index]
            return any(at == index and rules.is_of_module(place) for at, place in self._group.reached)
        syntax = self._places.syntaxes[index]
        start, end = syntax.span(self._declaration(declared))
        return self._group.is_member and any(at == index and start < place < end for at, place in self._group.declared)

    def _declaration(self, declared: Place) -> Node:
        """The node of what is declared at a place, which is its name or its start."""
        index, offset = declared
        node = self._places.rules[index].node(offset)
        parent = node.parent
        is_name = parent is not None and parent.child_by_field_name("name") == node
        is_start = parent is not None and not node.is_named and self._places.syntaxes[index].start(parent) == offset
        return parent if parent is not None and (is_name or is_start) else node

    @cached_property
    def _classes(self) -> frozenset[Place]:
        """The names of the classes that declare the name as a member, or that have it themselves."""
        classes = set[Place]()
        for index, offset in self._group.declared:
            rules = self._places.rules[index]
            of_class = rules.enclosing_class(offset) if self._group.is_member else rules.class_declared_at(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            classes |= set() if name is None else {(index, name)}
        return frozenset(classes)

    @cached_property
    def _all_bases(self) -> Meaning:
        """The definitions of all bases of `_classes`."""
        return frozenset[Place | Target]().union(*map(self._bases_of, self._classes))

    @cached_property
    def _supertypes(self) -> Meaning:
        """The definitions of the types of `_classes` and of their instances: bases, also `object`, and `type`."""
        own = {base for index, offset in self._classes for base in self._answers.bases_elsewhere(index, offset)}
        return self._all_bases | self._metaclasses | own | self._library.defined(self._places.rules[0].TYPE_OF_CLASSES)

    @cached_property
    def _metaclasses(self) -> Meaning:
        """The definitions of the metaclasses of `_classes` and of their bases, and of the metaclasses' own bases."""
        metaclasses = set[Place | Target]()
        for index, offset in self._classes | self._around:
            names = list(self._places.rules[index].metaclasses(self._declaration((index, offset))))
            metaclasses |= set().union(*map(self._answers.meaning_of, self._answers.queries[index].targets(names)))
        return frozenset(metaclasses).union(*map(self._bases_of, self._in_documents(frozenset(metaclasses))))

    @cached_property
    def _around(self) -> frozenset[Place]:
        """The names of these bases, if in the documents: their instances may be of the classes."""
        return self._in_documents(self._all_bases)

    @cached_property
    def _decorators(self) -> Meaning:
        """The definitions of the decorators of what is renamed, and of the functions and classes around it."""
        return frozenset[Place | Target]().union(
            *(
                self._answers.meaning_of(targets)
                for index, offset in self._group.declared | self._classes | self._group.function_places
                for targets in self._answers.queries[index].targets(self._places.rules[index].decorators(offset))
            )
        )

    def _bases_of(self, of_class: Place) -> Meaning:
        """The definitions of all bases, also indirect ones, of the class whose name is at a place.

        Bases of what is defined outside of the documents are not among them.
        """
        if of_class not in self._bases:
            bases, pending = set[Place | Target](), [of_class]
            while pending:
                direct = self._direct_bases(pending.pop())
                pending += self._in_documents(direct - bases)
                bases |= direct
            self._bases[of_class] = frozenset(bases)
        return self._bases[of_class]

    def _direct_bases(self, of_class: Place) -> Meaning:
        """The definitions of the direct bases of a class.

        Of a computed base, as in `class Cart(make())`, that of `make`, and that of the base if the checker knows it.
        """
        index, offset = of_class
        names = list(self._places.rules[index].bases(self._declaration(of_class)))
        meanings = map(self._answers.meaning_of, self._answers.queries[index].targets(names))
        said = frozenset[Place | Target]().union(*meanings)
        if all(self._places.rules[at].class_declared_at(place) is not None for at, place in self._in_documents(said)):
            return said
        return said | self._in_documents(self._answers.known_bases(index, offset))

    def _in_documents(self, meaning: Meaning) -> frozenset[Place]:
        return frozenset(place for place in meaning if isinstance(place, tuple))


def _constraint_text(variable: Node) -> str:
    """The type of which a type variable's values are, as its declaration says; empty if it says none."""
    constraint = variable.child_by_field_name("constraint")
    text = None if constraint is None else constraint.named_children[0].text
    return "" if text is None else text.decode()


def _may_have_members(of_type: TypedName, *, has_parts: bool) -> bool:
    """Whether a type, if it is known, is one of objects with members of their own, or of lists if these count."""
    if not ANY_OBJECT.isdisjoint(split(of_type.type or "", "|")):
        return True
    parts = flat([of_type.structure])
    objects = [each for each in parts if not isinstance(each, PrimitiveType | LiteralType)]
    return any(has_parts or not isinstance(each, ArrayType) for each in objects)


def _says_anything(of_type: str) -> bool:
    """Whether a type is unknown or that of anything, or has such a one in it: `any[]`."""
    return not of_type or any(next(whole_words(of_type, word), None) is not None for word in ANYTHING - {""})

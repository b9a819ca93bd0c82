"""Where code takes a value for a type that it is not of, as far as the checker knows: data for a type with the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import NameRead, Place, in_documents
from context_index.checkers.type_texts import NOTHING, split
from context_index.checkers.value_types import ValueTypes, says_anything
from context_index.checkers.written_types import typed_name
from context_index.declarations import identifiers
from context_index.mentions import Assumption, ReadForm
from context_index.symbols import RecordType


class AssumedTypes:
    """Answers for one group that has grown."""

    def __init__(self, answers: NameMeanings, group: NameGroup, holders: NameHolders, types: ValueTypes) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
        self._holders, self._types = holders, types
        self._untyped_values: dict[int, frozenset[int]] = {}
        """The results of `_without_type`."""

    def has(self, place: Place) -> bool:
        """Whether the member at a place is of a type for which code takes a value that may have the name."""
        index, offset = place
        spans = (
            (at, self._places.syntaxes[at].span(self._places.declaration((at, name)))) for at, name in self._taken_for
        )
        return any(at == index and start <= offset < end for at, (start, end) in spans)

    def reads(self) -> Iterator[NameRead]:
        """Where code takes values without a type for those of a type that has the name."""
        if not (self._places.has_object_literals or self._group.is_key):
            return  # objects have classes, and data is taken for a dictionary's type only
        for index, assumption in self._assumptions:
            if not assumption.types and assumption.value not in self._without_type(index):
                continue
            if self._is_said_of(index, assumption) and self._is_of_anything(index, assumption):
                yield NameRead(self._places.documents[index].uri, assumption.value, ReadForm.ASSUMED)

    @cached_property
    def _taken_for(self) -> frozenset[Place]:
        """Where the types are declared for which code takes values that may have the name."""
        places = set[Place]()
        for index, assumption in self._assumptions:
            if not assumption.types:
                continue
            may_hold = assumption.is_variable or self._is_of_documents(index, assumption.value)
            is_other = may_hold and (self._types.is_any(index, assumption.value) or self._is_cast(index, assumption))
            if is_other or (assumption.is_told and self._types.has_name(index, assumption.value)):
                said = self._types_said(index, assumption)
                places |= said.union(*(in_documents(self._holders.bases_of(place)) for place in said))
        return frozenset(places)

    def _is_cast(self, index: int, assumption: Assumption) -> bool:
        """Whether code takes a value for another type than its own, or than one of several that it may be of."""
        if not assumption.cast_to:
            return False
        (of_type,) = self._types.texts(index, [assumption.value])
        return set(split(of_type, "|")) - NOTHING != {assumption.cast_to}

    @cached_property
    def _assumptions(self) -> Sequence[tuple[int, Assumption]]:
        """All assumptions of the documents, each with the document's index."""
        return [(index, each) for index, rules in enumerate(self._places.rules) for each in rules.assumptions()]

    def _types_said(self, index: int, assumption: Assumption) -> frozenset[Place]:
        """Where the types of an assumption are declared, of those in the documents."""
        targets = self._answers.queries[index].targets(assumption.types)
        return frozenset[Place]().union(*(in_documents(self._answers.meaning_of(each)) for each in targets))

    def _is_of_documents(self, index: int, name: int) -> bool:
        """Whether the documents define what a name stands for."""
        (targets,) = self._answers.queries[index].targets([name])
        return bool(in_documents(self._answers.meaning_of(targets)))

    def _without_type(self, index: int) -> frozenset[int]:
        """Those values of a document's assumptions of which the checker knows no type, asked all at once."""
        if index not in self._untyped_values:
            said = [each.value for at, each in self._assumptions if at == index and not each.types]
            self._types.ask(index, said)
            values = [value for value in dict.fromkeys(said) if not any(self._types.declared(index, [value]))]
            types = self._types.texts(index, values)
            self._untyped_values[index] = frozenset(
                value
                for value, of_type in zip(values, types, strict=True)
                if says_anything(of_type.rpartition(" -> ")[2])
            )
        return self._untyped_values[index]

    def _is_of_anything(self, index: int, assumption: Assumption) -> bool:
        """Whether the value of an assumption has no type, or one that says nothing of its members."""
        if assumption.callback is not None:
            return self._gets_anything(index, *assumption.callback)
        if self._types.is_any(index, assumption.value):
            return True
        if not assumption.cast_to:
            return False
        (targets,) = self._answers.queries[index].type_targets([assumption.value])
        if assumption.is_told and targets:
            return not in_documents(self._answers.meaning_of(targets))
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
        return is_there and says_anything(given[0].text)

    def _is_said_of(self, index: int, assumption: Assumption) -> bool:
        """Whether the type of an assumption has the name, or that of one of its fields has."""
        if any((index, name) in self._group.declared for name in assumption.types):
            return True  # the type is written out: `as {total: number}`
        said = self._types_said(index, assumption)
        if any(map(self._holders.has_name, self._with_types_said(said))) or any(map(self._may_stand_for_name, said)):
            return True
        if assumption.target is not None:
            return self._types.has_name(index, assumption.target)
        return assumption.argument is not None and self._is_parameter_of(index, assumption)

    def _may_stand_for_name(self, declared: Place) -> bool:
        """Whether a place declares a type variable that somewhere stands for a type with the name, as code says it.

        It is also if the checker writes such a type where the function or the class of the variable is said.
        """
        index, _ = declared
        rules = self._places.rules[index]
        variable = self._places.declaration(declared)
        generic = rules.name_of_generic(variable) if variable.type in rules.TYPE_VARIABLES else None
        if generic is None:
            return False
        for place in self._answers.meaning_of(self._answers.queries[index].references(generic)):
            if isinstance(place, tuple) and place != (index, generic):
                at, said = place
                if place in self._told_types[0] or self._types.is_in_signatures(at, [said]):
                    return True
        return False

    @property
    def generic_files(self) -> frozenset[str]:
        """The URIs of the files, none of the documents, that take data for the types with the name by generics."""
        return self._told_types[1]

    @cached_property
    def _told_types(self) -> tuple[frozenset[Place], frozenset[str]]:
        """The names of functions and classes whose type variables stand for types with the name, as code says it.

        And the URIs of the files, none of the documents, that define them: what is taken for the type is there.
        """
        places, files = set[Place](), set[str]()
        for index, rules in enumerate(self._places.rules):
            for each in rules.type_arguments():
                types = self._answers.queries[index].targets(each.types)
                said = frozenset[Place]().union(*(in_documents(self._answers.meaning_of(one)) for one in types))
                if any(map(self._holders.has_name, self._with_types_said(said))):
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
            if rules.is_type(offset) or (not self._places.has_object_literals and rules.class_declared_at(offset)):
                declaration = self._places.declaration(place)
                fields = [rules.node(field).parent for field in rules.fields(declaration)] or [declaration]
                names = [name for field in fields if field for name in identifiers(syntax, syntax.span(field))]
                said = [*map(syntax.start, names), *rules.bases(declaration)]
                for targets in self._answers.queries[index].targets(said):
                    pending += in_documents(self._answers.meaning_of(targets))

    def _is_parameter_of(self, index: int, assumption: Assumption) -> bool:
        """Whether the function that gets a value without a type says that it is of a type with the name."""
        if assumption.argument is None or not self._types.is_any(index, assumption.value):
            return False
        signatures = self._answers.queries[index].signatures(assumption.argument)
        parameter = None if signatures is None else signatures.active_signature.parameter
        of_type = (parameter or "").partition(":")[2]
        return self._holders.is_type_in(of_type)

"""Where values with a renamed name are given to functions that may read their members, as far as is known."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.checkers.answers import Target
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import NameRead, in_documents
from context_index.checkers.type_texts import ANY_OBJECT, split
from context_index.checkers.unknown_functions import UnknownFunctions
from context_index.checkers.value_types import ValueTypes
from context_index.checkers.written_types import typed_name
from context_index.mentions import ReadForm

_PARTS = "["
"""What a checker of Python writes before the types of the parts of a type."""


class HandedValues:
    """Answers for one group that has grown."""

    def __init__(
        self, answers: NameMeanings, group: NameGroup, passed: PassedValues, holders: NameHolders, types: ValueTypes
    ) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
        self._holders, self._types = holders, types
        self._unknown = UnknownFunctions(answers, passed)
        self.takers = frozenset[str]()
        """The URIs of files that define what takes values with the name as anything, of those seen by `reads`."""

    def reads(self) -> Iterator[NameRead]:
        """Where what is called may read the name of what it is given. Changes `takers`."""
        yield from self._handed_over()
        yield from self._entries_handed_over()

    def _handed_over(self) -> Iterator[NameRead]:
        """Where a function of which nothing is known gets a value that has the name, or a literal with it as a key."""
        for index, rules in enumerate(self._places.rules):
            given = list(rules.given_values())
            self._types.ask(index, (name for each in given for name in each.names))
            for each in given:
                has_key = any((index, key) in self._group.reached for key in each.keys)
                if has_key or self._types.any_has_name(index, each.names, is_deep=True):
                    self.takers |= self._takers_elsewhere(index, each.called)
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
            self._types.ask(index, (name for each in given for name in each.names))
            for each, targets in zip(given, query.targets(each.called for each in given), strict=True):
                names = [name for name in each.names if self._types.any_has_name(index, [name])]
                is_elsewhere = bool(targets) and not in_documents(self._answers.meaning_of(targets))
                if is_elsewhere and any(self._takes_entries(index, name) for name in names):
                    yield NameRead(self._places.documents[index].uri, each.start, ReadForm.ITEMS)

    def _takes_entries(self, index: int, argument: int) -> bool:
        """Whether the parameter for an argument is of a type with parts (`Iterable[T]`), and not of the argument's."""
        signatures = self._answers.queries[index].signatures(argument)
        parameter = None if signatures is None else signatures.active_signature.parameter
        of_type = (parameter or "").partition(":")[2].partition("=")[0]
        return not self._holders.is_type_in(of_type) and _PARTS in of_type

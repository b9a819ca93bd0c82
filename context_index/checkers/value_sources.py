"""Finds what a program is seen to give for a name, whatever type the name is declared with.

Each type with the member is one of a broad type: `object`, `T`, `Record<string, unknown>`. So what is read of such a
value is what is given for it: by calls, by assignments, by loops, and for a type variable by the calls of its function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import Place, in_documents
from context_index.checkers.type_texts import ANY_OBJECT
from context_index.declarations import identifiers
from context_index.syntax import Node, ancestors


@dataclass(frozen=True, slots=True)
class GivenSource:
    """An expression that is given for a name."""

    index: int
    """The document's."""
    node: Node
    is_part: bool
    """Whether the name stands for a part of the expression's value, or perhaps for a part of a part."""


class ValueSources:
    """Answers for one group of documents."""

    def __init__(self, answers: NameMeanings, passed: PassedValues) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._passed = answers, answers.places, passed
        self._known: dict[Place, Sequence[GivenSource]] = {}
        """The results of `of`."""

    def of(self, index: int, name: int, *, is_anything: bool) -> Sequence[GivenSource]:
        """What is seen to be given for the name at an offset of a document; perhaps not all.

        Args:
            is_anything: Whether the name's type says nothing, so that files that call its function matter, too.
        """
        if (index, name) not in self._known:
            self._known[index, name] = list(self._of(index, name, is_anything=is_anything))
        return self._known[index, name]

    def _of(self, index: int, name: int, *, is_anything: bool) -> Iterator[GivenSource]:
        rules, query = self._places.rules[index], self._answers.queries[index]
        (targets,) = query.targets([name])
        declared = in_documents(self._answers.meaning_of(targets))
        if (call := rules.called.get(name)) is not None:
            if not declared and self._returns_anything(index, name):
                yield from (GivenSource(index, node, is_part=False) for node in rules.arguments(call))
            return
        found = [source for place in declared for source in self._of_declared(place, is_anything=is_anything)]
        yield from found
        if not found:
            (types,) = query.type_targets([name])
            variables = in_documents(self._answers.meaning_of(types))
            yield from (source for place in variables for source in self._of_type_variable(place))

    def _of_declared(self, place: Place, *, is_anything: bool) -> Iterator[GivenSource]:
        """What is given for the variable or the parameter that is declared at a place."""
        index, offset = place
        given = self._passed.seen_for(place, has_callers=is_anything)
        yield from (GivenSource(at, node, is_part=False) for at, node in given)
        rules = self._places.rules[index]
        for source in rules.sources_of(offset):
            if self._places.name not in source.without:
                yield GivenSource(index, source.node, source.is_part)

    def _of_type_variable(self, place: Place) -> Iterator[GivenSource]:
        """What calls give for the parameters of whose types a type variable is a part; nothing for other places."""
        index, offset = place
        rules, syntax = self._places.rules[index], self._places.syntaxes[index]
        variable = rules.node(offset)
        holder = next((node for node in ancestors(variable) if node.type in rules.LOCAL_SCOPES), None)
        if variable.parent is None or variable.parent.type not in rules.TYPE_VARIABLES or holder is None:
            return
        of_type = syntax.text(variable)
        for node in rules.parameters_of(holder):
            if any(syntax.text(name) == of_type for name in identifiers(syntax, syntax.span(node))):
                for name in identifiers(syntax, syntax.span(node)):
                    given = self._passed.seen_for((index, syntax.start(name)), has_callers=True)
                    yield from (GivenSource(at, argument, is_part=True) for at, argument in given)

    def _returns_anything(self, index: int, called: int) -> bool:
        """Whether a function says nothing of what it returns, so that it may return what it gets."""
        (description,) = self._answers.queries[index].descriptions([called])
        return description is not None and description.signature.rpartition(": ")[2] in ANY_OBJECT

"""Finds the arguments that a program's calls give for a parameter, so that its value is known though it has no type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Place
from context_index.declarations import identifiers
from context_index.mentions import FunctionParameter, MentionForm, mentions
from context_index.syntax import Node

Argument = tuple[int, Node]
"""The index of a document, and an expression in it."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What the calls give for a parameter, as far as the checker knows what says the function's name."""

    arguments: Sequence[Argument] = ()
    parameter: FunctionParameter | None = None
    said: Collection[Place] = ()
    """The places in the documents that say the function's name."""
    callers: Collection[str] = ()
    """The URIs of the other files that say it."""
    are_seen: bool = False
    """Whether the parameter has no other values by these places."""


class PassedValues:
    """Answers for one group of documents. Each parameter is asked about once."""

    def __init__(self, answers: NameMeanings) -> None:
        """Nothing is asked yet; `answers` asks about the documents, by their index."""
        self._answers, self._places = answers, answers.places
        self._known: dict[Place, _Given] = {}
        """By the places of the parameters' names."""
        self._said_otherwise: dict[Place, bool] = {}
        """The results of `_may_be_said_otherwise`, by the same places."""
        self.callers = set[str]()
        """The URIs of files, none of the documents, that say one of the functions that were asked about."""

    def given_for(self, index: int, name: int) -> Sequence[Argument] | None:
        """What the calls give for the parameter that the name at an offset of a document stands for.

        None if it is no parameter of a function, if it gets another value, or if others may call the function, as they
        do if no call is in the documents.
        """
        (targets,) = self._answers.queries[index].targets([name])
        meaning = self._answers.meaning_of(targets)
        declared = next(iter(meaning)) if len(meaning) == 1 else None
        if not isinstance(declared, tuple):
            return None
        given = self._given_for(declared)
        self.callers.update(given.callers)
        if given.parameter is None or not given.are_seen:
            return None
        if declared not in self._said_otherwise:
            self._said_otherwise[declared] = self._may_be_said_otherwise(declared[0], given.parameter, given.said)
        return None if self._said_otherwise[declared] else given.arguments

    def seen_for(self, declared: Place, *, has_callers: bool) -> Sequence[Argument]:
        """What calls in the documents give for the parameter declared at a place, perhaps among others.

        Args:
            has_callers: Whether other files that say the function are to be among `callers`.
        """
        given = self._given_for(declared)
        self.callers.update(given.callers if has_callers else ())
        return given.arguments

    def _given_for(self, declared: Place) -> _Given:
        """What the calls give for the parameter declared at a place; nothing for another place."""
        if declared not in self._known:
            index, offset = declared
            parameter = self._places.rules[index].parameter(offset)
            self._known[declared] = _Given() if parameter is None else self._asked(index, parameter)
        return self._known[declared]

    def _asked(self, index: int, parameter: FunctionParameter) -> _Given:
        """What the calls give for a parameter of a document."""
        arguments = [] if parameter.default is None else [(index, parameter.default)]
        is_called, seen, callers = False, set[Place](), set[str]()
        are_seen = not parameter.is_of_method and not self._is_assigned(index, parameter)
        for target in self._answers.queries[index].references(parameter.function):
            meaning = self._answers.meaning_of([target])
            place = next(iter(meaning), None)
            if not isinstance(place, tuple):
                callers |= {target.uri} if place is not None else set()
                are_seen = False
                continue
            at, said = place
            seen.add(place)
            rules = self._places.rules[at]
            if place == (index, parameter.function) or rules.is_only_passed_on(said):
                continue
            call = rules.called.get(said) or rules.made.get(said)
            given = None if call is None else rules.arguments_for(call, parameter)
            if given is None:
                are_seen = False
                continue
            arguments += [(at, node) for node in given]
            is_called = True
        # what nobody calls is called by others, such as a test
        return _Given(arguments, parameter, seen, callers, are_seen=is_called and are_seen)

    def _may_be_said_otherwise(self, index: int, parameter: FunctionParameter, seen: Collection[Place]) -> bool:
        """Whether a document says a function's name where the checker knows no definition: in a string, say."""
        name = self._places.syntaxes[index].text(self._places.rules[index].node(parameter.function))
        for at, syntax in enumerate(self._places.syntaxes):
            others = [each for each in mentions(syntax, name) if (at, each.start) not in seen]
            known = self._answers.queries[at].targets(each.start for each in others)
            if not all(known):
                return True
        return False

    def _is_assigned(self, index: int, parameter: FunctionParameter) -> bool:
        """Whether the function says the parameter's name as a target, so that it may have another value."""
        syntax, rules = self._places.syntaxes[index], self._places.rules[index]
        names = (node for node in identifiers(syntax, parameter.body) if syntax.text(node) == parameter.name)
        return any(rules.form(node) is MentionForm.NAME and rules.is_target(node) for node in names)

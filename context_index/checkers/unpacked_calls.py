"""Whether a call with a mapping of unknown keys, `work(**options)`, may give one of them for a renamed parameter.

What is called there is a value: a decorator's parameter, an entry of a table, what `getattr` returns. A call that says
the function's own name is another matter (`calls_with_mapping`).
"""

from __future__ import annotations

from functools import cached_property
from itertools import starmap

from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import Place, in_documents
from context_index.checkers.type_texts import ANY_OBJECT, CUT
from context_index.declarations import identifiers
from context_index.mentions import Read
from context_index.symbols import whole_words
from context_index.syntax import Node, ancestors

_REST = "**"
"""How a checker writes the arguments of a function that takes all."""


class UnpackedCalls:
    """Answers for one group that has grown."""

    def __init__(self, answers: NameMeanings, group: NameGroup, passed: PassedValues) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group, self._passed = answers, answers.places, group, passed

    def may_give(self, index: int, read: Read) -> bool:
        """Whether what is called, or a function that gets the mapping with a function, may be the group's."""
        if not self._called:
            return False
        if read.member is not None:  # it is an argument: `partial(work, **options)`
            return not self._called.isdisjoint(self._meant(index, read.member))
        return any(self._may_have_function(index, name) for name in read.names if self._is_value(index, name))

    @cached_property
    def _called(self) -> frozenset[Place]:
        """Where the functions with the name as a parameter have their names, and the classes that are made with it."""
        classes = set[Place]()
        for index, offset in self._group.edits:
            rules = self._places.rules[index]
            of_class = rules.class_made_with(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            classes |= set() if name is None else {(index, name)}
        return self._group.function_places | classes

    @cached_property
    def _is_passed_on(self) -> bool:
        """Whether code uses one of `_called` as a value, but for a decorator's."""
        places = self._places
        names = {places.syntaxes[index].text(places.rules[index].node(offset)) for index, offset in self._called}
        return any(rules.is_passed_on(name) for name in names for rules in places.rules)

    @cached_property
    def _decorators(self) -> frozenset[Place]:
        """Where the decorators of `_called` are defined, of those in the documents."""
        return frozenset(
            place
            for index, offset in self._called
            for decorator in self._places.rules[index].decorators(offset)
            for place in self._meant(index, decorator)
        )

    def _is_value(self, index: int, name: int) -> bool:
        """Whether a name stands for what the documents assign or get, and not for a function, a class or a module."""
        return any(not self._is_definition(at, place) for at, place in self._meant(index, name))

    def _is_definition(self, index: int, offset: int) -> bool:
        """Whether a function or a class has its own name at an offset."""
        rules = self._places.rules[index]
        node = rules.node(offset)
        holder = node.parent
        is_defined = holder is not None and holder.type in rules.LOCAL_SCOPES | rules.CLASSES
        return is_defined and holder is not None and holder.child_by_field_name("name") == node

    def _may_have_function(self, index: int, name: int) -> bool:
        """Whether a value may be one of `_called`, or has them, by what it gets and by its type."""
        if self._has_method(index, name):
            return True
        around = {place for at, declared in self._meant(index, name) for place in self._functions_around(at, declared)}
        is_decorated = not around.isdisjoint(self._decorators)
        if not is_decorated and not (self._is_passed_on and self._may_be_given(index, name)):
            return False
        (description,) = self._answers.queries[index].descriptions([name])
        of_type = "" if description is None else description.signature
        words = (self._places.name, *ANY_OBJECT - {""})
        is_open = any(next(whole_words(of_type, word), None) is not None for word in words if word.isidentifier())
        return not of_type or is_open or CUT in of_type or _REST in of_type or self._is_type_variable(index, name)

    def _may_be_given(self, index: int, name: int) -> bool:
        """Whether the calls may give one of `_called` for a parameter; a value that is none may be anything."""
        for declared in self._meant(index, name):  # asked there, as a class that is called has two definitions
            given = self._passed.given_for(*declared)
            if given is None or any(self._may_be_called(at, argument) for at, argument in given):
                return True
        return False

    def _may_be_called(self, index: int, argument: Node) -> bool:
        """Whether an argument says one of `_called`, or nothing that is known to be another function or class."""
        syntax = self._places.syntaxes[index]
        names = map(syntax.start, identifiers(syntax, syntax.span(argument)))
        said = frozenset[Place]().union(*(self._meant(index, name) for name in names))
        is_other = argument.type == "identifier" and all(starmap(self._is_definition, said))
        return not is_other or not self._called.isdisjoint(said)

    def _is_type_variable(self, index: int, name: int) -> bool:
        """Whether the type of a value is declared as no class and no function."""
        (types,) = self._answers.queries[index].type_targets([name])
        return any(not self._is_definition(*place) for place in in_documents(self._answers.meaning_of(types)))

    def _has_method(self, index: int, name: int) -> bool:
        """Whether a value is of a class that declares one of `_called`: `getattr(self, key)(**options)`."""
        rules = self._places.rules[index]
        own = rules.class_of_receiver(name)
        place = None if own is None else rules.class_name_place(own)
        (types,) = self._answers.queries[index].type_targets([name])
        classes = {(index, place)} if place is not None else self._answers.meaning_of(types)
        methods = ((at, self._places.rules[at].enclosing_class(offset)) for at, offset in self._group.function_places)
        holders = ((at, each and self._places.rules[at].class_name_place(each)) for at, each in methods)
        return any(holder in classes for holder in holders)

    def _functions_around(self, index: int, declared: int) -> set[Place]:
        """Where the functions around a parameter that is declared at an offset have their names."""
        rules, syntax = self._places.rules[index], self._places.syntaxes[index]
        if rules.parameter_function(declared) is None:
            return set()
        around = (each for each in ancestors(rules.node(declared)) if each.type in rules.LOCAL_SCOPES)
        names = (each.child_by_field_name("name") for each in around)
        return {(index, syntax.start(name)) for name in names if name is not None}

    def _meant(self, index: int, name: int) -> frozenset[Place]:
        """Where what a name stands for is defined, of what is in the documents."""
        (targets,) = self._answers.queries[index].targets([name])
        return in_documents(self._answers.meaning_of(targets))

"""Whether a value has a renamed name by what the program gives for it, whatever its type says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from context_index.checkers.broad_types import BroadTypes
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import Place
from context_index.checkers.type_texts import ANY_OBJECT, flat, split
from context_index.checkers.value_sources import ValueSources
from context_index.checkers.value_types import ValueTypes
from context_index.checkers.written_types import typed_name
from context_index.mentions import Read, ReadForm
from context_index.symbols import ArrayType, LiteralType, PrimitiveType, TypedName
from context_index.syntax import Node


@dataclass(frozen=True, slots=True)
class _Followed:
    """An expression of a document whose value is followed to what is given for it."""

    index: int
    """The document's."""
    node: Node
    is_deep: bool
    """Whether its elements and its members' members count."""


class ValueFlow:
    """Answers for one group that has grown."""

    def __init__(
        self, answers: NameMeanings, group: NameGroup, passed: PassedValues, types: ValueTypes, broad: BroadTypes
    ) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
        self._passed, self._types, self._broad = passed, types, broad
        self._sources = ValueSources(answers, passed)
        self._in_question = set[Place]()
        """The values about which `may_be_given` is being asked."""
        self._followed: dict[tuple[int, int, int, bool], Sequence[_Followed] | None] = {}
        """The results of `_follow`."""

    def is_beside_value(self, place: Place) -> bool:
        """Whether a call gets a literal's key at a place beside a value that has the name."""
        index, offset = place
        names = list(self._places.rules[index].names_beside(offset))
        self._types.ask(index, names)
        is_said = any((index, name) in self._group.reached for name in names)
        return is_said or self._types.any_has_name(index, names, is_container=False)

    def has_name(self, index: int, value: Node, *, is_deep: bool) -> bool:
        """Whether an expression's value is seen to have the group's name: by its parts, or by what is given for these.

        Args:
            is_deep: Whether its elements and its members' members count.
        """
        pending, seen = [_Followed(index, value, is_deep)], set[tuple[int, int, int, bool]]()
        while pending:
            each = pending.pop()
            place = (each.index, *self._places.syntaxes[each.index].span(each.node), each.is_deep)
            if place in seen:
                continue
            seen.add(place)
            if place not in self._followed:
                self._followed[place] = self._follow(each)
            if (sources := self._followed[place]) is None:
                return True
            pending += reversed(sources)
        return False

    def _follow(self, value: _Followed) -> Sequence[_Followed] | None:
        """What is given for the parts of an expression; None if one of these has the group's name itself."""
        index, is_deep = value.index, value.is_deep
        parts = self._places.rules[index].value_parts(value.node, is_deep=is_deep)
        self._types.ask(index, parts.names)
        if any((index, key) in self._group.reached for key in parts.keys):
            return None
        if self._types.any_has_name(index, parts.names, is_container=is_deep, is_deep=is_deep):
            return None
        return [
            _Followed(source.index, source.node, is_deep or source.is_part)
            for name in self._objects(index, parts.names, has_parts=is_deep)
            for source in self._sources.of(index, name, is_anything=self._broad.may_be_anything(index, name))
        ]

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

    def may_be_given(self, index: int, read: Read, may_read: Callable[[int, Read], bool]) -> bool:
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
        if not is_name and any(self._types.is_any(index, name) for name in names):
            return True
        self._types.ask(index, names)
        return bool(names) and may_read(index, Read(start, form, names, untyped=start if is_name else None))


def _may_have_members(of_type: TypedName, *, has_parts: bool) -> bool:
    """Whether a type, if it is known, is one of objects with members of their own, or of lists if these count."""
    if not ANY_OBJECT.isdisjoint(split(of_type.type or "", "|")):
        return True
    parts = flat([of_type.structure])
    objects = [each for each in parts if not isinstance(each, PrimitiveType | LiteralType)]
    return any(has_parts or not isinstance(each, ArrayType) for each in objects)

"""Types that do not say that their values have a renamed name, though values with the name may be of them."""

from __future__ import annotations

from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Place, in_documents
from context_index.checkers.type_texts import ANY_OBJECT, says_nothing
from context_index.checkers.value_types import ValueTypes
from context_index.checkers.written_types import typed_name
from context_index.syntax import Node


class BroadTypes:
    """Answers for one group that has grown."""

    def __init__(self, answers: NameMeanings, holders: NameHolders, types: ValueTypes) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._holders, self._types = answers, answers.places, holders, types

    def is_broad(self, index: int, name: int) -> bool:
        """Whether a value with the group's name may be of the type of what a name stands for, which does not say it."""
        if self._places.has_object_literals:  # an object of any interface is written without a class
            return self.may_be_anything(index, name)
        return self._is_broad_for_class(index, name)

    def may_be_anything(self, index: int, name: int) -> bool:
        """Whether the type of what a name stands for says nothing of its members: `any`, `object`, a type variable."""
        (of_type,) = self._types.texts(index, [name])
        if says_nothing(of_type):
            return True
        self._types.ask(index, [name])
        declarations = map(self._places.declaration, self._types.declared(index, [name], is_container=False))
        return any(
            node.type in self._places.rules[index].TYPE_VARIABLES and _constraint_text(node) in ANY_OBJECT
            for node in declarations
        )

    def _is_broad_for_class(self, index: int, name: int) -> bool:
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
        declared = in_documents(self._answers.meaning_of(targets)) or {(index, name)}
        return any(self._is_broad_without_class(*place) for place in declared)

    def is_no_class(self, declared: Place) -> bool:
        """Whether what is declared at a place is a protocol, to which any class may conform, or a type variable."""
        rules, declaration = self._places.rules[declared[0]], self._places.declaration(declared)
        if declaration.type in rules.LOCAL_SCOPES:
            return False
        return declaration.type not in rules.CLASSES or rules.is_protocol(declaration)

    def _is_broad_without_class(self, index: int, name: int) -> bool:
        """The same of a declared name; what has no class is a protocol or the like, or anything (`type[Any]`)."""
        if (is_broad := self._is_class_broad(index, name)) is not None:
            return is_broad
        query = self._answers.queries[index]
        (types,), (description,) = query.type_targets([name]), query.descriptions([name])
        language = self._places.documents[index].language
        typed = None if description is None else typed_name(description.signature, "", language)
        return typed is not None and typed.signature is None and (bool(types) or self._types.is_any(index, name))

    def _is_class_broad(self, index: int, name: int) -> bool | None:
        """The same by a name's type alone; None if the checker knows no class for it."""
        query = self._answers.queries[index]
        (types,) = query.type_targets([name])
        declared = self._answers.meaning_of(types)
        if not declared.isdisjoint(self._holders.supertypes):
            return True
        others = [place for place in in_documents(declared) if self.is_no_class(place)]
        if others:
            return any(map(self._may_be_bound_to_name, others))
        return None if query.class_at(name) is None else False

    def _may_be_bound_to_name(self, declared: Place) -> bool:
        """Whether what is declared at a place is no type variable that is bound to other classes only."""
        index, offset = declared
        bounds = self._answers.queries[index].targets(self._places.rules[index].bounds(offset))
        places = in_documents(frozenset().union(*map(self._answers.meaning_of, bounds)))
        classes = [(at, place) for at, place in places if self._places.rules[at].class_declared_at(place)]
        return not classes or any(self._holders.has_name(each) or self.is_no_class(each) for each in classes)


def _constraint_text(variable: Node) -> str:
    """The type of which a type variable's values are, as its declaration says; empty if it says none."""
    constraint = variable.child_by_field_name("constraint")
    text = None if constraint is None else constraint.named_children[0].text
    return "" if text is None else text.decode()

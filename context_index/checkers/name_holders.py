"""The classes whose values have a renamed name, by what the checker says of bases and metaclasses."""

from __future__ import annotations

from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Meaning, Place, in_documents
from context_index.symbols import whole_words
from context_index.syntax import ancestors


class NameHolders:
    """Answers for one group that has grown: the classes with the name, their relatives, and the types that have it."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._bases: dict[Place, Meaning] = {}
        """The results of `bases_of`."""

    def has_name(self, declared: Place) -> bool:
        """Whether a value has the group's name among its members: by what its type declares, or a related class."""
        if declared in self.around or declared in self.metaclasses or self._declares(declared):
            return True
        return any(map(self._declares, in_documents(self.bases_of(declared))))

    def _declares(self, declared: Place) -> bool:
        """Whether what is declared at a place declares the name within: a class, a type, a literal, or a module."""
        index, offset = declared
        if offset == 0 and self._group.is_of_module:
            rules = self._places.rules[index]
            return any(at == index and rules.is_of_module(place) for at, place in self._group.reached)
        syntax = self._places.syntaxes[index]
        start, end = syntax.span(self._places.declaration(declared))
        return self._group.is_member and any(at == index and start < place < end for at, place in self._group.declared)

    @cached_property
    def classes(self) -> frozenset[Place]:
        """The names of the classes that declare the name as a member, or that have it themselves."""
        classes = set[Place]()
        for index, offset in self._group.declared:
            rules = self._places.rules[index]
            of_class = rules.enclosing_class(offset) if self._group.is_member else rules.class_declared_at(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            classes |= set() if name is None else {(index, name)}
        return frozenset(classes)

    @cached_property
    def around(self) -> frozenset[Place]:
        """The names of the bases that are in the documents: their instances may be of the classes."""
        return in_documents(self.all_bases)

    @cached_property
    def all_bases(self) -> Meaning:
        """The definitions of all bases of `classes`."""
        return frozenset[Place | Target]().union(*map(self.bases_of, self.classes))

    @cached_property
    def supertypes(self) -> Meaning:
        """The definitions of the types of `classes` and of their instances: bases, also `object`, and `type`."""
        own = {base for index, offset in self.classes for base in self._answers.bases_elsewhere(index, offset)}
        return self.all_bases | self.metaclasses | own | self._library.defined(self._places.rules[0].TYPE_OF_CLASSES)

    @cached_property
    def metaclasses(self) -> Meaning:
        """The definitions of the metaclasses of `classes` and of their bases, and of the metaclasses' own bases."""
        metaclasses = set[Place | Target]()
        for index, offset in self.classes | self.around:
            names = list(self._places.rules[index].metaclasses(self._places.declaration((index, offset))))
            metaclasses |= set().union(*map(self._answers.meaning_of, self._answers.queries[index].targets(names)))
        return frozenset(metaclasses).union(*map(self.bases_of, in_documents(frozenset(metaclasses))))

    @cached_property
    def decorators(self) -> Meaning:
        """The definitions of the decorators of what is renamed, and of the functions and classes around it."""
        return frozenset[Place | Target]().union(
            *(
                self._answers.meaning_of(targets)
                for index, offset in self._group.declared | self.classes | self._group.function_places
                for targets in self._answers.queries[index].targets(self._places.rules[index].decorators(offset))
            )
        )

    def bases_of(self, of_class: Place) -> Meaning:
        """The definitions of all bases, also indirect ones, of the class whose name is at a place.

        Bases of what is defined outside of the documents are not among them.
        """
        if of_class not in self._bases:
            bases, pending = set[Place | Target](), [of_class]
            while pending:
                direct = self._direct_bases(pending.pop())
                pending += in_documents(direct - bases)
                bases |= direct
            self._bases[of_class] = frozenset(bases)
        return self._bases[of_class]

    def _direct_bases(self, of_class: Place) -> Meaning:
        """The definitions of the direct bases of a class.

        Of a computed base, as in `class Cart(make())`, that of `make`, and that of the base if the checker knows it.
        """
        index, offset = of_class
        names = list(self._places.rules[index].bases(self._places.declaration(of_class)))
        meanings = map(self._answers.meaning_of, self._answers.queries[index].targets(names))
        said = frozenset[Place | Target]().union(*meanings)
        if all(self._places.rules[at].class_declared_at(place) is not None for at, place in in_documents(said)):
            return said
        return said | in_documents(self._answers.known_bases(index, offset))

    def is_member_in(self, text: str) -> bool:
        """Whether a text says the name itself."""
        return next(whole_words(text, self._places.name), None) is not None

    def is_type_in(self, text: str) -> bool:
        """Whether a text says the name of a class or a type that declares the name, if it is another one."""
        return any(next(whole_words(text, word), None) is not None for word in self._type_names)

    @cached_property
    def _type_names(self) -> frozenset[str]:
        """The names of the classes and types that declare the name, but for those that are called as it is."""
        words = set[str]()
        for index, offset in self.classes:
            words.add(self._places.syntaxes[index].text(self._places.rules[index].node(offset)))
        for index, offset in self._group.declared:
            rules = self._places.rules[index]
            node = rules.node(offset)
            for around in ancestors(node):
                name = around.child_by_field_name("name")
                if name is not None and name != node:
                    words |= set() if around.type in rules.LOCAL_SCOPES else {self._places.syntaxes[index].text(name)}
                    break
        return frozenset(words) - {self._places.name}

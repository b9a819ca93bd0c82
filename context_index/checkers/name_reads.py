"""Finds where a program reads a name, or the names of a value's members, as it runs.

No edit mends such a place: after a rename the program has the new name where it had the old one. It is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Meaning, NameRead, Place
from context_index.checkers.type_texts import ANYTHING
from context_index.mentions import Read, ReadForm
from context_index.symbols import whole_words
from context_index.syntax import Node, ancestors


@dataclass(frozen=True, slots=True)
class NameReads:
    """Who reads a name as the program runs."""

    places: tuple[NameRead, ...]
    """The places in the documents that read the name, or all names among which it is."""
    getters: tuple[str, ...]
    """The URIs of the files, none of the documents, that define what gets the name or its classes: their bases,
    metaclasses and decorators. They may read it, too."""


def name_reads(answers: NameMeanings, group: NameGroup, library: LibraryNames) -> NameReads:
    """Who reads the name of a group that has grown; nobody reads a private one."""
    if group.is_private:
        return NameReads((), ())
    reads = _Reads(answers, group, library)
    return NameReads(tuple(reads.places()), tuple(reads.getters()))


class _Reads:
    """The reads of the name of one group."""

    def __init__(self, answers: NameMeanings, group: NameGroup, library: LibraryNames) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group, self._library = answers, answers.places, group, library
        self._bases: dict[Place, Meaning] = {}
        """The results of `_bases_of`."""
        self._targets: dict[Place, Sequence[Target]] = {}
        """Where the types of names are declared, by the names' places."""

    def places(self) -> Iterator[NameRead]:
        """See `NameReads.places`."""
        documents, rules = self._places.documents, self._places.rules
        for index, offset in sorted(self._group.edits.keys() & self._places.forms.keys()):
            if rules[index].is_written_out(offset):
                yield NameRead(documents[index].uri, offset, ReadForm.TEXT)
        for (index, offset), probe in self._places.naming_probes.items():
            if (index, offset) in self._group.reached and any(self._answers.queries[index].targets([probe])):
                yield NameRead(documents[index].uri, offset, ReadForm.GIVEN)
        if self._group.is_member:
            yield from self._of_language()
        for index, rules_here in enumerate(rules):
            reads = list(rules_here.reads(self._library.at(index)))
            self._ask_types(index, (name for read in reads if self._is_typed(read.form) for name in read.names))
            read_here = (read for read in reads if self._may_read(index, read))
            yield from (NameRead(documents[index].uri, read.start, read.form) for read in read_here)

    def _of_language(self) -> Iterator[NameRead]:
        """What the language itself gives the name of a member: metaclasses, and decorators in ECMAScript."""
        documents, rules = self._places.documents, self._places.rules
        for index, offset in sorted(self._in_documents(self._metaclasses)):
            for maker in rules[index].makers_of_classes(self._declaration((index, offset))):
                yield NameRead(documents[index].uri, maker, ReadForm.SPACE)
        for index, offset in sorted(self._declared):
            for decorator in rules[index].name_getters(offset):
                yield NameRead(documents[index].uri, decorator, ReadForm.DECORATOR)

    def getters(self) -> Iterator[str]:
        """See `NameReads.getters`; sorted."""
        definitions = (*self._all_bases, *self._metaclasses, *self._decorators)
        yield from sorted({target.uri for target in definitions if isinstance(target, Target)})

    def _is_typed(self, form: ReadForm) -> bool:
        """Whether the type of a value says if the group's name is read."""
        match form:
            case ReadForm.KEYS | ReadForm.LISTED | ReadForm.MEMBERS:
                return self._group.is_member or self._group.is_of_module
            case ReadForm.NAME:
                return not self._group.is_member
            case ReadForm.MEMBER:
                return self._is_of_enum
        return False

    def _ask_types(self, index: int, names: Iterable[int]) -> None:
        """Ask where the types of some names of a document are declared, all at once."""
        asked = [name for name in dict.fromkeys(names) if (index, name) not in self._group.reached]
        targets = self._answers.queries[index].type_targets(asked)
        self._targets |= {(index, name): declared for name, declared in zip(asked, targets, strict=True)}

    def _may_read(self, index: int, read: Read) -> bool:
        """Whether a place of a document reads the group's name, or all names among which it is."""
        match read.form:
            case ReadForm.SCOPE | ReadForm.CODE:
                is_code = read.form is ReadForm.CODE
                here = (place for place in self._group.edits if place[0] == index)
                return any((is_code and self._group.is_member) or self._is_visible(place, read) for place in here)
            case ReadForm.NAME:
                is_said = any((index, name) in self._group.reached for name in read.names)
                classes = self._group.reached | self._around
                is_of_class = not classes.isdisjoint(self._types(index, read.names))
                return (is_said or is_of_class or self._is_unknown(index, read)) and self._is_own_name(index, read)
            case ReadForm.PARAMETERS:
                return self._is_of_function(index, read) or self._is_unknown(index, read)
            case ReadForm.MEMBER if any((index, name) in self._group.reached for name in read.names):
                return self._is_of_enum
        if not self._is_typed(read.form):
            return False
        types = self._types(index, read.names, is_container=read.form not in (ReadForm.KEYS, ReadForm.LISTED))
        if read.form is not ReadForm.MEMBERS:
            return any(map(self._has_name, types)) or self._is_unknown(index, read)
        has_name = any(map(self._has_name, self._with_parts(types)))
        return has_name or self._is_unknown(index, read) or self._is_in_types(index, read.names)

    def _is_in_types(self, index: int, names: Iterable[int]) -> bool:
        """Whether the checker writes the name of a member, or of what declares it, in the type of one of some names.

        So it does for what is made of a value: `{...cart}`, `Partial<Cart>`, `list[Cart]`.
        """
        rules = self._places.rules[index]
        asked = [name for name in names if name not in rules.called] if self._group.is_member else []
        for description in self._answers.queries[index].descriptions(asked):
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
        for index, offset in self._declared:
            rules = self._places.rules[index]
            node = rules.node(offset)
            for around in ancestors(node):
                name = around.child_by_field_name("name")
                if name is not None and name != node:
                    words |= set() if around.type in rules.FUNCTIONS else {self._places.syntaxes[index].text(name)}
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
        (description,) = self._answers.queries[index].descriptions([read.untyped])
        rules = self._places.rules[index]
        is_unknown = description is None or description.signature.rpartition(": ")[2] in ANYTHING
        return is_unknown and rules.class_of_receiver(read.untyped) is None

    @cached_property
    def _is_passed_on(self) -> bool:
        """Whether other code may get what is renamed as a value, also as what a decorator is called with."""
        rules, name = self._places.rules, self._places.name
        is_value = not self._group.is_member and any(each.is_passed_on(name) for each in rules)
        return is_value or any(any(rules[index].decorators(offset)) for index, offset in self._declared)

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
        if declared in self._around or self._declares(declared):
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
        return self._group.is_member and any(at == index and start < place < end for at, place in self._declared)

    def _declaration(self, declared: Place) -> Node:
        """The node of what is declared at a place, which is its name or its start."""
        index, offset = declared
        node = self._places.rules[index].node(offset)
        parent = node.parent
        is_name = parent is not None and parent.child_by_field_name("name") == node
        is_start = parent is not None and not node.is_named and self._places.syntaxes[index].start(parent) == offset
        return parent if parent is not None and (is_name or is_start) else node

    @cached_property
    def _declared(self) -> frozenset[Place]:
        """The places that declare the name."""
        meanings = self._answers.meanings
        return frozenset(place for place in self._group.reached if place in meanings.get(place, ()))

    @cached_property
    def _classes(self) -> frozenset[Place]:
        """The names of the classes that declare the name as a member, or that have it themselves."""
        classes = set[Place]()
        for index, offset in self._declared:
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
        """The definitions of the decorators of what is renamed, and of the classes around it."""
        return frozenset[Place | Target]().union(
            *(
                self._answers.meaning_of(targets)
                for index, offset in self._declared | self._classes
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
                index, offset = pending.pop()
                rules = self._places.rules[index]
                names = list(rules.bases(self._declaration((index, offset))))
                for targets in self._answers.queries[index].targets(names):
                    meaning = self._answers.meaning_of(targets)
                    pending += self._in_documents(meaning - bases)
                    bases |= meaning
            self._bases[of_class] = frozenset(bases)
        return self._bases[of_class]

    def _in_documents(self, meaning: Meaning) -> frozenset[Place]:
        return frozenset(place for place in meaning if isinstance(place, tuple))

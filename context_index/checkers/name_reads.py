"""Finds where a program reads a name, or the names of a value's members, as it runs.

No edit mends such a place: after a rename the program has the new name where it had the old one. It is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Meaning, NameRead, Place
from context_index.checkers.type_texts import ANYTHING
from context_index.mentions import Read, ReadForm
from context_index.syntax import Node


class NameReads:
    """The places that read the name of one group as the program runs, or all names among which it is."""

    def __init__(self, answers: NameMeanings, group: NameGroup) -> None:
        """Nothing is asked yet.

        Args:
            group: A group that has grown.
        """
        self._answers, self._places, self._group = answers, answers.places, group
        self._bases: dict[Place, frozenset[Place]] = {}
        """The results of `_bases_of`."""
        self._targets: dict[Place, Sequence[Target]] = {}
        """Where the types of names are declared, by the names' places."""
        self.unread = set[str]()
        """The URIs of the files, none of the documents, that define bases of the name's classes, or its decorators."""

    def places(self) -> Iterator[NameRead]:
        """The places in all documents; fills `unread`."""
        documents, rules = self._places.documents, self._places.rules
        if self._group.is_private:
            return
        for index, offset in sorted(self._group.edits.keys() & self._places.forms.keys()):
            if rules[index].is_written_out(offset):
                yield NameRead(documents[index].uri, offset, ReadForm.TEXT)
        for (index, offset), probe in self._places.naming_probes.items():
            if (index, offset) in self._group.reached and any(self._answers.queries[index].targets([probe])):
                yield NameRead(documents[index].uri, offset, ReadForm.GIVEN)
        _ = self._around, self._is_decorated  # they fill `unread`
        for index, rules_here in enumerate(rules):
            reads = list(rules_here.reads())
            self._ask_types(index, (name for read in reads if self._is_typed(read) for name in read.names))
            read_here = (read for read in reads if self._may_read(index, read))
            yield from (NameRead(documents[index].uri, read.start, read.form) for read in read_here)

    def _is_typed(self, read: Read) -> bool:
        """Whether the type of a value says if the group's name is read."""
        match read.form:
            case ReadForm.KEYS | ReadForm.MEMBERS:
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
                return any((is_code and self._group.is_member) or self._is_of_file(*place) for place in here)
            case ReadForm.NAME:
                is_said = any((index, name) in self._group.reached for name in read.names)
                is_of_class = not self._group.reached.isdisjoint(self._types(index, read.names))
                return (is_said or is_of_class or self._is_unknown(index, read)) and self._is_own_name(index, read)
            case ReadForm.MEMBER if any((index, name) in self._group.reached for name in read.names):
                return self._is_of_enum
        if not self._is_typed(read):
            return False
        types = self._types(index, read.names, is_container=read.form is not ReadForm.KEYS)
        types = self._with_parts(types) if read.form is ReadForm.MEMBERS else types
        return any(map(self._has_name, types)) or self._is_unknown(index, read)

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
        may_get = self._group.is_member if read.form is not ReadForm.NAME else self._is_passed_on
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
        return self._is_decorated or (not self._group.is_member and any(each.is_passed_on(name) for each in rules))

    @cached_property
    def _is_decorated(self) -> bool:
        """Whether what is renamed has decorators; adds the files that define them to `unread`."""
        is_decorated = False
        for index, offset in self._declared:
            names = list(self._places.rules[index].decorators(offset))
            is_decorated = is_decorated or bool(names)
            for targets in self._answers.queries[index].targets(names):
                meaning = self._answers.meaning_of(targets)
                self.unread |= {target.uri for target in meaning if isinstance(target, Target)}
        return is_decorated

    def _is_of_file(self, index: int, offset: int) -> bool:
        """Whether code anywhere in a document may mean the name by what it says at an offset."""
        is_at_top = self._places.rules[index].is_declared_at_top(offset)
        return not self._group.is_member and (self._group.is_of_module or is_at_top)

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
        return any(map(self._declares, self._bases_of(declared)))

    def _declares(self, declared: Place) -> bool:
        """Whether what is declared at a place declares the name within: a class, a type, a literal, or a module."""
        index, offset = declared
        if offset == 0 and self._group.is_of_module:
            return any(place[0] == index for place in self._declared)
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
    def _around(self) -> frozenset[Place]:
        """The names of all bases of the classes that declare the name: their instances may be of these classes."""
        around = set[Place]()
        for index, offset in self._declared:
            rules = self._places.rules[index]
            of_class = rules.enclosing_class(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            if name is not None:
                around |= self._bases_of((index, name))
        return frozenset(around)

    def _bases_of(self, of_class: Place) -> frozenset[Place]:
        """The names of all bases, also indirect ones, of the class whose name is at a place, if in the documents."""
        if of_class not in self._bases:
            bases, pending = set[Place](), [of_class]
            while pending:
                index, offset = pending.pop()
                rules = self._places.rules[index]
                names = list(rules.bases(self._declaration((index, offset))))
                for targets in self._answers.queries[index].targets(names):
                    meaning = self._answers.meaning_of(targets)
                    self.unread |= {target.uri for target in meaning if isinstance(target, Target)}
                    more = self._in_documents(meaning) - bases
                    bases |= more
                    pending += more
            self._bases[of_class] = frozenset(bases)
        return self._bases[of_class]

    def _in_documents(self, meaning: Meaning) -> frozenset[Place]:
        return frozenset(place for place in meaning if isinstance(place, tuple))

"""Finds where a program reads a name, or the names of a value's members, as it runs.

No edit mends such a place: after a rename the program has the new name where it had the old one. It is reported.

What reads names is known by its definition: `MentionRules.READERS` of the language's library, whatever a text calls it.
Where the checker does not know what a name stands for, its spelling counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Meaning, NameRead, Place
from context_index.checkers.type_texts import ANYTHING
from context_index.mentions import Read, ReadForm
from context_index.syntax import Node


@dataclass(frozen=True, slots=True)
class NameReads:
    """Who reads a name as the program runs."""

    places: tuple[NameRead, ...]
    """The places in the documents that read the name, or all names among which it is."""
    getters: tuple[str, ...]
    """The URIs of the files, none of the documents, that define what gets the name's classes, or the name: their bases
    and decorators. They may read it, too."""


def name_reads(answers: NameMeanings, group: NameGroup) -> NameReads:
    """Who reads the name of a group that has grown; nobody reads a private one."""
    if group.is_private:
        return NameReads((), ())
    reads = _Reads(answers, group)
    return NameReads(tuple(reads.places()), tuple(reads.getters()))


class _Reads:
    """The reads of the name of one group."""

    def __init__(self, answers: NameMeanings, group: NameGroup) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group = answers, answers.places, group
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
        for index, rules_here in enumerate(rules):
            reads = list(rules_here.reads(self._readers(index)))
            self._ask_types(index, (name for read in reads if self._is_typed(read.form) for name in read.names))
            read_here = (read for read in reads if self._may_read(index, read))
            yield from (NameRead(documents[index].uri, read.start, read.form) for read in read_here)

    def getters(self) -> Iterator[str]:
        """See `NameReads.getters`; sorted."""
        definitions = (*self._all_bases, *self._decorators)
        yield from sorted({target.uri for target in definitions if isinstance(target, Target)})

    def _readers(self, index: int) -> Mapping[int, str]:
        """The names of a document that stand for one of `READERS`, by their offsets, each with its path.

        All functions are asked only where the document has one of `READERS` as a value, and so perhaps by an alias.
        """
        rules = self._places.rules[index]
        is_wanted = {path: form is not ReadForm.MEMBER or self._is_of_enum for path, form in rules.READERS.items()}
        said = {offset: path for offset, path in rules.said_readers.items() if is_wanted.get(path, True)}
        readers = self._standing_for(index, said)
        if any(offset not in rules.called for offset in readers):
            readers |= self._standing_for(index, {offset: "" for offset in rules.functions() if offset not in said})
        return readers

    def _standing_for(self, index: int, spelled: Mapping[int, str]) -> dict[int, str]:
        """Those of some names that stand for one of `READERS`, by their offsets, each with its path.

        Args:
            spelled: By the offset, what each name is by its spelling; empty if that says too little.
        """
        readers: dict[int, str] = {}
        for (offset, path), targets in zip(spelled.items(), self._answers.queries[index].targets(spelled), strict=True):
            known = next((self._defined[target] for target in targets if target in self._defined), "")
            meaning = self._answers.meaning_of(targets)
            is_other = bool(meaning) and (path in self._defined.values() or bool(self._in_documents(meaning)))
            if reader := known or ("" if is_other else path):
                readers[offset] = reader
        return readers

    @cached_property
    def _defined(self) -> Mapping[Target, str]:
        """The definitions of those of `READERS` that are said, outside of the documents, each with its path."""
        probes = self._places.reader_probes
        targets = zip(probes, self._answers.queries[0].targets(probes.values()), strict=True)
        return {
            target: path
            for path, definitions in targets
            for target in definitions
            if target in self._answers.meaning_of([target])
        }

    def _is_typed(self, form: ReadForm) -> bool:
        """Whether the type of a value says if the group's name is read."""
        match form:
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
                return any((is_code and self._group.is_member) or self._is_visible(place, read) for place in here)
            case ReadForm.NAME:
                is_said = any((index, name) in self._group.reached for name in read.names)
                classes = self._group.reached | self._around
                is_of_class = not classes.isdisjoint(self._types(index, read.names))
                return (is_said or is_of_class or self._is_unknown(index, read)) and self._is_own_name(index, read)
            case ReadForm.MEMBER if any((index, name) in self._group.reached for name in read.names):
                return self._is_of_enum
        if not self._is_typed(read.form):
            return False
        types = self._types(index, read.names, is_container=read.form is not ReadForm.KEYS)
        types = self._with_parts(types) if read.form is ReadForm.MEMBERS else types
        return any(map(self._has_name, types)) or self._is_unknown(index, read)

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

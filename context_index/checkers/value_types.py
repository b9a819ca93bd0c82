"""What the checker says of the types of values: where they are declared, how it writes them, if they have the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from context_index.checkers.answers import Target
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_holders import NameHolders
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Place, in_documents
from context_index.checkers.type_texts import ANYTHING
from context_index.mentions import Read
from context_index.symbols import whole_words


class ValueTypes:
    """Answers for one group that has grown. Each name is asked about once."""

    def __init__(self, answers: NameMeanings, group: NameGroup, holders: NameHolders) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._group, self._holders = answers, answers.places, group, holders
        self._targets: dict[Place, Sequence[Target]] = {}
        """Where the types of names are declared, by the names' places."""

    def ask(self, index: int, names: Iterable[int]) -> None:
        """Ask where the types of some names of a document are declared, all at once."""
        reached, known = self._group.reached, self._targets
        asked = [name for name in dict.fromkeys(names) if (index, name) not in reached and (index, name) not in known]
        targets = self._answers.queries[index].type_targets(asked) if asked else ()
        self._targets |= {(index, name): declared for name, declared in zip(asked, targets, strict=True)}

    def declared(self, index: int, names: Iterable[int], *, is_container: bool = True) -> Iterator[Place]:
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
            places = in_documents(meaning)
            if is_container or places == meaning:
                yield from places

    def with_parts(self, declared: Iterable[Place]) -> Iterator[Place]:
        """Places where types are declared, and where those of their fields are, and of the fields of these."""
        pending, seen = list(declared), set[Place]()
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            yield place
            index, _ = place
            fields = list(self._places.rules[index].fields(self._places.declaration(place)))
            self.ask(index, (field for field in fields if (index, field) not in self._targets))
            pending += self.declared(index, fields)

    def texts(self, index: int, names: Sequence[int]) -> Iterator[str]:
        """What the checker writes as the types of some names; empty for a name of which it says nothing."""
        for description in self._answers.queries[index].descriptions(names):
            yield "" if description is None else description.signature.rpartition(": ")[2]

    def is_any(self, index: int, name: int) -> bool:
        """Whether the checker knows no type of what a name stands for, returns, or has in it: `any[]`."""
        (of_type,) = self.texts(index, [name])
        return says_anything(of_type.rpartition(" -> ")[2])  # in Python what is returned is after the parameters

    def has_name(self, index: int, name: int) -> bool:
        """Whether the value that a name stands for has the group's name."""
        self.ask(index, [name])
        return self.any_has_name(index, [name], is_container=False)

    def any_has_name(
        self, index: int, names: Iterable[int], *, is_container: bool = True, is_deep: bool = False
    ) -> bool:
        """Whether a type of some names has the group's name.

        Args:
            is_container: As in `declared`.
            is_deep: Whether the types of fields count as well.
        """
        types = self.declared(index, names, is_container=is_container)
        return any(map(self._holders.has_name, self.with_parts(types) if is_deep else types))

    def has_name_in_type(self, index: int, read: Read) -> bool:
        """Whether the type of a value says that it may have the group's name."""
        return self.is_any_module(index, read.names) or self.any_has_name(index, read.names, is_container=False)

    def is_any_module(self, index: int, names: Iterable[int]) -> bool:
        """Whether one of some names is of the type of modules, or of what has modules, if a module's name is meant."""
        module = self._places.documents[index].language.record.module_type
        if not module or not self._group.is_of_module:
            return False
        descriptions = self._answers.queries[index].descriptions(names)
        signatures = (description.signature for description in descriptions if description is not None)
        return any(next(whole_words(signature, module), None) is not None for signature in signatures)

    def is_in_types(self, index: int, names: Iterable[int]) -> bool:
        """Whether the checker writes the name of a member, or of what declares it, in the type of one of some names.

        So it does for what is made of a value: `{...cart}`, `Partial<Cart>`, `list[Cart]`.
        """
        called = self._places.rules[index].called
        return self._group.is_member and self.is_in_signatures(index, [name for name in names if name not in called])

    def is_in_signatures(self, index: int, names: Iterable[int]) -> bool:
        """As `is_in_types`, also for the types of what functions return."""
        for description in self._answers.queries[index].descriptions(names):
            signature = "" if description is None else description.signature
            of_type = signature.partition(": ")[2] or signature
            if self._holders.is_member_in(of_type) or self._holders.is_type_in(of_type):
                return True
        return False

    def is_returned(self, index: int, names: Iterable[int]) -> bool:
        """Whether a function that is called returns a type that declares the name, as the checker writes it."""
        called = [name for name in names if name in self._places.rules[index].called]
        returned = (of_type.rpartition(" -> ")[2] for of_type in self.texts(index, called) if " -> " in of_type)
        return any(map(self._holders.is_type_in, returned))


def says_anything(of_type: str) -> bool:
    """Whether a type is unknown or that of anything, or has such a one in it: `any[]`."""
    return not of_type or any(next(whole_words(of_type, word), None) is not None for word in ANYTHING - {""})

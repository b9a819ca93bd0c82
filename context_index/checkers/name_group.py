"""The places that are one name and are renamed together.

A checker renames one declaration and its uses. A program needs more: the places that another place of the name is
defined by, the methods that override or are overridden, the strings of `__all__`.

`renaming` makes the group of the name that is renamed. `rename_doubts` reads it, and makes a group for each other name
that may be the same one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from context_index.checkers.answers import Target
from context_index.checkers.errors import CheckerRefusedError
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.name_places import SHORTHANDS
from context_index.checkers.rename_results import Place
from context_index.checkers.type_texts import UNRESOLVED
from context_index.mentions import MentionForm
from context_index.syntax import ancestors
from context_index.text import Edit


class NameGroup:
    """A group that grows from a place along definitions, overrides and `__all__`, with the edits that rename it.

    `grow` is called once. The properties say what kind of name the group is. Each is computed from `edits` when it is
    first read and then kept, so none may be read before `edits` is complete.
    """

    def __init__(self, answers: NameMeanings) -> None:
        """An empty group.

        Args:
            answers: Their `meanings` must have been asked for: this fills their `own_places`, which `grow` reads.
        """
        self._answers, self._places = answers, answers.places
        self.edits: dict[Place, set[Edit]] = {}
        """The edits that begin at each place; several if the checker renames the halves of a shorthand or an alias.

        `grow` fills it. For a lone shorthand `rename_doubts` does not call `grow`, and writes its edit here.
        """
        self.reached = set[Place]()
        """The places that are the name; a shorthand of which only the key is renamed is not among them."""
        self._asked = set[Place]()
        """The places whose edits are complete: the checker was asked to rename there, or `_add_own` knew them."""
        self._relatives_of = set[Place]()
        """The places whose relatives were looked for."""

    def grow(self, seed: Place) -> set[Place]:
        """Add a place and all that is linked to it; returns the places that are renamed for the seed alone.

        These are the places of the checker's edits when it is asked at the seed, or those of a script's own name.

        Raises:
            CheckerRefusedError: the seed cannot be renamed.
        """
        own = self._add(seed)
        while more := [place for place in self._linked() if place not in self._asked]:
            for place in more:
                if place in self._asked:
                    continue
                try:
                    self._add(place, is_linked=True)
                except CheckerRefusedError:
                    self._add_alone(place)
            self._add_pattern_keys()
        return own

    def _add(self, place: Place, *, is_linked: bool = False) -> set[Place]:
        """Add what the checker renames for a place; returns the places of its edits.

        Args:
            is_linked: Whether the place is linked to the name. Then it is added alone if the checker does not rename it
                there: what it renames is another name, or is linked as well.

        Raises:
            CheckerRefusedError: the checker does not rename the place.
        """
        self._asked.add(place)
        if own := self._answers.own_places.get(place):
            return self._add_own(own)
        edits, forms = self._answers.rename(place), self._places.forms
        if is_linked and place not in edits:  # of `case Point(x=0)` ty renames the variable `x`
            self._add_alone(place)
            return {place}
        is_name = forms.get(place) is MentionForm.NAME
        for at, edit in edits.items():
            # asked at a class's name, TypeScript 7 renames the key of `{Cart}` instead of the value
            text = self._with_key if is_name and forms.get(at) is MentionForm.SHORTHAND else edit.text
            self.edits.setdefault(at, set()).add(replace(edit, text=text))
        self.reached |= edits.keys()
        return set(edits)

    def _add_own(self, own: set[Place]) -> set[Place]:
        """Add the places of a script's own name of which a library has a global, too: `var name = 1; use(name)`.

        The checker takes some of them for the global, so its rename would leave these out, or refuse.
        """
        name, new = self._places.name, self._answers.new
        for place in own:
            text = self._with_key if self._places.forms[place] in SHORTHANDS else new
            self.edits[place] = {Edit(place[1], place[1] + len(name), text)}
        self.reached |= own
        self._asked |= own
        return own

    @property
    def _with_key(self) -> str:
        """The text of the shorthand `{old}` whose value is renamed and whose key is not: `old: new`."""
        return f"{self._places.name}: {self._answers.new}"

    def _add_alone(self, place: Place) -> None:
        """Add a place that the checker links to the name and does not rename itself, such as a string."""
        name, new = self._places.name, self._answers.new
        self.edits.setdefault(place, set()).add(Edit(place[1], place[1] + len(name), new))
        self.reached.add(place)

    def _add_pattern_keys(self) -> None:
        """Rename the keys of shorthands in patterns that take a reached member out of a value: `const {old} = cart`."""
        for place, form in self._places.forms.items():
            definitions = self._answers.meanings[place] - {place}
            if form is MentionForm.SHORTHAND_PATTERN and not self.reached.isdisjoint(definitions):
                self.edits.setdefault(place, set()).add(self._answers.lone_edit(place, form))

    def _linked(self) -> Iterator[Place]:
        """Places that are the name as well, some of which may have been asked about already.

        A shorthand links nothing (`NameMeanings.links` is empty): it is the name of a member and of a variable, and
        would make one group of both.
        """
        answers, forms = self._answers, self._places.forms
        for place in list(self.reached):
            for definition in answers.links(place):  # a `Place`, which is a tuple, or a `Target` in another file
                if isinstance(definition, tuple) and definition in forms and definition not in self.reached:
                    yield definition
            if place not in self._relatives_of:
                self._relatives_of.add(place)
                yield from (relative for relative in self._relatives(place) if relative not in self.reached)
        for place in forms.keys() - self.reached:
            if not self.reached.isdisjoint(answers.links(place)):
                yield place
        if self.is_private:
            yield from self._same_private()
        for place, edits in list(self.edits.items()):
            if forms.get(place) is MentionForm.NAME and any(edit.text != answers.new for edit in edits):
                yield place  # `export {new as old}` keeps the old name for others; they are to have the new one

    def _same_private(self) -> Iterator[Place]:
        """Where the classes of reached places say their private name `#name`, also of receivers without a type."""
        places = self._places
        classes = {(index, places.rules[index].class_of_private(offset)) for index, offset in self.reached}
        for index, offset in places.forms.keys() - self.reached:
            of_class = places.rules[index].class_of_private(offset)
            if of_class is not None and (index, of_class) in classes:
                yield index, offset

    def _relatives(self, place: Place) -> Iterator[Place]:
        """Where related classes declare the same member, or the same parameter of the same method."""
        index, offset = place
        rules, name = self._places.rules[index], self._places.name
        if place not in self._places.forms:
            return
        if (around := rules.enclosing_class(offset)) is not None:
            yield from self._answers.family(index, around, name)
        elif (function := rules.parameter_function(offset)) is not None:
            function_place, function_name = function
            holder = rules.enclosing_class(function_place) if function_name else None  # a lambda has no name
            # each class has an `__init__` with parameters of its own, and no class overrides another's `__name`
            if holder is not None and not function_name.startswith("__"):
                for other, method in self._answers.family(index, holder, function_name):
                    yield from ((other, at) for at in self._places.rules[other].parameters_named(method, name))

    def edit(self, place: Place) -> Edit:
        """The edit that renames a place.

        Where both halves of a shorthand or an alias are renamed, one name is left. The checker renames a half at a time
        and keeps the other one: `export {old}` becomes `export {new as old}`. So its text counts neither if it has
        edits for both halves, nor at a NAME that is linked to the group: there both halves are of the group.
        """
        edits = self.edits[place]
        is_name = self._places.forms.get(place) is MentionForm.NAME
        is_linked_name = is_name and not self.reached.isdisjoint(self._answers.links(place))
        if len(edits) == 1 and not is_linked_name:
            return next(iter(edits))
        return Edit(place[1], max(edit.end for edit in edits), self._answers.new)

    def edits_by_uri(self) -> Mapping[str, tuple[Edit, ...]]:
        """All edits: of each document, by its URI, in the order of their offsets."""
        by_uri: dict[str, list[Edit]] = {}
        for place in sorted(self.edits):
            by_uri.setdefault(self._places.documents[place[0]].uri, []).append(self.edit(place))
        return {uri: tuple(edits) for uri, edits in by_uri.items()}

    @cached_property
    def own_globals(self) -> frozenset[Target]:
        """The libraries' globals whose name a script has, if the script's name is in the group."""
        is_own = not self.edits.keys().isdisjoint(self._answers.own_places)
        return frozenset(self._answers.taken_globals if is_own else ())

    @cached_property
    def is_private(self) -> bool:
        """Whether only the class itself can say the name (`#name`)."""
        return self._places.name.startswith("#")

    @cached_property
    def is_member(self) -> bool:
        """Whether the name is a member's, which any receiver may have."""
        return any(self._places.forms.get(place) is MentionForm.MEMBER for place in self.edits)

    @cached_property
    def is_optional(self) -> bool:
        """Whether TypeScript declares the name as a member that may be absent."""
        return any(self._places.rules[index].is_optional(offset) for index, offset in self.edits)

    @cached_property
    def is_of_module(self) -> bool:
        """Whether other modules may reach the name by its module; not if all places are types."""
        rules = self._places.rules
        places = [place for place in self.edits if place in self._places.forms]
        if all(rules[index].is_type(offset) for index, offset in places):
            return False
        return any(rules[index].is_of_module(offset) for index, offset in places)

    def is_declared_apart(self, index: int) -> bool:
        """Whether a document only declares what one with the name defines (`cart.d.ts`, `cart.pyi`), or reversed.

        Where modules are named by paths, the file that declares a module may have any name; a package says where it is.
        """
        documents = self._places.documents
        record = documents[index].language.record
        return any(
            self._only_declares(index) != self._only_declares(own)
            and all(self._only_declares(each) or self._is_declared_by_stubs(each) for each in (index, own))
            and (record.specifiers_are_paths or _module(documents[index].uri) == _module(documents[own].uri))
            for own in self._documents
        )

    def _only_declares(self, index: int) -> bool:
        document = self._places.documents[index]
        return document.uri.endswith(document.language.record.stubs)

    def _is_declared_by_stubs(self, index: int) -> bool:
        return self._places.documents[index].language.record.is_declared_by_stubs

    @cached_property
    def _documents(self) -> frozenset[int]:
        """The indices of the documents with edits."""
        return frozenset(index for index, _ in self.edits)

    def _in_python(self) -> Iterator[Place]:
        """The places of the name in Python; none in any other language.

        Of all languages only Python has keyword arguments in its record. Documents that are renamed together are of one
        family, so the first one speaks for all.
        """
        has_keywords = self._places.documents[0].language.record.has_keyword_arguments
        return (place for place in self.edits if has_keywords and place in self._places.forms)

    @cached_property
    def private_in(self) -> frozenset[str]:
        """The names of the Python classes that declare the name, if it is one that Python mangles (`__name`)."""
        if not self._places.rules[0].is_mangled(self._places.name):
            return frozenset()
        syntaxes, rules = self._places.syntaxes, self._places.rules
        classes = ((index, rules[index].enclosing_class(offset)) for index, offset in self._in_python())
        names = ((index, around and around.child_by_field_name("name")) for index, around in classes)
        return frozenset(syntaxes[index].text(name) for index, name in names if name is not None)

    @cached_property
    def is_class(self) -> bool:
        """Whether the name is a Python class's."""
        return any(self._places.rules[index].class_declared_at(offset) for index, offset in self._in_python())

    @cached_property
    def is_field(self) -> bool:
        """Whether the name is a field's in Python, which constructors and the like may have as a parameter."""
        return any(self._places.rules[index].is_field(offset) for index, offset in self._in_python())

    @cached_property
    def declared(self) -> frozenset[Place]:
        """The places that declare the name."""
        return frozenset(place for place in self.reached if place in self._answers.meanings.get(place, ()))

    @cached_property
    def is_declared_at_top(self) -> bool:
        """Whether JavaScript declares the name outside of functions: others may say it if that is in a script."""
        return any(self._places.rules[index].is_declared_at_top(offset) for index, offset in self.declared)

    @cached_property
    def is_only_declared(self) -> bool:
        """Whether the documents declare the name, and pass it on to other modules at most: no place of them uses it."""
        others = (self.reached & self._places.forms.keys()) - self.declared
        return all(
            self._places.forms[place] is MentionForm.EXPORTED
            or self._places.rules[place[0]].is_only_passed_on(place[1])
            for place in others
        )

    @cached_property
    def is_key(self) -> bool:
        """Whether a Python class declares the name as a key of dictionaries (`TypedDict`)."""
        asked = ((at, probe) for (at, place), probe in self._places.key_probes.items() if (at, place) in self.edits)
        described = (each for at, probe in asked for each in self._answers.queries[at].descriptions([probe]))
        return any(each is not None and each.signature not in UNRESOLVED for each in described)

    @cached_property
    def is_protocol(self) -> bool:
        """Whether a protocol of Python declares the name."""
        rules = self._places.rules
        classes = ((index, rules[index].enclosing_class(offset)) for index, offset in self._in_python())
        return any(around is not None and rules[index].is_protocol(around) for index, around in classes)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the Python functions that have the name as a parameter; "" for a lambda."""
        return frozenset(name for _, name in self._functions)

    @cached_property
    def function_places(self) -> frozenset[Place]:
        """Where these functions have their names."""
        return frozenset(place for place, _ in self._functions)

    @cached_property
    def _functions(self) -> frozenset[tuple[Place, str]]:
        """The functions that have the name as a parameter: their names and where these are."""
        rules = self._places.rules
        functions = ((index, rules[index].parameter_function(offset)) for index, offset in self._in_python())
        return frozenset(((index, function[0]), function[1]) for index, function in functions if function is not None)

    @cached_property
    def collecting_functions(self) -> Sequence[tuple[int, tuple[int, int]]]:
        """The methods that override one of `functions`, or are overridden, and take arguments of any name as a mapping.

        Each is the index of a document and a span.
        """
        places, spans = self._places, list[tuple[int, tuple[int, int]]]()
        for (index, offset), name in self._functions:
            of_class = places.rules[index].enclosing_class(offset) if name else None  # a lambda has no name
            for other, method in () if of_class is None else self._answers.family(index, of_class, name):
                if (span := places.rules[other].collecting_function(method)) is not None:
                    spans.append((other, span))
        return spans

    @cached_property
    def is_passed_on(self) -> bool:
        """Whether one of `functions`, or a class that it makes, is a value: others may call it with any keys."""
        called = chain(self.functions, self.classes_made)
        return any(rules.is_passed_on(name) for name in called for rules in self._places.rules)

    @cached_property
    def classes_made(self) -> frozenset[str]:
        """The names of the classes whose instances one of `functions` makes, and of their subclasses in any file."""
        names = set[str]()
        for index, offset in self._in_python():
            rules = self._places.rules[index]
            of_class = None if rules.parameter_function(offset) is None else rules.class_made_with(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            if name is not None:
                names |= {self._places.syntaxes[index].text(rules.node(name))}
                names |= self._answers.subclass_names(index, name)
        return frozenset(names)

    def is_within_made(self, place: Place) -> bool:
        """Whether a place is in one of `classes_made`, where `cls` is the class as a value."""
        index, offset = place
        rules, syntax = self._places.rules[index], self._places.syntaxes[index]
        around = (each for each in ancestors(rules.node(offset)) if each.type in rules.CLASSES)
        own_names = (each.child_by_field_name("name") for each in around)
        return any(name is not None and syntax.text(name) in self.classes_made for name in own_names)

    @cached_property
    def is_unpacked(self) -> bool:
        """Whether a call gives one of `functions` its arguments in a mapping, `f(**options)`."""
        rules = self._places.rules
        return any(any(of_document.calls_with_mapping(name)) for name in self.functions for of_document in rules)

    @cached_property
    def constructors(self) -> frozenset[str]:
        """The names of the Python classes whose instances may be made with an argument of the name."""
        names = set[str]()
        for index, offset in self._in_python():
            rules = self._places.rules[index]
            of_class = rules.class_made_with(offset)
            name = None if of_class is None else rules.class_name_place(of_class)
            if name is not None:
                names |= {self._places.syntaxes[index].text(rules.node(name))}
        return frozenset(names)

    def relatives_with_new_name(self) -> Iterator[Place]:
        """Where a class that is related to one with the name declares a member of the new name."""
        for index, offset in self.reached & self._places.forms.keys():
            if (around := self._places.rules[index].enclosing_class(offset)) is not None:
                yield from self._answers.family(index, around, self._answers.new)

    def classes(self) -> Iterator[tuple[str, str]]:
        """The classes that declare the name as a member and can be named at the end of their document.

        Each is the document's URI and the class's path, such as `Outer.Inner`; sorted.
        """
        paths = set[tuple[str, str]]()
        for index, offset in self.edits:
            rules = self._places.rules[index]
            around = rules.enclosing_class(offset) if (index, offset) in self._places.forms else None
            if around is not None and (path := rules.class_path(around)):
                paths.add((self._places.documents[index].uri, path))
        yield from sorted(paths)


def _module(uri: str) -> tuple[str, str]:
    """The name of the module in a file; that of a package's own file has the folder's name, too."""
    *_, folder, name = uri.split("/")
    stem = name.partition(".")[0]
    return folder if stem == "__init__" else "", stem

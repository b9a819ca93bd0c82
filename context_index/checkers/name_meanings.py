"""Asks a checker what a name means at each of its places, what renaming it changes, and which classes are related.

Some is asked at probes: lines of our own at the documents' ends, which `name_places` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from context_index.checkers.answers import Target, hierarchy_name
from context_index.checkers.families import Families
from context_index.checkers.name_places import SHORTHANDS, NamePlaces
from context_index.checkers.query import Query
from context_index.checkers.rename_results import EnumMember, Meaning, Place
from context_index.mentions import Mention, MentionForm, mentions
from context_index.syntax import Node
from context_index.text import Edit
from context_index.uris import path_of


class NameMeanings:
    """A checker's answers about the places of a name. Used only while the checker is asked."""

    def __init__(self, places: NamePlaces, queries: Sequence[Query], new: str, *, has_probes: bool = True) -> None:
        """Nothing is asked yet.

        Args:
            queries: Ask about the documents of `places`, in their order.
            new: The name to which the old one is renamed.
            has_probes: Whether the checker was shown the documents with the probes of `places`, or without them.
        """
        self.places, self.queries, self.new = places, queries, new
        self._has_probes = has_probes
        self._by_file = {file_of(query.uri): index for index, query in enumerate(queries)}
        self.unread = set[str]()
        """The URIs of files that a rename would change and that are not among the documents."""
        self.own_places: dict[Place, set[Place]] = {}
        """By each place of a script's own name: all its places, if a library has a global of that name."""
        self.taken_globals = set[Target]()
        """These globals."""
        self._families = Families()
        self._declarations: dict[str, Sequence[tuple[int, int, Node]]] = {}
        """The results of `_declared`."""
        self._links: dict[Place, Meaning] = {}
        """The results of `links`."""

    @cached_property
    def meanings(self) -> Mapping[Place, Meaning]:
        """The definitions of the name at each of its places."""
        meanings: dict[Place, Meaning] = {}
        for index, query in enumerate(self.queries):
            here = self.places.mentions[index]
            asked = [self._asked_offset(index, mention) for mention in here]
            for mention, targets in zip(here, query.targets(asked), strict=True):
                meanings[index, mention.start] = self.meaning_of(targets)
        for index in range(len(self.queries)):
            self._bind_to_script(index, meanings)
        for place, meaning in meanings.items():
            if any(isinstance(definition, tuple) for definition in meaning):
                meanings[place] = meaning - self.taken_globals
        return meanings

    def _bind_to_script(self, index: int, meanings: dict[Place, Meaning]) -> None:
        """Give the uses of a script's own name, which the checker takes for a library's global, to the script.

        A script may declare `name`, as the DOM's types do; the checker then says that some uses, or all, are the DOM's.
        By the script's own scopes they are its own, and mean its first declaration.

        Changes `meanings`, `own_places` and `taken_globals`.
        """
        places = self.places
        own = places.places_of_script(index)
        taken = {place for place in own if any(isinstance(target, Target) for target in meanings[place])}
        if not taken:
            return
        line = places.line_of_script(own[0])
        on_line = [place for place in own if places.documents[index].position(place[1]).line == line]
        declaration = next((place for place in on_line if place in meanings[place] or place in taken), own[0])
        uses = {place for place in own if place in taken or declaration in meanings[place]} | {declaration}
        for place in uses:
            self.taken_globals |= {target for target in meanings[place] if isinstance(target, Target)}
            in_documents = (definition for definition in meanings[place] if isinstance(definition, tuple))
            meanings[place] = frozenset({declaration, *in_documents})
            self.own_places[place] = uses

    @cached_property
    def members(self) -> Mapping[tuple[str, str], Meaning]:
        """The definitions of the members that the probes ask for, by the document's URI and the class's path."""
        members: dict[tuple[str, str], Meaning] = {}
        for key, probes in self.places.member_probes.items():
            each = [self.meaning_of(*self.queries[index].targets([offset])) for index, offset in probes]
            members[key] = frozenset[Place | Target]().union(*each)
        return members

    @cached_property
    def exports(self) -> Mapping[tuple[int, str], Meaning]:
        """What documents with `export *` export by a name, by the document's index and the name.

        Nothing if two of the modules that are passed on export different things by it (ECMA-262, 16.2.1.7.2.2).
        """
        exports: dict[tuple[int, str], Meaning] = {}
        for (index, name), probes in self.places.export_probes.items():
            # one probe for the document itself, and one for each of the modules
            own, *passed_on = (self.meaning_of(targets) for targets in self.queries[index].targets(probes))
            of_others = frozenset[Place | Target]().union(*passed_on)
            exports[index, name] = frozenset() if len(of_others) > 1 and own <= of_others else own
        return exports

    @cached_property
    def values(self) -> Mapping[tuple[str, str], EnumMember]:
        """What the name is as a member of enumerations, by the document's URI and the class's path."""
        values: dict[tuple[str, str], EnumMember] = {}
        for key, probes in self.places.value_probes.items():
            query = self.queries[probes.document]
            of_value, of_name = query.descriptions([probes.value, probes.name])
            # only an enumeration's member knows its own name
            if of_name is not None and f'"{self.places.name}"' in of_name.signature:
                of_type = "" if of_value is None else of_value.signature
                makers = query.targets([probes.maker, *(() if probes.text is None else (probes.text,))])
                values[key] = EnumMember(of_type, *map(self.meaning_of, makers))
        return values

    def _asked_offset(self, index: int, mention: Mention) -> int:
        """Where the checker is asked about a mention: at its probe, if there is one."""
        probe = self.places.probes.get((index, mention.start)) if self._has_probes else None
        return mention.start if probe is None else probe

    def meaning_of(self, targets: Iterable[Target]) -> Meaning:
        """The checker's definitions of a name as a meaning; those in probes and in other lines of ours are dropped."""
        placed = map(self._placed, targets)
        return frozenset(definition for definition in placed if definition is not None)

    def _placed(self, target: Target) -> Place | Target | None:
        """A checker's place as a `Place`, if it is in one of the documents; None if it is in lines of ours."""
        index = self._by_file.get(file_of(target.uri))
        if index is None:
            return target
        offset = self.queries[index].offset(target)
        if offset is None or offset > len(self.places.documents[index].text):
            return None
        place = index, self.places.rules[index].assigned_name(offset)
        within_quote = index, place[1] + 1  # a name in quotes is defined at the quote, and its place is after it
        is_quote = place not in self.places.forms and self.places.forms.get(within_quote) is MentionForm.TEXT
        return within_quote if is_quote else place

    def rename(self, place: Place) -> Mapping[Place, Edit]:
        """The checker's own edits for renaming the name at a place; adds to `unread`.

        Raises:
            CheckerRefusedError: it cannot be renamed.
        """
        edits: dict[Place, Edit] = {}
        index, offset = place
        for uri, lsp_edits in self.queries[index].rename(offset, self.new).items():
            if (other := self._by_file.get(file_of(uri))) is None:
                self.unread.add(uri)
                continue
            document = self.places.documents[other]
            for edit in self.places.edits(document, self.queries[other], lsp_edits):
                edits[other, edit.start] = edit
        return edits

    def lone_edit(self, place: Place, form: MentionForm) -> Edit:
        """The edit that renames a place alone; in a shorthand it renames the key and keeps the name."""
        name = self.places.name
        text = f"{self.new}: {name}" if form in SHORTHANDS else self.new
        return Edit(place[1], place[1] + len(name), text)

    def links(self, place: Place) -> Meaning:
        """The definitions of the name at a place, as links to other places of the same name.

        A shorthand, which is two names at once, links nothing: neither from it nor, through it, to what it stands for.
        """
        if place not in self._links:
            self._links[place] = self._linked(place)
        return self._links[place]

    def _linked(self, place: Place) -> Meaning:
        forms = self.places.forms
        if forms.get(place) in SHORTHANDS:
            return frozenset()
        meaning = self.meanings.get(place, frozenset())
        shorthands = {to for to in meaning if isinstance(to, tuple) and forms.get(to) in SHORTHANDS}
        return meaning.difference(shorthands, *(self.meanings.get(to, frozenset()) for to in shorthands))

    def family(self, index: int, of_class: Node, member: str) -> Iterator[Place]:
        """Where the classes that are related to a class declare a member of the same name.

        Nothing if the checker's own rename includes these places.

        Args:
            index: The document of the class.
            of_class: The node of its declaration.
        """
        places = self.places
        if places.documents[index].language.record.checker.renames_overrides:
            return
        declared = self._declared(member)
        pending, seen = [(index, of_class)], set[Place]()
        while pending:
            other, around = pending.pop()
            name = places.rules[other].class_name_place(around)
            if name is None or (other, name) in seen:
                continue
            seen.add((other, name))
            for target in self._families.around(self.queries[other], name):
                placed = self._placed(target)
                if not isinstance(placed, tuple):
                    continue
                relative = places.rules[placed[0]].class_declared_at(placed[1])
                if relative is None:
                    continue
                members = [(at, offset) for at, offset, holder in declared if at == placed[0] and holder == relative]
                if members:
                    yield from members
                    pending.append((placed[0], relative))

    def known_bases(self, index: int, name: int) -> Meaning:
        """The direct bases that the checker knows of the class whose name is at an offset, also computed ones.

        Nothing if the checker's own rename includes the members of related classes.
        """
        query, traits = self.queries[index], self.places.documents[index].language.record.checker
        of_class = None if traits.renames_overrides else query.class_at(name)
        if of_class is None:
            return frozenset()
        return self.meaning_of(target for target, _ in query.bases(of_class[1]))

    def bases_elsewhere(self, index: int, name: int) -> Iterator[Target]:
        """The bases, also indirect ones, of the class whose name is at an offset, but those in the documents."""
        query, seen = self.queries[index], set[Target]()
        pending = list(filter(None, [query.class_at(name)]))
        while pending:
            for base in query.bases(pending.pop()[1]):
                if base[0] not in seen:
                    seen.add(base[0])
                    pending.append(base)
        yield from (target for target in seen if target in self.meaning_of([target]))

    def subclass_names(self, index: int, name: int) -> frozenset[str]:
        """The names of the subclasses, also indirect ones and in any file, of the class whose name is at an offset."""
        query, seen = self.queries[index], dict[Target, str]()
        pending = list(filter(None, [query.class_at(name)]))
        while pending:
            for target, item in query.subclasses(pending.pop()[1]):
                if target not in seen:
                    seen[target] = hierarchy_name(item)
                    pending.append((target, item))
        return frozenset(seen.values()) - {""}

    def _declared(self, member: str) -> Sequence[tuple[int, int, Node]]:
        """Where classes declare a member of a name: the document's index, the offset, and the class."""
        if member not in self._declarations:
            places = self.places
            self._declarations[member] = [
                (index, mention.start, around)
                for index, syntax in enumerate(places.syntaxes)
                for mention in (places.mentions[index] if member == places.name else mentions(syntax, member))
                if mention.form in (MentionForm.NAME, MentionForm.MEMBER)
                and (around := places.rules[index].enclosing_class(mention.start)) is not None
            ]
        return self._declarations[member]


def file_of(uri: str) -> Path | str:
    """The path that a URI names, else the URI: checkers and clients escape the same path differently."""
    return path_of(uri) or uri

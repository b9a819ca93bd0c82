"""Renaming by a checker: what a name means at each place where a text says it, and what renaming that changes.

A checker renames one declaration and its uses. A program needs more: whatever another place of the name is defined by,
the methods that override or are overridden, the strings of `__all__`. So each place of the name is asked for its
definitions, and places that share one are renamed together. A place without a definition may be the name or not: a
receiver that has no type, a string. Those are handed over one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from context_index.checkers.answers import Diagnostic, Target
from context_index.checkers.checker import Checker
from context_index.checkers.errors import CheckerRefusedError
from context_index.checkers.families import Families
from context_index.checkers.query import Query
from context_index.mentions import Mention, MentionForm, mention_rules, mentions
from context_index.scopes import scopes_at
from context_index.symbols import Origin
from context_index.syntax import Node, Syntax, Trees, ancestors
from context_index.text import Document, Edit
from context_index.uris import path_of

Place = tuple[int, int]
"""The index of a document, and an offset in it."""
Meaning = frozenset["Place | Target"]
"""The places at which a name is defined: those in the documents, and those in other files."""
_SHORTHANDS = frozenset({MentionForm.SHORTHAND, MentionForm.SHORTHAND_PATTERN})


class Doubt(StrEnum):
    """Why a place may have a name or not; a sentence's end for people."""

    UNTYPED = "its receiver has no type"
    TEXT = "it is a string"
    KEYWORD = "the function that is called has no type"
    UNKNOWN = "the checker does not know where it is from"
    NAMESAKE = "it may be used where the other is meant"
    MANGLED = "it is a private name with the name of a class of this name"
    COPIED = "it is a key that may be copied to what has the name"
    DECLARED = "a declaration file and a script have the name"
    GLOBAL = "a library has a global of this name"


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A place that may have the name or not, and the edit that would rename it there."""

    uri: str
    edit: Edit
    doubt: Doubt


@dataclass(frozen=True, slots=True)
class Renaming:
    """What one meaning of a name comes to."""

    places: tuple[int, ...]
    """Where the text says it with this meaning, of the places that were asked about."""
    edits: Mapping[str, tuple[Edit, ...]]
    """By URI, in order; offsets are of the documents that the checker was given."""
    back: tuple[int, ...] = ()
    """Where the checker's own edits of the first document are, for the place that it was asked about."""
    seed: int = 0
    """That place."""
    elsewhere: tuple[str, ...] = ()
    """The files in which the name is declared, where none of the documents does."""
    perhaps: tuple[Perhaps, ...] = ()
    outside: tuple[str, ...] = ()
    """What outside of the documents has the same member, by its file: it may call what is renamed."""
    functions: frozenset[str] = frozenset()
    """The Python functions of which the name is a parameter's."""
    is_member: bool = False
    """Whether it is a member's, which any receiver may be asked for."""
    is_local: bool = False
    """Whether only one function can say the name."""
    classes: tuple[tuple[str, str], ...] = ()
    """The classes that declare what is renamed: their document's URI, and their names at its end."""


@dataclass(frozen=True, slots=True)
class Renamings:
    """All that a name means in a text."""

    meanings: tuple[Renaming, ...]
    refused: str = ""
    """What the checker said of a place that it renames nothing at."""
    unread: tuple[str, ...] = ()
    """Documents that would be changed and that the checker was not given: they cannot be."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()
    """What the checker says of the first documents as they are."""
    old_name: Survey = field(default_factory=lambda: Survey({}, {}))
    """What the old name means."""
    new_name: Survey = field(default_factory=lambda: Survey({}, {}))
    """What the new name means before it is given."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a name means at every place of it, before or after a rename."""

    meanings: Mapping[Place, Meaning]
    probed: Mapping[tuple[str, str], Meaning]
    """What it means as a member of classes: by the document's URI and the class's name."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()


def renamings(
    checker: Checker,
    documents: Sequence[Document],
    places: Sequence[int],
    old: str,
    new: str,
    *,
    trees: Trees,
    diagnosed: int = 0,
    namesakes: bool = False,
) -> Future[Renamings]:
    """What renaming the name at each of some places of the first document comes to.

    Args:
        trees: Has those of the documents, or gets them.
        documents: With the texts that edits are made of; those after the first may have the name, too.
        diagnosed: Of so many documents the diagnostics are wanted as well.
        namesakes: Whether all other members of the same name are wanted as places that may have it.
    """
    program = _Program(documents, old, trees)

    def ask(asked: Sequence[Query]) -> Renamings:
        answers = _Answers(program, asked, new, wants_namesakes=namesakes)
        found: list[Renaming] = []
        refused = ""
        for place in places:
            if any(place in one.places for one in found):
                continue
            try:
                if (meaning := answers.renaming(place, places)) is not None:
                    found.append(meaning)
            except CheckerRefusedError as error:
                refused = refused or str(error)
        taken = _Answers(_Program(documents, new, trees), asked, old, is_probed=False).meanings
        surveys = Survey(answers.meanings, {}), Survey(taken, {})
        unread, diagnostics = tuple(sorted(answers.unread)), _diagnostics(program, asked, diagnosed)
        return Renamings(tuple(found), refused, unread, diagnostics, *surveys)

    return checker.ask_together(program.probed, ask)


def survey(
    checker: Checker,
    documents: Sequence[Document],
    name: str,
    *,
    back: tuple[int, str] | None,
    old: str,
    classes: Sequence[tuple[str, str]],
    trees: Trees,
    diagnosed: int,
) -> Future[tuple[Survey, Mapping[str, tuple[Edit, ...]]]]:
    """What a name means now at each of its places, and what renaming it back at a place of the first document changes.

    Args:
        back: An offset and the name to give; None where nothing is renamed back.
        old: The name that classes must no longer have.
        classes: The classes that are asked for a member of the old name.
    """
    program = _Program(documents, name, trees, dict.fromkeys(classes, old))

    def ask(asked: Sequence[Query]) -> tuple[Survey, Mapping[str, tuple[Edit, ...]]]:
        answers = _Answers(program, asked, "")
        edits: dict[str, tuple[Edit, ...]] = {}
        if back is not None:
            try:
                found = {_file(uri): one for uri, one in asked[0].rename(*back).items()}
            except CheckerRefusedError:
                found = {}
            for query, document in zip(asked, documents, strict=True):
                if made := program.edits(document, query, found.get(_file(query.uri), ())):
                    edits[document.uri] = made
        return Survey(answers.meanings, answers.members, _diagnostics(program, asked, diagnosed)), edits

    return checker.ask_together(program.probed, ask)


def _diagnostics(program: _Program, asked: Sequence[Query], most: int) -> tuple[tuple[Diagnostic, ...], ...]:
    lengths = [len(document.text) for document in program.documents]
    return tuple(
        tuple(found for found in query.diagnostics() if found.start < length or not length)
        for query, length in zip(asked[:most], lengths[:most], strict=True)
    )


class _Program:
    """The documents with a name, their trees and all places of it, and lines at their ends that ask about it.

    A string of `__all__` says what the module has at its end, and there a class can be asked for a member.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        name: str,
        trees: Trees,
        classes: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        self.documents, self.name = documents, name
        self.syntaxes = [trees.of(document) for document in documents]
        self.rules = [mention_rules(syntax) for syntax in self.syntaxes]
        self.mentions: list[tuple[Mention, ...]] = [mentions(syntax, name) for syntax in self.syntaxes]
        self.forms = {
            (index, mention.start): mention.form for index, some in enumerate(self.mentions) for mention in some
        }
        self.probed: list[Document] = []
        self.asked_elsewhere: dict[Place, int] = {}
        """By place, the offset of the probe that asks for it: a string of `__all__`, a class pattern's attribute."""
        self.everything: int | None = None
        """The offset of the probe, in the first document, for a member that every object has."""
        self.members: dict[tuple[str, str], list[Place]] = {}
        """The probes for members of classes."""
        for index, document in enumerate(documents):
            self.probed.append(self._probe(index, document, classes or {}))

    def _probe(self, index: int, document: Document, classes: Mapping[tuple[str, str], str]) -> Document:
        text, record = document.text, document.language.record
        newline = document.newline

        def add(receiver: str, name: str) -> int:
            nonlocal text
            text += f"{newline}{receiver}{name}"
            at = len(text) - len(name)
            text += newline if record.is_indented else ";"
            return at

        for mention in self.mentions[index]:
            if mention.form is MentionForm.EXPORTED:
                self.asked_elsewhere[index, mention.start] = add("", self.name)
            elif mention.form is MentionForm.PATTERN and (of := self.rules[index].pattern_class(mention.start)):
                self.asked_elsewhere[index, mention.start] = add(f"{of}(...).", self.name)
        if index == 0 and record.lexis.has_object_literals and classes == {} and not self.name.startswith("#"):
            self.everything = add(";({}).", self.name)
        for (uri, path), name in classes.items():
            if uri == document.uri:
                receivers = [f"{path}."] if record.is_indented else [f";{path}.prototype.", f";{path}."]
                self.members[uri, path] = [(index, add(one, name)) for one in receivers]
        return document if text == document.text else Document(document.uri, document.language, text, document.revision)

    def edits(self, document: Document, query: Query, given: Iterable[object]) -> tuple[Edit, ...]:
        """A checker's edits of a document, without those of the lines at its end.

        Those that would write over another name are left out, too: in CommonJS TypeScript takes `exports.Other = Name`
        for an alias and renames the uses of `Other`, which goes on to be exported.
        """
        edits = {edit for one in given if (edit := query.edit(one)) is not None and edit.end <= len(document.text)}
        own = (edit for edit in edits if document.text[edit.start : edit.end].strip("'\"`") in ("", self.name))
        return tuple(sorted(own, key=lambda edit: (edit.start, edit.end)))


class _Answers:
    """What a checker answers about the places of a name, while it is asked."""

    def __init__(
        self,
        program: _Program,
        asked: Sequence[Query],
        new: str,
        *,
        is_probed: bool = True,
        wants_namesakes: bool = False,
    ) -> None:
        self._program, self._asked, self._new = program, asked, new
        self._wants_namesakes = wants_namesakes
        self._is_probed = is_probed
        """Whether the checker has the lines at the ends of the documents."""
        self._by_file = {_file(query.uri): index for index, query in enumerate(asked)}
        self.unread = set[str]()
        """Documents that would be changed and that are not among those that the checker was given."""
        self.own_places: dict[Place, set[Place]] = {}
        """All places of a script's own name, by each of them, where a library has a global of that name."""
        self.taken_globals = set[Target]()
        """Those globals."""
        self._families = Families()
        self._declarations: dict[str, Sequence[tuple[int, int, Node]]] = {}
        self._links: dict[Place, Meaning] = {}

    @cached_property
    def meanings(self) -> Mapping[Place, Meaning]:
        """Where the name is defined, by each of its places; empty where the checker does not know."""
        found: dict[Place, Meaning] = {}
        program = self._program
        for index, query in enumerate(self._asked):
            starts = [one.start for one in program.mentions[index]]
            asked = [self._place_asked(index, mention) for mention in program.mentions[index]]
            for start, targets in zip(starts, query.targets(asked), strict=True):
                found[index, start] = self._meaning(targets)
        for index in range(len(self._asked)):
            self._bind(index, found)
        for place, meaning in found.items():
            if any(isinstance(one, tuple) for one in meaning):
                found[place] = meaning - self.taken_globals
        return found

    def _bind(self, index: int, found: dict[Place, Meaning]) -> None:
        """Give the uses of a script's own name, which the checker takes for a global of a library, to the script."""
        program = self._program
        own = {(index, at) for at in _places_of_script(program.syntaxes[index], program.mentions[index], program.name)}
        contested = {one for one in own if any(isinstance(to, Target) for to in found[one])}
        if not contested:
            return
        root = min(own)
        line = _line_of_script(program.syntaxes[index], root[1], program.name)
        on_line = [one for one in sorted(own) if program.documents[index].position(one[1]).line == line]
        root = next((one for one in on_line if one in found[one] or one in contested), root)
        group = {one for one in own if one in contested or one == root or root in found[one]}
        for one in group:
            self.taken_globals |= {to for to in found[one] if isinstance(to, Target)}
            found[one] = frozenset({root, *(to for to in found[one] if isinstance(to, tuple))})
            self.own_places[one] = group

    @cached_property
    def members(self) -> Mapping[tuple[str, str], Meaning]:
        """Where the members that the probes ask for are defined."""
        found: dict[tuple[str, str], Meaning] = {}
        for key, places in self._program.members.items():
            each = [self._meaning(*self._asked[index].targets([offset])) for index, offset in places]
            found[key] = frozenset[Place | Target]().union(*each)
        return found

    def _place_asked(self, index: int, mention: Mention) -> int:
        elsewhere = self._program.asked_elsewhere.get((index, mention.start)) if self._is_probed else None
        return mention.start if elsewhere is None else elsewhere

    def _meaning(self, targets: Iterable[Target]) -> Meaning:
        found = (self._placed(target) for target in targets)
        return frozenset(one for one in found if one is not None)

    def _placed(self, target: Target) -> Place | Target | None:
        """A place in one of the documents as such; None where it is in lines of ours."""
        index = self._by_file.get(_file(target.uri))
        if index is None:
            return target
        offset = self._asked[index].offset(target)
        if offset is None or offset > len(self._program.documents[index].text):
            return None
        offset = self._program.rules[index].assigned_name(offset)
        is_quoted = self._program.forms.get((index, offset + 1)) is MentionForm.TEXT
        return index, offset + (is_quoted and (index, offset) not in self._program.forms)

    def renaming(self, place: int, asked_about: Sequence[int]) -> Renaming | None:
        """What renaming the name at a place of the first document changes; None for nothing.

        Raises:
            CheckerRefusedError: it cannot be renamed.
        """
        component = _Component(self)
        seed = (0, place)
        meaning = self.meanings[seed]  # before the component asks for `own_places`
        if self._program.forms.get(seed) is MentionForm.EXPORTED:  # a string: what it stands for is renamed
            defined = (one for one in meaning if isinstance(one, tuple))
            seed = next((one for one in defined if one in self._program.forms), seed)
        own = component.grow(seed)
        if not component.edits:
            return None
        here = {at for index, at in component.reached if index == 0}
        places = tuple(one for one in asked_about if one in here or one == place)
        return Renaming(
            places,
            component.edits_by_uri(),
            tuple(sorted(at for index, at in own if index == 0)),
            seed[1] if seed[0] == 0 else -1,
            self._elsewhere(seed),
            tuple(self._perhaps(component)),
            self._outside(component),
            component.functions,
            component.is_member,
            not component.is_member and not component.is_of_module,
            tuple(component.classes()),
        )

    def _elsewhere(self, seed: Place) -> tuple[str, ...]:
        meaning = self.meanings.get(seed, frozenset())
        if any(isinstance(one, tuple) for one in meaning):
            return ()
        return tuple(sorted({one.uri for one in meaning if isinstance(one, Target)}))

    def rename(self, place: Place) -> Mapping[Place, Edit]:
        """The checker's own edits for the name at a place.

        Raises:
            CheckerRefusedError: it cannot be renamed.
        """
        found: dict[Place, Edit] = {}
        index, offset = place
        for uri, given in self._asked[index].rename(offset, self._new).items():
            if (other := self._by_file.get(_file(uri))) is None:
                self.unread.add(uri)
                continue
            document = self._program.documents[other]
            for edit in self._program.edits(document, self._asked[other], given):
                found[other, edit.start] = edit
        return found

    def links(self, place: Place) -> Meaning:
        """Where the name at a place is defined, if it is no shorthand: that is two names in one."""
        if place not in self._links:
            self._links[place] = self._linked(place)
        return self._links[place]

    def _linked(self, place: Place) -> Meaning:
        raw = self.meanings.get(place, frozenset())
        forms = self._program.forms
        if forms.get(place) in _SHORTHANDS:
            return frozenset()
        short = {one for one in raw if isinstance(one, tuple) and forms.get(one) in _SHORTHANDS}
        return raw.difference(short, *(self.meanings.get(one, frozenset()) for one in short))

    def family(self, index: int, node: Node, member: str) -> Iterator[Place]:
        """Where the classes that a class derives from, or that derive from it, declare a member of the same name."""
        program = self._program
        if program.documents[index].language.record.checker.renames_overrides:
            return  # its own rename has these
        declared = self._declared(member)
        pending, seen = [(index, node)], set[Place]()
        while pending:
            other, around = pending.pop()
            name = program.rules[other].class_name_place(around)
            if name is None or (other, name) in seen:
                continue
            seen.add((other, name))
            for target in self._families.around(self._asked[other], name):
                placed = self._placed(target)
                relative = (
                    None if not isinstance(placed, tuple) else program.rules[placed[0]].class_declared_at(placed[1])
                )
                if relative is None or not isinstance(placed, tuple):
                    continue
                own = [(of, at) for of, at, holder in declared if of == placed[0] and holder == relative]
                if own:
                    yield from own
                    pending.append((placed[0], relative))

    def _declared(self, member: str) -> Sequence[tuple[int, int, Node]]:
        """Where classes declare a member of some name: the document, the offset, and the class."""
        if member not in self._declarations:
            program = self._program
            self._declarations[member] = [
                (index, mention.start, around)
                for index, syntax in enumerate(program.syntaxes)
                for mention in (program.mentions[index] if member == program.name else mentions(syntax, member))
                if mention.form in (MentionForm.NAME, MentionForm.MEMBER)
                and (around := program.rules[index].enclosing_class(mention.start)) is not None
            ]
        return self._declarations[member]

    def _outside(self, component: _Component) -> tuple[str, ...]:
        """The files outside of the documents in which every object has the member that is renamed."""
        if self._program.everything is None or not component.is_member:
            return ()
        (targets,) = self._asked[0].targets([self._program.everything])
        return tuple(sorted({target.uri for target in targets}))

    def _perhaps(self, component: _Component) -> Iterator[Perhaps]:
        program = self._program
        if component.is_private:
            return
        yield from self._mangled(component)
        is_untyped = False
        for place, form in program.forms.items():
            if place in component.edits:
                continue
            if (doubt := self._doubt(component, place, form)) is not None:
                is_untyped = is_untyped or doubt is Doubt.UNTYPED
                yield self.maybe(place, form, doubt)
        if component.is_member and (is_untyped or component.is_protocol or self._wants_namesakes):
            yield from self._namesakes(component)
            return
        taken = set(component.edits)
        for place, form in program.forms.items():
            if place not in taken and (why := self._other_doubt(component, place, form)) is not None:
                for one in self._with_uses(place, form, taken):
                    yield Perhaps(one.uri, one.edit, why)

    def _mangled(self, component: _Component) -> Iterator[Perhaps]:
        """The private names of classes, said with the class's name, of which the renamed name is a part."""
        name, new = self._program.name, self._new
        for document, rules in zip(self._program.documents, self._program.rules, strict=True):
            for of_class in component.private_in:
                stem = of_class.lstrip("_")
                for at, said in rules.mangled(of_class):
                    start = at + len(stem)
                    if said == name:
                        begin = start if rules.is_mangled(new) else at - 1
                        yield Perhaps(document.uri, Edit(begin, start + len(name), new), Doubt.MANGLED)
            if component.is_class:
                stem = name.lstrip("_")
                for at, _ in rules.mangled(name):
                    yield Perhaps(document.uri, Edit(at, at + len(stem), new.lstrip("_")), Doubt.MANGLED)

    def _doubt(self, component: _Component, place: Place, form: MentionForm) -> Doubt | None:
        """Why a place that is not renamed may have the name; None where it has not."""
        index, offset = place
        raw, rules = self.meanings[place], self._program.rules[index]
        is_reachable = component.is_member or component.is_of_module
        match form:
            case MentionForm.SHORTHAND_PATTERN if raw <= {place} and is_reachable:
                return Doubt.UNTYPED
            case _ if not component.own_globals.isdisjoint(raw):
                return Doubt.GLOBAL
            case _ if raw:
                return None
            case MentionForm.MEMBER | MentionForm.PATTERN if is_reachable:
                return Doubt.UNTYPED
            case MentionForm.KEYWORD if self._may_reach(component, place):
                return Doubt.KEYWORD
            case MentionForm.NAME | MentionForm.EXPORTED if component.is_of_module and self._is_of_project(place):
                return Doubt.UNKNOWN
            case MentionForm.TEXT if is_reachable and not rules.is_receiver_only(offset):
                return Doubt.TEXT
            case MentionForm.TEXT if component.is_unpacked:
                return Doubt.TEXT
            case MentionForm.TEXT if rules.is_key(offset) and component.is_handed_on:
                return Doubt.TEXT
        return None

    def _other_doubt(self, component: _Component, place: Place, form: MentionForm) -> Doubt | None:
        """Why what the checker takes for another name of JavaScript may be this one; None where it is not."""
        index, offset = place
        syntax, rules = self._program.syntaxes[index], self._program.rules[index]
        if not syntax.language.record.lexis.has_object_literals or not (
            place in self.meanings[place] or form is MentionForm.SHORTHAND
        ):
            return None
        is_public = form is MentionForm.MEMBER or rules.is_of_module(offset) or rules.is_declared_at_top(offset)
        if is_public and (component.is_member or component.is_of_module) and component.is_declared_apart(index):
            return Doubt.DECLARED
        if not component.is_member or form not in (MentionForm.MEMBER, MentionForm.SHORTHAND):
            return None
        if component.is_optional or rules.is_optional(offset):
            return Doubt.NAMESAKE
        is_given = form is MentionForm.SHORTHAND or rules.is_key(offset)
        return Doubt.COPIED if is_given and self._are_members_copied else None

    @cached_property
    def _are_members_copied(self) -> bool:
        return any(rules.copies_members() for rules in self._program.rules)

    def _is_of_project(self, place: Place) -> bool:
        """Whether a text may have the name from a module that the checker knows, from where it does not."""
        index, offset = place
        modules = list(self._program.rules[index].imported_from(self._program.name, offset))
        return not modules or any(map(bool, self._asked[index].targets(modules)))

    def _may_reach(self, component: _Component, place: Place) -> bool:
        """Whether the name of an argument may become that of the parameter or the field that is renamed."""
        index, offset = place
        call = self._program.rules[index].keyword_call(offset)
        if call is None or not (component.functions or component.is_field):
            return False
        called, names = call
        (meaning,) = (self._meaning(one) for one in self._asked[index].targets([called]))
        is_elsewhere = bool(meaning) and not any(isinstance(one, tuple) for one in meaning)
        return component.is_field or not is_elsewhere or not names.isdisjoint(component.functions)

    def _namesakes(self, component: _Component) -> Iterator[Perhaps]:
        """All other members of the same name in the documents, with their uses."""
        program = self._program
        taken = set(component.edits)
        for place, form in program.forms.items():
            meaning = self.meanings[place]
            if place in taken or form not in (MentionForm.MEMBER, MentionForm.SHORTHAND) or not meaning:
                continue
            if form is MentionForm.SHORTHAND or all(isinstance(one, tuple) for one in meaning):
                yield from self._with_uses(place, form, taken)

    def _with_uses(self, place: Place, form: MentionForm, taken: set[Place]) -> Iterator[Perhaps]:
        """A place and all that is the same name as it; adds them to those taken."""
        other = _Component(self)
        if form is MentionForm.SHORTHAND:
            other.edits[place] = {self.maybe(place, form, Doubt.NAMESAKE).edit}
        else:
            other.grow(place)
        for at in other.edits.keys() - taken:
            taken.add(at)
            yield Perhaps(self._program.documents[at[0]].uri, other.edit(at), Doubt.NAMESAKE)

    def maybe(self, place: Place, form: MentionForm, doubt: Doubt) -> Perhaps:
        """A place with the edit that renames it alone."""
        name = self._program.name
        text = f"{self._new}: {name}" if form in _SHORTHANDS else self._new
        return Perhaps(self._program.documents[place[0]].uri, Edit(place[1], place[1] + len(name), text), doubt)


class _Component:
    """The places that are one name: whatever links them by a definition, an override or an `__all__`."""

    def __init__(self, answers: _Answers) -> None:
        self._answers, self._program = answers, answers._program
        self.edits: dict[Place, set[Edit]] = {}
        self.reached = set[Place]()
        self._asked = set[Place]()
        self._relatives_of = set[Place]()

    def grow(self, seed: Place) -> set[Place]:
        """Add a place and all that is linked to it; returns the places of the checker's own edits for it.

        Raises:
            CheckerRefusedError: it cannot be renamed.
        """
        own = self._add(seed)
        while more := [place for place in self._linked() if place not in self._asked]:
            for place in more:
                if place in self._asked:
                    continue
                try:
                    self._add(place)
                except CheckerRefusedError:
                    self._edit_alone(place)
                if place not in self.edits:
                    self._edit_alone(place)
            self._take_out_of_patterns()
        return own

    def _take_out_of_patterns(self) -> None:
        """Rename the keys of patterns that take the member out of a value."""
        for place, form in self._program.forms.items():
            meaning = self._answers.meanings[place] - {place}
            if form is MentionForm.SHORTHAND_PATTERN and not self.reached.isdisjoint(meaning):
                edit = self._answers.maybe(place, form, Doubt.UNTYPED).edit
                self.edits.setdefault(place, set()).add(edit)

    def _add(self, place: Place) -> set[Place]:
        self._asked.add(place)
        if own := self._answers.own_places.get(place):
            return self._add_own(own)
        edits, forms = self._answers.rename(place), self._program.forms
        of_name = forms.get(place) is MentionForm.NAME
        for at, edit in edits.items():
            # asked at a class's name, TypeScript 7 renames the key of `{Cart}` instead of the value
            text = self._with_key if of_name and forms.get(at) is MentionForm.SHORTHAND else edit.text
            self.edits.setdefault(at, set()).add(replace(edit, text=text))
        self.reached |= edits.keys()
        return set(edits)

    def _add_own(self, own: set[Place]) -> set[Place]:
        """The places of a script's own name, of which the checker's rename would leave some or refuse."""
        name, new = self._program.name, self._answers._new
        for place in own:
            text = self._with_key if self._program.forms[place] in _SHORTHANDS else new
            self.edits[place] = {Edit(place[1], place[1] + len(name), text)}
        self.reached |= own
        self._asked |= own
        return own

    @property
    def _with_key(self) -> str:
        """A shorthand's text where its value is renamed and its key is not."""
        return f"{self._program.name}: {self._answers._new}"

    def _edit_alone(self, place: Place) -> None:
        """A place that the checker links to the name and does not rename itself, such as a string."""
        name, new = self._program.name, self._answers._new
        self.edits.setdefault(place, set()).add(Edit(place[1], place[1] + len(name), new))
        self.reached.add(place)

    def _linked(self) -> Iterator[Place]:
        """The places that are the name, too, and at which the checker is still to be asked."""
        answers, forms = self._answers, self._program.forms
        for place in list(self.reached):
            yield from (
                one
                for one in answers.links(place)
                if isinstance(one, tuple) and one in forms and one not in self.reached
            )
            if place not in self._relatives_of:
                self._relatives_of.add(place)
                yield from (one for one in self._relatives(place) if one not in self.reached)
        for place in forms.keys() - self.reached:
            if not self.reached.isdisjoint(answers.links(place)):
                yield place
        for place, edits in list(self.edits.items()):
            if forms.get(place) is MentionForm.NAME and any(edit.text != answers._new for edit in edits):
                yield place  # `export {old as new}` keeps the old name for others; they are to have the new one

    def _relatives(self, place: Place) -> Iterator[Place]:
        """Where the same member, or the same parameter of the same method, is in classes that are related."""
        index, offset = place
        rules, name = self._program.rules[index], self._program.name
        if place not in self._program.forms:
            return
        if (around := rules.enclosing_class(offset)) is not None:
            yield from self._answers.family(index, around, name)
        elif (function := rules.parameter_function(offset)) is not None and function[1]:
            holder = rules.enclosing_class(function[0])
            if holder is not None and not function[1].startswith("__"):
                for other, at in self._answers.family(index, holder, function[1]):
                    yield from ((other, one) for one in self._program.rules[other].parameters_named(at, name))

    def edit(self, place: Place) -> Edit:
        """The edit at a place: where each half of a shorthand or of an alias is renamed, one name is left."""
        edits = self.edits[place]
        is_name = self._program.forms.get(place) is MentionForm.NAME
        is_passed_on = is_name and not self.reached.isdisjoint(self._answers.links(place))
        if len(edits) == 1 and not is_passed_on:
            return next(iter(edits))
        return Edit(place[1], max(edit.end for edit in edits), self._answers._new)

    def edits_by_uri(self) -> Mapping[str, tuple[Edit, ...]]:
        """All edits, in order."""
        found: dict[str, list[Edit]] = {}
        for place in sorted(self.edits):
            found.setdefault(self._program.documents[place[0]].uri, []).append(self.edit(place))
        return {uri: tuple(edits) for uri, edits in found.items()}

    @cached_property
    def own_globals(self) -> frozenset[Target]:
        """The globals of libraries that scripts, whose names are renamed, have the names of."""
        is_own = not self.edits.keys().isdisjoint(self._answers.own_places)
        return frozenset(self._answers.taken_globals if is_own else ())

    @cached_property
    def is_private(self) -> bool:
        """Whether only the class itself can say the name."""
        return self._program.name.startswith("#")

    @cached_property
    def is_member(self) -> bool:
        """Whether the name is one of a member, which any receiver may be asked for."""
        return any(self._program.forms.get(place) is MentionForm.MEMBER for place in self.edits)

    @cached_property
    def is_optional(self) -> bool:
        """Whether TypeScript declares the name as one of a member that may be absent."""
        return any(self._program.rules[index].is_optional(at) for index, at in self.edits)

    def is_declared_apart(self, index: int) -> bool:
        """Whether a document is a declaration file and the name a script's, or the other way round."""
        files = [self._program.documents[at].uri.rpartition("/")[2].split(".")[1:] for at in (index, *self._files)]
        kinds = [("d" in suffixes, suffixes[-1:] in (["js"], ["cjs"], ["mjs"], ["jsx"])) for suffixes in files]
        (is_declaration, is_script), *own = kinds
        return any((is_declaration and script) or (is_script and declaration) for declaration, script in own)

    @cached_property
    def _files(self) -> frozenset[int]:
        return frozenset(index for index, _ in self.edits)

    @cached_property
    def private_in(self) -> frozenset[str]:
        """The names of the Python classes in which the name is a private one's."""
        if not self._program.rules[0].is_mangled(self._program.name):
            return frozenset()
        syntaxes, rules = self._program.syntaxes, self._program.rules
        around = ((index, rules[index].enclosing_class(at)) for index, at in self._with_keywords())
        named = ((index, one and one.child_by_field_name("name")) for index, one in around)
        return frozenset(syntaxes[index].text(name) for index, name in named if name is not None)

    @cached_property
    def is_class(self) -> bool:
        """Whether the name is a Python class's."""
        return any(self._program.rules[index].class_declared_at(at) for index, at in self._with_keywords())

    @cached_property
    def is_of_module(self) -> bool:
        """Whether a module has the name for others."""
        rules = self._program.rules
        named = [place for place in self.edits if place in self._program.forms]
        if all(rules[index].is_type(offset) for index, offset in named):
            return False
        return any(rules[index].is_of_module(offset) for index, offset in named)

    @cached_property
    def is_field(self) -> bool:
        """Whether the name is that of a field in Python, which constructors and the like may have as a parameter."""
        return any(self._program.rules[index].is_field(at) for index, at in self._with_keywords())

    @cached_property
    def is_protocol(self) -> bool:
        """Whether a protocol of Python declares the name."""
        rules = self._program.rules
        around = ((index, rules[index].enclosing_class(at)) for index, at in self._with_keywords())
        return any(one is not None and rules[index].is_protocol(one) for index, one in around)

    def _with_keywords(self) -> Iterator[Place]:
        has_keywords = self._program.documents[0].language.record.has_keyword_arguments
        return (place for place in self.edits if has_keywords and place in self._program.forms)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The Python functions of which the name is a parameter's."""
        found = (self._program.rules[index].parameter_function(at) for index, at in self._with_keywords())
        return frozenset(one[1] for one in found if one is not None)

    @cached_property
    def is_handed_on(self) -> bool:
        """Whether the function, whose parameter is renamed, is handed to what may call it with any keys."""
        return any(rules.is_passed_on(name) for name in self.functions for rules in self._program.rules)

    @cached_property
    def is_unpacked(self) -> bool:
        """Whether a call gives the function, whose parameter is renamed, its arguments in a mapping."""
        functions, program = self.functions, self._program
        return any(any(rules.calls_with_mapping(name)) for name in functions for rules in program.rules)

    def classes(self) -> Iterator[tuple[str, str]]:
        """The classes of the documents that declare the name as a member, as far as they can be named."""
        found = set[tuple[str, str]]()
        for index, offset in self.edits:
            rules = self._program.rules[index]
            around = rules.enclosing_class(offset) if (index, offset) in self._program.forms else None
            if around is not None and (path := rules.class_path(around)):
                found.add((self._program.documents[index].uri, path))
        yield from sorted(found)


def _places_of_script(syntax: Syntax, said: Iterable[Mention], name: str) -> Iterator[int]:
    """Where JavaScript says a name that, by its own scopes, the file declares as a value at its top."""
    if not syntax.language.record.lexis.has_object_literals:
        return
    for mention in said:
        if mention.form is not MentionForm.NAME and mention.form not in _SHORTHANDS:
            continue
        scopes = [one for one in scopes_at(syntax, mention.start) if name in one.bindings]
        if not scopes or scopes[0] is not scopes_at(syntax, mention.start)[-1]:
            continue
        binding = scopes[0].bindings[name].binding
        around = ancestors(syntax.node_at(mention.start, mention.start + 1))
        if binding.origin is not Origin.LOCAL or binding.is_type:
            continue
        if any(one.type == "ambient_declaration" for one in around):
            return
        yield mention.start


def _line_of_script(syntax: Syntax, offset: int, name: str) -> int:
    """The 0-based line of the first declaration of a name at the top of the file."""
    placed = scopes_at(syntax, offset)[-1].bindings[name]
    return placed.line + placed.binding.line


def _file(uri: str) -> Path | str:
    """What a URI names: checkers and clients escape the same path differently."""
    return path_of(uri) or uri

"""All places at which documents say a name, and probes: lines at a document's end that ask a checker about the name.

A checker says nothing of a string in `__all__`; of the same name at the module's end it does. There a class can also be
asked for a member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from urllib.parse import unquote

from context_index.checkers.query import Query
from context_index.checkers.rename_results import Place
from context_index.mentions import Mention, MentionForm, mention_rules, mentions
from context_index.scopes import scopes_at
from context_index.symbols import Origin
from context_index.syntax import Node, Trees, ancestors
from context_index.text import Document, Edit

SHORTHANDS = frozenset({MentionForm.SHORTHAND, MentionForm.SHORTHAND_PATTERN})
"""The forms of `{name}`, which is a key and a name at once."""


@dataclass(frozen=True, slots=True)
class EnumProbes:
    """The probes for what a name is as a member of one class: an enumeration's, if the class has members like these."""

    document: int
    """The index of the document in which they are; the others are offsets in it."""
    value: int
    name: int
    maker: int
    """The method of the class that makes a value of a name."""
    text: int | None
    """The method that makes a text of the name; None where the language has none."""


class NamePlaces:
    """The places of a name in documents. All sequences are in the documents' order."""

    def __init__(
        self,
        documents: Sequence[Document],
        name: str,
        trees: Trees,
        classes: Mapping[tuple[str, str], str] | None = None,
        *,
        new: str = "",
        of_instances: bool = False,
        exported: Sequence[str] = (),
    ) -> None:
        """Find the places and write the probes.

        Args:
            trees: Has the documents' trees, or gets them.
            classes: The member that each class is asked for, by the document's URI and the class's path.
            new: The name to which it is renamed: every object is asked whether it has a member of either name.
            of_instances: As in `renaming.survey`.
            exported: The names that each document with `export *` is asked for.
        """
        self.documents, self.name = documents, name
        self._exported = exported
        self._of_instances = of_instances
        self._is_renamed = bool(new)
        self._of_objects = [each for each in (name, new) if each and not each.startswith("#")]
        self.syntaxes = [trees.of(document) for document in documents]
        self.rules = [mention_rules(syntax) for syntax in self.syntaxes]
        self.has_object_literals = documents[0].language.record.lexis.has_object_literals
        """Whether objects have keys and no class."""
        self.mentions: list[tuple[Mention, ...]] = [mentions(syntax, name) for syntax in self.syntaxes]
        self.forms: dict[Place, MentionForm] = {
            (index, mention.start): mention.form for index, some in enumerate(self.mentions) for mention in some
        }
        self.probed: list[Document] = []
        """The documents with the probes at their ends."""
        self.probes: dict[Place, int] = {}
        """For each string of `__all__` and attribute of a class pattern, its probe's offset in the same document."""
        self.object_probes: dict[str, int] = {}
        """By name, the offset in the first document of the probe for a member that every object has."""
        self.function_probe: int | None = None
        """The offset in the first document of the probe for a function's own name."""
        self.type_probes: dict[str, int] = {}
        """By path, the offsets in the first document of the probes for `TYPE_OF_CLASSES` and the like."""
        self.member_probes: dict[tuple[str, str], list[Place]] = {}
        """The probes for members of classes, by the keys of `classes`."""
        self.export_probes: dict[tuple[int, str], list[int]] = {}
        """By document and name: the probes for what the document exports by the name, and for what each of the modules
        exports that it passes on with `export *`."""
        self.value_probes: dict[tuple[str, str], EnumProbes] = {}
        """The probes for `enum_members`, for each class that declares the name, by the document's URI and its path."""
        self.library_probes: dict[str, int] = {}
        """By path, the offsets in the first document of the probes for what `LibraryNames` knows, if it is said."""
        self.key_probes: dict[Place, int] = {}
        """The probes for `keys_member` of the classes that declare the name, by the name's place."""
        self.naming_probes: dict[Place, int] = {}
        """The probes for `naming_method` of what classes assign to the name, by the name's place."""
        for index in range(len(documents)):
            self.probed.append(self._with_probes(index, classes or {}))

    def _with_probes(self, index: int, classes: Mapping[tuple[str, str], str]) -> Document:
        """A document with its probes, whose offsets are recorded."""
        document = self.documents[index]
        text, record, newline = document.text, document.language.record, document.newline

        def add(receiver: str, name: str, rest: str = "") -> int:
            nonlocal text
            text += f"{newline}{receiver}{name}"
            offset = len(text) - len(name)
            text += rest + (newline if record.is_indented else ";")
            return offset

        for mention in self.mentions[index]:
            if mention.form is MentionForm.EXPORTED:
                self.probes[index, mention.start] = add("", self.name)
            elif mention.form is MentionForm.PATTERN and (path := self.rules[index].pattern_class(mention.start)):
                self.probes[index, mention.start] = add(f"{path}(...).", self.name)
        if index == 0:
            if record.lexis.has_object_literals and not classes:
                self.object_probes = {name: add(";({}).", name) for name in self._of_objects}
            self._add_library(add)
        self._add_members(index, classes, add)
        self._add_fields(index, add)
        if stars := list(self.rules[index].star_exports() if self._exported else ()):
            sources = [f"./{unquote(document.uri.rpartition('/')[2])}", *stars]
            for name in self._exported:
                rests = (f" as {name}${number} }} from {dumps(source)}" for number, source in enumerate(sources))
                self.export_probes[index, name] = [add("import { ", name, rest) for rest in rests]
        return document if text == document.text else Document(document.uri, document.language, text, document.revision)

    def _add_library(self, add: Callable[[str, str], int]) -> None:
        """Add the probes, to the first document, for what the language's library defines."""
        function_name = self.documents[0].language.record.function_name
        if function_name is not None:
            self.function_probe = add(*function_name)
        rules = self.rules if self._is_renamed else []
        said = {each.syntax.text(each.node(offset)) for each in rules for offset in each.said_library}
        has_imports = any(any(each.imported_functions()) for each in rules)
        rules_of_first = self.rules[0]
        for path in (rules_of_first.TYPE_OF_CLASSES, rules_of_first.ENUM_TEXT, rules_of_first.ENUM_OF_VALUES):
            if self._is_renamed and path:
                self.type_probes[path] = add(*rules_of_first.library_probe(path))
        for path in (*self.rules[0].READERS, *sorted(self.rules[0].COPIERS)):
            receiver, name = self.rules[0].library_probe(path)
            if receiver and (has_imports or name in said):
                self.library_probes[path] = add(receiver, name)

    def _add_members(self, index: int, classes: Mapping[tuple[str, str], str], add: Callable[[str, str], int]) -> None:
        """Add the probes of a document for the members of classes."""
        document = self.documents[index]
        for (uri, path), member in classes.items():
            if uri == document.uri:
                static = [] if self._of_instances else [f";{path}."]
                is_indented = document.language.record.is_indented  # then a class has its members itself
                receivers = [f"{path}."] if is_indented else [f";{path}.prototype.", *static]
                self.member_probes[uri, path] = [(index, add(receiver, member)) for receiver in receivers]

    def _add_fields(self, index: int, add: Callable[[str, str], int]) -> None:
        """Add the probes for what the name is as a field of classes."""
        document = self.documents[index]
        record = document.language.record
        for offset, path in self._declaring(index) if record.enum_members else ():
            value, name, maker = record.enum_members or ("", "", "")
            self.key_probes[index, offset] = add(f"{path}.", record.keys_member)
            member, method = f"{path}.{self.name}.", self.rules[index].ENUM_TEXT.rpartition(".")[2]
            self.value_probes[document.uri, path] = EnumProbes(
                index,
                add(member, value),
                add(member, name),
                add(f"{path}.", maker),
                add(member, method) if method else None,
            )
        for mention in self.mentions[index] if record.naming_method else ():
            if maker := self.rules[index].maker_of_field(mention.start):
                self.naming_probes[index, mention.start] = add(f"{maker}.", record.naming_method)

    def _declaring(self, index: int) -> Iterator[tuple[int, str]]:
        """The offsets at which bodies of classes declare the name, each with the class's path."""
        rules = self.rules[index]
        for mention in self.mentions[index]:
            of_class = rules.enclosing_class(mention.start) if rules.is_field(mention.start) else None
            if of_class is not None and (path := rules.class_path(of_class)):
                yield mention.start, path

    def edits(self, document: Document, query: Query, lsp_edits: Iterable[object]) -> tuple[Edit, ...]:
        """A checker's edits of a document, in order, without those of probes and those that overwrite another name.

        In CommonJS TypeScript takes `exports.Other = Name` for an alias and renames the uses of `Other`, though `Other`
        goes on to be exported.
        """
        text = document.text
        edits = {edit for item in lsp_edits if (edit := query.edit(item)) is not None and edit.end <= len(text)}
        of_name = (edit for edit in edits if text[edit.start : edit.end].strip("'\"`") in ("", self.name))
        return tuple(sorted(of_name, key=lambda edit: (edit.start, edit.end)))

    def declaration(self, declared: Place) -> Node:
        """The node of what is declared at a place, which is its name or its start."""
        index, offset = declared
        node = self.rules[index].node(offset)
        parent = node.parent
        is_name = parent is not None and parent.child_by_field_name("name") == node
        is_start = parent is not None and not node.is_named and self.syntaxes[index].start(parent) == offset
        return parent if parent is not None and (is_name or is_start) else node

    def places_of_script(self, index: int) -> Sequence[Place]:
        """Where JavaScript says the name and, by its own scopes, the file declares it as a value at its top; in order.

        Empty if the file only says that there is such a value: `declare const name: string`.
        """
        syntax, places = self.syntaxes[index], list[Place]()
        if not syntax.language.record.lexis.has_object_literals:
            return ()
        for mention in self.mentions[index]:
            if mention.form is not MentionForm.NAME and mention.form not in SHORTHANDS:
                continue
            all_scopes = scopes_at(syntax, mention.start)
            scope = next((scope for scope in all_scopes if self.name in scope.bindings), None)
            if scope is None or scope is not all_scopes[-1]:
                continue
            binding = scope.bindings[self.name].binding
            if binding.origin is not Origin.LOCAL or binding.is_type:
                continue
            place = (index, mention.start)
            node = self.rules[index].node(mention.start)
            is_declared = self.declaration(place) != node
            if is_declared and any(each.type == "ambient_declaration" for each in ancestors(node)):
                return ()
            places.append(place)
        return places

    def line_of_script(self, place: Place) -> int:
        """The line, counted from 0, of the first declaration of the name at the top of the file of a place."""
        index, offset = place
        placed = scopes_at(self.syntaxes[index], offset)[-1].bindings[self.name]
        return placed.line + placed.binding.line

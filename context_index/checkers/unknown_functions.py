"""Says of which called functions nothing is known: one of a library without types, or of a value without a type.

Such a function may ask what it is given for any member by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap

from context_index.checkers.answers import Target
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.passed_values import PassedValues
from context_index.checkers.rename_results import in_documents
from context_index.checkers.type_texts import ANYTHING
from context_index.declarations import identifiers
from context_index.mentions import MentionForm, MentionRules, mentions
from context_index.syntax import Node


class UnknownFunctions:
    """Answers for one group of documents."""

    def __init__(self, answers: NameMeanings, passed: PassedValues) -> None:
        """Nothing is asked yet."""
        self._answers, self._places, self._passed = answers, answers.places, passed
        self._has_literals = self._places.has_object_literals
        """Whether options are given as literals with names. Where they are not, only libraries count: what else has no
        type is most often the project's own, in which the name is seen."""
        self._methods: dict[str, bool] = {}
        """The results of `_is_method`."""

    def has(self, index: int, called: int) -> bool:
        """Whether nothing is known of the function whose name a call says at an offset of a document."""
        (targets,) = self._answers.queries[index].targets([called])
        if not targets:
            return not self._may_be_method(index, called)
        meaning = self._answers.meaning_of(targets)
        places = in_documents(meaning)
        if not places:
            return self._is_of_module_alone(index, called, targets)
        return places == meaning and all(starmap(self._is_unknown, places))

    def _is_of_module_alone(self, index: int, called: int, targets: Sequence[Target]) -> bool:
        """Whether all that is known of an imported name is its module: `declare module "legacy"` in TypeScript."""
        rules, syntax = self._places.rules[index], self._places.syntaxes[index]
        name = syntax.text(rules.node(called))
        if name not in rules.imported_names:
            return False
        said = (syntax.start(node) for node in identifiers(syntax) if syntax.text(node) == name)
        modules = [module for module in map(rules.module_of_import, said) if module is not None]
        return any(of_module == targets for of_module in self._answers.queries[index].targets(modules))

    def _may_be_method(self, index: int, called: int) -> bool:
        """Whether a function of a value without a type is one of the documents, as far as can be seen.

        It is if all calls give such values, or if the documents have a method of that name and the value is no library.
        """
        rules, syntax = self._places.rules[index], self._places.syntaxes[index]
        receiver = rules.receiver(called)
        if receiver is not None and self._are_all_given(index, receiver, self._is_instance):
            return True
        root = _root(rules.node(called))
        if syntax.text(root) in rules.imported_names:
            (targets,) = self._answers.queries[index].targets([syntax.start(root)])
            if all(starmap(self._is_unknown, in_documents(self._answers.meaning_of(targets)))):
                return False
        return not self._has_literals or self._is_method(syntax.text(rules.node(called)))

    def _is_method(self, name: str) -> bool:
        """Whether a class or a literal of the documents declares a member of a name."""
        if name not in self._methods:
            self._methods[name] = any(
                mention.form is MentionForm.MEMBER
                and (rules.is_key(mention.start) or _is_own_name(rules, mention.start))
                for syntax, rules in zip(self._places.syntaxes, self._places.rules, strict=True)
                for mention in mentions(syntax, name)
            )
        return self._methods[name]

    def _is_unknown(self, index: int, offset: int) -> bool:
        """Whether what is declared at a place is an import that leads nowhere, or a value without a type."""
        if self._places.rules[index].is_only_passed_on(offset):
            return True
        if not self._has_literals:
            return False
        (description,) = self._answers.queries[index].descriptions([offset])
        head, _, of_type = ("", "", "") if description is None else description.signature.rpartition(": ")
        is_function = head.endswith(")")  # the type is that of what it returns
        return (
            not is_function and of_type in ANYTHING and not self._are_all_given(index, offset, self._is_known_function)
        )

    def _are_all_given(self, index: int, name: int, is_known: Callable[[int, Node], bool]) -> bool:
        """Whether all calls give arguments of a kind for the parameter that a name stands for."""
        given = self._passed.given_for(index, name)
        return given is not None and all(starmap(is_known, given))

    def _is_known_function(self, index: int, argument: Node) -> bool:
        """Whether an argument is a function, or the name of one that the checker knows."""
        if argument.type in self._places.rules[index].LOCAL_SCOPES:
            return True
        if not argument.type.endswith("identifier"):
            return False
        (targets,) = self._answers.queries[index].targets([self._places.syntaxes[index].start(argument)])
        places = in_documents(self._answers.meaning_of(targets))
        return any(starmap(self._is_function, places)) if places else bool(targets)

    def _is_instance(self, index: int, argument: Node) -> bool:
        """Whether the documents declare the type of an argument."""
        made = argument.child_by_field_name("constructor") or argument.child_by_field_name("function")
        name = made or argument
        if not name.type.endswith("identifier"):
            return False
        (types,) = self._answers.queries[index].type_targets([self._places.syntaxes[index].start(name)])
        return bool(in_documents(self._answers.meaning_of(types)))

    def _is_function(self, index: int, offset: int) -> bool:
        """Whether the name at a place is that of a function, or of what is given one."""
        rules = self._places.rules[index]
        declaration = rules.node(offset).parent
        value = None if declaration is None else declaration.child_by_field_name("value") or declaration
        return value is not None and value.type in rules.LOCAL_SCOPES


def _root(called: Node) -> Node:
    """The first value in the expression whose last name is called: `fs` of `fs.promises.mkdir`."""
    node = called.parent or called
    while (inner := node.child_by_field_name("object") or node.child_by_field_name("function")) is not None:
        node = inner
    return node


def _is_own_name(rules: MentionRules, offset: int) -> bool:
    """Whether a method or a field has its own name at an offset."""
    node = rules.node(offset)
    declaration = node.parent
    is_named = declaration is not None and declaration.child_by_field_name("name") == node
    return is_named or rules.enclosing_class(offset) is not None

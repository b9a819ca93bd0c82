"""Finds the names that stand for what a language's library defines, whatever a text calls it: an alias of `vars`.

The checker is asked where a name is defined, and where a probe finds what is meant. Where it knows neither, the name's
spelling counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from context_index.checkers.answers import Target
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.rename_results import Meaning
from context_index.mentions import ReadForm


class LibraryNames:
    """The names in the documents that stand for `READERS` or `COPIERS` of `MentionRules`."""

    def __init__(self, answers: NameMeanings) -> None:
        """Nothing is asked yet."""
        self._answers, self._places = answers, answers.places
        self._known: dict[int, Mapping[int, str]] = {}
        """The results of `at`."""

    def at(self, index: int) -> Mapping[int, str]:
        """The names of a document, by their offsets, each with the path of what it stands for."""
        if index not in self._known:
            self._known[index] = self._at(index)
        return self._known[index]

    def defined(self, path: str) -> Meaning:
        """Where one of the types is defined for which there are probes, by its path; empty if there is no such type."""
        probe = self._places.type_probes.get(path)
        return self._answers.meaning_of(() if probe is None else self._answers.queries[0].targets([probe])[0])

    def _at(self, index: int) -> Mapping[int, str]:
        """`at`; all functions are asked only where a name is a value, and so perhaps has an alias.

        Of those that are imported, which may have one elsewhere, one of each spelling is asked.
        """
        rules = self._places.rules[index]
        said = {
            offset: path
            for offset, path in rules.said_library.items()
            if self._counts(rules.READERS.get(path), is_called=offset in rules.called)
        }
        known = self._standing_for(index, said)
        if any(offset not in rules.called for offset in known):
            return known | self._standing_for(index, {offset: "" for offset in rules.functions() if offset not in said})
        others = {offsets[0]: offsets for offsets in rules.imported_functions() if offsets[0] not in said}
        for first, path in self._standing_for(index, dict.fromkeys(others, "")).items():
            known |= dict.fromkeys(others[first], path)
        return known

    def _counts(self, form: ReadForm | None, *, is_called: bool) -> bool:
        """Whether it matters who reads names in this way; the names of an enumeration's members do only to these.

        What makes texts is said as a type as well.
        """
        is_of_enum = form in (ReadForm.MEMBER, ReadForm.STRING)
        return (not is_of_enum or bool(self._answers.values)) and (form is not ReadForm.STRING or is_called)

    def _standing_for(self, index: int, spelled: Mapping[int, str]) -> dict[int, str]:
        """Those of some names that stand for what the library defines, by their offsets, each with its path.

        Args:
            spelled: By the offset, what each name is by its spelling; empty if that says too little.
        """
        known: dict[int, str] = {}
        for (offset, path), targets in zip(spelled.items(), self._answers.queries[index].targets(spelled), strict=True):
            defined = next((self._defined[target] for target in targets if target in self._defined), "")
            meaning = self._answers.meaning_of(targets)
            is_in_documents = any(isinstance(definition, tuple) for definition in meaning)
            is_other = bool(meaning) and (path in self._defined.values() or is_in_documents)
            if stands_for := defined or ("" if is_other else path):
                known[offset] = stands_for
        return known

    @cached_property
    def _defined(self) -> Mapping[Target, str]:
        """The definitions, outside of the documents, of what the probes ask for, each with its path."""
        probes = self._places.library_probes
        targets = zip(probes, self._answers.queries[0].targets(probes.values()), strict=True)
        return {
            target: path
            for path, definitions in targets
            for target in definitions
            if target in self._answers.meaning_of([target])
        }

"""What can be imported from the libraries of one project, looked up by beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from context_index.globals import DISTANCE, PREFIXED_MODULES, node_modules
from context_index.index.names import NameIndex
from context_index.libraries.offers import GIVEN, Offer
from context_index.symbols import Importable, Language, Name, NameKind, Origin

_MOST_LOOKED_AT = 3_000
_NODE = "node"


@dataclass(slots=True)
class PackageExports:
    """What the libraries of one project offer."""

    by_name: dict[str, list[Offer]] = field(default_factory=dict)
    names: NameIndex[str] = field(default_factory=NameIndex)
    modules: tuple[Importable, ...] = ()
    """Python's modules."""
    given: Mapping[str, Name] = field(default_factory=dict)
    """Names that every file has: a test runner's `describe`."""
    untyped: frozenset[str] = frozenset()
    """Node's modules, where TypeScript has no types of them."""
    _without: tuple[frozenset[str], tuple[Importable, ...]] = (frozenset(), ())

    def modules_without(self, taken: frozenset[str]) -> tuple[Importable, ...]:
        """The modules whose names are free; the same tuple as long as these are."""
        hidden = frozenset(one.text for one in self.modules if one.text in taken)
        if not hidden:
            return self.modules
        if self._without[0] != hidden:
            self._without = (hidden, tuple(one for one in self.modules if one.text not in hidden))
        return self._without[1]

    @classmethod
    def of(cls, offers: Sequence[Offer], *, is_python: bool, untyped: frozenset[str] = frozenset()) -> PackageExports:
        """Everything that was found, sorted here and not at a keystroke."""
        exports = cls(given={offer.text: _name(offer) for offer in offers if offer.module == GIVEN})
        exports.untyped = untyped
        for offer in (one for one in offers if one.module != GIVEN):
            exports.by_name.setdefault(offer.text.lower(), []).append(offer)
        for name in exports.by_name:
            exports.names.put(name, [name])
        modules = [offer for offer in offers if offer.is_module] if is_python else []
        exports.modules = tuple(importable(offer, Language.PYTHON, plain=True) for offer in modules)
        list(exports.names.starting_with("a"))
        return exports

    def beginning(self, word: str, language: Language) -> Iterator[Offer]:
        """What begins with a word, and can be imported in a language."""
        for name, _ in islice(self.names.starting_with(word), _MOST_LOOKED_AT):
            yield from (offer for offer in self.by_name[name] if self._has(offer, language))

    def _has(self, offer: Offer, language: Language) -> bool:
        return language is Language.JAVASCRIPT or offer.module not in self.untyped


def importable(offer: Offer, language: Language, *, plain: bool) -> Importable:
    """An offer as a name that an import brings; `plain` where a file names Node's modules without `node:`."""
    module = offer.module
    if not language.is_python and module in node_modules() and (not plain or module in PREFIXED_MODULES):
        module = f"{_NODE}:{module}"
    whole = offer.is_module
    if offer.kind is NameKind.MODULE and offer.is_default and language is not Language.JAVASCRIPT:
        whole = True  # `import fs from` needs a setting of TypeScript's, `import * as fs from` none
    return Importable(offer.text, offer.kind, module, offer.detail, offer.is_default and not whole, whole)


def _name(offer: Offer) -> Name:
    return Name(offer.text, offer.kind, Origin.GLOBAL, DISTANCE, detail=offer.detail, is_type=offer.is_type)

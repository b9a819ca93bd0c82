"""The names that packages export to importers: of one package, as they are stored, and of all of a project's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from context_index.exports import ReExports
from context_index.globals import DISTANCE, PREFIXED_MODULES, node_modules
from context_index.index.facts import Facts
from context_index.index.names import FreeNames, NameIndex
from context_index.symbols import Importable, Language, Name, NameKind, Origin

GIVEN = ""
"""The module of a name that every file has without an import."""
_DEEPEST = 6
"""The longest chain of re-exports that is followed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One name that may be imported from a package."""

    text: str
    kind: NameKind
    module: str
    """As the importer writes it; Node's own modules without `node:`."""
    is_default: bool = False
    is_module: bool = False
    """The module itself: `import json`."""
    is_type: bool = False


def encode(offers: Iterable[Offer]) -> bytes:
    """Offers as bytes; JSON, as nothing in a cache directory must be able to run code."""
    rows = [[o.text, o.kind, o.module, o.is_default, o.is_module, o.is_type] for o in offers]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> tuple[Offer, ...]:
    """The offers that `encode` was given.

    Raises:
        ValueError: the bytes were not made by `encode`.
    """
    try:
        rows = json.loads(data.decode("utf-8", "surrogatepass"))
        return tuple(Offer(text, NameKind(kind), *rest) for text, kind, *rest in rows)
    except TypeError as fault:
        raise ValueError(f"not the names of a package: {fault}") from fault


def re_exports(facts: Mapping[str, Facts], targets: Mapping[tuple[str, str], str]) -> ReExports[str]:
    """The exports of a package's modules.

    Args:
        facts: The modules' facts by the names that the caller gave them.
        targets: The module that a specifier in a module names: (module, specifier) to module.
    """
    return ReExports(
        exports=lambda module: facts[module].exports if module in facts else None,
        follow=lambda module, specifier: targets.get((module, specifier)),
        is_offered=lambda _module, export: export.public or export.is_lifted,
        is_module=lambda _module, _source: False,  # modules are offered by themselves
        deepest=_DEEPEST,
    )


_MOST_NAMES = 3_000
"""The most names that are read for one prefix."""
_NODE = "node"


@dataclass(slots=True)
class PackageExports:
    """The exports of one project's packages, looked up by the prefix of a name."""

    by_name: dict[str, list[Offer]] = field(default_factory=dict)
    names: NameIndex[str] = field(default_factory=NameIndex)
    modules: FreeNames = field(default_factory=FreeNames)
    """Python's modules."""
    given: Mapping[str, Name] = field(default_factory=dict)
    """Names that every file has: a test runner's `describe`."""
    untyped: frozenset[str] = frozenset()
    """Node's modules for which the project has no types; TypeScript does not know them."""

    @classmethod
    def of(cls, offers: Sequence[Offer], *, is_python: bool, untyped: frozenset[str] = frozenset()) -> PackageExports:
        """The exports of these offers."""
        exports = cls(given={offer.text: _name(offer) for offer in offers if offer.module == GIVEN})
        exports.untyped = untyped
        for offer in (one for one in offers if one.module != GIVEN):
            exports.by_name.setdefault(offer.text.lower(), []).append(offer)
        for name in exports.by_name:
            exports.names.put(name, [name])
        modules = [offer for offer in offers if offer.is_module] if is_python else []
        exports.modules = FreeNames(tuple(importable(offer, Language.PYTHON, plain=True) for offer in modules))
        list(exports.names.starting_with("a"))  # sorts the names now, and not at the first keystroke
        return exports

    def beginning(self, word: str, language: Language) -> Iterator[Offer]:
        """The offers that begin with a word and can be imported in a language."""
        for name, _ in islice(self.names.starting_with(word), _MOST_NAMES):
            yield from (offer for offer in self.by_name[name] if self._has(offer, language))

    def _has(self, offer: Offer, language: Language) -> bool:
        return language is Language.JAVASCRIPT or offer.module not in self.untyped


def importable(offer: Offer, language: Language, *, plain: bool) -> Importable:
    """An offer as an importable name.

    Args:
        plain: Whether the file names Node's modules without `node:`.
    """
    module = offer.module
    if not language.is_python and module in node_modules() and (not plain or module in PREFIXED_MODULES):
        module = f"{_NODE}:{module}"
    whole = offer.is_module
    if offer.kind is NameKind.MODULE and offer.is_default and language is not Language.JAVASCRIPT:
        whole = True  # `import fs from` needs a setting of TypeScript's, `import * as fs from` none
    return Importable(offer.text, offer.kind, module, offer.is_default and not whole, whole)


def _name(offer: Offer) -> Name:
    return Name(offer.text, offer.kind, Origin.GLOBAL, DISTANCE, is_type=offer.is_type)

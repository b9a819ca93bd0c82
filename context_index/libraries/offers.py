"""The importable names of one installed package, and how they are kept on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from context_index.exports import Export
from context_index.index.facts import Facts
from context_index.symbols import NameKind

GIVEN = ""
"""Instead of a module: every file has the name."""
_DEEPEST = 6
"""Re-exports of re-exports are followed so far."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One name that may be imported from a package."""

    text: str
    kind: NameKind
    module: str
    """As the importer writes it; Node's own modules without `node:`."""
    detail: str = ""
    is_default: bool = False
    is_module: bool = False
    """The module itself: `import json`."""
    is_type: bool = False


def encode(offers: Iterable[Offer]) -> bytes:
    """Offers as bytes; JSON, as what lies in a cache directory must not be able to run."""
    rows = [[o.text, o.kind, o.module, o.detail, o.is_default, o.is_module, o.is_type] for o in offers]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> tuple[Offer, ...]:
    """What `encode` was given.

    Raises:
        ValueError: the bytes are not of its making.
    """
    try:
        rows = json.loads(data.decode("utf-8", "surrogatepass"))
        return tuple(Offer(text, NameKind(kind), *rest) for text, kind, *rest in rows)
    except TypeError as fault:
        raise ValueError(f"not the names of a package: {fault}") from fault


class Graph:
    """Some modules' facts, and which of them a specifier in one of them names."""

    def __init__(self, facts: Mapping[str, Facts], targets: Mapping[tuple[str, str], str]) -> None:
        """Nothing is followed yet.

        Args:
            facts: by the modules' own names, whatever these are.
            targets: (module, specifier in it) to module.
        """
        self._facts = facts
        self._targets = targets

    def exports(self, module: str, depth: int = _DEEPEST) -> dict[str, Export]:
        """What a module offers, with everything that it passes on."""
        facts = self._facts.get(module)
        if facts is None or depth == 0:
            return {}
        found: dict[str, Export] = {}
        for star in facts.exports.stars:
            if (target := self._targets.get((module, star))) is not None:
                found |= {name: one for name, one in self.exports(target, depth - 1).items() if name != "default"}
        for export in facts.exports.own:
            lifted = export.source is not None and export.source.module.startswith(".") and export.name[:1] != "_"
            if export.public or lifted:
                found[export.name] = self._traced(module, export, depth)
        return found

    def _traced(self, module: str, export: Export, depth: int) -> Export:
        """An export that is passed on, as it was made."""
        source = export.source
        target = self._targets.get((module, source.module)) if source is not None else None
        if source is None or target is None or source.name == "*" or depth == 0:
            return export
        facts = self._facts.get(target)
        own = next((one for one in facts.exports.own if one.name == source.name), None) if facts else None
        if own is not None:
            own = self._traced(target, own, depth - 1)
        elif facts is not None and facts.exports.stars:
            own = self.exports(target, depth - 1).get(source.name)
        if own is None:
            return export
        return Export(export.name, own.kind, export.line, own.detail, own.doc, is_type=export.is_type or own.is_type)

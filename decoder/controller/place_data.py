"""What controllers are given about the place: only what they want, and only once in a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from context_index.symbols import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from context_index.symbols import Importable, Name, SymbolContext

_NEARBY = 4000
"""Characters around the cursor."""
_MOST_IMPORTABLE = 2000
Surroundings = Mapping[str, Callable[[], object]]
"""What only a workspace knows, by name (`path`, `snippets`): functions, called only for what is wanted."""


class PlaceProbabilities(Protocol):
    """Names and their probabilities by the prior, which knows the program and no model."""

    @property
    def names(self) -> Sequence[str]:
        """Sorted."""

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """float64 [names]; they sum to 1."""


class NamePrior(Protocol):
    """Probabilities of names, from the program."""

    def names(self) -> PlaceProbabilities | None:
        """Names in scope; None where nothing is."""


def place_data(
    wants: frozenset[str],
    symbols: SymbolContext,
    around: tuple[str, str],
    surroundings: Surroundings,
    prior: NamePrior | None,
) -> dict[str, Any]:
    """The parts that a program wants; empty where it wants none.

    Args:
        around: The text before the cursor and after it.
    """
    found: dict[str, Any] = {}
    if "symbols" in wants:
        before, after = around
        found = symbol_data(symbols) | {"before": before[-_NEARBY:], "after": after[:_NEARBY]}
        if "path" in surroundings:
            found["path"] = surroundings["path"]()
    if "snippets" in wants:
        found["snippets"] = surroundings["snippets"]() if "snippets" in surroundings else []
    if "prior" in wants:
        weighed = None if prior is None else prior.names()
        pairs = () if weighed is None else zip(weighed.names, weighed.probabilities.tolist(), strict=True)
        found["prior"] = dict(pairs)
    return found


def symbol_data(symbols: SymbolContext) -> dict[str, Any]:
    """Names, the nearest first; what is imported; and what could be."""
    names = sorted(symbols.names.values(), key=lambda name: (name.distance, name.text))
    imports = [one for one in names if one.origin is Origin.IMPORT]
    return {
        "language": str(symbols.language),
        "names": [
            _name(one) | {"detail": one.detail, "origin": str(one.origin), "distance": one.distance} for one in names
        ],
        "imports": [{"name": one.text, "kind": str(one.kind), "module": one.detail} for one in imports],
        "importable": [_name(one) | {"module": one.module} for one in symbols.importable[:_MOST_IMPORTABLE]],
    }


def _name(one: Name | Importable) -> dict[str, Any]:
    return {"name": one.text, "kind": str(one.kind)}

"""The data about the place that a controller is given: only what it wants, and once in a request.

`control.session_of` and programs call `place_data`; the result is sent as JSON.
"""

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
"""The most characters before the cursor, and after it."""
_MOST_IMPORTABLE = 2000
"""The most importable names."""
WorkspaceData = Mapping[str, Callable[[], object]]
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
    workspace_data: WorkspaceData,
    prior: NamePrior | None,
) -> dict[str, Any]:
    """The data that a program wants, by name; empty where it wants none.

    Args:
        wants: The parts that are wanted (`session.WANTED`).
        around: The text before the cursor and after it.
    """
    data: dict[str, Any] = {}
    if "symbols" in wants:
        before, after = around
        data = symbol_data(symbols) | {"before": before[-_NEARBY:], "after": after[:_NEARBY]}
        if "path" in workspace_data:
            data["path"] = workspace_data["path"]()
    if "snippets" in wants:
        data["snippets"] = workspace_data["snippets"]() if "snippets" in workspace_data else []
    if "prior" in wants:
        ranked = None if prior is None else prior.names()
        pairs = () if ranked is None else zip(ranked.names, ranked.probabilities.tolist(), strict=True)
        data["prior"] = dict(pairs)
    return data


def symbol_data(symbols: SymbolContext) -> dict[str, Any]:
    """Names in scope, the nearest first; imported names; and importable names."""
    names = sorted(symbols.names.values(), key=lambda name: (name.distance, name.text))
    imports = [name for name in names if name.origin is Origin.IMPORT]
    return {
        "language": str(symbols.language),
        "names": [
            _name_and_kind(name) | {"detail": name.detail, "origin": str(name.origin), "distance": name.distance}
            for name in names
        ],
        "imports": [_name_and_kind(name) | {"module": name.detail} for name in imports],
        "importable": [
            _name_and_kind(name) | {"module": name.module} for name in symbols.importable[:_MOST_IMPORTABLE]
        ],
    }


def _name_and_kind(name: Name | Importable) -> dict[str, Any]:
    return {"name": name.text, "kind": str(name.kind)}

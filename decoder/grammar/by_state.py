"""Tables by LR state that rules look at: numbered, so that what was looked at can be noted as bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Told = TypeVar("_Told")


class ByState(dict[int, _Told]):
    """What a rule wants to know of a state, found when first asked for. Few are made, and stay."""

    def __init__(self, find: Callable[[int], _Told]) -> None:
        super().__init__()
        self._find = find
        self.number = len(ALL)
        ALL.append(self)

    def __missing__(self, state: int) -> _Told:
        found = self[state] = self._find(state)
        return found


ALL: Final[list[ByState[Any]]] = []
"""By number."""

"""A drafter that is made when its first window is asked for: forwards are measured for it, after the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decoder.draft.draft import Drafter


class Late:
    """The drafter that `make` gives."""

    def __init__(self, make: Callable[[], Drafter]) -> None:
        self._make = make
        self._made: Drafter | None = None

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        """As the drafter says."""
        if self._made is None:
            self._made = self._make()
        return self._made.window(output, room)

    def verified(self, window: Sequence[int], accepted: int) -> None:
        """Passed on to the drafter, if it has been made."""
        if self._made is not None:
            self._made.verified(window, accepted)

"""Where within its own scope a binding has a value, as far as the order of the text decides it.

A name bound in one branch has no value in the other branches; a name bound in a loop has one from the loop's second
round on. Knows offsets only: the languages' scopes make a `Flow` of each branch and loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

NOWHERE = (0, 0)
"""An empty stretch."""


class LookupPlace:
    """The place from which names are looked up."""

    def __init__(self, place: int, within: Callable[[], int] | None = None) -> None:
        """Set the place.

        Args:
            place: The offset from which names are looked up.
            within: Computes an offset inside the same branches for a place that is outside of them in the tree, such
                as a new line at the end of a block of Python.
        """
        self.place = place
        self._within = within

    @cached_property
    def within(self) -> int:
        """An offset that is inside the branches and loops around the place, in the tree too."""
        return self.place if self._within is None else self._within()


@dataclass(frozen=True, slots=True)
class Flow:
    """Where a binding has a value, as far as the branches and loops around it decide. Stretches are `[start, end)`."""

    early: tuple[int, int] = NOWHERE
    """The loop around the binding: there the name may have a value even before the binding."""
    dead: tuple[tuple[int, int], ...] = ()
    """Stretches after the binding that it does not reach, such as other branches; in `early` it reaches them, too."""
    gone: tuple[tuple[int, int], ...] = ()
    """Stretches after the binding in which the name was deleted again, also in loops."""

    def reaches(self, lookup: LookupPlace, ready: int, start: int) -> bool:
        """Whether a binding may have a value at the place of a lookup.

        Args:
            ready: The offset after which the binding has a value; like all stretches it counts from `start`.
            start: The offset that the binding is relative to.
        """
        within, place = lookup.within - start, lookup.place - start
        if any(begin <= within < end for begin, end in self.gone):
            return False
        # Only one of both may be in the loop. Before the first statement of a body, `within` is the `:` of its header;
        # on a new line after the last one, `place` is outside of the body in the tree.
        if any(self.early[0] <= offset < self.early[1] for offset in (place, within)):
            return True
        return place >= ready and not any(begin <= within < end for begin, end in self.dead)

    def moved(self, by: int) -> Flow:
        """The same with `by` added to all offsets."""

        def moved(stretch: tuple[int, int]) -> tuple[int, int]:
            return stretch[0] + by, stretch[1] + by

        return Flow(moved(self.early), tuple(map(moved, self.dead)), tuple(map(moved, self.gone)))

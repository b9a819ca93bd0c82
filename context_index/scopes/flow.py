"""Where within its own scope a binding has a value, as far as the order of the text decides it.

A name bound in one branch has no value in the branches beside it; a name bound in a loop has one from the second
round on. Knows offsets only; each language says which constructs are branches and loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

NOWHERE = (0, 0)


class Moment:
    """The place from which names are looked up."""

    def __init__(self, place: int, within: Callable[[], int] | None = None) -> None:
        """`within` is a place in the same branch by the tree: on a new line the place itself may be outside."""
        self.place = place
        self._within = within

    @cached_property
    def within(self) -> int:
        """A place with the same branches and loops around it."""
        return self.place if self._within is None else self._within()


@dataclass(frozen=True, slots=True)
class Flow:
    """What is around a binding within its scope."""

    early: tuple[int, int] = NOWHERE
    """A stretch in which the name may have a value although the binding ends after it: the loop around it."""
    dead: tuple[tuple[int, int], ...] = ()
    """Stretches after the binding that it does not reach, unless a loop leads from it to them."""
    gone: tuple[tuple[int, int], ...] = ()
    """Stretches after the binding in which it has been taken back, in loops, too."""

    def reaches(self, moment: Moment, ready: int, start: int) -> bool:
        """Whether a binding that holds from `ready` on may be in force; all offsets count from `start`."""
        within, here = moment.within - start, moment.place - start
        if any(first <= within < end for first, end in self.gone):
            return False
        if any(self.early[0] <= place < self.early[1] for place in (here, within)):
            return True
        return here >= ready and not any(first <= within < end for first, end in self.dead)

    def moved(self, by: int) -> Flow:
        """The same, counted from a place `by` characters before."""
        return Flow(_moved(self.early, by), _all_moved(self.dead, by), _all_moved(self.gone, by))


def _moved(stretch: tuple[int, int], by: int) -> tuple[int, int]:
    return stretch[0] + by, stretch[1] + by


def _all_moved(stretches: tuple[tuple[int, int], ...], by: int) -> tuple[tuple[int, int], ...]:
    return tuple(_moved(stretch, by) for stretch in stretches)

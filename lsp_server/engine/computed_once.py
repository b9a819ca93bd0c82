"""A property that is computed when it is first asked for (`computed_once`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

S = TypeVar("S")
T = TypeVar("T")


class computed_once(Generic[S, T]):  # noqa: N801 - used as a decorator
    """A property that is computed when it is first asked for, by any thread; two at once may both compute it.

    `functools.cached_property` of Python 3.11 holds one lock for all instances, so one would wait for another.
    """

    def __init__(self, compute: Callable[[S], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, instance: None, of: type[S]) -> computed_once[S, T]: ...
    @overload
    def __get__(self, instance: S, of: type[S]) -> T: ...
    def __get__(self, instance: S | None, of: type[S]) -> T | computed_once[S, T]:
        """The value; the instance's own attribute from now on, so that this is not called again."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value

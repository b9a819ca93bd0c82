"""What the names of a text so far amount to."""

from __future__ import annotations

from dataclasses import dataclass, replace

PENALTY = 9.0
"""What leaving a list of members costs, in nats: one in 8,000. Of the members that people wrote in plain JavaScript, 2
of 88 were not in TypeScript's list, assignments aside: ln(88 / 2) = 3.8. Of those that the built-in model would write,
one in four is not, and judges refuse nearly all of these; at 6 nats one suggestion in five still had one, as the model
is quite sure of names that it makes up."""


GIVEN = 3.0
"""What naming a member costs that every object has, in nats: one in 20. Of 400 places of five small projects at which
the built-in model named one (`__doc__`, `valueOf`), people had meant it at none."""


@dataclass(frozen=True, slots=True)
class Record:
    """Nothing is ever taken off it."""

    penalty: float = 0.0
    """Nats that the text so far has cost; falls out of no other rule, and never decreases."""
    open: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Those of `open` that no checker would refuse: keys of which nothing is expected."""
    outside: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    """Every name of which a checker was asked, whatever it said."""
    modules: tuple[str, ...] = ()
    """Those of `settled` that are listed as modules or namespaces, and may be all wrong where a type is due."""
    made: bool = False
    """A member was assigned to that a list lacks."""

    def left_list(self) -> Record:
        """A name has left a list that may be incomplete."""
        return replace(self, penalty=self.penalty + PENALTY)

    def given_to_all(self) -> Record:
        """A name has become one that every object has."""
        return replace(self, penalty=self.penalty + GIVEN)

    def known(self, word: str, *, is_module: bool) -> Record:
        """A name of which a checker was asked."""
        return replace(
            self, settled=(*self.settled, word), modules=(*self.modules, word) if is_module else self.modules
        )

    def unknown(self, word: str, *, is_key: bool) -> Record:
        """A name of which nothing is known."""
        return replace(self, open=(*self.open, word), keys=(*self.keys, word) if is_key else self.keys)

    def lacking(self, word: str, *, charged: bool) -> Record:
        """A name is not in a list that may be incomplete; `charged` if that has cost what it costs."""
        record = self if charged else self.left_list()
        return replace(record, outside=(*self.outside, word))

"""Going back to before a name that nobody knows, once the model wants to go on as if it were known.

Where a name that is not visible may yet become right (`zz` in `return zz => 1`), it is let through. If the model's next
favourite is then refused because of it, the model meant a reference to nothing: what it would be brought to say from
there on is not what it means. So the name is struck, and the choice at which it became doubtful is made again. So it is
with a member that a type checker refused when the whole text was shown to it, and where nothing likely goes on with
what has been written of a member that must be one of a list.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from decoder.choice import check
from decoder.constraint.guard import Guard
from decoder.constraint.protocol import Refusal, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy.typing as npt

    from decoder.choice import Choice
    from decoder.generation import Generation
    from decoder.models.vocabulary import Vocabulary

REACH = 8
"""Tokens that can be taken back: names are short, and a row of logits is kept for each."""
_MOST = 8
"""Names struck in one output: each costs the forwards that it took."""


@dataclass(slots=True)
class Retreat:
    """What one output needs to remember for it."""

    avoided: frozenset[bytes] = frozenset()
    """Beginnings of the output behind which no token ends: nothing that could be shown came of them
    (`decoder.second`)."""
    rows: dict[int, npt.NDArray[np.float32]] = field(default_factory=dict)
    """By place, the logits from which its token was chosen: float32 [vocabulary]."""
    struck: dict[int, dict[int, Refusal]] = field(default_factory=dict)
    """By place, the tokens that are not chosen there again, and why the names that they would begin are none."""
    count: int = 0

    def closed(self, written: bytes, vocabulary: Vocabulary) -> set[int]:
        """The tokens that would make of what has been written a beginning that is to be avoided."""
        rests = (text[len(written) :] for text in self.avoided if text.startswith(written))
        return {token for rest in rests if rest for token in vocabulary.writing(rest)}

    def remember(self, place: int, logits: npt.NDArray[np.float32]) -> None:
        """Keep the logits at a place."""
        self.rows[place] = logits
        self.rows.pop(place - REACH - 1, None)

    def instead_of(
        self,
        choice: Choice | None,
        run: Generation,
        vocabulary: Vocabulary,
        choose: Callable[[npt.NDArray[np.float32], int, Collection[int]], Choice | None],
    ) -> Choice | None:
        """Another choice at an earlier place, to which `run` has been taken back; None where all stays as it is.

        Args:
            choice: What would be chosen now, from the logits remembered last; None where nothing is left.
            choose: Chooses from logits at a place, but none of some tokens.
        """
        regretted, doubted = self._regretted(choice, run, vocabulary), Guard.doubted
        if regretted is None and choice is None and self.count < _MOST and (word := run.guards[-1].narrowed()):
            regretted, doubted = Refusal(Rule.MEMBER, word), Guard.narrowed
        place = None if regretted is None else _before(regretted.what, run, doubted)
        if regretted is None or place is None or place not in self.rows:
            return None
        struck = self.struck.get(place, {}) | {run.tokens[place]: regretted}
        again = choose(self.rows[place], place, struck)
        if again is None:
            return None
        self.count += 1
        self.struck = {at: tokens for at, tokens in self.struck.items() if at < place} | {place: struck}
        self.rows = {at: row for at, row in self.rows.items() if at <= place}
        run.go_back(place)
        return replace(again, refused=(*struck.items(), *again.refused))

    def _regretted(self, choice: Choice | None, run: Generation, vocabulary: Vocabulary) -> Refusal | None:
        """The refusal of the favourite, if it is because of a doubtful name."""
        if self.count >= _MOST or (choice is not None and not choice.refused):
            return None
        if choice is not None:
            refusal: object = choice.refused[0][1]
        else:
            refusal = check(int(self.rows[len(run.tokens)].argmax()), run.guards[-1], vocabulary)
        if not isinstance(refusal, Refusal) or refusal.rule not in (Rule.SCOPE, Rule.MEMBER):
            return None
        return refusal if run.guards[-1].doubted() == refusal.what else None


def _before(name: str, run: Generation, doubted: Callable[[Guard], str | None]) -> int | None:
    """How many tokens stand before the one with which the name became doubtful."""
    place = len(run.tokens)
    while place and (word := doubted(run.guards[place])) is not None and name.startswith(word):
        place -= 1
    return place if place < len(run.tokens) else None

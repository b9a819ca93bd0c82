"""Which texts may come next, found by feeding them: the slow way, which is always right."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.grammar.state import State


def feed(start: State, texts: Sequence[str], chosen: Sequence[int], found: npt.NDArray[np.bool_]) -> None:
    """Set `found` for those of the chosen texts that `start` accepts: letter by letter, each beginning once."""
    pending = [(start, 0, chosen)]
    while pending:
        state, length, members = pending.pop()
        longer: dict[str, list[int]] = defaultdict(list)
        for index in members:
            text = texts[index]
            if len(text) == length:
                found[index] = True
            elif not found[index]:
                longer[text[length]].append(index)
        for letter, some in longer.items():
            piece = texts[some[0]][length:] if len(some) == 1 else letter
            after = state.feed(piece)
            if after is not None:
                pending.append((after, length + len(piece), some))

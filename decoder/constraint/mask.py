"""Which tokens may come next at all, for the rare step at which the model's best ones are all refused.

Where one of some names is due, the tokens that write them are found by sorted search, thousands of names in less than
a millisecond; what else they write is left to the guard. Syntax rules out most of what is left (`parsing`).
`allowed_tokens`, the last resort, walks the vocabulary as a trie of bytes, so that a refused beginning is asked about
once for all tokens that share it: the cost is that of the beginnings still allowed.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.protocol import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.models.vocabulary import Vocabulary

_LAST = 255
_BEYOND_ASCII = 128
_LETTERS = frozenset(byte for byte in range(256) if byte >= _BEYOND_ASCII or chr(byte).isalnum() or byte in b"_$")
"""Bytes that an identifier may hold; beyond ASCII all may."""


def allowed_tokens(guard: Guard, vocabulary: Vocabulary, is_late: Callable[[], object] = bool) -> npt.NDArray[np.bool_]:
    """Bool [vocabulary.size]: which tokens `guard` accepts, the end of the text included; not all, once it is late."""
    allowed = np.zeros(vocabulary.size, dtype=np.bool_)
    if guard.may_stop() is None:
        allowed[list(vocabulary.end)] = True
    keys, tokens = vocabulary.in_order
    pending = [(b"", guard, 0, len(keys))]
    while pending and not is_late():
        beginning, state, place, end = pending.pop()
        while place < end and keys[place] == beginning:
            allowed[tokens[place]] = True
            place += 1
        while place < end:
            longer = keys[place][: len(beginning) + 1]
            following = (
                bisect_left(keys, longer[:-1] + bytes([longer[-1] + 1]), place, end) if longer[-1] < _LAST else end
            )
            after = state.feed(longer[-1:])
            if not isinstance(after, Refusal):
                pending.append((longer, after, place, following))
            place = following
    return allowed


def possible_tokens(guard: Guard, vocabulary: Vocabulary) -> npt.NDArray[np.bool_] | None:
    """Bool [vocabulary.size]: no token that the guard accepts is left out, and none that names rule out is in.

    None where no name is due, neither here nor behind a space.
    """
    spaced = guard.feed(b" ")
    here, behind = guard.expected(), None if isinstance(spaced, Refusal) else spaced.expected()
    if here is None and behind is None:
        return None
    possible = np.ones(vocabulary.size, dtype=np.bool_)
    for lead, due in ((b"", here), (b" ", behind)):
        if due is not None:
            table, (word, names) = _table(vocabulary, lead), due
            possible[table.ids] = _writing(vocabulary, lead, word, tuple(names))
            if not word:
                possible[table.numbers] = True
    if here is not None and here[0] and here[0] not in here[1]:
        possible[tokens_of_others(vocabulary)] = False
        possible[list(vocabulary.end)] = True
    return possible


@lru_cache(maxsize=256)  # names in scope stay the same for many steps
def _writing(vocabulary: Vocabulary, lead: bytes, word: str, names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Bool [keys of the table]: the tokens that go on with a name.

    Args:
        word: What has been written of the name.
        names: In order. A token may write a part of a name, the whole, or the whole and what comes behind it; whether
            that may come is not asked here.
    """
    table = _table(vocabulary, lead)
    first = bisect_left(names, word)
    last = bisect_left(names, word + "\U0010ffff", first)
    rests = [rest.encode() for name in names[first:last] if (rest := name[len(word) :])]
    if not rests or not len(table.ids):
        return np.zeros(len(table.ids), dtype=np.bool_)
    return table.writing(np.array(rests), np.array([rest + b"\xff" for rest in rests]))


@lru_cache(maxsize=4)
def tokens_of_others(vocabulary: Vocabulary) -> npt.NDArray[np.intp]:
    """The tokens that begin with nothing that an identifier may hold."""
    pairs = zip(*vocabulary.in_order, strict=True)
    return np.array([token for text, token in pairs if text[0] not in _LETTERS], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class _Table:
    """The tokens that begin like an identifier, in the order of their bytes."""

    keys: npt.NDArray[np.bytes_]
    lengths: npt.NDArray[np.intp]
    parents: npt.NDArray[np.intp]
    """Index of the longest other key that the key begins with; -1 where there is none."""
    ids: npt.NDArray[np.intp]
    numbers: npt.NDArray[np.intp]
    """Those of them that begin like a number."""

    def writing(self, rests: npt.NDArray[np.bytes_], beyond: npt.NDArray[np.bytes_]) -> npt.NDArray[np.bool_]:
        """Bool [keys]: those that some text begins with, and those that begin with some text.

        Args:
            beyond: For each text the first that is greater than all that begin with it.

        The keys that a text begins with are the key before its place in the order, if it is one, and its parents.
        """
        place = np.searchsorted(self.keys, rests, "right")
        found = np.zeros(len(self.keys) + 1, dtype=np.bool_)
        nearest = place - 1
        shared = _shared_lengths(self.keys[np.maximum(nearest, 0)], rests)
        while (nearest >= 0).any():
            found[nearest[(nearest >= 0) & (self.lengths[nearest] <= shared)]] = True
            nearest = np.where(nearest >= 0, self.parents[nearest], -1)
        start = np.searchsorted(self.keys, rests, "left")
        end = np.searchsorted(self.keys, beyond, "left")
        edges = np.bincount(start, minlength=len(found)) - np.bincount(end, minlength=len(found))
        return (found | (np.cumsum(edges) > 0))[: len(self.keys)]


@lru_cache(maxsize=4)
def _table(vocabulary: Vocabulary, lead: bytes) -> _Table:
    """The tokens that begin with `lead` and an identifier, which is their key.

    Tokens beyond ASCII may end inside of a character; they are left to the guard.
    """
    skip = len(lead)
    ordered, tokens = vocabulary.in_order
    first = bisect_left(ordered, lead)
    last = bisect_left(ordered, lead + bytes([_LAST]), first)
    named = [
        (text[skip:], token)
        for text, token in zip(ordered[first:last], tokens[first:last], strict=True)
        if len(text) > skip and text[skip] in _LETTERS and text.isascii()
    ]
    parents: list[int] = []
    open_keys: list[int] = []
    for index, (text, _) in enumerate(named):
        while open_keys and not text.startswith(named[open_keys[-1]][0]):
            open_keys.pop()
        parents.append(open_keys[-1] if open_keys else -1)
        open_keys.append(index)
    ids = np.array([token for _, token in named], dtype=np.intp)
    return _Table(
        np.array([text for text, _ in named], dtype=np.bytes_),
        np.array([len(text) for text, _ in named], dtype=np.intp),
        np.array(parents, dtype=np.intp),
        ids,
        np.array([token for text, token in named if text[:1].isdigit()], dtype=np.intp),
    )


def _shared_lengths(one: npt.NDArray[np.bytes_], other: npt.NDArray[np.bytes_]) -> npt.NDArray[np.intp]:
    """How many first bytes each pair has in common."""
    width = max(one.itemsize, other.itemsize) + 1
    left = np.ascontiguousarray(one.astype(f"S{width}")).view(np.uint8).reshape(len(one), width)
    right = np.ascontiguousarray(other.astype(f"S{width}")).view(np.uint8).reshape(len(other), width)
    different = left != right
    different[:, -1] = True
    shared: npt.NDArray[np.intp] = different.argmax(axis=1)
    return shared

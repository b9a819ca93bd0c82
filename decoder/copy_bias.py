"""The bias of a rewrite towards its original: most of a result is copied, and a small model slips.

A model that learns to rewrite is told that changes count more than copies, for there are few of them; so it thinks
changes too probable, and in the middle of a name that it copies another one comes to its mind. Here the tokens that go
on with the original as it stands, changed as far as it has been changed already, become more probable by some nats: a
little between words, where changes begin, and much inside of one. A word of the instruction that has been begun, and
is none of the original's, is helped likewise to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.following import WORD, Following

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.vocabulary import Vocabulary

BETWEEN_WORDS: Final = 1.0
"""Nats. With changes that weigh four times as much as copies in training, 1.4 would undo what that does to them."""
WITHIN_WORD: Final = 3.0
REPLACED: Final = 3.0
"""Where a word stands that the output has replaced before."""
INSTRUCTED: Final = 4.0
"""For the rest of a word of the instruction. All four were tried on tasks that no figure is told of."""


class CopyBias:
    """The bias of one output. See `decoder.bias.Bias`.

    Args:
        vocabulary: Of the model.
        original: What is being rewritten.
        named: Words of the instruction that may be new names.
    """

    def __init__(self, vocabulary: Vocabulary, original: str, named: Iterable[str] = ()) -> None:
        self._vocabulary = vocabulary
        self._original = original
        self._new = sorted(set(named).difference(WORD.findall(original)))
        self._following = Following(original)
        self._read = ""

    def applied(
        self, logits: npt.NDArray[np.float32], written: str, guard: Guard, _tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """The logits with what goes on with the original raised."""
        if guard.partial:
            return logits
        if not written.startswith(self._read):
            self._following, self._read = Following(self._original), ""
        self._following.feed(written[len(self._read) :])
        self._read = written
        raised = logits.copy()
        for tokens, nats in self._raises():
            raised[tokens] += nats
        return raised

    def _raises(self) -> Iterator[tuple[list[int], float]]:
        """Tokens, and by how much each becomes more probable."""
        begun = self._following.unfinished_word
        for word in self._new if begun else ():
            if word != begun and word.startswith(begun):
                yield self._beginning(word[len(begun) :]), INSTRUCTED
        expected = self._following.expected()
        if expected is None:
            return
        if not expected.text:
            yield sorted(self._vocabulary.end), BETWEEN_WORDS
            return
        nats = WITHIN_WORD if expected.within_word else BETWEEN_WORDS
        yield self._beginning(expected.text), max(nats, REPLACED) if expected.replaces else nats

    def _beginning(self, text: str) -> list[int]:
        return list(self._vocabulary.beginning_of(text.encode("utf-8", "ignore")))

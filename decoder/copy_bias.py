"""The bias of a rewrite towards its original: most of a result is copied, and a small model slips.

A model that learns to rewrite is told that changes count more than copies, for there are few of them; so it thinks
changes too probable, and in the middle of a name that it copies another one comes to its mind. Here the tokens that go
on with the original as it stands, changed as far as it has been changed already, become more probable by some nats: a
little at signs and at the heads of lines, where code is added and taken away, more at names and in prose, and much
inside of a word. Where a name stands that the instruction mentions, the new names that it says are helped likewise; one
that has been begun is helped to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.following import WORD, Expected, Following, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.vocabulary import Vocabulary

BETWEEN_WORDS: Final = 1.0
"""Nats. With changes that weigh four times as much as copies in training, 1.4 would undo what that does to them."""
WITHIN_WORD: Final = 3.0
NAME: Final = 3.0
"""More, where a name stands within a line: it is seldom changed but for one that the instruction says. If the
instruction mentions what stands there, the new names that it says become as much more probable."""
PROSE: Final = 2.0
"""More, for a word of a string or a comment: hardly any instruction means those."""
STRING: Final = 3.0
"""More, for the quote of a string that nothing is put into or joined to: a model that makes f-strings of some is soon
at making them of all."""
INTO_WORD: Final = 1.0
"""More, for a token that writes a sign of the original and begins the word behind it: it knows which word it means."""
REPLACED: Final = 5.0
"""Where a word stands that the output has replaced before."""
INSTRUCTED: Final = 4.0
"""For the rest of a word of the instruction. All were tried on tasks that no figure is told of."""


class CopyBias:
    """The bias of one output. See `decoder.bias.Bias`.

    Args:
        vocabulary: Of the model.
        original: What is being rewritten.
        named: Words of the instruction that may be new names.
        mentioned: All its words.
        python: Whether the original is Python; else JavaScript or TypeScript.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        original: str,
        named: Iterable[str] = (),
        mentioned: Iterable[str] = (),
        *,
        python: bool = False,
    ) -> None:
        self._vocabulary = vocabulary
        self._original = original
        self._python = python
        words = set(WORD.findall(original))
        self._mentioned = words.intersection(mentioned)
        self._new = sorted(set(named) - words)
        self._following = Following(original, python=python)
        self._read = ""

    def applied(
        self, logits: npt.NDArray[np.float32], written: str, guard: Guard, _tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """The logits with what goes on with the original raised."""
        if guard.partial:
            return logits
        if not written.startswith(self._read):
            self._following, self._read = Following(self._original, python=self._python), ""
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
                yield self._rest(word, begun), INSTRUCTED
        expected = self._following.expected()
        if expected is None:
            return
        if not expected.text:
            yield sorted(self._vocabulary.end), BETWEEN_WORDS
            return
        tokens = self._beginning(expected.text)
        if expected.replaces:
            yield tokens, REPLACED
        elif expected.within_word:
            yield tokens, WITHIN_WORD
        elif expected.word:
            yield from self._at_word(expected, tokens)
        else:
            is_plain = bool(expected.string) and self._mentioned.isdisjoint(expected.string)
            yield tokens, BETWEEN_WORDS + (STRING if is_plain else 0)
            if not expected.text[0].isspace():
                yield [token for token in tokens if WORD.search(self._text(token))], INTO_WORD

    def _at_word(self, expected: Expected, tokens: list[int]) -> Iterator[tuple[list[int], float]]:
        """The same where a word of the original is due."""
        if expected.place is Place.PROSE:
            yield tokens, BETWEEN_WORDS + PROSE
        elif expected.word in self._mentioned and expected.place is not Place.MEMBER:
            blank = expected.text[: len(expected.text) - len(expected.text.lstrip())]
            new = {token for word in self._new for token in self._vocabulary.encode(blank + word)[:1]}
            yield sorted(new.union(tokens)), NAME
        elif expected.place is Place.HEAD:
            yield tokens, BETWEEN_WORDS
        else:
            yield tokens, BETWEEN_WORDS + NAME

    def _rest(self, word: str, begun: str) -> list[int]:
        """Tokens that go on with a word: the one with which a tokenizer does; behind others a model loses its way."""
        for text in (word, f" {word}"):
            written = ""
            for token in self._vocabulary.encode(text):
                if written.strip() == begun:
                    return [token]
                written += self._text(token)
        return self._beginning(word[len(begun) :])

    def _text(self, token: int) -> str:
        return self._vocabulary.token_bytes[token].decode("utf-8", "ignore")

    def _beginning(self, text: str) -> list[int]:
        return list(self._vocabulary.beginning_of(text.encode("utf-8", "ignore")))

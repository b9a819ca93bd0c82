"""The bias of a rewrite towards its original: most of a result is copied, and a small model slips.

A model that learns to rewrite is told that changes count more than copies, for there are few of them; so it thinks
changes too probable, and in the middle of a name that it copies another one comes to its mind. Here the tokens that go
on with the original as it stands, changed as far as it has been changed already, become more probable by some nats: a
little at signs and at the heads of lines, where code is added and taken away, more at names and in prose, and much
inside of a word. Where a name stands that the instruction mentions, the new names that it says are helped likewise; one
that has been begun is helped to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoder.rewriting.cuts import rest_of
from decoder.rewriting.following import Along, Expected, Following
from decoder.rewriting.original import WORD, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.models.vocabulary import Vocabulary

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
USUAL: Final = 2.0
"""More, for the token in which a tokenizer cuts what goes on so. Shorter ones are not raised at all: by them a model
means that another text follows (`(` and then `f"`, where it would have written `("`)."""
PAIR: Final = 3.0
"""Nats for a new name where the one stands that it is to replace, if the instruction leaves but one guess."""
REPLACED: Final = 5.0
"""Where a word stands that the output has replaced before."""
SURE: Final = 7.0
"""More, each, where it was told beforehand what is replaced: the guess is that this is all."""
INSTRUCTED: Final = 4.0
"""For the rest of a word of the instruction. All were tried on tasks that no figure is told of."""
_NAMED: Final = frozenset({Place.HEAD, Place.NAME})


class Told(NamedTuple):
    """What is told beforehand of a text: that the original is changed so, and not otherwise."""

    words: Mapping[str, str] | None = None
    """Words, and what each is replaced by."""
    otherwise: bool = False
    """Whether all strings that values are put into become f-strings, or templates in JavaScript."""


class CopyBias:
    """The bias of one output. See `decoder.bias.Bias`.

    Args:
        vocabulary: Of the model.
        original: What is being rewritten.
        named: Words of the instruction that may be new names.
        mentioned: All its words.
        renames: Whether it may want new names in the place of those that it mentions.
        python: Whether the original is Python; else JavaScript or TypeScript.
        pairs: A name, and the new one that the instruction may want in its place.
        told: What the text is known to change, where it is written as a guess.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        original: str,
        named: Iterable[str] = (),
        mentioned: Iterable[str] = (),
        *,
        renames: bool = True,
        python: bool = False,
        pairs: Mapping[str, str] | None = None,
        told: Told | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._original = original
        self._python = python
        words = set(WORD.findall(original))
        self._mentioned = words.intersection(mentioned)
        self._new = sorted(set(named) - words)
        self._renames = renames
        self._pairs = pairs or {}
        self._told = told
        self._along = Along(self._anew)

    def applied(
        self, logits: npt.NDArray[np.float32], written: str, guard: Guard, _tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """The logits with what goes on with the original raised."""
        if guard.partial:
            return logits
        raised = logits.copy()
        for tokens, nats in self._raises(self._along.at(written)):
            raised[tokens] += nats
        return raised

    def _anew(self) -> Following:
        told = self._told or Told()
        return Following(
            self._original, python=self._python, pairs=self._pairs, told=told.words, otherwise=told.otherwise
        )

    def _raises(self, following: Following) -> Iterator[tuple[list[int], float]]:
        """Tokens, and by how much each becomes more probable."""
        begun = following.unfinished_word
        for word in self._new if begun else ():
            if word != begun and word.startswith(begun):
                yield rest_of(word, begun, self._vocabulary), INSTRUCTED
        expected = following.expected()
        if expected is None:
            return
        if not expected.text:
            yield sorted(self._vocabulary.end), BETWEEN_WORDS
            return
        tokens = self._beginning(expected.text)
        is_mentioned = expected.word in self._mentioned and expected.place in _NAMED
        if self._renames and is_mentioned and not expected.replaces:
            yield from self._at_mentioned(expected, tokens)
            return
        nats = self._nats(expected)
        usual = self._usual(expected, begun, tokens)
        through = [] if expected.opens is None else [one for one in tokens if len(self._text(one)) > expected.opens]
        is_plain = bool(expected.string) and self._mentioned.isdisjoint(expected.string)
        if not usual or (usual[0] in through and not is_plain and not expected.replaces):
            yield tokens, nats  # what is put into a string may be so in another form
        else:
            yield usual, nats + USUAL + (SURE if self._told else 0)
        if is_plain:
            yield through, STRING

    def _nats(self, expected: Expected) -> float:
        """How much more probable it becomes that the original goes on."""
        if expected.replaces:
            return REPLACED
        if expected.within_word:
            return WITHIN_WORD
        if not expected.word or expected.place is Place.HEAD:
            return BETWEEN_WORDS
        return BETWEEN_WORDS + (PROSE if expected.place is Place.PROSE else NAME)

    def _usual(self, expected: Expected, begun: str, tokens: list[int]) -> list[int]:
        """The token in which a tokenizer cuts what goes on so; none where that is not known."""
        rest = WORD.match(expected.text) if expected.within_word and begun else None
        usual = (
            rest_of(begun + rest[0], begun, self._vocabulary) if rest else self._vocabulary.encode(expected.text)[:1]
        )
        return [token for token in usual if token in tokens] if len(usual) == 1 else []

    def _at_mentioned(self, expected: Expected, tokens: list[int]) -> Iterator[tuple[list[int], float]]:
        """The same where a name stands that the instruction mentions: it may be one of the new ones."""
        blank = expected.text[: len(expected.text) - len(expected.text.lstrip())]
        new = {word: self._vocabulary.encode(blank + word)[:1] for word in self._new}
        yield sorted({*tokens, *(token for begins in new.values() for token in begins)}), NAME
        if (one := self._pairs.get(expected.word)) is not None:
            yield new[one], PAIR

    def _text(self, token: int) -> str:
        return self._vocabulary.token_bytes[token].decode("utf-8", "ignore")

    def _beginning(self, text: str) -> list[int]:
        return list(self._vocabulary.beginning_of(text.encode("utf-8", "ignore")))

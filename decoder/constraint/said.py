"""Words that a text may be expected to have: any other one costs something.

A rewrite is made of the words of its original and of its instruction. A small model that has begun to copy a long name
may slip into another one; a rule that takes some nats off a word nobody has said keeps it on the way, and still lets a
new word stand that the model is sure of. Words in strings and comments count like names.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from decoder.constraint.keywords import STRING_PREFIXES, keywords
from decoder.constraint.protocol import Costs, Refusal, Report

if TYPE_CHECKING:
    from context_index.symbols import Language

PENALTY: Final = 6.0
"""Nats: a word that nobody said must be 400 times as probable as any that somebody did."""
_RUN: Final = re.compile(r"[\w$]+|[^\w$]+")
_QUOTES: Final = ("'", '"')


def words_of(text: str) -> set[str]:
    """The words of a text; numbers are none."""
    return {word for word in re.findall(r"[\w$]+", text) if not word[0].isdigit()}


@dataclass(frozen=True, slots=True)
class SaidWords(Costs):
    """One state of the rule: it allows everything, and counts what that costs.

    Args:
        known: The words that cost nothing, sorted.
        word: What has been written of the last word; empty behind something else.
        penalty: What the words so far have cost, in nats.
        charged: Whether the last word is paid for.
    """

    known: tuple[str, ...]
    word: str = ""
    penalty: float = 0.0
    charged: bool = False

    @classmethod
    def of(cls, language: Language, texts: Iterable[str]) -> SaidWords:
        """Behind anything but a word.

        Args:
            texts: Whoever's words are to cost nothing; those of the language do not either.
        """
        known = set(keywords(language)).union(*map(words_of, texts))
        return cls(tuple(sorted(known)))

    def feed(self, text: str) -> SaidWords:
        """The state after `text`."""
        state = self
        for run in _RUN.findall(text):
            state = state._ended(run) if not (run[0].isalnum() or run[0] in "_$") else state._longer(run)
        return state

    def cost(self, partial: bytes) -> float:
        """What the words so far have cost, and the beginning of a character."""
        return self.penalty + self._half_written(partial)

    def _half_written(self, partial: bytes) -> float:
        """What it costs to have begun a character inside of a word, where no word goes on so.

        Without this, half a letter of another alphabet was the cheapest way out of a word.
        """
        if not (partial and self.word) or self.charged:
            return 0.0
        at, begun = bisect_left(self.known, self.word), len(self.word)
        for word in islice(self.known, at, None):
            if not word.startswith(self.word):
                break
            if word[begun:].encode().startswith(partial):
                return 0.0
        return PENALTY

    def may_stop(self) -> Refusal | None:
        """Nothing against it."""
        return None

    def report(self) -> Report:
        """Other rules tell what is not proven."""
        return Report()

    def _longer(self, run: str) -> SaidWords:
        word = self.word + run
        charged = self.charged or not (word[0].isdigit() or self._begins(word))
        return replace(self, word=word, charged=charged, penalty=self.penalty + PENALTY * (charged - self.charged))

    def _ended(self, run: str) -> SaidWords:
        """The word is whole, unless it introduces a string."""
        if not self.word:
            return self
        introduces = run.startswith(_QUOTES) and self.word.lower() in STRING_PREFIXES
        whole = self.charged or introduces or self.word[0].isdigit() or self._has(self.word)
        return replace(self, word="", charged=False, penalty=self.penalty + (0.0 if whole else PENALTY))

    def _begins(self, word: str) -> bool:
        at = bisect_left(self.known, word)
        return at < len(self.known) and self.known[at].startswith(word)

    def _has(self, word: str) -> bool:
        at = bisect_left(self.known, word)
        return at < len(self.known) and self.known[at] == word

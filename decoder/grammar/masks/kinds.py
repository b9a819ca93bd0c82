"""Texts that no grammar of ours can tell apart: most of a vocabulary is words, and to syntax most words are one.

    kinds = Kinds(texts, reader)
    kinds.texts          # one for each kind, far fewer
    kinds.of             # [number of texts]: the kind of each

Two words are alike if they take every state of the token lexer the same way (`likeness`), and if neither is, or may
become a part of, a keyword. A word that a text has twice is no two words. What rules compare by spelling, a parameter's
name with the names before it, is left to whoever asks (`Kinds.writing`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.dfa import ASCII, Dfa
from decoder.grammar.masks.characters import codes_of, those
from decoder.grammar.masks.likeness import Likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from decoder.grammar.reader import Reader

    Numbers = npt.NDArray[np.intp]

WORDS: Final = re.compile(r"[\w$]+")
"""What is a word in texts of any language."""
PREFIXES: Final = frozenset("bBfFrRuUtTN")
"""Letters that external scanners look at one by one: before a quote, and behind a backslash."""
_BLANK_END: Final = re.compile(r"(?<= )  +\Z")
_BETWEEN: Final = "\n"
"""Between texts, so that no word goes on from one to the next."""


class _Words(NamedTuple):
    """Where words are in some texts, which stand one behind the other; in order."""

    joined: str
    begins: Numbers
    """Of each text."""
    ends: Numbers
    first: Numbers
    """Of each word."""
    last: Numbers
    of: Numbers
    """The text that each is in."""
    spelled: Sequence[str]


class Kinds:
    """The kinds of some texts under one grammar's lexers."""

    def __init__(self, texts: Sequence[str], reader: Reader) -> None:
        self._all = texts
        self._represented: dict[str, list[int]] | None = None
        words = _words(texts)
        self._numbers: dict[str, int] = {}
        numbers = np.array(
            [self._numbers.setdefault(word, len(self._numbers)) for word in words.spelled], dtype=np.intp
        )
        order = np.argsort(numbers, kind="stable")
        self._where = words.of[order].astype(np.int32)
        """The texts that each word is in, one word after the other."""
        self._edges = np.searchsorted(numbers[order], np.arange(len(self._numbers) + 1))
        if isinstance(reader.lexer, Dfa):
            keys = _spelled_alike(words, numbers, _likenesses(words, numbers, reader, reader.lexer))
        else:  # an unlearned one has no end of states
            keys = [text.encode("utf-8", "surrogatepass") for text in texts]
        kinds: dict[bytes, int] = {}
        of = [kinds.setdefault(key, len(kinds)) for key in keys]
        self.of = np.array(of, dtype=np.intp)  # what arrays are read by: others are copied into it each time
        # a long word is hardly ever one that a stack holds
        longest = np.lexsort((words.begins - words.ends, self.of))
        self.texts = tuple(texts[index] for index in longest[np.unique(self.of[longest], return_index=True)[1]])

    def standing_for(self, names: AbstractSet[str]) -> list[int]:
        """The texts of those kinds that are represented by a text with one of these words in it."""
        if self._represented is None:
            represented = defaultdict(list)
            for number, text in enumerate(self.texts):
                for word in WORDS.findall(text):
                    represented[word].append(number)
            self._represented = represented
        kinds = {number for name in names for number in self._represented.get(name, ())}
        return np.flatnonzero(np.isin(self.of, sorted(kinds))).tolist() if kinds else []

    def writing(self, names: Iterable[str], written: str) -> list[int]:
        """The texts with one of these words in them, the one counting that goes on with `written`."""
        found: set[int] = set()
        for name in names:
            found.update(self._with(name))
            if written and name.startswith(written):
                rest = name[len(written) :]
                found.update(index for index in self._with(rest) if self._all[index].startswith(rest))
        return sorted(found)

    def _with(self, word: str) -> list[int]:
        """The texts that a word is in."""
        number = self._numbers.get(word)
        return [] if number is None else self._where[self._edges[number] : self._edges[number + 1]].tolist()


def _words(texts: Sequence[str]) -> _Words:
    joined = _BETWEEN.join([*texts, ""])
    edges = np.flatnonzero(np.diff(those(codes_of(joined), WORDS.match), prepend=False, append=False))
    first, last = edges[::2], edges[1::2]
    lengths = np.array([len(text) for text in texts], dtype=np.intp)
    begins = np.cumsum(lengths + 1) - lengths - 1
    spelled = [joined[start:end] for start, end in zip(first.tolist(), last.tolist(), strict=True)]
    return _Words(joined, begins, begins + lengths, first, last, np.searchsorted(begins, first, "right") - 1, spelled)


def _likenesses(words: _Words, numbers: Numbers, reader: Reader, dfa: Dfa) -> Numbers:
    """The same number for words that are alike where they stand in their texts; below zero for what is only itself.

    Args:
        numbers: Of the words' spellings.
    """
    beginnings = {word[:last] for word in reader.words for last in range(1, len(word) + 1)}
    parts = {beginning[first:] for beginning in beginnings for first in range(len(beginning))}
    begins, ends = words.first == words.begins[words.of], words.last == words.ends[words.of]
    uses, at, use_of = np.unique(numbers * 4 + begins * 2 + ends, return_index=True, return_inverse=True)
    spelled = [words.spelled[index] for index in at.tolist()]
    begins, ends = uses & 2 > 0, uses & 1 > 0
    likeness = Likeness(dfa)
    alike = np.zeros(len(uses), dtype=np.intp)
    for some, telling in ((ends, beginnings), (~ends, set(reader.words))):
        members = np.flatnonzero(some)
        alike[members] = likeness.numbers([spelled[index] for index in members.tolist()], telling)
    leads = [
        (ord(word[0]) if begin and word[0] in PREFIXES else 0) for word, begin in zip(spelled, begins, strict=True)
    ]
    alike = (alike * 2 + ends) * ASCII + np.array(leads, dtype=np.intp)
    alike = np.unique(alike, return_inverse=True)[1]
    own = [
        word in (parts if begin else beginnings if end else reader.words) or PREFIXES.issuperset(word)
        for word, begin, end in zip(spelled, begins.tolist(), ends.tolist(), strict=True)
    ]
    return np.where(own, -1 - uses // 4, alike)[use_of]


def _spelled_alike(words: _Words, numbers: Numbers, alike: Numbers) -> list[bytes]:
    """The same for texts that differ in nothing but words that are alike: what stands between words, and these.

    Args:
        numbers: Of the words' spellings.
        alike: The same for words that are alike.
    """
    joined = words.joined
    starts = np.sort(np.concatenate([words.begins, words.last])).tolist()
    ends = np.sort(np.concatenate([words.ends, words.first])).tolist()
    gaps = [joined[start:end] for start, end in zip(starts, ends, strict=True)]
    texts, word_of = np.arange(len(words.begins)), np.arange(len(words.first))
    last = texts + np.searchsorted(words.of, texts, "right")  # of the gaps of each text
    for index in last.tolist():
        if gaps[index].endswith("   "):
            gaps[index] = _BLANK_END.sub(" ", gaps[index])
    known: dict[str, int] = {}
    of_gaps = np.array([known.setdefault(gap, len(known)) for gap in gaps], dtype=np.int32)
    # a gap, then a word, which of the text's words it is, and a gap for each word
    told = np.empty(len(texts) + 3 * len(word_of), dtype=np.int32)
    edges = np.append(0, 3 * last - 2 * texts + 1)
    at = 3 * word_of + words.of
    is_gap = np.ones(len(told), dtype=np.bool_)
    is_gap[at + 1] = is_gap[at + 2] = False
    told[is_gap] = of_gaps
    is_escaped = np.array([gap.endswith("\\") for gap in known], dtype=np.bool_)[told[at]]
    told[at + 1] = np.where(is_escaped, -1 - numbers, alike)
    told[at + 2] = np.where(is_escaped, -1, _repeated(words.of, numbers, is_escaped))
    written = told.tobytes()
    edges *= told.itemsize
    return [written[start:end] for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]


def _repeated(of: Numbers, numbers: Numbers, is_escaped: npt.NDArray[np.bool_]) -> Numbers:
    """Which of the different words of its text each is, those behind a backslash not counted."""
    found = np.zeros(len(of), dtype=np.intp)
    seen: dict[int, int] = {}
    several = np.flatnonzero((np.diff(of, prepend=-1) == 0) | (np.diff(of, append=-1) == 0))
    text = -1
    for index in several.tolist():
        if of[index] != text:
            text = of[index]
            seen = {}
        if not is_escaped[index]:
            found[index] = seen.setdefault(int(numbers[index]), len(seen))
    return found

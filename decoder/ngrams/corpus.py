"""The texts of a workspace as one suffix array (`Corpus`); a text can be left out while it is being edited.

`lsp_server/engine/workspace_corpus.py` builds it; `NgramBias` asks `WorkspaceTokens`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from decoder.ngrams.suffix_array import SuffixArray

if TYPE_CHECKING:
    from decoder.models.vocabulary import Vocabulary

Tokens = npt.NDArray[np.int32]
_PIECE_LENGTH: Final = 8_000
"""The most characters that are tokenised in one go; other threads wait meanwhile."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts by name. Never changes, so that any thread may read it.

    Args:
        array: The tokens of all texts.
        spans: By name, where the text's tokens are in the array.
    """

    array: SuffixArray
    spans: Mapping[str, range]

    @classmethod
    def of(cls, texts: Mapping[str, Tokens]) -> Corpus:
        """The corpus of tokenised texts. Takes some 0.7 s for a million tokens."""
        spans, start = {}, 0
        for name, tokens in texts.items():
            stop = start + 1 + len(tokens)  # the array has a mark before each text
            spans[name] = range(start, stop)
            start = stop
        return cls(SuffixArray.of(list(texts.values())), spans)

    def without(self, name: str) -> WorkspaceTokens:
        """All texts except the named one, which need not be in the corpus."""
        return WorkspaceTokens(self.array, self.spans.get(name, range(0)))


@dataclass(frozen=True, slots=True)
class WorkspaceTokens:
    """The tokens of a workspace's other files.

    Args:
        array: The tokens of all files.
        own: Where the file's own tokens are in the array; they do not count.
    """

    array: SuffixArray
    own: range

    def following(self, context: Sequence[int], orders: Sequence[int]) -> Iterator[Counter[int]]:
        """See `SuffixArray.following`."""
        return self.array.following(context, orders, without=self.own)


def tokenised(text: str, vocabulary: Vocabulary) -> Iterator[Tokens]:
    """The tokens of a text, piece by piece. At the cuts, tokens may differ from those of the whole text."""
    start = 0
    while start < len(text):
        stop = text.rfind("\n", start, start + _PIECE_LENGTH) if len(text) - start > _PIECE_LENGTH else len(text)
        stop = stop if stop > start else start + _PIECE_LENGTH
        yield np.array(vocabulary.encode(text[start:stop]), np.int32)
        start = stop


def joined(pieces: Iterable[Tokens]) -> Tokens:
    """The pieces of a text as one array; empty where there are none."""
    return np.concatenate([np.zeros(0, np.int32), *pieces])

"""What a file and its workspace write again: n-gram caches over their tokens, mixed with the model's probabilities.

A small model reads a few hundred tokens, and half of what people write stands somewhere farther away. Nested caches
beside a neural model: Hellendoorn and Devanbu 2017, "Are deep neural networks the best choice for modeling source
code?".

suffix_array  where texts have the last tokens, and what follows there
corpus        the texts of a workspace as one array, each of which can be left out
mixture       how much counts are worth beside a model, by how much of the context they share
bias          the decode loop's view of all this
"""

from __future__ import annotations

from decoder.ngrams.bias import NgramBias
from decoder.ngrams.corpus import Corpus, WorkspaceTokens, joined, tokenised
from decoder.ngrams.mixture import Mixture
from decoder.ngrams.suffix_array import SuffixArray

__all__ = ["Corpus", "Mixture", "NgramBias", "SuffixArray", "WorkspaceTokens", "joined", "tokenised"]

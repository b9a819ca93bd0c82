"""What a file and its workspace repeat: n-gram caches over their tokens, mixed with the model's probabilities.

A small model reads a few hundred tokens, and half of what people write repeats something farther away. Nested caches
beside a neural model: Hellendoorn and Devanbu 2017, "Are deep neural networks the best choice for modeling source
code?".

    suffix_array  counts what follows the last tokens in texts
    corpus        the texts of a workspace as one suffix array
    mixture       mixes counts with a model's probabilities, by weights that were fitted to the model
    bias          all of this as a bias of the decode loop
"""

from __future__ import annotations

from decoder.ngrams.bias import NgramBias
from decoder.ngrams.corpus import Corpus, WorkspaceTokens, joined, tokenised
from decoder.ngrams.mixture import Mixture
from decoder.ngrams.suffix_array import SuffixArray

__all__ = ["Corpus", "Mixture", "NgramBias", "SuffixArray", "WorkspaceTokens", "joined", "tokenised"]

"""Byte-level BPE in Python, for tokenizers as plain as the built-in model's; others need the library `tokenizers`.

Equal to the library, which would bring 41 MB of packages. Words repeat in code, so most are looked up: a line takes
9 µs, where the library takes 55, and 18 MB of Python 12 s, where it takes 17. Knows nothing of models and files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_WORDS_KEPT = 1 << 16
_SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""The white space of Unicode; Python's `\\s` has four separators of ASCII besides."""
_PLAIN = re.compile(r"(?:\\[rntsSd]|[^\\&(]|\(\?[:=!])*")
"""Patterns without groups that mean the same to Oniguruma, which the library uses, and to `re`, but for white space."""


_MORE = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix", "dropout", "ignore_merges", "byte_fallback")
"""What the models of some tokenizers do besides merging."""


class BytePairs:
    """A tokenizer's words and merges.

    Args:
        vocabulary: Each piece with its token; pieces are spelled as in `alphabet`.
        merges: Pairs of pieces, the first to be merged first.
        pattern: What cuts a text into words, for `re`.
        alphabet: The spelling of each byte.
    """

    def __init__(
        self, vocabulary: Mapping[str, int], merges: list[tuple[str, str]], pattern: str, alphabet: Mapping[int, str]
    ) -> None:
        # what lies between two words is one, too
        self._words = re.compile(f"(?:{pattern})|(?:(?!{pattern}).)+", re.DOTALL)
        self._byte_tokens = [vocabulary[alphabet[byte]] for byte in range(0x100)]
        self._merged = {
            (vocabulary[left], vocabulary[right]): (rank, vocabulary[left + right])
            for rank, (left, right) in enumerate(merges)
        }
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text that UTF-8 can encode."""
        known, tokens = self._known, list[int]()
        for word in self._words.findall(text):
            tokens += known.get(word) or self._encoded(word)
        return tokens

    def _encoded(self, word: str) -> list[int]:
        """The tokens of a word: the pair that comes first among the merges is merged, the left one of equals."""
        tokens = [self._byte_tokens[byte] for byte in word.encode()]
        never = (len(self._merged), 0)
        while len(tokens) > 1:
            ranked = [self._merged.get(pair, never) for pair in pairwise(tokens)]
            best = min(ranked)
            if best is never:
                break
            place = ranked.index(best)
            tokens[place : place + 2] = [best[1]]
        if len(self._known) >= _WORDS_KEPT:
            self._known.clear()
        self._known[word] = tokens
        return tokens


def byte_pairs(tokenizer: Mapping[str, Any], alphabet: Mapping[int, str]) -> BytePairs | None:
    """The encoder of a parsed `tokenizer.json`; None where it does more than merge the bytes of words.

    Args:
        tokenizer: Without truncation, padding and post-processing, which the caller removed.
        alphabet: The spelling of each byte in pieces.

    Raises:
        KeyError, TypeError, ValueError: it contradicts itself.
    """
    model, steps = tokenizer["model"], (tokenizer.get("pre_tokenizer") or {}).get("pretokenizers", ())
    match steps:
        case [
            {"type": "Split", "pattern": {"Regex": str(pattern)}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "use_regex": False},
        ] if model["type"] == "BPE" and not any(model.get(name) for name in _MORE):
            pass
        case _:
            return None
    if tokenizer.get("normalizer") or not all(token["special"] for token in tokenizer["added_tokens"]):
        return None
    spelled = _with_spaces(pattern) if _PLAIN.fullmatch(pattern) else None
    if spelled is None or re.match(spelled, ""):
        return None
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    return BytePairs(model["vocab"], [(left, right) for left, right in merges], spelled, alphabet)


def _with_spaces(pattern: str) -> str | None:
    """The pattern with Unicode's white space in place of Python's; None where a class holds what `re` lacks there."""
    in_class = False
    parts = []
    for part in re.findall(r"\\.|[^\\]", pattern):
        if in_class and part in {"[", r"\S"}:
            return None
        in_class = part == "[" or (in_class and part != "]")
        match part:
            case r"\s":
                parts.append(_SPACES if in_class else f"[{_SPACES}]")
            case r"\S":
                parts.append(f"[^{_SPACES}]")
            case _:
                parts.append(part)
    return "".join(parts)

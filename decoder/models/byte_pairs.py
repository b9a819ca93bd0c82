"""Byte-level BPE in Python, for tokenizers as plain as the built-in model's; others need the library `tokenizers`.

Its tokens equal the library's, which would bring 41 MB of packages. Words repeat in code, so most are looked up: a line
takes 9 µs, where the library takes 55, and 18 MB of Python 12 s, where it takes 17. `tokenizer_bytes` calls
`byte_pairs` and uses the library where that returns None. Knows nothing of models and files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_WORDS_KEPT = 1 << 16
"""Words whose tokens are cached; beyond, the cache is emptied."""
_SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's white space, as the inside of a class; Python's `\\s` has U+001C to U+001F besides."""
_PORTABLE_PATTERN = re.compile(r"(?:\\[rntsSd]|[^\\&(]|\(\?[:=!])*")
"""Patterns without groups that mean the same to Oniguruma, which the library uses, and to `re`, but for white space."""


_OTHER_OPTIONS = (
    "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "dropout", "ignore_merges", "byte_fallback",
)  # fmt: skip
"""Options of a BPE model with which it does more than merge bytes."""


class BytePairs:
    """A tokenizer that cuts a text into words and merges the bytes of each.

    Args:
        vocabulary: Each piece with its token; pieces are spelled as in `alphabet`.
        merges: Pairs of pieces; those that come first are merged first.
        pattern: Matches the words of a text; an expression for `re`.
        alphabet: The spelling of each byte.
    """

    def __init__(
        self, vocabulary: Mapping[str, int], merges: list[tuple[str, str]], pattern: str, alphabet: Mapping[int, str]
    ) -> None:
        # the text between two matches counts as a word, too
        self._words = re.compile(f"(?:{pattern})|(?:(?!{pattern}).)+", re.DOTALL)
        self._byte_tokens = [vocabulary[alphabet[byte]] for byte in range(0x100)]
        self._merges = {
            (vocabulary[left], vocabulary[right]): (rank, vocabulary[left + right])
            for rank, (left, right) in enumerate(merges)
        }
        """By pair of tokens: the rank of the merge, and the token that it makes."""
        self._cache: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text that UTF-8 can encode."""
        cache, tokens = self._cache, list[int]()
        for word in self._words.findall(text):
            tokens += cache.get(word) or self._encode_word(word)
        return tokens

    def _encode_word(self, word: str) -> list[int]:
        """The tokens of a word, which are cached. The pair of the lowest rank is merged until none is left.

        Of pairs with the same rank the leftmost comes first.
        """
        tokens = [self._byte_tokens[byte] for byte in word.encode()]
        no_merge = (len(self._merges), 0)
        while len(tokens) > 1:
            merges = [self._merges.get(pair, no_merge) for pair in pairwise(tokens)]
            best = min(merges)
            if best is no_merge:
                break
            place = merges.index(best)
            tokens[place : place + 2] = [best[1]]
        if len(self._cache) >= _WORDS_KEPT:
            self._cache.clear()
        self._cache[word] = tokens
        return tokens


def byte_pairs(tokenizer: Mapping[str, Any], alphabet: Mapping[int, str]) -> BytePairs | None:
    """The encoder of a parsed `tokenizer.json`; None where the tokenizer does more than merge the bytes of words.

    Args:
        tokenizer: The content of the file, from which the caller removed truncation, padding and post-processing.
        alphabet: The spelling of each byte in pieces.

    Raises:
        KeyError, TypeError, ValueError: it contradicts itself.
    """
    model, steps = tokenizer["model"], (tokenizer.get("pre_tokenizer") or {}).get("pretokenizers", ())
    match steps:
        case [
            {"type": "Split", "pattern": {"Regex": str(pattern)}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "use_regex": False},
        ] if model["type"] == "BPE" and not any(model.get(name) for name in _OTHER_OPTIONS):
            pass
        case _:
            return None
    if tokenizer.get("normalizer") or not all(token["special"] for token in tokenizer["added_tokens"]):
        return None
    portable = _with_unicode_spaces(pattern) if _PORTABLE_PATTERN.fullmatch(pattern) else None
    if portable is None or re.match(portable, ""):
        return None
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    return BytePairs(model["vocab"], [(left, right) for left, right in merges], portable, alphabet)


def _with_unicode_spaces(pattern: str) -> str | None:
    r"""The pattern with Unicode's white space in place of Python's.

    None where a class holds another class or `\S`, which `re` cannot express there.
    """
    in_class = False
    converted = []
    for symbol in re.findall(r"\\.|[^\\]", pattern):
        if in_class and symbol in {"[", r"\S"}:
            return None
        in_class = symbol == "[" or (in_class and symbol != "]")
        match symbol:
            case r"\s":
                converted.append(_SPACES if in_class else f"[{_SPACES}]")
            case r"\S":
                converted.append(f"[^{_SPACES}]")
            case _:
                converted.append(symbol)
    return "".join(converted)

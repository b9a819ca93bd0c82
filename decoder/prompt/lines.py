"""Tokens of a text, remembered line by line.

Tokenizers split a text into pieces before they merge bytes, so a text may be cut between two pieces and its parts
tokenised apart. Where a line end may be cut depends on the tokenizer; each way is tried on a sample when the model is
loaded, and a tokenizer that allows none has its texts tokenised whole. While one types, only the line at the cursor
is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

_BEFORE_LINE_END = re.compile(r"(?<=\S)(?=\r?\n)")
"""Before the line end, unless blanks stand before it: GPT-2's split, StarCoder2, the embedded model, DeepSeek."""

_BEFORE_TEXT = re.compile(r"(?<=\n)(?=[ \t]*[^\s])")
"""After the line end, unless a blank line follows: Qwen and other splits that join punctuation to line ends; Llama."""

_SAMPLE = "".join(
    f"{before}{end}{after}"
    for before in ("x", "});", "é", "1", "if a:  ", "# b\t", '"', "")
    for end in ("\n", "\r\n", "\n\n", "\n  \n", "\r\n\r\n\t\n")
    for after in ("y ", "    return", "\t\tz", "  }", " 你", "")
)

_REMEMBERED = 16_384
"""Lines; a few megabytes."""


class LineTokens:
    """Tokens of texts in one vocabulary."""

    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self._cut = next((cut for cut in (_BEFORE_LINE_END, _BEFORE_TEXT) if _holds(cut, encode)), None)
        self._encoded = lru_cache(_REMEMBERED)(lambda text: tuple(encode(text)))

    def encode(self, text: str) -> list[int]:
        """The tokens that the tokenizer gives for `text`."""
        return list(chain.from_iterable(map(self._encoded, self._pieces(text))))

    def count(self, text: str) -> int:
        """How many they are."""
        return sum(len(self._encoded(piece)) for piece in self._pieces(text))

    def _pieces(self, text: str) -> Sequence[str]:
        return self._cut.split(text) if self._cut else (text,)


def _holds(cut: re.Pattern[str], encode: Callable[[str], list[int]]) -> bool:
    return list(chain.from_iterable(map(encode, cut.split(_SAMPLE)))) == encode(_SAMPLE)

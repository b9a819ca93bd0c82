"""The tokens of a text, computed line by line and kept (`LineTokens`): while somebody types, nearly all lines stay.

Knows a tokenizer as a function only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

# A cut is a pattern that matches the empty text between two lines.

_BEFORE_LINE_END = re.compile(r"(?<=\S)(?=\r?\n)")
"""A cut before a line end, unless blanks precede it. It suits the tokenizers of GPT-2, StarCoder2, DeepSeek and the
built-in model."""

_BEFORE_TEXT = re.compile(r"(?<=\n)(?=[ \t]*[^\s])")
"""A cut after a line end, unless a blank line follows. It suits Qwen, Llama, and others that join punctuation to line
ends."""

_SAMPLE = "".join(
    f"{before}{end}{after}"
    for before in ("x", "});", "é", "1", "if a:  ", "# b\t", '"', "")
    for end in ("\n", "\r\n", "\n\n", "\n  \n", "\r\n\r\n\t\n")
    for after in ("y ", "    return", "\t\tz", "  }", " 你", "")
)
"""Line ends between all kinds of text, on which the kinds of cut are tried."""

_CACHED_LINES = 16_384
"""The most lines whose tokens are cached; a few megabytes."""
_CACHED_TEXTS = 32
"""The most texts of several lines whose tokens are cached: the text above the line being typed recurs with each key."""


class LineTokens:
    """Encodes texts line by line, so that the tokens of a line need not be computed again.

    Encoding line by line usually gives other tokens than encoding the whole text. It gives the same if the text is cut
    only where the tokenizer never joins characters. Two kinds of cut are tried; if neither suits the tokenizer, texts
    are encoded as a whole.
    """

    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self._cut = next((cut for cut in (_BEFORE_LINE_END, _BEFORE_TEXT) if _suits(cut, encode)), None)
        self._encode_line = lru_cache(_CACHED_LINES)(lambda text: tuple(encode(text)))
        self._encode_cached = lru_cache(_CACHED_TEXTS)(self._encode_lines)

    def encode(self, text: str) -> list[int]:
        """The tokens that the tokenizer gives for `text`."""
        if self._cut is None:
            return [*self._encode_line(text)]
        above, last_line = self.last_cut(text)
        return [*self._encode_cached(above), *self._encode_lines(last_line)]

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        if self._cut is None:
            return len(self._encode_line(text))
        above, last_line = self.last_cut(text)
        return len(self._encode_cached(above)) + len(self._encode_lines(last_line))

    def last_cut(self, text: str) -> tuple[str, str]:
        """The text in two parts, cut at the last place where the parts together have the tokens of the text.

        The second part is usually the last line; it is empty where there is no such place.
        """
        line_end = searched = len(text)
        while self._cut and (line_end := text.rfind("\n", 0, line_end)) >= 0:
            # from the last line end back: a cut is next to a line end, and looks no further than the one after it
            cuts = [cut.start() for cut in self._cut.finditer(text, max(line_end - 1, 0), searched)]
            searched = line_end + 1
            if cuts:
                return text[: cuts[-1]], text[cuts[-1] :]
        return text, ""

    def _encode_lines(self, text: str) -> Sequence[int]:
        """The tokens of a text that begins and ends at cuts, line by line."""
        if not text:
            return ()
        lines = self._cut.split(text) if self._cut else (text,)
        return tuple(chain.from_iterable(map(self._encode_line, lines)))


def _suits(cut: re.Pattern[str], encode: Callable[[str], list[int]]) -> bool:
    """Whether the pieces between the cuts of the sample have, one after another, the tokens of the whole sample."""
    return list(chain.from_iterable(map(encode, cut.split(_SAMPLE)))) == encode(_SAMPLE)

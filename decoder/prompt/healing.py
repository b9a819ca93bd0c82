"""Token healing: a half-typed word is removed from the prompt, and the output must begin with it.

A tokenizer cuts `response` into other tokens than `respon`; after `respon` a model is off the paths that it was
trained on. The same holds for a space: ` response` is one token with its space, so after the space alone a model does
not expect a word. With both removed from the prompt, it writes tokens that it knows. On held-out Python with the
built-in model the first token after a space was right in 2 % of 300 places with the space left in the prompt, and in
31 % with it removed; inside words, 0.95 and 3.9 characters were right on average. Where possible, the required text
is written in the tokens into which the tokenizer cuts it (`decoder.choice`). Knows nothing of tokens or syntax: a
word is a run of identifier characters.
"""

from __future__ import annotations

from typing import NamedTuple

from context_index.symbols import continues_identifier

_LONGEST = 64
"""Characters of a word that may be a name."""


class Healed(NamedTuple):
    """A prefix in two parts, which together are the text before the cursor."""

    prefix: str
    """What the prompt says."""
    word: str
    """What the output must begin with: the half-typed word and the space before it, where there are any."""


def heal(text: str) -> Healed:
    """Take the half-typed word and the space before it back from the end of `text`.

    Indentation stays, for it belongs to the line end before it. A number stays, and so does a word of more than
    `_LONGEST` characters: that is data, not a name being typed.
    """
    start = len(text)
    while start and continues_identifier(text[start - 1]) and len(text) - start <= _LONGEST:
        start -= 1
    if text[start : start + 1].isdigit() or len(text) - start > _LONGEST:
        return Healed(text, "")
    if text[:start].endswith(" ") and not _indents(text, start):
        start -= 1
    return Healed(text[:start], text[start:])


def _indents(text: str, stop: int) -> bool:
    """Whether there is only white space between the start of the line and `stop`."""
    start = max(text.rfind("\n", 0, stop), text.rfind("\r", 0, stop)) + 1
    return not text[start:stop].strip()

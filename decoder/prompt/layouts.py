"""Prompt layouts as data: the order of markers and texts, for the built-in model and for its training.

A layout is a tuple of parts; each text is tokenised by itself, apart from its neighbours. The model writes after the
last part and ends with `END`. Training makes its examples with the same functions, so that prompts and examples stay
alike. Knows no tokenizer and no budget.

    fill in the middle  LANG  (FILE path ⏎ snippet)*  [FILE path ⏎]  SUFFIX suffix  PREFIX prefix  MIDDLE  -> middle END
    left to right       LANG  text                                                                        -> text END
    rewrite             LANG  (FILE path ⏎ snippet)*  PREFIX instruction ⏎  SUFFIX original  MIDDLE       -> result END

The suffix comes before the prefix, so that typing changes only the end of the prompt. The marker `MIDDLE` is at the
cursor: a model that does not see where the prefix ends cannot know at which of many line ends to stop. The file's own
path is given only if there are snippets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_index.symbols import Language, Snippet

END = "<|endoftext|>"
PREFIX = "<|fim_prefix|>"
SUFFIX = "<|fim_suffix|>"
MIDDLE = "<|fim_middle|>"
FILE = "<|file_sep|>"
PYTHON = "<|lang_py|>"
JAVASCRIPT = "<|lang_js|>"
"""The marker of JavaScript and of TypeScript."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One special token, by its spelling in the tokenizer."""

    spelling: str


@dataclass(frozen=True, slots=True)
class PromptText:
    """Text that is tokenised by itself; markers spelled in it are plain text."""

    text: str


Part = Marker | PromptText
Layout = tuple[Part, ...]


def language_marker(language: Language) -> Marker:
    """The marker that opens every prompt of the built-in model."""
    return Marker(language.record.prompt_marker or JAVASCRIPT)


def fill_in(
    language: Language, prefix: str, suffix: str, *, path: str = "", snippets: Sequence[Snippet] = ()
) -> Layout:
    """The prompt to write what is between `prefix` and `suffix`.

    Args:
        path: The path of the open file.
        snippets: Passages of other files.
    """
    open_file = (Marker(FILE), PromptText(path + "\n")) if snippets else ()
    return (
        language_marker(language),
        *_files(snippets),
        *open_file,
        Marker(SUFFIX),
        PromptText(suffix),
        Marker(PREFIX),
        PromptText(prefix),
        Marker(MIDDLE),
    )


def left_to_right(language: Language, text: str) -> Layout:
    """The prompt to go on with `text`, after which nothing comes."""
    return (language_marker(language), PromptText(text))


def rewrite(language: Language, instruction: str, original: str, *, snippets: Sequence[Snippet] = ()) -> Layout:
    """The prompt to rewrite `original` as `instruction` says. Line ends in the instruction become spaces."""
    return (
        language_marker(language),
        *_files(snippets),
        Marker(PREFIX),
        PromptText(" ".join(instruction.split()) + "\n"),
        Marker(SUFFIX),
        PromptText(original),
        Marker(MIDDLE),
    )


def _files(snippets: Sequence[Snippet]) -> Layout:
    return tuple(part for snippet in snippets for part in (Marker(FILE), PromptText(f"{snippet.path}\n{snippet.text}")))

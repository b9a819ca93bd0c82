"""Fill-in-the-middle prompts by model family, recognised by the markers in the tokenizer.

Each family's layout is the one that its authors documented. The suffix comes first where the family was trained that
way too (StarCoder2 and CodeLlama: half of their examples; Codestral: all): then typing changes only the end of the
prompt, and its KV cache is kept. A model without known markers writes from left to right and never sees the suffix.
Knows nothing of budgets: packing cuts the texts first.
"""

# ruff: noqa: RUF001 - DeepSeek spells its markers with fullwidth bars

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from context_index.symbols import Language, Snippet
from decoder.prompt import layouts
from decoder.prompt.layouts import Layout, Marker, Part, Text


@dataclass(frozen=True, slots=True)
class Source:
    """What a prompt is made of."""

    language: Language
    prefix: str
    suffix: str
    path: str = ""
    snippets: tuple[Snippet, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of models is asked to fill in the middle."""

    name: str
    markers: tuple[str, ...]
    """Spellings that must all be in the tokenizer."""
    layout: Callable[[Source], Layout]
    reads_suffix: bool = True
    ends: tuple[str, ...] = ()
    """Markers that end the middle, beside the model's own end of text."""


def family_of(special: Mapping[str, int]) -> Family:
    """The family whose markers the tokenizer has; left to right where it has none that we know."""
    return next(family for family in FAMILIES if all(marker in special for marker in family.markers))


def _embedded(source: Source) -> Layout:
    return layouts.fill_in(source.language, source.prefix, source.suffix, path=source.path, snippets=source.snippets)


def _qwen(source: Source) -> Layout:
    """Qwen2.5-Coder, technical report section 3.2: prefix first; files before it by separator, path and newline."""
    files = _separated(source, "<|file_sep|>", newline_after=True)
    return (
        *files,
        Marker("<|fim_prefix|>"),
        Text(source.prefix),
        Marker("<|fim_suffix|>"),
        Text(source.suffix),
        Marker("<|fim_middle|>"),
    )


def _starcoder2(source: Source) -> Layout:
    """StarCoder2, section 5.1: separated files; the suffix-first order keeps both markers in front."""
    return (
        *_separated(source, "<file_sep>"),
        Marker("<fim_prefix>"),
        Marker("<fim_suffix>"),
        Text(source.suffix),
        Marker("<fim_middle>"),
        Text(source.prefix),
    )


def _codellama(source: Source) -> Layout:
    """CodeLlama, section 2.3: a space is put before the prefix, as SentencePiece does, and none before the suffix."""
    return (
        Marker("<s>"),
        Marker("▁<PRE>"),
        Marker("▁<SUF>"),
        Text(source.suffix),
        Marker("▁<MID>"),
        Text(" " + _commented(source) + source.prefix),
    )


def _codestral(source: Source) -> Layout:
    """Codestral: the suffix, then the prefix, and the model goes on; the prefix begins with SentencePiece's space."""
    return (
        Marker("<s>"),
        Marker("[SUFFIX]"),
        Text(source.suffix),
        Marker("[PREFIX]"),
        Text(" " + _commented(source) + source.prefix),
    )


def _deepseek(source: Source) -> Layout:
    """DeepSeek-Coder, section 3.1: prefix first, the hole marked between the two texts."""
    return (
        Marker("<｜begin▁of▁sentence｜>"),
        Marker("<｜fim▁begin｜>"),
        Text(_commented(source) + source.prefix),
        Marker("<｜fim▁hole｜>"),
        Text(source.suffix),
        Marker("<｜fim▁end｜>"),
    )


def _left_to_right(source: Source) -> Layout:
    return (Text(_commented(source) + source.prefix),)


def _after_start(source: Source) -> Layout:
    """Llama and its like: the start of text and SentencePiece's space."""
    return (Marker("<s>"), Text(" " + _commented(source) + source.prefix))


def _separated(source: Source, separator: str, *, newline_after: bool = False) -> Sequence[Part]:
    """Snippets after a separator and their path, then the open file's own path; nothing where there are none."""
    if not source.snippets:
        return ()
    end = "\n" if newline_after else ""
    files: list[Part] = []
    for snippet in source.snippets:
        files += (Marker(separator), Text(f"{snippet.path}\n{snippet.text}{end}"))
    return (*files, Marker(separator), Text(f"{source.path}\n"))


def _commented(source: Source) -> str:
    """Snippets for families without a separator: the path as a comment, then the text."""
    sign = "#" if source.language.is_python else "//"
    return "".join(f"{sign} {snippet.path}\n{snippet.text}\n" for snippet in source.snippets)


FAMILIES: tuple[Family, ...] = (
    Family(
        "embedded",
        (layouts.PYTHON, layouts.JAVASCRIPT, layouts.PREFIX, layouts.SUFFIX, layouts.MIDDLE),
        _embedded,
        ends=(layouts.END, layouts.FILE, layouts.PREFIX, layouts.SUFFIX, layouts.MIDDLE, "<|fim_pad|>"),
    ),
    Family(
        "qwen2.5-coder",
        ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
        _qwen,
        ends=("<|endoftext|>", "<|fim_pad|>", "<|file_sep|>", "<|repo_name|>", "<|fim_prefix|>", "<|im_end|>"),
    ),
    Family(
        "starcoder2",
        ("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
        _starcoder2,
        ends=("<|endoftext|>", "<file_sep>", "<repo_name>", "<fim_prefix>", "<fim_pad>"),
    ),
    Family(
        "codellama",
        ("▁<PRE>", "▁<SUF>", "▁<MID>", "<s>"),
        _codellama,
        ends=("▁<EOT>", "</s>"),
    ),
    Family(
        "deepseek-coder",
        ("<｜begin▁of▁sentence｜>", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
        _deepseek,
        ends=("<｜end▁of▁sentence｜>", "<|EOT|>", "<｜fim▁begin｜>"),
    ),
    Family("codestral", ("[SUFFIX]", "[PREFIX]", "<s>"), _codestral, ends=("</s>",)),
    Family("llama", ("<s>", "</s>", "<unk>"), _after_start, reads_suffix=False, ends=("</s>",)),
    Family("left to right", (), _left_to_right, reads_suffix=False),
)
"""In the order in which they are tried: a tokenizer with more markers comes before one with fewer."""

MARKERS = frozenset(marker for family in FAMILIES for marker in (*family.markers, *family.ends))
"""Spellings that are markers in every tokenizer that has them."""

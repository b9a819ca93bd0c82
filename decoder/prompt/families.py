"""Fill-in-the-middle prompts by model family: one row of data each (`FAMILIES`), recognised by the tokenizer's markers.

A row's `prompt` is the literal prompt, with slots for the texts, as its authors documented it (`source`). `family_of`
chooses the row, and `Family.layout` fills its slots. The suffix comes first if the family was trained that way: then
typing changes only the end of the prompt, and its key-value cache is kept.

A model without a row's markers is asked by its chat template, with the beginning of the answer given; or from left to
right, without the suffix. `Family.description` says which. Knows nothing of budgets: packing cuts the texts first.
"""

# ruff: noqa: RUF001 - DeepSeek spells its markers with fullwidth bars

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from context_index.symbols import Language, Snippet
from decoder.errors import UnsupportedModelError
from decoder.prompt import layouts
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.layouts import Layout, Marker, Part, PromptText

FENCE = "```"
"""The Markdown fence with which a chat model's answer begins and ends."""


@dataclass(frozen=True, slots=True)
class PromptSource:
    """The texts that fill a prompt's slots."""

    language: Language
    prefix: str
    """The text before the cursor."""
    suffix: str
    """The text after the cursor."""
    path: str = ""
    """The open file's path in its workspace; empty where it has none."""
    snippets: tuple[Snippet, ...] = ()
    """Passages of other files."""
    repository: str = ""
    """The workspace's name, for families that were trained to read it; empty where there is none."""


_SAMPLE = PromptSource(Language.PYTHON, "def area(r):\n    return ", "\n\nprint(area(2))\n", path="area.py")
"""The source of `Family.sample`."""


class Slot(StrEnum):
    """A place in a row's prompt for a text of the source; all other strings in the prompt are markers."""

    LANGUAGE = "{language}"
    """The built-in model's marker of the language."""
    FILES = "{files}"
    """Other files, if the family has a separator."""
    PREFIX = "{prefix}"
    """The text before the cursor. Without a separator other files come before it, as comments."""
    SUFFIX = "{suffix}"


@dataclass(frozen=True, slots=True)
class FixedText:
    """Text of a row's prompt that is no marker."""

    text: str
    """`{path}` and `{language}` in it stand for those of the open file."""


class Order(StrEnum):
    """Which of the texts around the cursor comes first."""

    PREFIX_FIRST = "prefix first"
    SUFFIX_FIRST = "suffix first"
    LEFT_TO_RIGHT = "left to right"


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of models is asked to fill in the middle. A marker is given by its spelling in the tokenizer."""

    name: str
    prompt: tuple[str | FixedText, ...]
    """Markers, slots and fixed texts, in order."""
    source: str = ""
    """Where the authors document the prompt."""
    recognised_by: tuple[str, ...] = ()
    """Further markers, which are not in the prompt and by which a tokenizer is recognised as this family's."""
    separator: str | None = None
    """The marker before each other file and its path, and before the open file's own path; None for no such marker."""
    after_file: str = ""
    """The text after each other file, and after the repository's name."""
    is_between: bool = False
    """Whether the separator comes between files only, and not before the first."""
    repository: str | None = None
    """The marker before the repository's name, which opens the prompt if there are other files."""
    opening: str = ""
    """The text of a comment before the prefix, with `{path}` for the open file's path; see `_comments`."""
    begins_with_space: bool = False
    """Whether the prefix begins with a space, as SentencePiece writes the beginning of a text."""
    ends: tuple[str, ...] = ()
    """Markers that end the middle, beside the model's own end of text."""
    rewrites: bool = False
    """Whether it was trained on rewrites, too (`decoder.prompt.layouts.rewrite`)."""
    chat: ChatTemplate | None = field(default=None, repr=False)
    """The template by which the model is asked; None for all families but `CHAT`."""
    special: frozenset[str] = field(default=frozenset(), repr=False)
    """The spellings of the tokenizer's markers, which the template may have."""
    note: str = ""
    """What people should know of a model that is not asked by markers for filling in; else empty."""

    @property
    def markers(self) -> tuple[str, ...]:
        """The markers that a tokenizer must have to be recognised as this family's."""
        slots = frozenset(Slot)
        return (*(part for part in self.prompt if isinstance(part, str) and part not in slots), *self.recognised_by)

    @property
    def spellings(self) -> frozenset[str]:
        """All markers: those that a tokenizer must have, the optional ones, and the ends."""
        optional = (self.separator, self.repository)
        return frozenset((*self.markers, *self.ends, *(marker for marker in optional if marker)))

    @property
    def order(self) -> Order:
        """Which of the texts around the cursor comes first."""
        if Slot.SUFFIX not in self.prompt:
            return Order.LEFT_TO_RIGHT
        is_suffix_first = self.prompt.index(Slot.SUFFIX) < self.prompt.index(Slot.PREFIX)
        return Order.SUFFIX_FIRST if is_suffix_first else Order.PREFIX_FIRST

    @property
    def reads_suffix(self) -> bool:
        """Whether the model sees the text after the cursor."""
        return self.order is not Order.LEFT_TO_RIGHT

    @property
    def sample(self) -> str:
        """A sample prompt, with the markers as they are spelled."""
        layout = self.layout(_SAMPLE)
        return "".join(part.spelling if isinstance(part, Marker) else part.text for part in layout)

    @property
    def description(self) -> str:
        """One sentence for people: the family, the order, and how other files are given."""
        if self.note:
            return f"{self.name}: {self.note}"
        files = f"other files after {self.separator}" if self.separator else "other files as comments"
        return f"{self.name}: fill in the middle, {self.order}, {files}"

    def layout(self, source: PromptSource) -> Layout:
        """The prompt for a source."""
        return tuple(part for entry in self.prompt for part in self._part(entry, source))

    def _part(self, entry: str | FixedText, source: PromptSource) -> Iterator[Part]:
        """The parts of the layout for an entry of `prompt`."""
        match entry:
            case FixedText(text):
                yield PromptText(text.format(path=source.path, language=source.language.record.title))
            case Slot.LANGUAGE:
                yield layouts.language_marker(source.language)
            case Slot.FILES:
                yield from self._files(source)
            case Slot.SUFFIX if self.chat is not None:
                yield from self.chat.layout(_question(source), self.special)
                yield PromptText(f"{FENCE}{source.language}\n")
            case Slot.SUFFIX:
                yield PromptText(source.suffix)
            case Slot.PREFIX:
                space = " " if self.begins_with_space else ""
                yield PromptText(space + self._comments(source) + source.prefix)
            case marker:
                yield Marker(marker)

    def _files(self, source: PromptSource) -> Iterator[Part]:
        """Other files after a separator and their path, then the open file's own path; nothing where there are none."""
        if not source.snippets or self.separator is None:
            return
        if self.repository and source.repository:
            yield Marker(self.repository)
            yield PromptText(source.repository + self.after_file)
        for number, snippet in enumerate(source.snippets):
            if number > 0 or not self.is_between:
                yield Marker(self.separator)
            yield PromptText(f"{snippet.path}\n{snippet.text}{self.after_file}")
        yield Marker(self.separator)
        yield PromptText(f"{source.path}\n")

    def _comments(self, source: PromptSource) -> str:
        """The comments before the prefix: other files, where no marker tells them apart, and the open file's path.

        The path is written as `opening` has it, and without an `opening` after other files only. Without it, the prefix
        would go on in the last of them.
        """
        sign = source.language.record.lexis.comment
        has_files = bool(source.snippets) and self.separator is None and self.chat is None
        files = (f"{sign} {snippet.path}\n{snippet.text}\n" for snippet in source.snippets if has_files)
        opening = self.opening or ("{path}" if has_files else "")
        path = f"{sign} {opening.format(path=source.path)}\n" if opening and source.path else ""
        return "".join(files) + path


def family_of(special: Mapping[str, int], chat: ChatTemplate | None = None, row: Family | None = None) -> Family:
    """The family that a person configured, or else the one whose markers the tokenizer has.

    It is without the optional markers that the tokenizer lacks.

    Args:
        special: The tokenizer's markers, by spelling.
        chat: The model's chat template, by which it is asked if it has no markers for filling in.
        row: `ModelOptions.own_family`; None where the markers decide.

    Raises:
        UnsupportedModelError: the tokenizer lacks a marker of `row`.
    """
    if row is not None:
        return fit_family(row, special)
    row = next(family for family in FAMILIES if all(marker in special for marker in family.markers))
    if not row.reads_suffix and chat is not None:
        return replace(CHAT, chat=chat, special=frozenset(special))
    if not row.reads_suffix:
        return replace(row, note=_why_left_to_right(special))
    return fit_family(row, special)


def fit_family(row: Family, special: Mapping[str, int]) -> Family:
    """A row without the optional markers that a tokenizer lacks; without a separator other files become comments.

    Args:
        special: The tokenizer's markers, by spelling.

    Raises:
        UnsupportedModelError: the tokenizer lacks a marker of the prompt.
    """
    if missing := [marker for marker in row.markers if marker not in special]:
        raise UnsupportedModelError(
            f"the model's tokenizer has no marker {missing[0]!r}, which the prompt of '{row.name}' needs. "
            "Correct the prompt in the configuration, or remove it."
        )
    separator = row.separator if row.separator in special else None
    return replace(row, separator=separator, repository=row.repository if row.repository in special else None)


def row_of(prompt: Iterable[str], *, separator: str | None = None, ends: Iterable[str] = ()) -> Family:
    """The family that a person configured (`decoder.models.options`).

    Args:
        prompt: Markers, `{prefix}` once, `{suffix}` and `{files}` at most once.
        separator: See `Family.separator`.
        ends: Markers that end the middle; those of the prompt are added.

    Raises:
        UnsupportedModelError: a slot is missing, or is there twice.
    """
    entries = tuple(prompt)
    for slot, fewest in ((Slot.PREFIX, 1), (Slot.SUFFIX, 0), (Slot.FILES, 0)):
        if not fewest <= entries.count(slot) <= 1:
            times = "exactly once" if fewest else "at most once"
            raise UnsupportedModelError(
                f"the model's prompt in the configuration must have {slot.value} {times}, as in "
                '["<PRE>", "{prefix}", "<SUF>", "{suffix}", "<MID>"]. Correct it, or remove it.'
            )
    note = "" if Slot.SUFFIX in entries else "asked left to right, as the configuration says"
    markers = tuple(entry for entry in entries if entry not in frozenset(Slot))
    return Family("configured", entries, "the configuration", separator=separator, ends=(*ends, *markers), note=note)


def _question(source: PromptSource) -> str:
    """The question to a chat model, whose answer is then begun with the text before the cursor."""
    files = [f"The file {snippet.path}:\n\n{FENCE}\n{snippet.text}\n{FENCE}" for snippet in source.snippets]
    after = [f"The end of the text, which you need not repeat:\n\n{FENCE}\n{source.suffix}\n{FENCE}"]
    return "\n\n".join((
        *files,
        f"Write {source.path or 'a file'} in {source.language}.",
        *(after if source.suffix.strip() else ()),
        "Answer with the text in one fenced block, without comments on it.",
    ))  # fmt: skip


def _why_left_to_right(special: Collection[str]) -> str:
    """The sentence for people about a model whose tokenizer has no row's markers."""
    why = (
        "asked left to right, without the text after the cursor, as the model's tokenizer has no markers for filling in"
    )
    some = ", ".join(sorted(marker for marker in special if "fim" in marker.lower())[:3])
    return f"{why} that Inscope knows (it has {some})" if some else f"{why} that Inscope knows"


FAMILIES: tuple[Family, ...] = (
    Family(
        "embedded",
        (Slot.LANGUAGE, Slot.FILES, layouts.SUFFIX, Slot.SUFFIX, layouts.PREFIX, Slot.PREFIX, layouts.MIDDLE),
        "decoder.prompt.layouts",
        recognised_by=(layouts.PYTHON, layouts.JAVASCRIPT),
        separator=layouts.FILE,
        ends=(layouts.END, layouts.FILE, layouts.PREFIX, layouts.SUFFIX, layouts.MIDDLE, "<|fim_pad|>"),
        rewrites=True,
    ),
    Family(
        "codegemma",
        ("<bos>", Slot.FILES, "<|fim_prefix|>", Slot.PREFIX, "<|fim_suffix|>", Slot.SUFFIX, "<|fim_middle|>"),
        "ai.google.dev/gemma/docs/codegemma/prompt-structure",
        recognised_by=("<|file_separator|>",),
        separator="<|file_separator|>",
        after_file="\n",
        is_between=True,
        ends=("<|file_separator|>", "<eos>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<end_of_turn>"),
    ),
    Family(
        "qwen2.5-coder",
        (Slot.FILES, "<|fim_prefix|>", Slot.PREFIX, "<|fim_suffix|>", Slot.SUFFIX, "<|fim_middle|>"),
        "Qwen2.5-Coder, technical report, section 3.2; github.com/QwenLM/Qwen3-Coder, README (there within a chat)",
        separator="<|file_sep|>",
        after_file="\n",
        repository="<|repo_name|>",
        ends=(
            "<|endoftext|>", "<|fim_pad|>", "<|file_sep|>", "<|repo_name|>", "<|fim_prefix|>", "<|im_end|>",
            "<|end_of_text|>",
        ),
    ),
    Family(
        "mellum",
        (Slot.FILES, "<fim_suffix>", Slot.SUFFIX, "<fim_prefix>", Slot.PREFIX, "<fim_middle>"),
        "huggingface.co/JetBrains/Mellum-4b-base, model card; arXiv 2510.05788",
        recognised_by=("<filename>", "<system>", "<assistant>"),  # StarCoder's tokenizer has the first alone
        separator="<filename>",
        after_file="\n",
        ends=("<|endoftext|>", "<filename>", "<reponame>", "<fim_prefix>", "<fim_suffix>", "<fim_pad>"),
    ),
    Family(
        "starcoder2",
        (Slot.FILES, "<fim_prefix>", "<fim_suffix>", Slot.SUFFIX, "<fim_middle>", Slot.PREFIX),
        "StarCoder2, section 5.1: the suffix-first order keeps both markers in front",
        recognised_by=("<file_sep>",),
        separator="<file_sep>",
        repository="<repo_name>",
        ends=("<|endoftext|>", "<file_sep>", "<repo_name>", "<fim_prefix>", "<fim_pad>"),
    ),
    Family(
        "starcoder",
        (Slot.FILES, "<fim_prefix>", Slot.PREFIX, "<fim_suffix>", Slot.SUFFIX, "<fim_middle>"),
        "huggingface.co/bigcode/starcoder, model card; Granite Code, Granite 3 and StableCode spell the markers alike",
        separator="<filename>",
        after_file="\n",
        repository="<reponame>",
        ends=("<|endoftext|>", "<filename>", "<reponame>", "<fim_prefix>", "<fim_pad>", "<|end_of_text|>"),
    ),
    Family(
        "codellama",
        ("<s>", "▁<PRE>", "▁<SUF>", Slot.SUFFIX, "▁<MID>", Slot.PREFIX),
        "CodeLlama, section 2.3: a space before the prefix, as SentencePiece writes it, none before the suffix",
        begins_with_space=True,
        ends=("▁<EOT>", "</s>"),
    ),
    Family(
        "deepseek-coder",
        (
            "<｜begin▁of▁sentence｜>", "<｜fim▁begin｜>", Slot.PREFIX, "<｜fim▁hole｜>", Slot.SUFFIX, "<｜fim▁end｜>",
        ),
        "DeepSeek-Coder, section 3.1, and github.com/deepseek-ai/DeepSeek-Coder-V2, README: other files as comments",
        ends=("<｜end▁of▁sentence｜>", "<|EOT|>", "<｜fim▁begin｜>"),
    ),
    Family(
        "codestral",
        ("<s>", "[SUFFIX]", Slot.SUFFIX, "[PREFIX]", Slot.PREFIX),
        "github.com/mistralai/mistral-common, encode_fim: the model goes on with the prefix",
        begins_with_space=True,
        ends=("</s>",),
    ),
    Family(
        "seed-coder",
        ("<[fim-suffix]>", Slot.SUFFIX, "<[fim-prefix]>", Slot.PREFIX, "<[fim-middle]>"),
        "Seed-Coder, technical report, section 2.2 (arXiv 2506.03524)",
        ends=("<[end▁of▁sentence]>", "<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"),
    ),
    Family(
        "glm-4",
        (
            "[gMASK]", "<sop>", "<|user|>", FixedText("\n###PATH:{path}\n###LANGUAGE:{language}\n###MODE:BLOCK\n"),
            "<|code_suffix|>", Slot.SUFFIX, "<|code_prefix|>", Slot.PREFIX, "<|code_middle|>", "<|assistant|>",
            FixedText("\n"),
        ),
        "github.com/THUDM/CodeGeeX4, guides/Infilling_guideline.md; a model that was trained on from GLM-4-9B",
        ends=(
            "<|endoftext|>", "<|user|>", "<|assistant|>", "<|observation|>", "<|code_prefix|>", "<|code_suffix|>",
            "<|code_middle|>",
        ),
    ),
    Family(
        "aixcoder",
        ("<s>", "▁<AIX-SPAN-PRE>", "▁<AIX-SPAN-POST>", Slot.SUFFIX, "▁<AIX-SPAN-MIDDLE>", Slot.PREFIX),
        "github.com/aixcoder-plugin/aiXcoder-7B, README: SPM mode, the path as a comment before the prefix",
        opening="the file path is: {path}",
        ends=("</s>", "▁<AIX-SPAN-PRE>", "▁<AIX-SPAN-POST>", "▁<AIX-SPAN-MIDDLE>"),
    ),
    Family(
        "gemma", ("<bos>", Slot.PREFIX), "Gemma's tokenizer",
        recognised_by=("<eos>", "<start_of_turn>"), ends=("<eos>",),
    ),
    Family(
        "llama", ("<s>", Slot.PREFIX), "Llama's tokenizer: the start of text and SentencePiece's space",
        recognised_by=("</s>", "<unk>"), begins_with_space=True, ends=("</s>",),
    ),
    Family("left to right", (Slot.PREFIX,)),
)  # fmt: skip
"""In the order in which they are tried: a row with more markers comes before one whose markers are among them."""

CHAT = Family(
    "chat",
    (Slot.SUFFIX, Slot.PREFIX),
    "the model's own template, its answer begun with a fence and the text before the cursor",
    note="asked by its chat template with the answer begun, as its tokenizer has no markers for filling in",
)

MARKERS = frozenset(spelling for family in FAMILIES for spelling in family.spellings)
"""Spellings that are markers in every tokenizer that has them, even if it does not flag them as special."""


def markers_beside(row: Family | None) -> frozenset[str]:
    """`MARKERS`, and those of the family that a person configured, if there is one."""
    return MARKERS if row is None else MARKERS.union(row.spellings)

"""Prompts for a rewrite: the built-in model's own layout, a chat template, or a hole to fill in.

The built-in model is prompted as in its training (`layouts.rewrite`). Instruction models are asked in their own
template; their answer is begun for them with a Markdown fence, so that they write the text and nothing else, and the
closing fence ends it. Base models fill in the region between the text before and after it, below a comment with the
instruction. The text around the region is shown where it fits. Only the model interprets the instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.prompt import layouts
from decoder.prompt.families import FENCE, PromptSource
from decoder.prompt.layouts import Layout, PromptText
from decoder.prompt.packing import packer_for

if TYPE_CHECKING:
    from decoder.models.vocabulary import Vocabulary

_BUILT_IN_FAMILY: Final = "embedded"


@dataclass(frozen=True, slots=True)
class RewritePrompt:
    """The prompt, and the tokens that end the answer."""

    tokens: tuple[int, ...]
    end: frozenset[int]


def is_built_in(vocabulary: Vocabulary) -> bool:
    """Whether the vocabulary is the built-in model's."""
    return packer_for(vocabulary).family.name == _BUILT_IN_FAMILY


def rewrite_prompt(
    vocabulary: Vocabulary,
    language: Language | None,
    instruction: str,
    original: str,
    *,
    around: tuple[str, str] = ("", ""),
    room: int = 0,
) -> RewritePrompt:
    """The prompt to rewrite `original` as `instruction` says.

    Args:
        language: None for plain text.
        around: The text of the file before and after the original. The built-in model has learnt rewrites without it.
        room: The most tokens of the prompt; the text around is cut to fit. Nothing is cut for the built-in model.
    """
    if is_built_in(vocabulary):
        layout: Layout = layouts.rewrite(language or Language.PYTHON, instruction, original)
        return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end)
    bare = _asked(vocabulary, language, instruction, original, ("", ""))
    if vocabulary.chat is None and not packer_for(vocabulary).family.reads_suffix:
        around = around[0], ""
    before, after = _cut(vocabulary, around, room - len(bare.tokens))
    if not before.strip() and not after.strip():
        return bare
    return _asked(vocabulary, language, instruction, original, (before, after))


def _asked(
    vocabulary: Vocabulary, language: Language | None, instruction: str, original: str, around: tuple[str, str]
) -> RewritePrompt:
    """The question to a model that was not trained on rewrites: as a conversation, else as a place to fill in."""
    if vocabulary.chat is not None:
        return _conversation(vocabulary, str(language or ""), instruction, original, around)
    family = packer_for(vocabulary).family
    before, after = around
    prefix = before + _commented(language, instruction, original)
    layout = family.layout(PromptSource(language or Language.PYTHON, prefix, after))
    ends = frozenset(vocabulary.special[one] for one in family.ends if one in vocabulary.special)
    return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end | ends)


def _conversation(
    vocabulary: Vocabulary, language: str, instruction: str, original: str, around: tuple[str, str]
) -> RewritePrompt:
    assert vocabulary.chat is not None  # noqa: S101 - the caller has looked
    before, after = around
    fenced = FENCE not in before + original + after
    layout = vocabulary.chat.layout(
        _question(language, instruction, original, around, fenced=fenced), vocabulary.special
    )
    if not fenced:
        return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end)
    layout = (*layout, PromptText(f"{FENCE}{language}\n"))
    closing = vocabulary.starting_with(FENCE.encode())
    return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end | frozenset(closing.tolist()))


def _question(language: str, instruction: str, original: str, around: tuple[str, str], *, fenced: bool) -> str:
    opening, closing = (f"{FENCE}{language}\n", f"\n{FENCE}") if fenced else ("", "")
    answer = "in one fenced block" if fenced else "without Markdown"
    what = f"{language} code" if language else "text"
    before, after = around
    context = [
        f"It comes {where} this, which stays as it is:\n\n{opening}{text.rstrip()}{closing}"
        for where, text in (("after", before), ("before", after))
        if text.strip()
    ]
    return "\n\n".join((
        f"Change the {what} below as this instruction says: {instruction.strip()}",
        *context,
        f"The {what} to change:\n\n{opening}{original}{closing}",
        f"Answer with all of this {what}, changed only where the instruction asks for it, {answer}, and nothing else.",
    ))  # fmt: skip


def _commented(language: Language | None, instruction: str, original: str) -> str:
    """The region as it was and a comment with the instruction; the changed region is to be filled in after it."""
    sign = "#" if language is None else language.record.lexis.comment
    return f"{sign} Before:\n{original}\n\n{sign} After this change: {' '.join(instruction.split())}\n"


def _cut(vocabulary: Vocabulary, around: tuple[str, str], room: int) -> tuple[str, str]:
    """The nearest whole lines that fit: half of the room for either side, more where the other side is short.

    The lines after are cut to their half first: what they leave goes to those before, and what these leave goes back.
    """
    before, after = around
    half = max(room, 0) // 2
    below = _fitting(vocabulary, after.splitlines(keepends=True), half)
    left = room - len(vocabulary.encode("".join(below)))
    above = _fitting(vocabulary, before.splitlines(keepends=True)[::-1], left)
    left = room - len(vocabulary.encode("".join(above)))
    return "".join(above[::-1]), "".join(_fitting(vocabulary, after.splitlines(keepends=True), left))


def _fitting(vocabulary: Vocabulary, lines: list[str], room: int) -> list[str]:
    """The first lines that fit; a token more for each, as a line may have one more among the others than alone."""
    taken: list[str] = []
    for line in lines:
        room -= len(vocabulary.encode(line)) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def _tokens(vocabulary: Vocabulary, layout: Layout) -> tuple[int, ...]:
    return tuple(packer_for(vocabulary).tokens(layout))

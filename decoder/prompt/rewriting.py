"""Makes the prompt of a rewrite (`rewrite_prompt`): in the built-in model's layout, by a chat template, or as a gap.

- The built-in model is prompted as in its training (`layouts.rewrite`).
- A model with a chat template is asked in a conversation. Its answer is begun for it with a Markdown fence, so that it
  writes the text and nothing else, and the closing fence ends it.
- Any other model fills in a gap after the region and a comment with the instruction.

For the last two, the text around the region is in the prompt as far as it fits. Only the model interprets the
instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index.symbols import Language
from decoder.prompt import layouts
from decoder.prompt.families import FENCE, PromptSource
from decoder.prompt.layouts import PromptText

if TYPE_CHECKING:
    from decoder.models.card import ModelCard
    from decoder.models.vocabulary import Vocabulary
    from decoder.prompt.chat import ChatTemplate
    from decoder.prompt.layouts import Layout


@dataclass(frozen=True, slots=True)
class RewritePrompt:
    """The prompt of a rewrite."""

    tokens: tuple[int, ...]
    end: frozenset[int]
    """The tokens that end the answer."""


def rewrite_prompt(
    card: ModelCard,
    language: Language | None,
    instruction: str,
    original: str,
    *,
    around: tuple[str, str] = ("", ""),
    room: int = 0,
) -> RewritePrompt:
    """The prompt to rewrite `original` as `instruction` says.

    Args:
        language: The file's language; None for plain text.
        around: The text of the file before and after the original. The built-in model was trained without it.
        room: The most tokens of the prompt; `around` is cut to fit. The rest of the prompt is never cut.
    """
    if card.family.rewrites:
        layout = layouts.rewrite(language or Language.PYTHON, instruction, original)
        return _prompt(card, layout)
    without_around = _untrained_prompt(card, language, instruction, original, ("", ""))
    if card.chat is None and not card.family.reads_suffix:
        around = around[0], ""
    before, after = _cut_surroundings(card.vocabulary, around, room - len(without_around.tokens))
    if not before.strip() and not after.strip():
        return without_around
    return _untrained_prompt(card, language, instruction, original, (before, after))


def _untrained_prompt(
    card: ModelCard, language: Language | None, instruction: str, original: str, around: tuple[str, str]
) -> RewritePrompt:
    """The prompt for a model that was not trained on rewrites: a conversation if it has a chat template, else a gap."""
    if card.chat is not None:
        return _conversation(card, card.chat, str(language or ""), instruction, original, around=around)
    before, after = around
    prefix = before + _region_and_comment(language, instruction, original)
    layout = card.family.layout(PromptSource(language or Language.PYTHON, prefix, after))
    special = card.vocabulary.special
    return _prompt(card, layout, *(special[marker] for marker in card.family.ends if marker in special))


def _conversation(
    card: ModelCard, chat: ChatTemplate, language: str, instruction: str, original: str, *, around: tuple[str, str]
) -> RewritePrompt:
    """The prompt as a conversation. Texts are in fences, unless one of them has a fence itself.

    Args:
        language: The name of the language; empty for plain text.
    """
    before, after = around
    has_fences = FENCE not in before + original + after
    question = _question(language, instruction, original, around, fenced=has_fences)
    layout = chat.layout(question, card.vocabulary.special)
    if not has_fences:
        return _prompt(card, layout)
    layout = (*layout, PromptText(f"{FENCE}{language}\n"))
    return _prompt(card, layout, *card.vocabulary.starting_with(FENCE.encode()).tolist())


def _question(language: str, instruction: str, original: str, around: tuple[str, str], *, fenced: bool) -> str:
    """The person's message in the conversation; its texts are in fences if `fenced`."""
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


def _region_and_comment(language: Language | None, instruction: str, original: str) -> str:
    """The region as it was, then a comment with the instruction, after which the changed region is to be filled in."""
    sign = "#" if language is None else language.record.lexis.comment
    return f"{sign} Before:\n{original}\n\n{sign} After this change: {' '.join(instruction.split())}\n"


def _cut_surroundings(vocabulary: Vocabulary, around: tuple[str, str], room: int) -> tuple[str, str]:
    """The whole lines before and after the region that are nearest to it and fit into `room` tokens together.

    Half of the room is reserved for the lines after it. The lines before get all that these do not need, and then the
    lines after get all that the lines before do not need.
    """
    before, after = around
    half = max(room, 0) // 2
    lines_after, lines_before = after.splitlines(keepends=True), before.splitlines(keepends=True)[::-1]
    below = _keep_lines(vocabulary, lines_after, half)
    above = _keep_lines(vocabulary, lines_before, room - len(vocabulary.encode("".join(below))))
    below = _keep_lines(vocabulary, lines_after, room - len(vocabulary.encode("".join(above))))
    return "".join(above[::-1]), "".join(below)


def _keep_lines(vocabulary: Vocabulary, lines: list[str], room: int) -> list[str]:
    """The first lines that fit into `room` tokens.

    Each line counts as one token more than it has alone, as it may have one more among the others.
    """
    fitting: list[str] = []
    for line in lines:
        room -= len(vocabulary.encode(line)) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _prompt(card: ModelCard, layout: Layout, *ends: int) -> RewritePrompt:
    """The prompt with a layout; some tokens end the answer beside the model's own."""
    return RewritePrompt(tuple(card.tokens(layout)), card.vocabulary.end.union(ends))

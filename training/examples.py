"""Examples as tokens: in the layouts of prompts, with what the model should write after them.

Knows layouts and a tokenizer; knows nothing of where files come from or of sequences.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer

from context_index.symbols import Language, Snippet
from decoder.prompt import layouts
from training.corpus import SourceFile
from training.holes import Hole, hole, windows
from training.rewrites import Rewrite, rewrites
from training.tokenizer import MARKERS

_HOLES = 0.8
"""The share of windows with a hole; the others are read from left to right."""
_EMPTY = 0.03
"""Holes in which nothing is missing: the model must learn to say so."""
_WITH_SNIPPETS = 0.2
"""The share of holes that have declarations of other files in their prompt."""
_SNIPPET_LINES = 8
_SNIPPETS = 2
_SIGNATURE = re.compile(
    r"^(?:export |default |async |abstract |public |static |    )*"
    r"(?:def|class|function|interface|type|const|enum)\b.*$",
    re.MULTILINE,
)
_CHUNK = 512
"""Examples that are tokenised together."""


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and its answer."""

    prompt: layouts.Layout
    answer: str
    weighs: bool
    """Whether the answer counts more than the prompt."""
    varies: bool = False
    """Whether the answer is the prompt's last text, changed."""


@dataclass(frozen=True, slots=True)
class ExampleTokens:
    """An example as the model sees it."""

    ids: list[int]
    answer: int
    """Where an answer begins that counts more; the length where there is none."""
    changes: frozenset[int] = frozenset()
    """The indices at which the answer leaves the text that it varies, and at which it comes back to it."""


def examples(files: Sequence[SourceFile], draw: random.Random, *, holes: float = 1.0) -> Iterator[Example]:
    """Holes, texts and rewrites from the files, in their order. The same draw gives the same examples.

    Args:
        holes: The share of the files' windows that become holes and texts.
    """
    signatures = _signatures(files)
    for file in files:
        for window in windows(file.text, draw):
            if draw.random() >= holes:
                continue
            if draw.random() >= _HOLES:
                yield Example(layouts.left_to_right(file.language, window), "", weighs=False)
                continue
            made = hole(window, draw)
            snippets = _snippets(file, signatures, draw) if draw.random() < _WITH_SNIPPETS else ()
            if draw.random() < _EMPTY:
                made = Hole(made.prefix + made.middle, "", made.suffix)
            prompt = layouts.fill_in(file.language, made.prefix, made.suffix, path=file.path, snippets=snippets)
            yield Example(prompt, made.middle, weighs=True)
        yield from (_rewritten(file.language, rewrite) for rewrite in rewrites(file.text, file.language, draw))


def tokenised(made: Iterable[Example], tokenizer: Tokenizer) -> Iterator[ExampleTokens]:
    """The examples as tokens. Markers spelled in source code stay text."""
    tokenizer.encode_special_tokens = True
    marker = {one: _id(tokenizer, one) for one in MARKERS}
    remaining = iter(made)
    while chunk := list(islice(remaining, _CHUNK)):
        texts = [part.text for one in chunk for part in one.prompt if isinstance(part, layouts.PromptText)]
        encoded = iter(tokenizer.encode_batch([*texts, *(one.answer for one in chunk)], add_special_tokens=False))
        prompts = []
        for one in chunk:
            ids: list[int] = []
            last: list[int] = []
            for part in one.prompt:
                if isinstance(part, layouts.PromptText):
                    last = next(encoded).ids
                    ids += last
                else:
                    ids.append(marker[part.spelling])
            prompts.append((ids, last))
        for one, (ids, last) in zip(chunk, prompts, strict=True):
            answer = next(encoded).ids
            whole = [*ids, *answer, marker[layouts.END]]
            changes = frozenset(len(ids) + at for at in _changes(last, answer)) if one.varies else frozenset()
            yield ExampleTokens(whole, len(ids) if one.weighs else len(whole), changes)


def _id(tokenizer: Tokenizer, marker: str) -> int:
    """The token of a marker.

    Raises:
        ValueError: the tokenizer was not made for these layouts.
    """
    token = tokenizer.token_to_id(marker)
    if token is None:
        message = f"the tokenizer has no marker {marker}"
        raise ValueError(message)
    return int(token)


def _rewritten(language: Language, rewrite: Rewrite) -> Example:
    """As `decoder.rewriting.rewriting` asks: without the line end after the function."""
    original, result = rewrite.original.rstrip("\n"), rewrite.result.rstrip("\n")
    return Example(layouts.rewrite(language, rewrite.instruction, original), result, weighs=True, varies=True)


def _changes(original: Sequence[int], result: Sequence[int]) -> Iterator[int]:
    """Indices of the result's tokens that are new, and of those after an insertion, a replacement or a deletion."""
    for kind, _, _, start, stop in SequenceMatcher(None, original, result, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from range(start, stop + 1)


def _signatures(files: Sequence[SourceFile]) -> dict[str, list[tuple[str, list[str]]]]:
    """By package: each file's path with the lines that declare something."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for file in files:
        lines = [line.rstrip(" {:") for line in _SIGNATURE.findall(file.text)]
        if lines:
            found.setdefault(file.package, []).append((file.path, lines))
    return found


def _snippets(
    file: SourceFile, signatures: dict[str, list[tuple[str, list[str]]]], draw: random.Random
) -> tuple[Snippet, ...]:
    """Declarations from files of the same package; those that the file names come first."""
    others = [one for one in signatures.get(file.package, ()) if one[0] != file.path]
    draw.shuffle(others)
    nearby = sorted(others[: _SNIPPETS * 8], key=lambda one: Path(one[0]).stem not in file.text)[:_SNIPPETS]
    return tuple(Snippet(path, "\n".join(lines[:_SNIPPET_LINES]) + "\n") for path, lines in nearby)

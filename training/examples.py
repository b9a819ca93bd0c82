"""Makes examples: a prompt in one of the layouts, and what the model should write after it, as tokens.

Knows layouts and a tokenizer, but not where files come from or how examples become sequences.
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
from decoder.prompt.healing import heal
from training.corpus import SourceFile
from training.holes import Hole, hole, windows
from training.rewrites import Rewrite, rewrites
from training.tokenizer import MARKERS

_HOLES = 0.8
"""The share of windows with a hole; the others are read from left to right."""
_EMPTY = 0.03
"""The share of holes in which nothing is missing but the half-typed word; the model must learn to end there."""
_WITH_SNIPPETS = 0.2
"""The share of holes that have declarations of other files in their prompt."""
_SNIPPET_LINES = 8
"""The most lines of a snippet."""
_SNIPPETS = 2
"""The most snippets of a prompt."""
_SIGNATURE = re.compile(
    r"^(?:export |default |async |abstract |public |static |    )*"
    r"(?:def|class|function|interface|type|const|enum)\b.*$",
    re.MULTILINE,
)
"""A line that declares something."""
_CHUNK = 512
"""Examples that are tokenised together."""


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and its answer."""

    prompt: layouts.Layout
    answer: str
    weighs: bool
    """Whether the answer counts more than the prompt in the loss."""
    varies: bool = False
    """Whether the answer is the last text of the prompt with changes, as in a rewrite."""


@dataclass(frozen=True, slots=True)
class ExampleTokens:
    """An example as the model sees it."""

    ids: list[int]
    answer: int
    """Where an answer begins that counts more in the loss; the length of `ids` if there is none."""
    changes: frozenset[int] = frozenset()
    """The indices of tokens at which the answer differs from the text that it changes, and of the first after each
    change."""


def examples(files: Sequence[SourceFile], draw: random.Random, *, holes: float = 1.0) -> Iterator[Example]:
    """Holes, plain texts and rewrites from the files, in the order of the files. The same draw gives the same examples.

    Args:
        holes: The share of the files' windows that become holes and plain texts.
    """
    signatures = _signatures(files)
    for file in files:
        for window in windows(file.text, draw):
            if draw.random() >= holes:
                continue
            if draw.random() >= _HOLES:
                yield Example(layouts.left_to_right(file.language, window), "", weighs=False)
                continue
            drawn = hole(window, draw)
            snippets = _snippets(file, signatures, draw) if draw.random() < _WITH_SNIPPETS else ()
            if draw.random() < _EMPTY:
                drawn = Hole(*heal(drawn.prefix + drawn.middle), drawn.suffix)
            prompt = layouts.fill_in(file.language, drawn.prefix, drawn.suffix, path=file.path, snippets=snippets)
            yield Example(prompt, drawn.middle, weighs=True)
        yield from (_rewrite_example(file.language, rewrite) for rewrite in rewrites(file.text, file.language, draw))


def tokenise(made: Iterable[Example], tokenizer: Tokenizer) -> Iterator[ExampleTokens]:
    """The examples as tokens. A marker that is spelled in source code is encoded as text.

    Raises:
        ValueError: the tokenizer was not made for these layouts.
    """
    tokenizer.encode_special_tokens = True
    marker_ids = {marker: _id(tokenizer, marker) for marker in MARKERS}
    remaining = iter(made)
    while chunk := list(islice(remaining, _CHUNK)):
        texts = [part.text for example in chunk for part in example.prompt if isinstance(part, layouts.PromptText)]
        answers = [example.answer for example in chunk]
        encoded = iter(tokenizer.encode_batch([*texts, *answers], add_special_tokens=False))
        prompts = []
        for example in chunk:
            ids: list[int] = []
            last_text: list[int] = []
            for part in example.prompt:
                if isinstance(part, layouts.PromptText):
                    last_text = next(encoded).ids
                    ids += last_text
                else:
                    ids.append(marker_ids[part.spelling])
            prompts.append((ids, last_text))
        for example, (ids, last_text) in zip(chunk, prompts, strict=True):
            answer = next(encoded).ids
            whole = [*ids, *answer, marker_ids[layouts.END]]
            changes = frozenset(len(ids) + at for at in _changes(last_text, answer)) if example.varies else frozenset()
            yield ExampleTokens(whole, len(ids) if example.weighs else len(whole), changes)


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


def _rewrite_example(language: Language, rewrite: Rewrite) -> Example:
    """A rewrite as `decoder.rewriting.rewriting` asks for it: without the line end after the function."""
    original, result = rewrite.original.rstrip("\n"), rewrite.result.rstrip("\n")
    return Example(layouts.rewrite(language, rewrite.instruction, original), result, weighs=True, varies=True)


def _changes(original: Sequence[int], result: Sequence[int]) -> Iterator[int]:
    """The indices of the result's tokens that are new, and of the first token after each change or deletion."""
    for kind, _, _, start, stop in SequenceMatcher(None, original, result, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from range(start, stop + 1)


def _signatures(files: Sequence[SourceFile]) -> dict[str, list[tuple[str, list[str]]]]:
    """By package: the path of each file, and the lines of it that declare something."""
    by_package: dict[str, list[tuple[str, list[str]]]] = {}
    for file in files:
        lines = [line.rstrip(" {:") for line in _SIGNATURE.findall(file.text)]
        if lines:
            by_package.setdefault(file.package, []).append((file.path, lines))
    return by_package


def _snippets(
    file: SourceFile, signatures: dict[str, list[tuple[str, list[str]]]], draw: random.Random
) -> tuple[Snippet, ...]:
    """Declarations from random other files of the package; files whose names the file mentions come first."""
    others = [(path, lines) for path, lines in signatures.get(file.package, ()) if path != file.path]
    draw.shuffle(others)
    nearby = sorted(others[: _SNIPPETS * 8], key=lambda other: Path(other[0]).stem not in file.text)[:_SNIPPETS]
    return tuple(Snippet(path, "\n".join(lines[:_SNIPPET_LINES]) + "\n") for path, lines in nearby)

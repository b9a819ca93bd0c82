"""Single-line infills, as the model alone writes them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from context_index import Document, Syntax, ancestors, parse
from decoder import Model
from decoder.prefill import prefill
from decoder.prompt.families import PromptSource
from decoder.prompt.healing import heal
from decoder.prompt.packing import packer_for
from training.corpus import SourceFile

_FEWEST = 3
"""Characters that are expected."""
_MOST = 64
"""Tokens; a line has seldom more than 30."""


@dataclass(frozen=True, slots=True)
class LineHole:
    """A place in a real file, and the rest of its line."""

    file: SourceFile
    offset: int
    expected: str

    @property
    def suffix(self) -> str:
        """The text after the rest of the line."""
        return self.file.text[self.offset + len(self.expected) :]


def draw_holes(files: Sequence[SourceFile], count: int, draw: random.Random) -> list[LineHole]:
    """Columns drawn from code, where at least three characters are expected; not from comments and docstrings."""
    found: list[LineHole] = []
    trees: dict[int, Syntax] = {}
    while len(found) < count:
        number = draw.randrange(len(files))
        file = files[number]
        start = draw.randrange(len(file.text))
        stop = file.text.find("\n", start)
        expected = file.text[start : stop if stop >= 0 else len(file.text)].rstrip()
        if len(expected.strip()) < _FEWEST:
            continue
        if number not in trees:
            trees[number] = parse(Document("untitled:file", file.language, file.text))
        if not _is_prose(trees[number], start + len(expected) - len(expected.lstrip())):
            found.append(LineHole(file, start, expected))
    return found


def _is_prose(syntax: Syntax, offset: int) -> bool:
    """Whether a place is in a comment, or in a string that is a statement of its own."""
    place = syntax.byte(offset)
    node = syntax.root.descendant_for_byte_range(place, place + 1)
    around = [] if node is None else [one.type for one in (node, *ancestors(node))]
    is_docstring = any(pair == ("string", "expression_statement") for pair in pairwise(around))
    return is_docstring or any("comment" in kind for kind in around)


def infill(model: Model, holes: Iterable[LineHole]) -> dict[str, float]:
    """Shares of the holes: filled exactly, stopped where the line ends, and how alike the texts are."""
    exact, stopped, alike, number = 0, 0, 0.0, 0
    for hole in holes:
        written, ended = _written(model, hole)
        line = written.partition("\n")[0].rstrip()
        exact += line == hole.expected
        stopped += ended and "\n" not in written.rstrip("\n")
        alike += SequenceMatcher(None, line, hole.expected, autojunk=False).ratio()
        number += 1
    return {
        "infill, exact": exact / max(number, 1),
        "infill, similarity": alike / max(number, 1),
        "stops by itself": stopped / max(number, 1),
    }


def _written(model: Model, hole: LineHole) -> tuple[str, bool]:
    """What the model alone writes, greedily, and whether it ended it."""
    healed = heal(hole.file.text[: hole.offset])
    source = PromptSource(hole.file.language, healed.prefix, hole.suffix)
    prompt = packer_for(model.vocabulary).pack(source, model.context - _MOST).tokens
    read = prefill(model, prompt)
    assert read is not None  # noqa: S101 - it is not cancelled
    logits, output, required = read.logits[-1], b"", healed.word.encode()
    for _ in range(_MOST):
        order = (-logits).argsort()[:64] if len(output) < len(required) else [int(logits.argmax())]
        token = next((int(one) for one in order if _fits(model, int(one), required[len(output) :])), int(order[0]))
        if token in model.vocabulary.end:
            return output.decode("utf-8", "replace")[len(healed.word) :], True
        output += model.vocabulary.token_bytes[token]
        logits = model.forward([token])[-1]
    return output.decode("utf-8", "replace")[len(healed.word) :], False


def _fits(model: Model, token: int, required: bytes) -> bool:
    """Whether a token goes on with the half-typed word."""
    written = model.vocabulary.token_bytes[token]
    shared = min(len(written), len(required))
    return shared == 0 or (bool(written) and written[:shared] == required[:shared])

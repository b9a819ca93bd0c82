"""Single-line infills by a model alone, without constraint or search; a part of `inscope bench model`."""

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
from decoder.prompt.packing import pack
from training.corpus import SourceFile

_FEWEST = 3
"""Characters that a hole has at least."""
_MOST = 64
"""Tokens of an output; a line rarely has more than 30."""
_TRIED = 64
"""The most probable tokens among which one that agrees with the half-typed word is looked for."""


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
    """`count` random holes in code, of at least three characters; none in comments and docstrings."""
    holes: list[LineHole] = []
    trees: dict[int, Syntax] = {}
    while len(holes) < count:
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
            holes.append(LineHole(file, start, expected))
    return holes


def _is_prose(syntax: Syntax, offset: int) -> bool:
    """Whether a place is in a comment, or in a string that is a statement of its own."""
    place = syntax.byte(offset)
    node = syntax.root.descendant_for_byte_range(place, place + 1)
    types = [] if node is None else [ancestor.type for ancestor in (node, *ancestors(node))]
    is_docstring = any(pair == ("string", "expression_statement") for pair in pairwise(types))
    return is_docstring or any("comment" in node_type for node_type in types)


def infill(model: Model, holes: Iterable[LineHole]) -> dict[str, float]:
    """The shares of holes that are filled exactly and whose text the model ends within a line; the mean similarity."""
    exact, stopped, similarity, asked = 0, 0, 0.0, 0
    for hole in holes:
        text, has_ended = _write(model, hole)
        line = text.partition("\n")[0].rstrip()
        exact += line == hole.expected
        stopped += has_ended and "\n" not in text.rstrip("\n")
        similarity += SequenceMatcher(None, line, hole.expected, autojunk=False).ratio()
        asked += 1
    return {
        "infill, exact": exact / max(asked, 1),
        "infill, similarity": similarity / max(asked, 1),
        "stops by itself": stopped / max(asked, 1),
    }


def _write(model: Model, hole: LineHole) -> tuple[str, bool]:
    """The text that the model writes greedily, and whether an end token ended it.

    The prompt ends before the half-typed word, which the output must begin with; it is not part of what is returned.
    """
    healed = heal(hole.file.text[: hole.offset])
    source = PromptSource(hole.file.language, healed.prefix, hole.suffix)
    prompt = pack(model.card, source, model.context - _MOST).tokens
    read = prefill(model, prompt)
    assert read is not None  # noqa: S101 - it is not cancelled
    logits, output, required = read.logits[-1], b"", healed.word.encode()
    for _ in range(_MOST):
        best = (-logits).argsort()[:_TRIED] if len(output) < len(required) else [int(logits.argmax())]
        token = next((int(each) for each in best if _fits(model, int(each), required[len(output) :])), int(best[0]))
        if token in model.vocabulary.end:
            return output.decode("utf-8", "replace")[len(healed.word) :], True
        output += model.vocabulary.token_bytes[token]
        logits = model.forward([token])[-1]
    return output.decode("utf-8", "replace")[len(healed.word) :], False


def _fits(model: Model, token: int, required: bytes) -> bool:
    """Whether a token agrees with the rest of the half-typed word, `required`; every token does if that is empty.

    One that writes nothing, such as an end, agrees with no half-typed word.
    """
    written = model.vocabulary.token_bytes[token]
    shared = min(len(written), len(required))
    return not required or (shared > 0 and written[:shared] == required[:shared])

"""How `inscope bench model` lets a model fill the rest of a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.model_infill import LineHole, infill
from context_index.symbols import Language
from tests.decoder.scripted import END, TOKENS, ScriptedModel
from training.corpus import SourceFile


def test_a_model_that_would_rather_end_writes_the_half_typed_word_first() -> None:
    word, rest = b" total", b"_of(cart)"

    def script(output: Sequence[int]) -> np.ndarray:
        logits = np.zeros(len(TOKENS), np.float32)
        logits[[*word, *rest, END][len(output)]] = 1
        if len(output) < len(word):
            logits[END] = 2
        return logits

    text = "value = total_of(cart)\nprint(value)\n"
    hole = LineHole(SourceFile("package", "a.py", Language.PYTHON, text), len("value = total"), rest.decode())
    assert infill(ScriptedModel(script), [hole]) == {
        "infill, exact": 1.0,
        "infill, similarity": 1.0,
        "stops by itself": 1.0,
    }

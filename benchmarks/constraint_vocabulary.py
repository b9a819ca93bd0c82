"""Vocabularies of the sizes that models have, for `benchmarks/constraint.py`.

They are learned from installed Python files, so nothing is downloaded.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import platformdirs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END = "<end>"
"""The token that ends a text."""
_TEXT = 40_000_000
"""Characters to learn from: enough for 150,000 different pieces."""
_LONGEST = 24
"""Characters of the longest token, as in the vocabularies of common code models."""


def tokenizer(size: int) -> Tokenizer:
    """A byte-level BPE tokenizer of `size` tokens; learned once, then kept in the user's cache folder."""
    path = platformdirs.user_cache_path("inscope") / "bench" / f"tokenizer-{size}.json"
    if not path.exists():
        learned = Tokenizer(models.BPE())
        learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        learned.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[END],
            initial_alphabet=alphabet,
            min_frequency=1,
            show_progress=False,
            max_token_length=_LONGEST,
        )
        learned.train_from_iterator(_texts(), trainer)
        path.parent.mkdir(parents=True, exist_ok=True)
        learned.save(str(path))
    return Tokenizer.from_file(str(path))


def _texts() -> list[str]:
    """Files of the standard library, then of the installed packages, until they have `_TEXT` characters."""
    texts: list[str] = []
    total = 0
    for key in ("stdlib", "purelib"):
        for path in sorted(Path(sysconfig.get_path(key)).rglob("*.py")):
            text = path.read_text("utf-8", "ignore")
            texts.append(text)
            total += len(text)
            if total > _TEXT:
                return texts
    return texts

"""The prompts of rewrites, literally: for chat models and for base models."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.models.card import ModelCard
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.rewriting import rewrite_prompt
from tests.decoder.tiny_tokenizers import QWEN_CHAT

MARKERS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
BEFORE, AFTER = "import math\n\n\n", "\n\ndef twice(x):\n    return 2 * x\n"
ORIGINAL = "def area(radius):\n    return math.pi * radius ** 2"


def card(*markers: str, chat: str | None = None) -> ModelCard:
    """Bytes and some markers, spelled as in the tokenizer."""
    texts = [bytes([value]) for value in range(256)] + [b""] * len(markers)
    special = {marker: 256 + place for place, marker in enumerate(markers)}
    vocabulary = Vocabulary(
        texts,
        encode=lambda text: list(text.encode()),
        special=special,
        end=frozenset({special[markers[0]]}) if markers else frozenset(),
    )
    return ModelCard.of(vocabulary, None if chat is None else ChatTemplate(chat))


def spelled(of: ModelCard, tokens: tuple[int, ...]) -> str:
    """A prompt as text, markers as they are spelled."""
    names = {token: marker for marker, token in of.vocabulary.special.items()}
    return b"".join(names[one].encode() if one in names else of.vocabulary.token_bytes[one] for one in tokens).decode()


def test_qwen_coder_instruct_is_asked_in_its_own_words() -> None:
    qwen = card(*MARKERS, chat=QWEN_CHAT)
    prompt = rewrite_prompt(qwen, Language.PYTHON, "name the radius r", ORIGINAL, around=(BEFORE, AFTER), room=2000)
    assert (
        spelled(qwen, prompt.tokens)
        == """\
<|im_start|>system
You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>
<|im_start|>user
Change the python code below as this instruction says: name the radius r

It comes after this, which stays as it is:

```python
import math
```

It comes before this, which stays as it is:

```python


def twice(x):
    return 2 * x
```

The python code to change:

```python
def area(radius):
    return math.pi * radius ** 2
```

Answer with all of this python code, changed only where the instruction asks for it, in one fenced block, \
and nothing else.<|im_end|>
<|im_start|>assistant
```python
"""
    )
    assert qwen.vocabulary.special["<|endoftext|>"] in prompt.end


def test_a_base_model_fills_in_the_region() -> None:
    base = card("<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>")
    prompt = rewrite_prompt(base, Language.PYTHON, "name the\nradius r", ORIGINAL, around=(BEFORE, AFTER), room=2000)
    assert spelled(base, prompt.tokens) == (
        f"<|fim_prefix|>{BEFORE}# Before:\n{ORIGINAL}\n\n# After this change: name the radius r\n"
        f"<|fim_suffix|>{AFTER}<|fim_middle|>"
    )
    assert base.vocabulary.special["<|fim_pad|>"] in prompt.end


@pytest.mark.parametrize(("room", "before"), [(0, ""), (40, "c\n"), (43, "b\nc\n"), (46, "a\nb\nc\n")])
def test_the_text_before_is_shown_as_far_as_it_fits(room: int, before: str) -> None:
    plain = card()
    prompt = rewrite_prompt(plain, Language.PYTHON, "x", "y", around=("a\nb\nc\n", "\nd\ne\n"), room=room)
    assert spelled(plain, prompt.tokens) == f"{before}# Before:\ny\n\n# After this change: x\n"


def test_plain_text_is_called_text() -> None:
    chat = card(*MARKERS, chat=QWEN_CHAT)
    text = spelled(chat, rewrite_prompt(chat, None, "be sad", "hello").tokens)
    assert "Change the text below as this instruction says: be sad" in text
    assert text.endswith("<|im_start|>assistant\n```\n")

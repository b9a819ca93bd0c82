"""What a model reads that is asked for a rewrite: literally, for each kind of model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context_index.symbols import Language
from decoder.models.loading import load_model
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import RewriteTask
from tests.decoder.tiny_models import write_model

QWEN = (
    "{%- if messages[0]['role'] == 'system' %}"
    "{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}"
    "{%- else %}"
    "{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}"
    "{%- endif %}"
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)
"""The template of Qwen2.5-Coder-Instruct, without its parts about tools."""
MARKERS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
BEFORE, AFTER = "import math\n\n\n", "\n\ndef twice(x):\n    return 2 * x\n"
ORIGINAL = "def area(radius):\n    return math.pi * radius ** 2"


def vocabulary(*markers: str, chat: str | None = None) -> Vocabulary:
    """Bytes and some markers, spelled as in the tokenizer."""
    texts = [bytes([value]) for value in range(256)] + [b""] * len(markers)
    special = {marker: 256 + place for place, marker in enumerate(markers)}
    return Vocabulary(
        texts,
        encode=lambda text: list(text.encode()),
        special=special,
        end=frozenset({special[markers[0]]}) if markers else frozenset(),
        chat=None if chat is None else ChatTemplate(chat),
    )


def spelled(of: Vocabulary, tokens: tuple[int, ...]) -> str:
    """A prompt as text, markers as they are spelled."""
    names = {token: marker for marker, token in of.special.items()}
    return b"".join(names[one].encode() if one in names else of.token_bytes[one] for one in tokens).decode()


def test_qwen_coder_instruct_is_asked_in_its_own_words() -> None:
    qwen = vocabulary(*MARKERS, chat=QWEN)
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
    assert qwen.special["<|endoftext|>"] in prompt.end


def test_a_base_model_fills_in_the_region() -> None:
    base = vocabulary("<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>")
    prompt = rewrite_prompt(base, Language.PYTHON, "name the\nradius r", ORIGINAL, around=(BEFORE, AFTER), room=2000)
    assert spelled(base, prompt.tokens) == (
        f"<|fim_prefix|>{BEFORE}# Before:\n{ORIGINAL}\n\n# After this change: name the radius r\n"
        f"<|fim_suffix|>{AFTER}<|fim_middle|>"
    )
    assert base.special["<|fim_pad|>"] in prompt.end


@pytest.mark.parametrize(("room", "before"), [(0, ""), (40, "c\n"), (43, "b\nc\n"), (46, "a\nb\nc\n")])
def test_the_text_around_is_shown_as_far_as_it_fits(room: int, before: str) -> None:
    plain = vocabulary()
    prompt = rewrite_prompt(plain, Language.PYTHON, "x", "y", around=("a\nb\nc\n", "\nd\ne\n"), room=room)
    assert spelled(plain, prompt.tokens) == f"{before}# Before:\ny\n\n# After this change: x\n"


def test_plain_text_is_called_text() -> None:
    chat = vocabulary(*MARKERS, chat=QWEN)
    text = spelled(chat, rewrite_prompt(chat, None, "be sad", "hello").tokens)
    assert "Change the text below as this instruction says: be sad" in text
    assert text.endswith("<|im_start|>assistant\n```\n")


@pytest.mark.slow
def test_an_instruction_model_answers_from_its_template_to_a_result(tmp_path: Path) -> None:
    """Random weights: what it writes is nonsense, how it is asked and how its text is cut is real."""
    directory = write_model("qwen2", tmp_path)
    (directory / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 4096, "chat_template": QWEN}), "utf-8"
    )
    config = json.loads((directory / "config.json").read_text("utf-8"))
    (directory / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 4096}), "utf-8")
    model = load_model(str(directory), device="cpu")
    assert model.vocabulary.chat is not None
    task = RewriteTask("a = 1\n", "add one", None, constrained=False)
    rewriting, found = rewrite(model, task)
    assert found.written
    for one in found.written:
        counts = rewriting.counts(one.run)
        assert counts.accepted + counts.extra + counts.generated + counts.copied == len(one.run.tokens)
        assert "```" not in one.written

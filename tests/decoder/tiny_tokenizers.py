"""Small tokenizers of the kinds that real code models use, trained on a few lines within the test run.

Splits and markers are those of the families' published tokenizer.json files; the vocabularies are small.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from decoder import embedded
from decoder.models.tokenizer_bytes import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from decoder.models.vocabulary import Vocabulary

PYTHON = """\
def total(items):
    result = 0
    for item in items:
        if item is None:
            continue
        result += item.price * (1 - item.discount)
    return result


class Basket:
\tdef add(self, x): pass
"""
JAVASCRIPT = """\
export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}

const names = items.map((x) => x.name);
if (a && !b) {
  console.log(`${names}`);
}
"""
CODE = (PYTHON, JAVASCRIPT, JAVASCRIPT.replace("\n", "\r\n"), "```python\n```")

QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

QWEN = ("<|endoftext|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
        "<|repo_name|>", "<|file_sep|>")  # fmt: skip
QWEN_CHAT = (
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
STARCODER2 = ("<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<repo_name>", "<file_sep>")
DEEPSEEK = (
    "<｜begin▁of▁sentence｜>",  # noqa: RUF001 - so they are spelled
    "<｜end▁of▁sentence｜>",  # noqa: RUF001 - as DeepSeek spells them
    "<｜fim▁begin｜>",  # noqa: RUF001 - likewise
    "<｜fim▁hole｜>",  # noqa: RUF001 - likewise
    "<｜fim▁end｜>",  # noqa: RUF001 - likewise
    "<|EOT|>",
)
LLAMA = ("<unk>", "<s>", "</s>")
CODELLAMA = ("▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>")
CODESTRAL = ("[INST]", "[/INST]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]")


@dataclass(frozen=True)
class TinyTokenizer:
    """A `tokenizer.json` and what the tests need to know of it."""

    family: str
    data: str
    end: str

    @property
    def size(self) -> int:
        return Tokenizer.from_str(self.data).get_vocab_size(with_added_tokens=True)

    def id(self, spelling: str) -> int:
        token = Tokenizer.from_str(self.data).token_to_id(spelling)
        assert token is not None
        return token

    def write(self, directory: Path) -> Path:
        file = directory / "tokenizer.json"
        file.write_text(self.data, encoding="utf-8")
        return file

    def vocabulary(self, directory: Path, *, more: int = 0) -> Vocabulary:
        """Read from a file, for a model with so many columns more."""
        return read_vocabulary(self.write(directory), columns=self.size + more, end=[])


def _trained(tokenizer: Tokenizer, special: tuple[str, ...], **options: Any) -> Tokenizer:  # noqa: ANN401 - handed on
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=list(special), show_progress=False, **options)
    tokenizer.train_from_iterator(CODE * 3, trainer)
    return tokenizer


def _byte_level(split: pre_tokenizers.PreTokenizer, special: tuple[str, ...]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.ByteLevel()
    return _trained(tokenizer, special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def _qwen() -> str:
    split = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    tokenizer = _byte_level(split, QWEN)
    tokenizer.normalizer = normalizers.NFC()
    data = json.loads(tokenizer.to_str())
    for token in data["added_tokens"][2:]:
        token["special"] = False  # as Qwen2.5 has it
    return json.dumps(data)


def _starcoder2() -> str:
    split = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False),
    ])  # fmt: skip
    return str(_byte_level(split, STARCODER2).to_str())


def _deepseek() -> str:
    split = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"[\r\n]"), "isolated"),
        pre_tokenizers.Split(Regex(r"\s?\p{L}+"), "isolated"),
        pre_tokenizers.Split(Regex(r"\s?\p{P}+"), "isolated"),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    return str(_byte_level(split, DEEPSEEK).to_str())


def _llama(*, markers: tuple[str, ...], metaspace: bool) -> str:
    """SentencePiece's BPE as Llama's converters write it, older files with a normalizer, newer ones with Metaspace."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token=LLAMA[0], fuse_unk=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False)
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0),
    ])  # fmt: skip
    byte_tokens = tuple(f"<0x{byte:02X}>" for byte in range(256))
    trained = json.loads(_trained(tokenizer, (*LLAMA, *byte_tokens), max_token_length=16).to_str())
    # line ends are byte tokens in SentencePiece: merges across them are undone here
    kept = {piece for piece in trained["model"]["vocab"] if not any(end in piece for end in "\n\r\t")}
    merges = [pair for pair in trained["model"]["merges"] if "".join(pair) in kept and set(pair) <= kept]
    made = {"".join(pair) for pair in merges}
    pieces = [piece for piece in trained["model"]["vocab"] if piece in kept and (len(piece) == 1 or piece in made)]
    vocabulary = {piece: token for token, piece in enumerate((*LLAMA, *byte_tokens, *pieces, *markers))}
    trained["model"].update(vocab=vocabulary, merges=merges)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    trained["added_tokens"] = [{"id": vocabulary[text], "content": text, **flags} for text in (*LLAMA, *markers)]
    made_tokenizer = Tokenizer.from_str(json.dumps(trained))
    made_tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return str(made_tokenizer.to_str())


@cache
def tiny_tokenizers() -> Mapping[str, TinyTokenizer]:
    """One of each kind, by its family."""
    made = (
        TinyTokenizer("qwen2.5-coder", _qwen(), "<|endoftext|>"),
        TinyTokenizer("starcoder2", _starcoder2(), "<|endoftext|>"),
        TinyTokenizer("deepseek-coder", _deepseek(), DEEPSEEK[1]),
        TinyTokenizer("codellama", _llama(markers=CODELLAMA, metaspace=False), "</s>"),
        TinyTokenizer("codestral", _llama(markers=CODESTRAL, metaspace=True), "</s>"),
        TinyTokenizer("llama", _llama(markers=(), metaspace=True), "</s>"),
    )
    return {tokenizer.family: tokenizer for tokenizer in made}


def embedded_vocabulary() -> Vocabulary:
    """That of the built-in model."""
    return read_vocabulary(embedded.path() / "tokenizer.json", columns=8192, end=[0])

"""The exact bytes of each token of a model, read from its `tokenizer.json`.

Two kinds of tokenizer can be read: byte-level ones, whose pieces are spelled in GPT-2's printable alphabet of bytes
(StarCoder2, Qwen, DeepSeek, GPT, the built-in model), and SentencePiece ones with byte fall-back, whose pieces are
text with `▁` for the space and `<0x0A>` for a byte (Llama, CodeLlama, Mistral). Encoding is made exact: no space is
put in front, nothing is normalised, and a marker spelled in source code is text like any other, so the bytes of a
text's tokens are the bytes of the text. This is checked when a model is loaded. Knows nothing of weights.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from context_index.symbols import encodable
from decoder.errors import ModelDamagedError, UnsupportedModelError
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.families import MARKERS, family_of

_MARKER = re.compile(r"▁?<[^\s<>]{2,}>|\[[A-Za-z_0-9]{2,}\]")
"""How special tokens are spelled; some tokenizers (Qwen2.5) do not flag theirs as special."""

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

_SAMPLE = (
    "def naïve(x):\n    return  f\"{x!r} → 你好\"\t# 🙂\r\n\n\n  const s = `a${b}` ?? 'é';\n\t\tif (a<=b&&!c){}\n"
    " leading, trailing \n<|endoftext|> </s> <fim_prefix> [INST] <0x0A> \u2028\x00\x7f"
)
"""What the self-check encodes and decodes: indents, newlines of both kinds, several scripts, spelled-out markers."""


class Kind(Enum):
    """How the pieces of a tokenizer spell bytes."""

    BYTE_LEVEL = auto()
    SENTENCEPIECE = auto()


def read_vocabulary(path: Path, *, columns: int, end: Collection[int]) -> Vocabulary:
    """The vocabulary of the tokenizer at `path`.

    Args:
        path: A `tokenizer.json`.
        columns: The number of the model's logits; those without a token have no bytes.
        end: Tokens that end the model's output; those of its family are added.

    Raises:
        ModelDamagedError: no tokenizer can be read from the file.
        UnsupportedModelError: the bytes of its tokens are not known exactly.
    """
    data = _read(path)
    try:
        kind, exact = _kind(data), _made_exact(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelDamagedError(
            f"'{path}' is not a valid tokenizer ({type(error).__name__}: {error}). Fetch the model again."
        ) from error
    if kind is None:
        raise UnsupportedModelError(
            f"the tokenizer at '{path}' is neither byte-level nor SentencePiece with byte fall-back, "
            "so what its tokens write is not known exactly. Choose another model."
        )
    tokenizer = _tokenizer(exact, path)
    pieces = tokenizer.get_vocab(with_added_tokens=True)
    special = {token["content"]: token["id"] for token in data["added_tokens"] if _is_marker(token)}
    special.update((spelling, pieces[spelling]) for spelling in MARKERS if spelling in pieces)
    markers = set(special.values())
    writing = {piece: token for piece, token in pieces.items() if token not in markers}
    if (last := max(writing.values(), default=0)) >= columns:
        raise UnsupportedModelError(
            f"the tokenizer at '{path}' has token {last}, but the model's vocabulary ends at {columns}. "
            "The two files belong to different models: fetch the model again."
        )
    added = {token["id"] for token in data["added_tokens"]}  # these are spelled as they are written
    token_bytes = [b""] * columns
    for piece, token in writing.items():
        token_bytes[token] = piece.encode() if token in added else _bytes_of(piece, kind)

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(encodable(text), add_special_tokens=False).ids
        return ids

    known = {spelling: token for spelling, token in special.items() if token < columns}
    ends = {*end, *(known[spelling] for spelling in family_of(known).ends if spelling in known)}
    vocabulary = Vocabulary(token_bytes, encode=encode, special=known, end=frozenset(ends & set(range(columns))))
    _check(vocabulary, path)
    return vocabulary


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelDamagedError(
            f"the tokenizer at '{path}' cannot be read ({error}). Fetch the model again."
        ) from error
    if not isinstance(data, dict) or not isinstance(data.get("model"), dict):
        raise ModelDamagedError(f"'{path}' is not a tokenizer (it has no 'model'). Fetch the model again.")
    data["added_tokens"] = data.get("added_tokens") or []
    return data


def _tokenizer(exact: dict[str, Any], path: Path) -> Tokenizer:
    """The library's tokenizer, which reads special tokens in a text as plain text."""
    try:
        tokenizer = Tokenizer.from_str(json.dumps(exact))
    except BaseException as error:  # the Rust library raises bare Exceptions, and panics that are not even those
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise ModelDamagedError(
            f"the tokenizer at '{path}' cannot be read ({error}). Fetch the model again."
        ) from error
    tokenizer.encode_special_tokens = True
    return tokenizer


def _kind(data: dict[str, Any]) -> Kind | None:
    steps = {step["type"] for part in ("decoder", "pre_tokenizer") for step in _steps(data.get(part))}
    if "ByteLevel" in steps:
        return Kind.BYTE_LEVEL
    if data["model"].get("byte_fallback") or "ByteFallback" in steps:
        return Kind.SENTENCEPIECE
    return None


def _steps(part: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The steps of a normalizer, pre-tokenizer or decoder, nested sequences unfolded."""
    if part is None:
        return
    inner = [step for key in ("normalizers", "pretokenizers", "decoders") for step in part.get(key, ())]
    if part["type"] != "Sequence":
        yield part
    for step in inner:
        yield from _steps(step)


def _made_exact(data: dict[str, Any]) -> dict[str, Any]:
    """The tokenizer without steps that add, drop or change bytes of a text."""
    exact = json.loads(json.dumps(data))
    exact.update(truncation=None, padding=None, post_processor=None)
    exact["model"]["dropout"] = None
    spaces = [step for step in _steps(exact.get("normalizer")) if step["type"] == "Replace"]
    exact["normalizer"] = {"type": "Sequence", "normalizers": spaces} if spaces else None
    for step in _steps(exact.get("pre_tokenizer")):
        if step["type"] == "ByteLevel":
            step["add_prefix_space"] = False
        elif step["type"] == "Metaspace":
            step["prepend_scheme"] = "never"
            step.pop("add_prefix_space", None)
    for token in exact["added_tokens"]:
        token["special"] = _is_marker(token)
    return exact  # type: ignore[no-any-return]  # json.loads is untyped


def _is_marker(token: dict[str, Any]) -> bool:
    return bool(token["special"] or _MARKER.fullmatch(token["content"]))


def _bytes_of(piece: str, kind: Kind) -> bytes:
    if kind is Kind.BYTE_LEVEL:
        return bytes(_ALPHABET[character] for character in piece)
    if byte := _BYTE.fullmatch(piece):
        return bytes([int(byte[1], 16)])
    return piece.replace("▁", " ").encode()


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's spelling of bytes: printable Latin-1 stands for itself, the rest follows from U+0100 in order."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_ALPHABET = _byte_alphabet()


def _check(vocabulary: Vocabulary, path: Path) -> None:
    """Encode a sample and decode it again."""
    written = b"".join(vocabulary.token_bytes[token] for token in vocabulary.encode(_SAMPLE))
    if written != _SAMPLE.encode():
        raise UnsupportedModelError(
            f"the tokens of the tokenizer at '{path}' do not decode to the text that they encode. Choose another model."
        )

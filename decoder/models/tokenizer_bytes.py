"""The exact bytes of each token of a model, read from its `tokenizer.json`.

Two kinds of tokenizer can be read: byte-level ones, whose pieces are spelled in GPT-2's printable alphabet of bytes
(StarCoder2, Qwen, DeepSeek, GPT, the built-in model), and SentencePiece ones with byte fall-back, whose pieces are
text with `▁` for the space and `<0x0A>` for a byte (Llama, CodeLlama, Mistral). Encoding is made exact: no space is
put in front, nothing is normalised, and a marker spelled in source code is text like any other, so the bytes of a
text's tokens are the bytes of the text. `check_encoding` checks this when a model is loaded. `read_vocabulary` makes
the `Vocabulary`; `markers_of` reads the markers alone. Knows nothing of weights.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_index.extras import Extra
from context_index.symbols import encodable
from decoder.errors import ModelDamagedError, UnsupportedModelError, extra_needed
from decoder.models.byte_pairs import BytePairs, byte_pairs
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.families import Family, family_of, markers_beside

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARKER = re.compile(r"▁?<[^\s<>]{2,}>|\[[A-Za-z_0-9]{2,}\]")
"""How special tokens are spelled; some tokenizers (Qwen2.5) do not flag theirs as special."""

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

_SAMPLE = (
    "def naïve(x):\n    return  f\"{x!r} → 你好\"\t# 🙂\r\n\n\n  const s = `a${b}` ?? 'é';\n\t\tif (a<=b&&!c){}\n"
    " leading, trailing \n<|endoftext|> </s> <fim_prefix> [INST] <0x0A> \u2028\x00\x7f"
)
"""What the self-check encodes and decodes: indents, newlines of both kinds, several scripts, spelled-out markers."""


class ByteSpelling(Enum):
    """How the pieces of a tokenizer spell bytes."""

    BYTE_LEVEL = auto()
    SENTENCEPIECE = auto()


def read_vocabulary(path: Path, *, columns: int | None, end: Collection[int], row: Family | None = None) -> Vocabulary:
    """The vocabulary of the tokenizer at `path`.

    Args:
        path: A `tokenizer.json`.
        columns: The columns of the model's logits; those without a token have no bytes. None where only the tokenizer
            is known: then there are as many as it has tokens.
        end: Tokens that end the model's output; those of its family are added.
        row: The family that a person configured (`ModelOptions.own_family`); None where the markers tell.

    Raises:
        ModelDamagedError: no tokenizer can be read from the file.
        UnsupportedModelError: the bytes of its tokens are not known exactly, or it is another model's.
        ExtraMissingError: it needs the library `tokenizers`, which is not installed.
    """
    return parse_vocabulary(_text_of(path), path, columns=columns, end=end, row=row)


def parse_vocabulary(
    text: str, path: Path, *, columns: int | None, end: Collection[int], row: Family | None = None
) -> Vocabulary:
    """`read_vocabulary` from the text of a `tokenizer.json`; `path` is the file that holds it, for errors."""
    data = _parsed(text, path)
    try:
        kind, exact = _kind(data), _made_exact(data)
        plain = byte_pairs(exact, _SPELLING) if kind is ByteSpelling.BYTE_LEVEL else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _invalid(path, error) from error
    if kind is None:
        raise _of_unknown_kind(path)
    encode, pieces = _plain_encoder(plain, exact) if plain else _library_encoder(exact, path)
    special = {token["content"]: token["id"] for token in data["added_tokens"] if _is_marker(token)}
    special.update((spelling, pieces[spelling]) for spelling in markers_beside(row) if spelling in pieces)
    columns = 1 + max(pieces.values(), default=0) if columns is None else columns
    marker_tokens = set(special.values())
    plain_pieces = {piece: token for piece, token in pieces.items() if token not in marker_tokens}
    if (last := max(plain_pieces.values(), default=0)) >= columns:
        raise _of_another_model(path, last, columns)
    added = {token["id"] for token in data["added_tokens"]}  # their pieces are plain text
    token_bytes = [b""] * columns
    for piece, token in plain_pieces.items():
        token_bytes[token] = piece.encode() if token in added else bytes_of_piece(piece, kind)
    markers = {spelling: token for spelling, token in special.items() if token < columns}
    ends = {*end, *(markers[spelling] for spelling in family_of(markers, row=row).ends if spelling in markers)}
    vocabulary = Vocabulary(token_bytes, encode=encode, special=markers, end=frozenset(ends & set(range(columns))))
    check_encoding(vocabulary, path)
    return vocabulary


def markers_of(path: Path, columns: int, row: Family | None = None) -> Mapping[str, int]:
    """The special tokens of a tokenizer, by spelling. Needs no library and takes milliseconds.

    Args:
        path: A `tokenizer.json`.
        columns: The columns of the model's logits.
        row: The family that a person configured (`ModelOptions.own_family`), with its markers.

    Raises:
        ModelDamagedError: the file is no tokenizer.
        UnsupportedModelError: the bytes of its tokens are not known exactly, or it is another model's.
    """
    data = _read(path)
    try:
        kind, vocabulary = _kind(data), data["model"]["vocab"]
        pieces = vocabulary
        if not isinstance(vocabulary, dict):  # a list of pieces with their scores
            pieces = {piece: token for token, (piece, _) in enumerate(vocabulary)}
        special = {token["content"]: token["id"] for token in data["added_tokens"] if _is_marker(token)}
        last = max(pieces.values(), default=0)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _invalid(path, error) from error
    if kind is None:
        raise _of_unknown_kind(path)
    if last >= columns:
        raise _of_another_model(path, last, columns)
    return {**special, **{spelling: pieces[spelling] for spelling in markers_beside(row) if spelling in pieces}}


def _invalid(path: Path, error: Exception) -> ModelDamagedError:
    why = f"{type(error).__name__}: {error}"
    return ModelDamagedError(f"'{path}' is not a valid tokenizer ({why}). Fetch the model again.")


def _of_unknown_kind(path: Path) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"the tokenizer at '{path}' is neither byte-level nor SentencePiece with byte fall-back, "
        "so what its tokens write is not known exactly. Choose another model."
    )


def _of_another_model(path: Path, last: int, columns: int) -> UnsupportedModelError:
    return UnsupportedModelError(
        f"the tokenizer at '{path}' has token {last}, but the model's vocabulary ends at {columns}. "
        "The two files belong to different models: fetch the model again."
    )


def _read(path: Path) -> dict[str, Any]:
    return _parsed(_text_of(path), path)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ModelDamagedError(
            f"the tokenizer at '{path}' cannot be read ({error}). Fetch the model again."
        ) from error


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelDamagedError(
            f"the tokenizer at '{path}' cannot be read ({error}). Fetch the model again."
        ) from error
    if not isinstance(data, dict) or not isinstance(data.get("model"), dict):
        raise ModelDamagedError(f"'{path}' is not a tokenizer (it has no 'model'). Fetch the model again.")
    data["added_tokens"] = data.get("added_tokens") or []
    return data


def _plain_encoder(plain: BytePairs, exact: dict[str, Any]) -> tuple[Callable[[str], list[int]], dict[str, int]]:
    """The function that encodes a text, and all pieces with their tokens; in Python alone."""
    added = {token["content"]: token["id"] for token in exact["added_tokens"]}
    return lambda text: plain.encode(encodable(text)), {**exact["model"]["vocab"], **added}


def _library_encoder(exact: dict[str, Any], path: Path) -> tuple[Callable[[str], list[int]], dict[str, int]]:
    """The function that encodes a text, and all pieces with their tokens; by the library `tokenizers`."""
    tokenizer = _tokenizer(exact, path)

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(encodable(text), add_special_tokens=False).ids
        return ids

    return encode, tokenizer.get_vocab(with_added_tokens=True)


def _tokenizer(exact: dict[str, Any], path: Path) -> Tokenizer:
    """The library's tokenizer, which reads special tokens in a text as plain text."""
    with extra_needed(Extra.TORCH, f"the tokenizer at '{path}'"):
        from tokenizers import Tokenizer  # noqa: PLC0415 - the built-in model does without
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


def _kind(data: dict[str, Any]) -> ByteSpelling | None:
    """How a parsed tokenizer spells bytes; None where it is of neither kind."""
    steps = {step["type"] for part in ("decoder", "pre_tokenizer") for step in _steps(data.get(part))}
    if "ByteLevel" in steps:
        return ByteSpelling.BYTE_LEVEL
    if data["model"].get("byte_fallback") or "ByteFallback" in steps:
        return ByteSpelling.SENTENCEPIECE
    return None


def _steps(part: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The steps of a normalizer, pre-tokenizer or decoder, with those of nested sequences; none where it is None."""
    if part is None:
        return
    nested = [step for key in ("normalizers", "pretokenizers", "decoders") for step in part.get(key, ())]
    if part["type"] != "Sequence":
        yield part
    for step in nested:
        yield from _steps(step)


def _made_exact(data: dict[str, Any]) -> dict[str, Any]:
    """A copy of the tokenizer without steps that add, drop or change bytes of a text."""
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
    """Whether an added token is a marker: it is flagged as special, or spelled as markers are."""
    return bool(token["special"] or is_marker_spelling(token["content"]))


def is_marker_spelling(text: str) -> bool:
    """Whether an added token is spelled as markers are."""
    return _MARKER.fullmatch(text) is not None


def bytes_of_piece(piece: str, kind: ByteSpelling) -> bytes:
    """The bytes that a piece of a tokenizer writes.

    Raises:
        KeyError: a byte-level piece has a character that spells no byte.
    """
    if kind is ByteSpelling.BYTE_LEVEL:
        return bytes(_ALPHABET[character] for character in piece)
    if byte := _BYTE.fullmatch(piece):
        return bytes([int(byte[1], 16)])
    return piece.replace("▁", " ").encode()


def _byte_alphabet() -> dict[str, int]:
    """By character, the byte that it spells in GPT-2's alphabet.

    Printable characters of Latin-1 spell their own byte. The other bytes are spelled from U+0100 on, in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(0x100) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_ALPHABET = _byte_alphabet()
_SPELLING = {byte: character for character, byte in _ALPHABET.items()}


def check_encoding(vocabulary: Vocabulary, path: Path) -> None:
    """Check that the tokens of a sample text write the text.

    Raises:
        UnsupportedModelError: they write another text.
    """
    written = b"".join(vocabulary.token_bytes[token] for token in vocabulary.encode(_SAMPLE))
    if written != _SAMPLE.encode():
        raise UnsupportedModelError(
            f"the tokens of the tokenizer at '{path}' do not decode to the text that they encode. Choose another model."
        )

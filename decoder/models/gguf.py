"""The head of a GGUF file: what a model is called, how long its context is, and its tokenizer's pieces.

`Head` is read to describe, list and start GGUF models. Layout: ggml/docs/gguf.md, version 2 and 3; only the keys are
read, never the weights. Knows nothing of servers.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from decoder.errors import ModelDamagedError, UnsupportedModelError
from decoder.models.tokenizer_bytes import ByteSpelling, bytes_of_piece, is_marker_spelling
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.families import Family, markers_beside

SUFFIX = ".gguf"
"""The suffix of model files that llama.cpp reads."""
_PART = re.compile(r"-(\d{5})-of-\d{5}\.gguf\Z", re.IGNORECASE)
"""The end of a file's name that holds a part of a model (llama.cpp, `llama_split_path`)."""
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The format of each type of number (`gguf_metadata_value_type`), as `struct` spells it."""
_STRING, _ARRAY = 8, 9
"""The types of the other values."""
_MOST_KEYS, _LONGEST = 1 << 16, 1 << 26
"""The most keys, and the most bytes of a text or items of a list; a head with more is damaged."""
_NORMAL, _CONTROL, _USER_DEFINED, _UNUSED = 1, 3, 4, 5
"""llama.cpp's types of tokens (`llama_token_type`)."""
_SPELLINGS = {
    "gpt2": ByteSpelling.BYTE_LEVEL, "llama": ByteSpelling.SENTENCEPIECE, "gemma4": ByteSpelling.SENTENCEPIECE,
}  # fmt: skip
"""How the pieces of each kind of tokenizer spell bytes (`tokenizer.ggml.model`)."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a file: its keys and their values."""

    keys: Mapping[str, Any]

    @classmethod
    def of(cls, file: Path) -> Head:
        """The head of `file`.

        Raises:
            ModelDamagedError: it is no GGUF file, or is cut short.
        """
        try:
            with file.open("rb") as stream:
                return cls(_read_keys(stream))
        except (OSError, struct.error, ValueError, RecursionError) as error:
            raise ModelDamagedError(f"'{file}' cannot be read as GGUF: {_why(error)}. Fetch it again.") from error

    def check_writes(self, file: Path) -> None:
        """Check that it is a language model: files of other kinds, such as projectors of images, look alike.

        Raises:
            UnsupportedModelError: it writes no text.
        """
        architecture = self.keys.get("general.architecture")
        is_causal = self.keys.get(f"{architecture}.attention.causal", True)
        if not is_causal or "tokenizer.ggml.tokens" not in self.keys:
            kind = self.keys.get("general.type") or architecture
            raise UnsupportedModelError(f"'{file}' is a {kind}, which is not a causal language model. Use another.")

    @property
    def context(self) -> int:
        """The longest sequence that it was trained for, in tokens."""
        return int(self.keys.get(f"{self.keys.get('general.architecture')}.context_length") or 2048)

    @property
    def chat(self) -> ChatTemplate | None:
        """How an instruct model is asked; None where the file does not say."""
        return ChatTemplate.of({"chat_template": self.keys.get("tokenizer.chat_template")})

    @property
    def tokenizer_json(self) -> str | None:
        """The content of a `tokenizer.json`; None in most files."""
        return self.keys.get("tokenizer.huggingface.json")

    @property
    def ends(self) -> list[int]:
        """The tokens that end a text or a turn."""
        named = (self.keys.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom"))
        return [token for token in named if isinstance(token, int)]


@dataclass(frozen=True, slots=True)
class Pieces:
    """What the tokens of a model write, and its markers."""

    token_bytes: tuple[bytes, ...]
    """The bytes of each token; empty for markers and unused tokens."""
    special: Mapping[str, int]
    """The markers, by their spelling."""

    @classmethod
    def of(cls, keys: Mapping[str, Any], row: Family | None = None) -> Pieces:
        """The pieces that the keys of a file name.

        Args:
            row: The family that a person configured (`ModelOptions.own_family`), with its markers.

        Raises:
            ModelDamagedError: the keys contradict each other.
            UnsupportedModelError: the tokenizer is of a kind whose bytes are not known exactly.
        """
        spelling, pieces, types = _tokenizer_of(keys)
        special = markers_of_head(keys, row)
        token_bytes = []
        for piece, type_ in zip(pieces, types, strict=True):
            if piece in special or type_ == _UNUSED:
                token_bytes.append(b"")
            else:
                token_bytes.append(piece.encode() if type_ == _USER_DEFINED else bytes_of_piece(piece, spelling))
        return cls(tuple(token_bytes), special)


def part_of(file: Path) -> int | None:
    """The number of the part of a model that a file holds, from 1; None where it holds a whole model."""
    part = _PART.search(file.name)
    return None if part is None else int(part[1])


def size_of(file: Path) -> int:
    """The size of a model's file in bytes; of a model in parts, the size of all parts that are there."""
    files = [file]
    if (stem := _stem_of_part(file.name)) is not None:
        files = [sibling for sibling in file.parent.iterdir() if _stem_of_part(sibling.name) == stem]
    return sum(part.stat().st_size for part in files if part.is_file())


def _stem_of_part(name: str) -> str | None:
    """What the file names of a model's parts have in common; None where a name is no part's."""
    part = _PART.search(name)
    return None if part is None else name[: part.start()]


def markers_of_head(keys: Mapping[str, Any], row: Family | None = None) -> dict[str, int]:
    """The markers of a file's tokenizer, by spelling: `Pieces.special` in a tenth of the time.

    Args:
        row: The family that a person configured (`ModelOptions.own_family`), with its markers.

    Raises:
        ModelDamagedError, UnsupportedModelError: there is no tokenizer whose bytes are known exactly.
    """
    _, pieces, types = _tokenizer_of(keys)
    spellings = markers_beside(row)
    return {
        piece: token
        for token, (piece, type_) in enumerate(zip(pieces, types, strict=True))
        if type_ == _CONTROL or (type_ == _USER_DEFINED and is_marker_spelling(piece)) or piece in spellings
    }


def _tokenizer_of(keys: Mapping[str, Any]) -> tuple[ByteSpelling, list[str], list[int]]:
    """How a file's tokenizer spells bytes, its pieces, and llama.cpp's type of each.

    Raises:
        ModelDamagedError, UnsupportedModelError
    """
    model, pieces = keys.get("tokenizer.ggml.model"), keys.get("tokenizer.ggml.tokens")
    if (spelling := _SPELLINGS.get(str(model))) is None or not pieces:
        raise UnsupportedModelError(
            f"the model's tokenizer is of the kind '{model}', so what its tokens write is not known exactly. "
            "Choose another model."
        )
    types = keys.get("tokenizer.ggml.token_type")
    if types is None and isinstance(pieces, list):
        types = [_NORMAL] * len(pieces)
    if not isinstance(pieces, list) or not isinstance(types, list) or len(types) != len(pieces):
        raise ModelDamagedError(
            "the model's tokenizer has another number of kinds than of tokens. Fetch the file again."
        )
    if not all(isinstance(piece, str) for piece in pieces):
        raise ModelDamagedError("the model's tokenizer has tokens that are no texts. Fetch the file again.")
    return spelling, pieces, types


def _why(error: Exception) -> str:
    """Why the keys of a file cannot be read, from the error of reading them."""
    match error:
        case OSError(strerror=str(why)):
            return why
        case struct.error():
            return "it is cut short"
        case RecursionError():
            return "its lists are nested too deep"
        case _:
            return str(error)


def _read_keys(stream: IO[bytes]) -> dict[str, Any]:
    """The keys and values of the file in `stream`.

    Raises:
        ValueError: it is no GGUF file, or damaged.
        struct.error: it is cut short.
        RecursionError: its lists are nested too deep.
    """
    if stream.read(4) != _MAGIC:
        raise ValueError("it does not begin with GGUF")
    (version,) = struct.unpack("<I", stream.read(4))
    if version not in _VERSIONS:
        raise ValueError(f"it is of version {version}, and 2 and 3 are read")
    _, count = struct.unpack("<QQ", stream.read(16))
    if count > _MOST_KEYS:
        raise ValueError(f"it has {count:,} keys")
    keys = {}
    for _ in range(count):
        key = _read_text(stream)
        keys[key] = _read_value(stream, struct.unpack("<I", stream.read(4))[0])
    return keys


def _read_text(stream: IO[bytes]) -> str:
    """The text at the stream's position: eight bytes of length, then UTF-8."""
    (length,) = struct.unpack("<Q", stream.read(8))
    if length > _LONGEST:
        raise ValueError(f"a text of {length:,} bytes is in its head")
    data = stream.read(length)
    if len(data) < length:
        raise ValueError("it is cut short")
    return data.decode("utf-8", "replace")


def _read_value(stream: IO[bytes], type_: int) -> Any:  # noqa: ANN401 - as the file says
    """The value of a type at the stream's position: a number, a text, or a list of these."""
    if type_ == _STRING:
        return _read_text(stream)
    if type_ != _ARRAY:
        form = f"<{_format_of(type_)}"
        return struct.unpack(form, stream.read(struct.calcsize(form)))[0]
    item_type, count = struct.unpack("<IQ", stream.read(12))
    if count > _LONGEST:
        raise ValueError(f"a list of {count:,} is in its head")
    if item_type in (_STRING, _ARRAY):
        return [_read_value(stream, item_type) for _ in range(count)]
    form = f"<{count}{_format_of(item_type)}"
    return list(struct.unpack(form, stream.read(struct.calcsize(form))))


def _format_of(type_: int) -> str:
    """The format of a type of number."""
    if (form := _SCALARS.get(type_)) is None:
        raise ValueError(f"a value of the unknown type {type_} is in its head")
    return form

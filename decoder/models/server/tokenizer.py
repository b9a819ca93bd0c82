"""Makes the `ModelCard` of a served model, with its vocabulary: `card_of`.

The model's own tokenizer is read if its files are on this machine: the GGUF file that llama-server serves, or vLLM's
`tokenizer.json` in a directory or the hub's cache. Otherwise tokens are learnt from answers (`server.vocabulary`), with
the markers that the server says it has. Knows nothing of logits and dialects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from context_index.extras import Extra
from decoder.errors import ExtraMissingError, ModelDamagedError, UnsupportedModelError
from decoder.models.card import ModelCard
from decoder.models.gguf import Head, Pieces, markers_of_head
from decoder.models.server.address import ServerKind
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.tokenizer_bytes import check_encoding, parse_vocabulary, read_vocabulary
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.families import Family, family_of, markers_beside

if TYPE_CHECKING:
    from decoder.models.server.client import ServerClient
    from decoder.models.server.served import Served

_GUARD = "☺"
"""Written before a text, so that SentencePiece's extra space lands on it; its tokens are then dropped."""


def card_of(client: ServerClient, served: Served, own_family: Family | None) -> ModelCard:
    """The card with the model's own tokenizer where it can be read, else with a vocabulary that is learnt.

    Args:
        own_family: The family that a person configured (`ModelOptions.own_family`), with its markers.

    Raises:
        ModelServerError: the server does not answer.
        ModelDamagedError: vLLM's `tokenizer.json`, or the list of tokens that Ollama gives, is damaged.
        UnsupportedModelError: Ollama's model has a tokenizer of an unknown kind.
        ExtraMissingError: vLLM's `tokenizer.json` needs the library `tokenizers`, which is not installed.
    """
    special: Mapping[str, int] = {}
    ends: Sequence[str] = ()
    match served.kind:
        case ServerKind.LLAMA_SERVER:
            if served.file is not None and (card := _read_from_gguf(client, served.file, own_family)) is not None:
                return card
            special = _markers(client, served, own_family)
        case ServerKind.VLLM:
            if (vocabulary := _read_from_files(served, own_family)) is not None:
                return ModelCard.of(vocabulary, row=own_family)
            special = _markers(client, served, own_family)
        case ServerKind.OLLAMA if served.keys and served.keys.get("tokenizer.ggml.tokens"):
            special, end_tokens = markers_of_head(served.keys, own_family), Head(served.keys).ends
            ends = [spelling for spelling, token in special.items() if token in end_tokens]
    family = own_family or family_of(special, served.chat)
    return ModelCard(make_learnt_vocabulary(special, family, ends), family, served.chat)


def make_learnt_vocabulary(special: Mapping[str, int], family: Family, ends: Sequence[str] = ()) -> LearntVocabulary:
    """A vocabulary that is learnt.

    Args:
        special: The markers that the model is known to have, with their ids.
        family: How the model is asked; its markers are sent even if the model is not known to have them.
        ends: Further markers with which the model ends a text.
    """
    return LearntVocabulary(sorted({*special, *family.spellings}), (*ends, *family.ends), special)


def _markers(client: ServerClient, served: Served, own_family: Family | None) -> Mapping[str, int]:
    """The markers that the server's tokenizer has, with their ids: a marker is one that it reads as a single token.

    All markers of the known families, and of a person's own, are tried.
    """
    candidates = sorted(markers_beside(own_family))
    text = "\n".join(candidates)
    if served.kind is ServerKind.LLAMA_SERVER:
        request = {"content": text, "add_special": False, "parse_special": True, "with_pieces": True}
        tokens = (client.find("/tokenize", request) or {}).get("tokens") or ()
        ids = {token["piece"]: int(token["id"]) for token in tokens if isinstance(token.get("piece"), str)}
    else:
        request = {"model": served.name, "prompt": text, "add_special_tokens": False, "return_token_strs": True}
        answer = client.find("/tokenize", request) or {}
        ids = dict(zip(answer.get("token_strs") or (), answer.get("tokens") or (), strict=False))
    return {marker: ids[marker] for marker in candidates if marker in ids}


def _read_from_files(served: Served, own_family: Family | None) -> Vocabulary | None:
    """The tokenizer in vLLM's directory or the hub's cache, if either is on this machine and can be read; else None.

    Raises:
        ModelDamagedError: the tokenizer is damaged.
        ExtraMissingError: it needs the library `tokenizers`, which is not installed.
    """
    root = Path(served.root or served.name)
    file: Path | None = root / "tokenizer.json"
    if not (root / "tokenizer.json").is_file():
        file = _tokenizer_in_hub_cache(str(root)) if Extra.TORCH.is_installed else None
    if file is None:
        return None
    try:
        return read_vocabulary(file, columns=None, end=[], row=own_family)
    except UnsupportedModelError:  # the bytes of its tokens are not known exactly
        return None


def _tokenizer_in_hub_cache(name: str) -> Path | None:
    """The tokenizer's file of a model on the hub, if it is in the cache on this machine."""
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 - takes long, and few need it

    file = try_to_load_from_cache(name, "tokenizer.json") if name.count("/") <= 1 else None
    return Path(file) if isinstance(file, str) else None


def _read_from_gguf(client: ServerClient, file: Path, own_family: Family | None) -> ModelCard | None:
    """The card of a GGUF file; None where we cannot read it.

    llama.cpp has read the file already, so what keeps us from it, such as another user's permissions or a newer version
    of the format, must not keep the person from the model.

    Raises:
        ModelServerError: the server does not encode texts.
    """
    try:
        return _gguf_card(client, file, own_family)
    except (ModelDamagedError, UnsupportedModelError, ExtraMissingError):
        return None


def _gguf_card(client: ServerClient, file: Path, own_family: Family | None) -> ModelCard:
    """The card of a GGUF file. Texts are encoded by the server, unless the file holds a whole `tokenizer.json`.

    Raises:
        ModelDamagedError, UnsupportedModelError, ExtraMissingError: the file's tokenizer cannot be read.
        ModelServerError: the server does not encode texts.
    """
    head = Head.of(file)
    chat = head.chat
    if (text := head.tokenizer_json) is not None:
        columns = len(head.keys.get("tokenizer.ggml.tokens") or ())
        vocabulary = parse_vocabulary(text, file, columns=columns, end=head.ends, row=own_family)
        return ModelCard.of(vocabulary, chat, own_family)
    pieces = Pieces.of(head.keys, own_family)
    markers = pieces.special
    family = family_of(markers, chat, own_family)
    ends = {*head.ends, *(markers[marker] for marker in family.ends if marker in markers)}
    encode = _ServerTokenizer(client, pieces.token_bytes).encode
    vocabulary = Vocabulary(pieces.token_bytes, encode=encode, special=markers, end=frozenset(ends))
    check_encoding(vocabulary, file)
    return ModelCard(vocabulary, family, chat)


class _ServerTokenizer:
    """llama-server's tokenizer, without the space that SentencePiece puts before a text."""

    def __init__(self, client: ServerClient, token_bytes: Sequence[bytes]) -> None:
        self._client = client
        self._guard: list[int] | None = None
        """The tokens of `_GUARD`, if the server puts a space before a text."""
        if b"".join(token_bytes[token] for token in tokenize(client, "x")) != b"x":
            self._guard = tokenize(client, _GUARD)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text."""
        if not text:
            return []
        if self._guard is None:
            return tokenize(self._client, text)
        tokens = tokenize(self._client, _GUARD + text)
        return tokens[len(self._guard) :] if tokens[: len(self._guard)] == self._guard else tokens


def tokenize(client: ServerClient, text: str) -> list[int]:
    """The tokens that llama-server makes of a text in which markers are plain text.

    Raises:
        ModelServerError: the server does not answer.
    """
    answer = client.ask("/tokenize", {"content": text, "add_special": False, "parse_special": False})
    return [int(token) for token in answer["tokens"]]

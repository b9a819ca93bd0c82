"""Which kind a server is, which model it has, and what that can do: found by asking for one token.

A server's own tokenizer is read where it can be: from the file that it serves if that is on this machine, from the
tokenizer's files of the hub's cache, from what Ollama tells of a model. Else tokens are learnt from its answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from context_index.extras import Extra
from decoder.errors import ModelError, ModelServerError, UnsupportedModelError
from decoder.models.gguf import Head, Pieces, markers_of_head
from decoder.models.server.address import Address, Kind
from decoder.models.server.client import ServerClient
from decoder.models.server.dialects import (
    BEST,
    FEWER,
    LLAMA_PATH,
    OLLAMA_PATH,
    LlamaServer,
    Ollama,
    Plain,
    ServerDialect,
    TextCompletions,
    Vllm,
)
from decoder.models.server.model import IdSpelling, LearntSpelling, ServerModel, TextRows, TokenSpelling, TopRows
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.tokenizer_bytes import check_encoding, parse_vocabulary, read_vocabulary
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.chat import ChatTemplate
from decoder.prompt.families import Family, family_of, fitted, markers_beside

if TYPE_CHECKING:
    from decoder.models.options import ModelOptions

KEY = "INSCOPE_MODEL_KEY"
"""The environment variable that holds a server's key."""
_CONTEXT = 4096
"""Tokens, where a server does not say how many it reads."""
_LOCAL_CONTEXT = 4096
"""The most tokens of a prompt for a model of this machine: more are slow to read."""
_GUARD = "☺"
_COMPLETIONS = "/v1/completions"


@dataclass(frozen=True, slots=True)
class Served:
    """What a server says of its model."""

    kind: Kind
    name: str
    context: int
    file: Path | None = None
    """The model's file, if it is on this machine."""
    chat: ChatTemplate | None = None
    keys: Mapping[str, Any] | None = None
    """A GGUF file's keys, where the server tells them."""


def connect(
    address: Address, options: ModelOptions, *, key: str | None = None, file: Path | None = None, holds: object = None
) -> ServerModel:
    """The model of a server.

    Args:
        key: Sent to it; that of the options or the environment if left out.
        file: The model's file, where it is known.
        holds: Has to live as long as the model.

    Raises:
        ModelServerError: it cannot be reached, has no such model, or cannot complete.
    """
    client = ServerClient(
        address.url, key=key or _key(options), timeout=options.timeout_seconds, session_header=options.session_header
    )
    try:
        with client.within_timeout():
            served = _served(client, address)
            if file is not None:
                served = replace(served, file=file)
            return _model(client, served, options, holds)
    except BaseException:  # even an interrupt must not leave the client's thread behind
        client.close()
        raise


def _key(options: ModelOptions) -> str | None:
    if options.key_file is None:
        return os.environ.get(KEY) or None
    try:
        return Path(options.key_file).expanduser().read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError, RuntimeError) as error:
        raise UnsupportedModelError(
            f"the key in '{options.key_file}' cannot be read ({error}). Correct modelKeyFile."
        ) from error


def _served(client: ServerClient, address: Address) -> Served:
    """Each kind has a page that no other has."""
    kind = address.kind
    if kind in (None, Kind.LLAMA_SERVER):
        said = client.find("/props")
        if isinstance(said, dict) and "default_generation_settings" in said:
            return _llama_server(client, address, said)
    if kind in (None, Kind.OLLAMA):
        said = client.find("/api/version")
        if isinstance(said, dict) and "version" in said:
            return _ollama(client, address)
    if kind in (None, Kind.VLLM):
        said = client.find("/version")
        if isinstance(said, dict) and "version" in said:
            return _listed(client, address, Kind.VLLM)
    if kind is not None:
        raise ModelServerError(
            f"the server at {client.base} answers, but not as {kind} does. Correct the address, or write it as "
            f"{client.base} in --model."
        )
    return _listed(client, address, Kind.COMPLETIONS)


def _llama_server(client: ServerClient, address: Address, props: Mapping[str, Any]) -> Served:
    settings = props["default_generation_settings"]
    context = int(settings.get("n_ctx") or props.get("n_ctx") or _CONTEXT)
    path = Path(str(props.get("model_path") or ""))
    is_here = urlsplit(client.base).hostname in ("127.0.0.1", "localhost", "::1") and path.is_absolute()
    names = [str(one) for one in (props.get("model_alias"), path.name) if one]
    if address.name is not None and address.name not in names:
        raise _unknown(client, address.name, names[:1])
    file = path if is_here and path.is_file() else None
    return Served(Kind.LLAMA_SERVER, names[0] if names else "", context, file, ChatTemplate.of(props))


def _ollama(client: ServerClient, address: Address) -> Served:
    said = client.ask("/api/tags")
    names = [str(one.get("name")) for one in said.get("models") or ()]
    named = _chosen(client, address, names, lambda name: {name, f"{name}:latest"})
    shown = client.ask("/api/show", {"model": named, "verbose": True})
    keys = shown.get("model_info") or {}
    trained = int(keys.get(f"{keys.get('general.architecture')}.context_length") or _CONTEXT)
    stated = [line.split() for line in str(shown.get("parameters") or "").splitlines()]
    asked = next((int(one[1]) for one in stated if one[:1] == ["num_ctx"] and one[1].isdigit()), _CONTEXT)
    return Served(Kind.OLLAMA, named, min(trained, asked), keys=keys)


def _listed(client: ServerClient, address: Address, kind: Kind) -> Served:
    said = client.ask("/v1/models")
    models = said.get("data") if isinstance(said, dict) else None
    if not isinstance(models, list):
        raise ModelServerError(
            f"the server at {client.base} lists no models at /v1/models, so it is no completion server. Correct the "
            "address in --model."
        )
    by_name = {str(one.get("id")): one for one in models if isinstance(one, dict)}
    named = _chosen(client, address, list(by_name), lambda name: {name})
    context = by_name[named].get("max_model_len") or by_name[named].get("max_context_length") or _CONTEXT
    root = Path(str(by_name[named].get("root") or named))
    return Served(kind, named, int(context), root)


def _chosen(client: ServerClient, address: Address, names: Sequence[str], spellings: Callable[[str], set[str]]) -> str:
    if address.name is not None:
        chosen = next((name for name in names if name in spellings(address.name)), None)
        if chosen is None:
            raise _unknown(client, address.name, names)
        return chosen
    if len(names) != 1:
        has = f"has several models ({', '.join(names[:5])})" if names else "has no model"
        raise ModelServerError(f"the server at {client.base} {has}. Name one in --model, as {client.base}#NAME.")
    return names[0]


def _unknown(client: ServerClient, name: str, names: Sequence[str]) -> ModelServerError:
    has = f"it has {', '.join(names[:5])}" if names else "it has none"
    return ModelServerError(f"the server at {client.base} has no model '{name}'; {has}. Correct the name in --model.")


def _model(client: ServerClient, served: Served, options: ModelOptions, holds: object) -> ServerModel:
    row = options.own_family()
    vocabulary = _vocabulary(client, served, row)
    spelling: TokenSpelling = IdSpelling(vocabulary)
    if isinstance(vocabulary, LearntVocabulary):
        cut = partial(_cut, client) if served.kind is Kind.LLAMA_SERVER else None
        spelling = LearntSpelling(vocabulary, cut)
    for dialect in _dialects(served, vocabulary):
        if _says_probabilities(client, dialect, spelling):
            rows: TopRows | TextRows = TopRows(client, dialect, spelling)
            break
    else:
        learnt = vocabulary if isinstance(vocabulary, LearntVocabulary) else _learnt(vocabulary.special, row, None)
        vocabulary = learnt
        path = {Kind.OLLAMA: OLLAMA_PATH, Kind.LLAMA_SERVER: LLAMA_PATH}.get(served.kind, _COMPLETIONS)
        rows = TextRows(client, Plain(served.name, path), learnt)
        _check_completes(client, Plain(served.name, path))
    return ServerModel(
        vocabulary, rows, min(served.context, _LOCAL_CONTEXT), client=client, kind=served.kind, holds=holds
    )


def _dialects(served: Served, vocabulary: Vocabulary) -> list[ServerDialect]:
    match served.kind:
        case Kind.LLAMA_SERVER:
            return [LlamaServer()]
        case Kind.OLLAMA:
            return [Ollama(served.name)]
        case Kind.VLLM if not isinstance(vocabulary, LearntVocabulary):
            return [Vllm(served.name, best) for best in (BEST, FEWER, 5)]
        case Kind.VLLM:
            return [TextCompletions(served.name, best) for best in (BEST, FEWER, 5)]
        case _:
            return [TextCompletions(served.name, 5)]


def _says_probabilities(client: ServerClient, dialect: ServerDialect, spelling: TokenSpelling) -> bool:
    """Whether one token comes with others and their probabilities; servers drop what they do not know in silence."""
    place = tuple(spelling.vocabulary.encode("def "))
    stream = client.stream(dialect.path, dialect.body(spelling.prompt(place), 1))
    try:
        while (said := stream.next()) is not None:
            if any(len(step.best) > 1 for step in dialect.steps(said)):
                return True
    except ModelServerError:
        return False  # the next way is tried, and the last one says what is wrong
    finally:
        stream.close()
    return False


def _check_completes(client: ServerClient, plain: Plain) -> None:
    """Raise what a server without probabilities says to a plain request; one that only chats says it here."""
    try:
        client.ask(plain.path, plain.body("def ", 1, temperature=0))
    except ModelServerError as error:
        raise ModelServerError(
            f"the model '{plain.model}' does not complete: {error} A model or a server that only chats cannot be used."
        ) from error


def _vocabulary(client: ServerClient, served: Served, row: Family | None) -> Vocabulary:
    """The model's own tokenizer where it can be read, else one that is learnt."""
    chat = served.chat
    match served.kind:
        case Kind.LLAMA_SERVER if served.file is not None:
            try:
                return gguf_vocabulary(client, served.file, row)
            except ModelServerError:
                raise
            except ModelError:  # of a kind that is not read: tokens are learnt
                return _learnt(_markers(client, served, row), row, chat)
        case Kind.LLAMA_SERVER:
            return _learnt(_markers(client, served, row), row, chat)
        case Kind.VLLM:
            return _of_hub(served, row) or _learnt(_markers(client, served, row), row, chat)
        case Kind.OLLAMA if served.keys and served.keys.get("tokenizer.ggml.tokens"):
            special, ends = markers_of_head(served.keys, row), Head(served.keys).ends
            return _learnt(special, row, chat, [name for name, token in special.items() if token in ends])
        case _:
            return _learnt({}, row, chat)


def _markers(client: ServerClient, served: Served, row: Family | None) -> Mapping[str, int]:
    """Those markers that the server's tokenizer has: of such it makes one token."""
    known = sorted(markers_beside(row))
    text = "\n".join(known)
    if served.kind is Kind.LLAMA_SERVER:
        asked = {"content": text, "add_special": False, "parse_special": True, "with_pieces": True}
        said = client.find("/tokenize", asked) or {}
        pieces = {one["piece"]: int(one["id"]) for one in said.get("tokens") or () if isinstance(one.get("piece"), str)}
    else:
        asked = {"model": served.name, "prompt": text, "add_special_tokens": False, "return_token_strs": True}
        said = client.find("/tokenize", asked) or {}
        pieces = dict(zip(said.get("token_strs") or (), said.get("tokens") or (), strict=False))
    return {marker: pieces[marker] for marker in known if marker in pieces}


def _learnt(
    special: Mapping[str, int], row: Family | None, chat: ChatTemplate | None, ends: Sequence[str] = ()
) -> LearntVocabulary:
    """Markers go out as text: those of the model as far as they are known, or of a person's row."""
    family = row or family_of(special, chat)
    markers = {*special, *family.spellings}
    vocabulary = LearntVocabulary(sorted(markers), (*ends, *family.ends), chat, special)
    vocabulary.row = family if row is None else fitted(row, vocabulary.special)
    return vocabulary


def _of_hub(served: Served, row: Family | None) -> Vocabulary | None:
    """The tokenizer of a directory, or of the hub's cache on this machine; None where none is there that can be read.

    Raises:
        ModelDamagedError: it is damaged.
    """
    root = served.file or Path(served.name)
    file: Path | None = root / "tokenizer.json"
    if file is None or not file.is_file():
        file = _cached(str(root)) if Extra.TORCH.is_installed else None
    if file is None:
        return None
    try:
        return read_vocabulary(file, columns=None, end=[], row=row)
    except UnsupportedModelError:  # of a kind that is not read: tokens are learnt
        return None


def _cached(name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 - takes long, and few need it

    found = try_to_load_from_cache(name, "tokenizer.json") if name.count("/") <= 1 else None
    return Path(found) if isinstance(found, str) else None


def gguf_vocabulary(client: ServerClient, file: Path, row: Family | None) -> Vocabulary:
    """The tokenizer of a GGUF file; the server cuts texts, unless the file holds a whole `tokenizer.json`."""
    head = Head.of(file)
    chat = head.chat
    pieces = head.keys.get("tokenizer.ggml.tokens") or ()
    if (text := head.tokenizer_json) is not None:
        vocabulary = parse_vocabulary(text, file, columns=len(pieces), end=head.ends, row=row)
        vocabulary.chat = chat
        return vocabulary
    known = Pieces.of(head.keys, row)
    row = None if row is None else fitted(row, known.special)
    family = row or family_of(known.special, chat)
    ends = {*head.ends, *(known.special[one] for one in family.ends if one in known.special)}
    vocabulary = Vocabulary(
        known.token_bytes, encode=_Tokenizer(client, known.token_bytes).encode, special=known.special,
        end=frozenset(ends), chat=chat,
    )  # fmt: skip
    vocabulary.row = row
    check_encoding(vocabulary, file)
    return vocabulary


class _Tokenizer:
    """The server's, without the space that SentencePiece puts before a text."""

    def __init__(self, client: ServerClient, token_bytes: Sequence[bytes]) -> None:
        self._client, self._bytes = client, token_bytes
        self._guard: list[int] | None = None
        probe = self._cut("x")
        if b"".join(self._bytes[token] for token in probe) != b"x":
            self._guard = self._cut(_GUARD)

    def encode(self, text: str) -> list[int]:
        if not text:
            return []
        if self._guard is None:
            return self._cut(text)
        tokens = self._cut(_GUARD + text)
        return tokens[len(self._guard) :] if tokens[: len(self._guard)] == self._guard else tokens

    def _cut(self, text: str) -> list[int]:
        return _cut(self._client, text)


def _cut(client: ServerClient, text: str) -> list[int]:
    """The tokens that llama-server makes of a text in which markers are text."""
    said = client.ask("/tokenize", {"content": text, "add_special": False, "parse_special": False})
    return [int(token) for token in said["tokens"]]

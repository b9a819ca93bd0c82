"""Connects to a completion server: finds out its kind, its model, and what that can do.

`connect` makes the `ServerModel`. It asks pages that only one kind of server has, and then for one token: a dialect
(`dialects`) is used if its answer has probabilities. The server's own tokenizer is read if its files are on this
machine: the GGUF file that it serves, or the tokenizer's files in a directory or the hub's cache. Otherwise tokens are
learnt from answers (`vocabulary`), with the markers that the server says it has.
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
from decoder.models.card import ModelCard
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
from decoder.prompt.families import Family, family_of, markers_beside

if TYPE_CHECKING:
    from decoder.models.options import ModelOptions

KEY = "INSCOPE_MODEL_KEY"
"""The environment variable that holds a server's key."""
_DEFAULT_CONTEXT = 4096
"""The context in tokens of a server that does not say it."""
_MOST_CONTEXT = 4096
"""The most tokens of a prompt and its answer: longer prompts are slow to read on a local machine."""
_GUARD = "☺"
"""Put before a text, and its tokens removed: SentencePiece puts a space before the first character alone."""
_FEWEST_BEST = 5
"""The number of best tokens to ask for where servers may refuse more: OpenAI's own limit."""
_COMPLETIONS = "/v1/completions"


@dataclass(frozen=True, slots=True)
class Served:
    """A server's model, as the server describes it."""

    kind: Kind
    name: str
    context: int
    """The most tokens that it reads and writes together."""
    file: Path | None = None
    """The model's file or directory, if it is on this machine; of a vLLM model possibly its name on the hub."""
    chat: ChatTemplate | None = None
    keys: Mapping[str, Any] | None = None
    """The keys of the model's GGUF file, if the server says them."""


def connect(
    address: Address, options: ModelOptions, *, key: str | None = None, file: Path | None = None, holds: object = None
) -> ServerModel:
    """The model of a server.

    Args:
        key: The server's key; None for that of the options or the environment.
        file: The model's file, where it is known.
        holds: An object that has to live as long as the model.

    Raises:
        ModelServerError: the server cannot be reached, has no such model, or cannot complete.
        ModelError: its tokenizer's files are damaged, or the key's file cannot be read.
    """
    client = ServerClient(
        address.url, key=key or _key(options), timeout=options.timeout_seconds, session_header=options.session_header
    )
    try:
        with client.within_timeout():
            served = _ask_what_is_served(client, address)
            if file is not None:
                served = replace(served, file=file)
            return _model_of(client, served, options, holds)
    except BaseException:  # even an interrupt must not leave the client's thread behind
        client.close()
        raise


def _key(options: ModelOptions) -> str | None:
    """The server's key from the options' file, else from the environment; None where there is none."""
    if options.key_file is None:
        return os.environ.get(KEY) or None
    try:
        return Path(options.key_file).expanduser().read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError, RuntimeError) as error:
        raise UnsupportedModelError(
            f"the key in '{options.key_file}' cannot be read ({error}). Correct modelKeyFile."
        ) from error


def _ask_what_is_served(client: ServerClient, address: Address) -> Served:
    """The model that the address means. The kind of the server is known by a page that no other kind has."""
    kind = address.kind
    if kind in (None, Kind.LLAMA_SERVER):
        props = client.find("/props")
        if isinstance(props, dict) and "default_generation_settings" in props:
            return _served_by_llama(client, address, props)
    if kind in (None, Kind.OLLAMA):
        version = client.find("/api/version")
        if isinstance(version, dict) and "version" in version:
            return _served_by_ollama(client, address)
    if kind in (None, Kind.VLLM):
        version = client.find("/version")
        if isinstance(version, dict) and "version" in version:
            return _served_by_list(client, address, Kind.VLLM)
    if kind is not None:
        raise ModelServerError(
            f"the server at {client.base} answers, but not as {kind} does. Correct the address, or write it as "
            f"{client.base} in --model."
        )
    return _served_by_list(client, address, Kind.COMPLETIONS)


def _served_by_llama(client: ServerClient, address: Address, props: Mapping[str, Any]) -> Served:
    """llama-server's model, from its page `/props`."""
    settings = props["default_generation_settings"]
    context = int(settings.get("n_ctx") or props.get("n_ctx") or _DEFAULT_CONTEXT)
    path = Path(str(props.get("model_path") or ""))
    is_here = urlsplit(client.base).hostname in ("127.0.0.1", "localhost", "::1") and path.is_absolute()
    names = [str(name) for name in (props.get("model_alias"), path.name) if name]
    if address.name is not None and address.name not in names:
        raise _unknown(client, address.name, names[:1])
    file = path if is_here and path.is_file() else None
    return Served(Kind.LLAMA_SERVER, names[0] if names else "", context, file, ChatTemplate.of(props))


def _served_by_ollama(client: ServerClient, address: Address) -> Served:
    """Ollama's model: it must be among its tags; its page `/api/show` has the keys of its GGUF file."""
    tags = client.ask("/api/tags")
    names = [str(model.get("name")) for model in tags.get("models") or ()]
    name = _choose_name(client, address, names, lambda written: {written, f"{written}:latest"})
    details = client.ask("/api/show", {"model": name, "verbose": True})
    keys = details.get("model_info") or {}
    trained = int(keys.get(f"{keys.get('general.architecture')}.context_length") or _DEFAULT_CONTEXT)
    parameters = [line.split() for line in str(details.get("parameters") or "").splitlines()]
    set_contexts = (int(words[1]) for words in parameters if words[:1] == ["num_ctx"] and words[1].isdigit())
    return Served(Kind.OLLAMA, name, min(trained, next(set_contexts, _DEFAULT_CONTEXT)), keys=keys)


def _served_by_list(client: ServerClient, address: Address, kind: Kind) -> Served:
    """The model of a server with OpenAI's list of models, `/v1/models`."""
    listed = client.ask("/v1/models")
    models = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(models, list):
        raise ModelServerError(
            f"the server at {client.base} lists no models at /v1/models, so it is no completion server. Correct the "
            "address in --model."
        )
    by_name = {str(model.get("id")): model for model in models if isinstance(model, dict)}
    name = _choose_name(client, address, list(by_name), lambda written: {written})
    model = by_name[name]
    context = model.get("max_model_len") or model.get("max_context_length") or _DEFAULT_CONTEXT
    return Served(kind, name, int(context), Path(str(model.get("root") or name)))


def _choose_name(
    client: ServerClient, address: Address, names: Sequence[str], spellings: Callable[[str], set[str]]
) -> str:
    """The name of the model that the address means, or of the server's only one.

    Args:
        names: The names of the server's models.
        spellings: Returns the server's possible spellings of a name that a person wrote.

    Raises:
        ModelServerError: there is no such model, or the address has no name and there are several.
    """
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


def _model_of(client: ServerClient, served: Served, options: ModelOptions, holds: object) -> ServerModel:
    """The model with the first dialect whose answers have probabilities; else one that writes whole texts."""
    row = options.own_family()
    card = _card(client, served, row)
    vocabulary = card.vocabulary
    spelling: TokenSpelling = IdSpelling(vocabulary)
    if isinstance(vocabulary, LearntVocabulary):
        cut = partial(_tokenize, client) if served.kind is Kind.LLAMA_SERVER else None
        spelling = LearntSpelling(vocabulary, cut)
    for dialect in _dialects(served, vocabulary):
        if _says_probabilities(client, dialect, spelling):
            rows: TopRows | TextRows = TopRows(client, dialect, spelling)
            break
    else:
        if not isinstance(vocabulary, LearntVocabulary):
            family = row or family_of(vocabulary.special)
            vocabulary = _learnt(vocabulary.special, family)
            card = ModelCard(vocabulary, family)
        path = {Kind.OLLAMA: OLLAMA_PATH, Kind.LLAMA_SERVER: LLAMA_PATH}.get(served.kind, _COMPLETIONS)
        plain = Plain(served.name, path)
        rows = TextRows(client, plain, vocabulary)
        _check_completes(client, plain)
    return ServerModel(card, rows, min(served.context, _MOST_CONTEXT), client=client, kind=served.kind, holds=holds)


def _dialects(served: Served, vocabulary: Vocabulary) -> list[ServerDialect]:
    """The dialects to be tried, in order. Some servers refuse to give many best tokens, so fewer are asked for then."""
    match served.kind:
        case Kind.LLAMA_SERVER:
            return [LlamaServer()]
        case Kind.OLLAMA:
            return [Ollama(served.name)]
        case Kind.VLLM if not isinstance(vocabulary, LearntVocabulary):
            return [Vllm(served.name, best) for best in (BEST, FEWER, _FEWEST_BEST)]
        case Kind.VLLM:
            return [TextCompletions(served.name, best) for best in (BEST, FEWER, _FEWEST_BEST)]
        case _:
            return [TextCompletions(served.name, _FEWEST_BEST)]


def _says_probabilities(client: ServerClient, dialect: ServerDialect, spelling: TokenSpelling) -> bool:
    """Whether the server, asked for one token, names other tokens and their probabilities, too.

    It has to be tried: servers silently ignore options that they do not know.
    """
    place = tuple(spelling.vocabulary.encode("def "))
    stream = client.stream(dialect.path, dialect.body(spelling.prompt(place), 1))
    try:
        while (part := stream.next()) is not None:
            if any(len(step.best) > 1 for step in dialect.steps(part)):
                return True
    except ModelServerError:
        return False  # the next dialect is tried; if none is left, `_check_completes` reports what is wrong
    finally:
        stream.close()
    return False


def _check_completes(client: ServerClient, plain: Plain) -> None:
    """Check that a server without probabilities answers a plain request.

    Raises:
        ModelServerError: it does not, as its model only chats.
    """
    try:
        client.ask(plain.path, plain.body("def ", 1, temperature=0))
    except ModelServerError as error:
        raise ModelServerError(
            f"the model '{plain.model}' does not complete: {error} A model or a server that only chats cannot be used."
        ) from error


def _card(client: ServerClient, served: Served, row: Family | None) -> ModelCard:
    """The card with the model's own tokenizer where it can be read, else with a vocabulary that is learnt."""
    special: Mapping[str, int] = {}
    ends: Sequence[str] = ()
    match served.kind:
        case Kind.LLAMA_SERVER:
            try:
                if served.file is not None:
                    return gguf_card(client, served.file, row)
            except ModelServerError:
                raise
            except ModelError:  # of a kind that is not read: tokens are learnt
                pass
            special = _markers(client, served, row)
        case Kind.VLLM:
            if (vocabulary := _read_from_files(served, row)) is not None:
                return ModelCard.of(vocabulary, row=row)
            special = _markers(client, served, row)
        case Kind.OLLAMA if served.keys and served.keys.get("tokenizer.ggml.tokens"):
            special, end_tokens = markers_of_head(served.keys, row), Head(served.keys).ends
            ends = [name for name, token in special.items() if token in end_tokens]
    family = row or family_of(special, served.chat)
    return ModelCard(_learnt(special, family, ends), family, served.chat)


def _markers(client: ServerClient, served: Served, row: Family | None) -> Mapping[str, int]:
    """The markers that the server's tokenizer has, with their ids: a marker is one that it reads as a single token.

    All markers of the known families, and of a person's `row`, are tried.
    """
    candidates = sorted(markers_beside(row))
    text = "\n".join(candidates)
    if served.kind is Kind.LLAMA_SERVER:
        request = {"content": text, "add_special": False, "parse_special": True, "with_pieces": True}
        tokens = (client.find("/tokenize", request) or {}).get("tokens") or ()
        ids = {token["piece"]: int(token["id"]) for token in tokens if isinstance(token.get("piece"), str)}
    else:
        request = {"model": served.name, "prompt": text, "add_special_tokens": False, "return_token_strs": True}
        answer = client.find("/tokenize", request) or {}
        ids = dict(zip(answer.get("token_strs") or (), answer.get("tokens") or (), strict=False))
    return {marker: ids[marker] for marker in candidates if marker in ids}


def _learnt(special: Mapping[str, int], family: Family, ends: Sequence[str] = ()) -> LearntVocabulary:
    """A vocabulary that is learnt.

    Args:
        special: The markers that the model is known to have, with their ids.
        family: How it is asked; the markers are sent even if the model is not known to have them.
        ends: Further markers with which the model ends a text.
    """
    return LearntVocabulary(sorted({*special, *family.spellings}), (*ends, *family.ends), special)


def _read_from_files(served: Served, row: Family | None) -> Vocabulary | None:
    """The tokenizer in the model's directory or the hub's cache on this machine; None where none can be read.

    Raises:
        ModelDamagedError: the tokenizer is damaged.
    """
    root = served.file or Path(served.name)
    file: Path | None = root / "tokenizer.json"
    if file is None or not file.is_file():
        file = _tokenizer_in_hub_cache(str(root)) if Extra.TORCH.is_installed else None
    if file is None:
        return None
    try:
        return read_vocabulary(file, columns=None, end=[], row=row)
    except UnsupportedModelError:  # of a kind that is not read: tokens are learnt
        return None


def _tokenizer_in_hub_cache(name: str) -> Path | None:
    """The tokenizer's file of a model on the hub, if it is in the cache on this machine."""
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 - takes long, and few need it

    file = try_to_load_from_cache(name, "tokenizer.json") if name.count("/") <= 1 else None
    return Path(file) if isinstance(file, str) else None


def gguf_card(client: ServerClient, file: Path, row: Family | None) -> ModelCard:
    """The card of a GGUF file. Texts are encoded by the server, unless the file holds a whole `tokenizer.json`.

    Raises:
        ModelDamagedError, UnsupportedModelError: the file's tokenizer cannot be read.
        ModelServerError: the server does not encode texts.
    """
    head = Head.of(file)
    chat = head.chat
    if (text := head.tokenizer_json) is not None:
        columns = len(head.keys.get("tokenizer.ggml.tokens") or ())
        return ModelCard.of(parse_vocabulary(text, file, columns=columns, end=head.ends, row=row), chat, row)
    pieces = Pieces.of(head.keys, row)
    markers = pieces.special
    family = family_of(markers, chat, row)
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
        if b"".join(token_bytes[token] for token in _tokenize(client, "x")) != b"x":
            self._guard = _tokenize(client, _GUARD)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text."""
        if not text:
            return []
        if self._guard is None:
            return _tokenize(self._client, text)
        tokens = _tokenize(self._client, _GUARD + text)
        return tokens[len(self._guard) :] if tokens[: len(self._guard)] == self._guard else tokens


def _tokenize(client: ServerClient, text: str) -> list[int]:
    """The tokens that llama-server makes of a text in which markers are plain text."""
    answer = client.ask("/tokenize", {"content": text, "add_special": False, "parse_special": False})
    return [int(token) for token in answer["tokens"]]

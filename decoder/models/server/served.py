"""Asks a completion server of what kind it is, and which model it serves: `ask_what_is_served`.

Each kind is known by a page that no other kind has. Knows nothing of tokenizers and dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from decoder.errors import ModelServerError
from decoder.models.server.address import Address, ServerKind
from decoder.prompt.chat import ChatTemplate

if TYPE_CHECKING:
    from decoder.models.server.client import ServerClient

_DEFAULT_CONTEXT = 4096
"""The context in tokens of a server that does not say it."""
_MOST_NAMES = 5
"""The most names of models in a sentence for people."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server's model, as the server describes it."""

    kind: ServerKind
    name: str
    context: int
    """The most tokens that it reads and writes together."""
    file: Path | None = None
    """The GGUF file, if llama-server serves it and it is on this machine."""
    root: str | None = None
    """Where vLLM has the model from: a directory on its machine, or a name on the hub."""
    chat: ChatTemplate | None = None
    keys: Mapping[str, Any] | None = None
    """The keys of the model's GGUF file, if the server says them."""


def ask_what_is_served(client: ServerClient, address: Address) -> Served:
    """The model that the address means.

    Raises:
        ModelServerError: the server cannot be reached, is of another kind than the address says, or has no such model.
    """
    kind = address.kind
    if kind in (None, ServerKind.LLAMA_SERVER):
        props = client.find("/props")
        if isinstance(props, dict) and "default_generation_settings" in props:
            return _served_by_llama(client, address, props)
    if kind in (None, ServerKind.OLLAMA):
        version = client.find("/api/version")
        if isinstance(version, dict) and "version" in version:
            return _served_by_ollama(client, address)
    if kind in (None, ServerKind.VLLM):
        version = client.find("/version")
        if isinstance(version, dict) and "version" in version:
            return _served_by_list(client, address, ServerKind.VLLM)
    if kind is not None:
        raise ModelServerError(
            f"the server at {client.base} answers, but not as {kind} does. Correct the address, or write it as "
            f"{client.base} in --model."
        )
    return _served_by_list(client, address, ServerKind.COMPLETIONS)


def _served_by_llama(client: ServerClient, address: Address, props: Mapping[str, Any]) -> Served:
    """llama-server's model, from its page `/props`."""
    settings = props["default_generation_settings"]
    context = int(settings.get("n_ctx") or props.get("n_ctx") or _DEFAULT_CONTEXT)
    path = Path(str(props.get("model_path") or ""))
    is_here = urlsplit(client.base).hostname in ("127.0.0.1", "localhost", "::1") and path.is_absolute()
    names = [str(name) for name in (props.get("model_alias"), path.name) if name]
    if address.name is not None and address.name not in names:
        raise _no_such_model(client, address.name, names[:1])
    file = path if is_here and path.is_file() else None
    return Served(ServerKind.LLAMA_SERVER, names[0] if names else "", context, file, chat=ChatTemplate.of(props))


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
    return Served(ServerKind.OLLAMA, name, min(trained, next(set_contexts, _DEFAULT_CONTEXT)), keys=keys)


def _served_by_list(client: ServerClient, address: Address, kind: ServerKind) -> Served:
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
    return Served(kind, name, int(context), root=str(model.get("root") or name))


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
            raise _no_such_model(client, address.name, names)
        return chosen
    if len(names) != 1:
        has = f"has several models ({', '.join(names[:_MOST_NAMES])})" if names else "has no model"
        raise ModelServerError(f"the server at {client.base} {has}. Name one in --model, as {client.base}#NAME.")
    return names[0]


def _no_such_model(client: ServerClient, name: str, names: Sequence[str]) -> ModelServerError:
    """The error for a name that is not among the server's `names`."""
    has = f"it has {', '.join(names[:_MOST_NAMES])}" if names else "it has none"
    return ModelServerError(f"the server at {client.base} has no model '{name}'; {has}. Correct the name in --model.")

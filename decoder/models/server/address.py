"""Reads a completion server's address: `http://HOST:PORT#NAME`, `ollama:NAME`, `vllm:HOST:PORT#NAME`.

`address_of` decides whether a model's name is such an address. Nothing is asked over the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from decoder.errors import UnsupportedModelError


class ServerKind(StrEnum):
    """What kind of server it is."""

    LLAMA_SERVER = "llama-server"
    VLLM = "vllm"
    OLLAMA = "ollama"
    COMPLETIONS = "completions"
    """Anything else that speaks OpenAI's `/v1/completions`."""


PORTS = {ServerKind.LLAMA_SERVER: 8080, ServerKind.VLLM: 8000, ServerKind.OLLAMA: 11434}
"""The port on which each kind listens by default."""
_EXAMPLE = "Write http://HOST:PORT#NAME, ollama:NAME, llama-server:HOST:PORT or vllm:HOST:PORT#NAME."


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and which of its models is meant."""

    url: str
    """Without a slash at its end, and without `/v1`."""
    name: str | None = None
    """The model's name there; None for a server's only model."""
    kind: ServerKind | None = None
    """The kind that the person named; None where it is found by asking the server."""


def address_of(model: str) -> Address | None:
    """The server that a model's name means; None where it means files.

    Raises:
        UnsupportedModelError: it looks like an address and cannot be read as one.
    """
    scheme, colon, rest = model.partition(":")
    if scheme in ("http", "https"):
        return _parse(model, None)
    if not colon or scheme not in tuple(PORTS):
        if _has_port(model) and not Path(model).exists():
            raise UnsupportedModelError(f"'{model}' is no model's name, but may be a server's address. {_EXAMPLE}")
        return None
    kind = ServerKind(scheme)
    if kind is not ServerKind.OLLAMA:
        return _parse(rest, kind)
    name, at, url = rest.partition("@")
    if not name:
        raise UnsupportedModelError(f"'{model}' names no model of Ollama. {_EXAMPLE}")
    server = _parse(url, kind) if at else Address(f"http://127.0.0.1:{PORTS[kind]}")
    return Address(server.url, name, kind)


def _has_port(written: str) -> bool:
    """Whether a name is a host and a port, which no name on the hub can be."""
    try:
        parts = urlsplit(f"//{written}")
        return bool(parts.hostname) and parts.port is not None
    except ValueError:
        return False


def _parse(written: str, kind: ServerKind | None) -> Address:
    """The address in `[http://]HOST[:PORT][/PATH][#NAME]`. Without a host it is this machine."""
    url = written if "://" in written else f"http://{written or '127.0.0.1'}"
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise UnsupportedModelError(f"'{written}' is no address of a server ({error}). {_EXAMPLE}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UnsupportedModelError(f"'{written}' is no address of a server. {_EXAMPLE}")
    if parts.username or parts.password:
        raise UnsupportedModelError(
            "an address of a server must not hold a key, as addresses are shown. Put it in a file and name that in "
            "modelKeyFile, or set INSCOPE_MODEL_KEY."
        )
    if port is None and kind is not None and parts.scheme == "http":
        port = PORTS[kind]
    bracketed = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/v1")
    return Address(
        f"{parts.scheme}://{bracketed}{'' if port is None else f':{port}'}{path}", parts.fragment or None, kind
    )

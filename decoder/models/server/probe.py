"""Connects to a completion server and makes its `ServerModel`: `connect`.

`served` asks for the server's kind and model, and `tokenizer` makes the model's card. Here the server is then asked for
one token in each dialect of its kind (`dialects`): the first in which it gives probabilities is used. A server that
gives none in any of them is asked for whole texts.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from decoder.errors import ModelServerError, ServerAwayError, UnsupportedModelError
from decoder.models.server.address import Address, ServerKind
from decoder.models.server.client import ServerClient
from decoder.models.server.dialects import (
    BEST_COUNTS,
    COMPLETIONS_PATH,
    LLAMA_PATH,
    OLLAMA_PATH,
    LlamaServer,
    Ollama,
    ServerDialect,
    TextCompletions,
    TextRequests,
    Vllm,
)
from decoder.models.server.model import IdSpelling, LearntSpelling, ServerModel, TextRows, TokenSpelling, TopRows
from decoder.models.server.served import Served, ask_what_is_served
from decoder.models.server.tokenizer import card_of, make_learnt_vocabulary, tokenize
from decoder.models.server.vocabulary import LearntVocabulary
from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from decoder.models.options import ModelOptions

KEY = "INSCOPE_MODEL_KEY"
"""The environment variable that holds a server's key."""
_MOST_CONTEXT = 4096
"""The most tokens of a prompt and its answer: longer prompts are slow to read on a local machine."""


def connect(
    address: Address, options: ModelOptions, *, key: str | None = None, file: Path | None = None, holds: object = None
) -> ServerModel:
    """The model of a server.

    Args:
        key: The server's key; None for that of the options or the environment.
        file: The GGUF file that the server serves, where it is known.
        holds: An object that has to live as long as the model.

    Raises:
        ModelServerError: the server cannot be reached, has no such model, or cannot complete.
        ModelDamagedError, ExtraMissingError: the model's tokenizer cannot be read (`card_of`).
        UnsupportedModelError: the tokenizer, the options' prompt or the key's file cannot be used.
    """
    client = ServerClient(
        address.url, key=key or _key(options), timeout=options.timeout_seconds, session_header=options.session_header
    )
    try:
        with client.within_timeout():
            served = ask_what_is_served(client, address)
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


def _model_of(client: ServerClient, served: Served, options: ModelOptions, holds: object) -> ServerModel:
    """The model with rows of probabilities; of a server that gives none, with rows from whole texts."""
    own_family = options.own_family()
    card = card_of(client, served, own_family)
    rows: TopRows | TextRows | None = _rows_with_probabilities(client, served, card.vocabulary)
    if rows is None:
        vocabulary = card.vocabulary
        if not isinstance(vocabulary, LearntVocabulary):  # whole texts name no ids, so their tokens are learnt
            vocabulary = make_learnt_vocabulary(vocabulary.special, card.family)
            card = replace(card, vocabulary=vocabulary)
        rows = _rows_of_texts(client, served, vocabulary)
    context = min(served.context, _MOST_CONTEXT)
    return ServerModel(card, rows, context, client=client, kind=served.kind, holds=holds)


def _rows_with_probabilities(client: ServerClient, served: Served, vocabulary: Vocabulary) -> TopRows | None:
    """The rows in the first dialect whose answers have probabilities; None where none has."""
    spelling: TokenSpelling = IdSpelling(vocabulary)
    if isinstance(vocabulary, LearntVocabulary):
        takes_ids = served.kind is ServerKind.LLAMA_SERVER
        spelling = LearntSpelling(vocabulary, partial(tokenize, client) if takes_ids else None)
    for dialect in _dialects(served, vocabulary):
        if _gives_probabilities(client, dialect, spelling):
            return TopRows(client, dialect, spelling)
    return None


def _rows_of_texts(client: ServerClient, served: Served, vocabulary: LearntVocabulary) -> TextRows:
    """The rows of a server that gives no probabilities.

    Raises:
        ModelServerError: it does not complete.
    """
    path = {ServerKind.OLLAMA: OLLAMA_PATH, ServerKind.LLAMA_SERVER: LLAMA_PATH}.get(served.kind, COMPLETIONS_PATH)
    requests = TextRequests(served.name, path)
    _check_completes(client, requests)
    return TextRows(client, requests, vocabulary)


def _dialects(served: Served, vocabulary: Vocabulary) -> list[ServerDialect]:
    """The dialects to be tried, in order. Some servers refuse to give many best tokens, so fewer are asked for then."""
    match served.kind:
        case ServerKind.LLAMA_SERVER:
            return [LlamaServer()]
        case ServerKind.OLLAMA:
            return [Ollama(served.name)]
        case ServerKind.VLLM if not isinstance(vocabulary, LearntVocabulary):
            return [Vllm(served.name, best) for best in BEST_COUNTS]
        case ServerKind.VLLM:
            return [TextCompletions(served.name, best) for best in BEST_COUNTS]
        case _:
            return [TextCompletions(served.name, min(BEST_COUNTS))]


def _gives_probabilities(client: ServerClient, dialect: ServerDialect, spelling: TokenSpelling) -> bool:
    """Whether the server, asked for one token, names other tokens and their probabilities, too.

    It has to be tried: servers silently ignore options that they do not know.

    Raises:
        ServerAwayError: the server does not answer now, so this is not known.
    """
    place = tuple(spelling.vocabulary.encode("def "))
    stream = client.stream(dialect.path, dialect.body(spelling.prompt(place), 1))
    try:
        while (part := stream.next()) is not None:
            if any(len(step.best) > 1 for step in dialect.steps(part)):
                return True
    except ServerAwayError:
        raise
    except ModelServerError:
        return False  # the next dialect is tried; if none is left, `_check_completes` reports what is wrong
    finally:
        stream.close()
    return False


def _check_completes(client: ServerClient, requests: TextRequests) -> None:
    """Check that a server without probabilities answers a request for a text.

    Raises:
        ServerAwayError: it does not answer now.
        ModelServerError: it refuses, as its model only chats.
    """
    try:
        client.ask(requests.path, requests.body("def ", 1, temperature=0))
    except ServerAwayError:
        raise
    except ModelServerError as error:
        raise ModelServerError(
            f"the model '{requests.model}' does not complete: {error} "
            "A model or a server that only chats cannot be used."
        ) from error

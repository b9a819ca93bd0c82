"""Any causal language model of transformers, with the interface of the decode loop (`decoder.models.model.Model`).

`loading` makes it. Knows torch and devices; knows nothing of prompts. One object belongs to one thread.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from decoder.errors import OutOfDeviceMemoryError
from decoder.models.card import ModelCard
from decoder.models.kv import cache_for, size_of
from decoder.models.model import Abilities, Logits


class TransformersModel:
    """A loaded model with its cache.

    Args:
        network: A causal language model, on its device, in its dtype.
        card: Its vocabulary has as many tokens as `network` has columns of logits.
        context: The longest sequence it was trained for, in tokens.
    """

    def __init__(self, network: Any, card: ModelCard, context: int) -> None:  # noqa: ANN401 - untyped library
        self.card, self.vocabulary = card, card.vocabulary
        self.context = context
        self._network = network.eval()
        self._cache = cache_for(network.config)
        self.abilities = Abilities(drafts=self._cache.rolls_back, exact=self.dtype == "float32")
        self._may_limit_rows = "logits_to_keep" in inspect.signature(network.forward).parameters
        self._tokens: list[int] = []
        self._cached = 0
        """How many of `_tokens` the cache holds; fewer than all after a rollback that the cache cannot do."""

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens that were read, oldest first. A view: it changes with the cache."""
        return self._tokens

    @property
    def device(self) -> str:
        """Where the weights are: cpu, cuda or mps."""
        return str(self._network.device.type)

    @property
    def dtype(self) -> str:
        """The number type of the computation: float32, bfloat16 or float16."""
        return str(self._network.dtype).removeprefix("torch.")

    @property
    def memory(self) -> int:
        """Bytes of the weights and the cache."""
        return int(self._network.get_memory_footprint()) + size_of(self._cache)

    def branch(self) -> TransformersModel:
        """The same network with an empty cache of its own."""
        return TransformersModel(self._network, self.card, self.context)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens` (at least one) to the cache; the logits after each of the last `rows` of them.

        Raises:
            OutOfDeviceMemoryError: the cache is then as it was before the call.
        """
        if not 1 <= rows <= len(tokens):
            raise ValueError(f"{rows} rows of logits were asked for, of {len(tokens)} tokens")
        uncached = self._tokens[self._cached :]
        try:
            logits = self._run([*uncached, *tokens], rows)
        except BaseException as error:
            # after a failure between two layers, the cache of the first has grown and that of the second has not
            self._cached = self._cache.truncate(self._cached)
            if is_out_of_memory(error):
                raise OutOfDeviceMemoryError(
                    f"no room on {self.device} for {len(self._tokens) + len(tokens)} tokens: "
                    "choose the device cpu, a smaller model or a smaller context."
                ) from error
            raise
        self._tokens.extend(tokens)
        self._cached = len(self._tokens)
        return logits

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens of the cache.

        Where the model cannot roll back, its state is dropped whole, and the next forward reads the tokens again.
        """
        if not 0 <= length <= len(self._tokens):
            raise ValueError(f"cannot truncate a cache of {len(self._tokens)} tokens to {length}")
        del self._tokens[length:]
        if length < self._cached:
            self._cached = self._cache.truncate(length)

    @torch.inference_mode()
    def _run(self, tokens: Sequence[int], rows: int) -> Logits:
        """The logits after the last `rows` of `tokens`, float32 [rows, vocabulary]; the cache holds `tokens` then."""
        options = {"logits_to_keep": rows} if self._may_limit_rows else {}
        output = self._network(
            input_ids=torch.tensor([tokens], device=self._network.device),
            past_key_values=self._cache.states,
            use_cache=True,
            **options,
        )
        logits: Logits = output.logits[0, -rows:].to(torch.float32).cpu().numpy()
        return np.ascontiguousarray(logits)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device had no room: CUDA has an exception for it, the CPU's allocator and MPS only a sentence."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    phrases = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, RuntimeError) and any(phrase in str(error) for phrase in phrases)

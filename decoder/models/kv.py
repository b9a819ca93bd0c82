"""The key-value cache of `TransformersModel`: it grows in place, and rolls back by dropping its end.

Attention layers, those with sliding windows included, keep every position and so roll back exactly. A model with other
layers (linear attention, convolutions) has a state that cannot be rolled back: its cache reports that and is emptied
instead, and the caller feeds the tokens again. Knows tensors, not tokens.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from transformers import PreTrainedConfig
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

_STEP = 256
"""Buffers hold a multiple of so many positions, which is a multiple of what attention kernels read at once."""


class KeyValueCache(Protocol):
    """A cache as `TransformersModel` uses it."""

    rolls_back: bool
    """Whether `truncate` keeps the first positions; if not, it keeps none."""

    @property
    def states(self) -> Cache:
        """The keys and values that the model's forward reads and extends."""

    def truncate(self, length: int) -> int:
        """Drop all but the first `length` positions. Returns how many remain: `length`, or 0 if it cannot roll back."""


class _GrowingLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # the library's __init_subclass__
    """Keys and values of one layer in buffers with room to spare: appending copies only what is new.

    Buffers are [batch, heads, positions, head]. `keys` and `values` are views of the first `length` positions.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.length = 0

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        self.dtype, self.device = key_states.dtype, key_states.device
        self.key_buffer = _empty(key_states, _STEP)
        self.value_buffer = _empty(value_states, _STEP)
        self.is_initialized = True

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        *_args: Any,  # noqa: ANN401 - whatever a model hands on; attention needs none of it
        **_kwargs: Any,  # noqa: ANN401 - likewise
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start, stop = self.length, self.length + key_states.shape[-2]
        if stop > self.key_buffer.shape[-2]:
            positions = -(-max(stop, start * 3 // 2) // _STEP) * _STEP
            self.key_buffer = _grown(self.key_buffer, start, positions)
            self.value_buffer = _grown(self.value_buffer, start, positions)
        self.key_buffer[:, :, start:stop] = key_states
        self.value_buffer[:, :, start:stop] = value_states
        return self.truncate(stop)

    def truncate(self, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        self.length = length
        self.keys, self.values = keys, values = self.key_buffer[:, :, :length], self.value_buffer[:, :, :length]
        return keys, values

    def get_seq_length(self) -> int:
        return self.length


class _GrowingCache:
    """A cache that rolls back to any length at no cost."""

    rolls_back = True

    def __init__(self) -> None:
        self.states = Cache(layer_class_to_replicate=_GrowingLayer)

    def truncate(self, length: int) -> int:
        for layer in self.states.layers:
            if isinstance(layer, _GrowingLayer) and layer.length > length:
                layer.truncate(length)
        return length


class _OneWayCache:
    """A cache that can only be emptied."""

    rolls_back = False

    def __init__(self, config: PreTrainedConfig) -> None:
        self._config = config
        self.states = DynamicCache(config=config)

    def truncate(self, length: int) -> int:  # noqa: ARG002 - the protocol has it; no length can be kept
        self.states = DynamicCache(config=self._config)
        return 0


def cache_for(config: PreTrainedConfig) -> KeyValueCache:
    """A cache for models of this configuration: one that rolls back wherever the model's layers allow it."""
    layers = DynamicCache(config=config).layers
    attention = (DynamicLayer, DynamicSlidingWindowLayer)
    return _GrowingCache() if all(type(layer) in attention for layer in layers) else _OneWayCache(config)


def size_of(cache: KeyValueCache) -> int:
    """Bytes of memory that a cache takes, room for further keys and values included."""
    tensors = [getattr(layer, name, None) for layer in cache.states.layers for name in ("keys", "values")]
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors if isinstance(tensor, torch.Tensor))


def _empty(like: torch.Tensor, positions: int) -> torch.Tensor:
    """An empty buffer for `positions`, otherwise with the sizes of `like`."""
    batch, heads, _, width = like.shape
    return like.new_empty((batch, heads, positions, width))


def _grown(buffer: torch.Tensor, used: int, positions: int) -> torch.Tensor:
    """A buffer for `positions` with the first `used` positions of another."""
    grown = _empty(buffer, positions)
    grown[:, :, :used] = buffer[:, :, :used]
    return grown

"""Transformers' key/value caches and ours, told apart by what they hold: fuller ones, their sizes,
and how to cut them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import transformers
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache, PreTrainedModel

from attnlab.attention.cache import Cache
from attnlab.errors import EditRefused

if TYPE_CHECKING:
    from attnlab.pretrained.lab import Lab


@dataclass(frozen=True)
class Held:
    """What the cache holds of one layer.

    ``role``: "decoder", or "cross" for the keys and values of an encoder-decoder's source.
    ``positions``: tokens held, each with ``kv_heads`` (K) keys and values. ``key_bytes`` and
    ``value_bytes``: of those; ``other_bytes``: of a layer's other state (a recurrent one).
    """

    role: str
    layer: int
    kv_heads: int
    positions: int
    key_bytes: int
    value_bytes: int
    other_bytes: int = 0

    @property
    def bytes(self) -> int:
        return self.key_bytes + self.value_bytes + self.other_bytes


def full_cache(lab: Lab) -> transformers.Cache | None:
    """A cache of whole texts for a model with sliding windows; None where its own will do.

    Raises:
        EditRefused: some of its layers keep a state that such a cache has no place for.
    """
    if not isinstance(lab.model, PreTrainedModel) or lab.tier == "ours":
        return None
    own: Any = DynamicCache(config=lab.model.config.get_text_config(decoder=True))
    if not any(own.is_sliding):
        return None
    if any(own.is_linear):
        raise EditRefused(
            f"The cache of {lab.name} holds states of other layers beside its windows, so no "
            "fuller one can take its place: pass use_cache=False."
        )
    full = DynamicCache()
    return EncoderDecoderCache(full, DynamicCache()) if lab.is_encoder_decoder else full


def crop(cache: Any, length: int) -> bool:
    """Forget the positions from ``length`` on, where that leaves just what was held then.

    Layers may hold different numbers of positions, after a forward that was broken off.

    Returns:
        Whether it could be done; if not, some layers may have been cut.
    """
    if isinstance(cache, Cache):
        return cache.crop(length)
    cache = getattr(cache, "self_attention_cache", cache)
    layers = getattr(cache, "layers", None)
    whole = getattr(cache, "is_croppable", True)  # not where it has states beside its layers
    if layers is None or not whole or not all(map(_can_be_cut, layers)):
        return False
    for layer in layers:
        held = _positions(layer)
        if held > length:
            layer.crop(length - held)
    return True


def _can_be_cut(layer: Any) -> bool:
    if not getattr(layer, "is_croppable", False):
        return False
    # What a window has dropped does not come back.
    window = getattr(layer, "sliding_window", None)
    return window is None or _positions(layer) < window


def _positions(layer: Any) -> int:
    seen = getattr(layer, "get_seq_length", None)
    return 0 if seen is None else int(seen())


def held(lab: Lab, cache: Any) -> tuple[Held, ...]:
    """What a cache holds, by role and layer; () where nothing is known of its kind."""
    if isinstance(cache, Cache):
        return tuple(_of_ours(lab, cache))
    if isinstance(cache, EncoderDecoderCache):
        parts = {"decoder": cache.self_attention_cache, "cross": cache.cross_attention_cache}
        return tuple(one for role, part in parts.items() for one in _of_theirs(role, part))
    return tuple(_of_theirs("decoder", cache))


def _of_ours(lab: Lab, cache: Cache) -> Iterator[Held]:
    for site in lab.sites:
        kept = cache.of(lab.module(site.path))
        if kept is not None:
            yield _held(site.role, site.layer, *kept)


def _of_theirs(role: str, cache: Any) -> Iterator[Held]:
    layers, beside = list(getattr(cache, "layers", None) or ()), _beside(cache)
    for number in range(max(len(layers), *(1 + layer for layer in beside), 0)):
        layer = layers[number] if number < len(layers) else None
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        whole = all(isinstance(x, Tensor) and x.dim() == 4 for x in (keys, values))
        own = {} if layer is None else vars(layer)
        state = {name: value for name, value in own.items() if name.endswith("states")}
        other = sum(tensor.nbytes for tensor in _tensors(state)) + beside.get(number, 0)
        if whole:
            yield _held(role, number, keys, values, other)
        elif other:
            yield Held(role, number, 0, 0, 0, 0, other)


def _beside(cache: Any) -> dict[int, int]:
    """Bytes that a cache holds outside its layers, in lists of its own with a place for each."""
    lists = [
        x
        for n, x in getattr(cache, "__dict__", {}).items()
        if n != "layers" and isinstance(x, list)
    ]
    found: dict[int, int] = {}
    for states in lists:
        for layer, state in enumerate(states):
            size = sum(tensor.nbytes for tensor in _tensors(state))
            found |= {layer: found.get(layer, 0) + size} if size else {}
    return found


def _held(role: str, layer: int, keys: Tensor, values: Tensor, other: int = 0) -> Held:
    return Held(role, layer, keys.shape[1], keys.shape[2], keys.nbytes, values.nbytes, other)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _tensors(one)

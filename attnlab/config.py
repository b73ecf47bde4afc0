"""What one transformer has and another has not: the settings of ``attnlab.transformer``.

Letters: L layers, H query heads, K key/value heads, D key size, E value size, M model width,
F feed-forward size, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from attnlab.attention.checks import (
    require_each,
    require_kind,
    require_number,
    require_whole,
    require_word,
)
from attnlab.attention.head_sizes import HeadSizes
from attnlab.attention.masks import Predicate
from attnlab.attention.positions import NoPositions, Scheme
from attnlab.attention.rms import RMSNorm

NORMS = {"layer": nn.LayerNorm, "rms": RMSNorm}
ACTIVATIONS: dict[str | None, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
}
_WORDS = {
    "norm": NORMS,
    "norm_place": ("pre", "post"),
    "activation": ACTIVATIONS,
    "transform": (*ACTIVATIONS, None),
}


@dataclass(frozen=True)
class Config:
    """What one transformer has and another has not.

    Raises:
        ValueError: a word that is unknown, or a number that makes no sense, in one sentence.
    """

    vocabulary: int  # V: the ids that can be read and predicted
    width: int  # M: what every block reads and adds to
    layers: int  # L
    heads: int  # H: how many things a token can look for at once
    hidden: int  # F: 4 M by custom, about 8/3 M where gated
    kv_heads: int | None = None  # K: fewer than H make the cache smaller; None: H
    key_size: int | None = None  # D: None: M / H
    value_size: int | None = None  # E: None: D
    positions: Scheme = NoPositions()  # noqa: RUF009 (frozen); attention alone knows no order
    mask: Predicate | tuple[Predicate, ...] | None = None  # None: the past (decoder), all (encoder)
    scale: float | tuple[float, ...] | None = None  # None: 1/√D; T5 has 1 and learns to do without
    norm: str = "layer"  # "rms" leaves out the mean and the bias: cheaper, and as good
    eps: float = 1e-5  # keeps a norm from dividing by 0
    norm_place: str = "pre"  # "post" (2017, BERT) norms the stream itself: hard to train deep
    embedding_norm: bool = False  # BERT norms what it has looked up
    final_norm: bool = True  # a pre-norm stream is normed nowhere else
    activation: str = "gelu"
    gated: bool = False  # SwiGLU and its like: a second matrix decides what passes
    parallel: bool = False  # GPT-NeoX: attention and feed-forward read the same x
    qkv_bias: bool = True  # Llama has no biases, Qwen2 these only
    out_bias: bool = True
    feed_forward_bias: bool = True
    segments: int = 0  # BERT marks each of two texts by a vector
    head: bool = True  # whether it predicts tokens
    tied: bool = False  # the head reads with the embeddings: V · M fewer parameters
    logits_scale: float = 1.0  # T5 shrinks what a tied head reads by 1/√M
    transform: str | None = None  # activation of the layer that a masked model's head starts with

    def __post_init__(self) -> None:
        require_whole(vocabulary=self.vocabulary, layers=self.layers, hidden=self.hidden)
        require_whole(0, segments=self.segments)
        require_number(0, eps=self.eps)
        require_number(logits_scale=self.logits_scale)
        self.head_sizes()
        for name, words in _WORDS.items():
            require_word(name, getattr(self, name), words)
        require_kind("positions is one of attnlab.attention.positions", self.positions, Scheme)
        require_each("mask", self.mask, self.layers, _require_mask)
        require_each("scale", self.scale, self.layers, _require_scale)
        if self.parallel and self.norm_place == "post":
            raise ValueError("a parallel block has no place for a norm after each of its parts")

    def head_sizes(self) -> HeadSizes:
        """H, K, D and E, worked out where they are left open.

        Raises:
            ValueError: they do not fit; see ``HeadSizes.of``.
        """
        return HeadSizes.of(self.width, self.heads, self.kv_heads, self.key_size, self.value_size)

    def of(self, name: str, layer: int) -> Any:
        """A setting that is one for all layers, or a tuple of one for each."""
        value = getattr(self, name)
        return value[layer] if isinstance(value, tuple) else value


def _require_mask(mask: object) -> None:
    if mask is not None:
        require_kind("mask is one of attnlab.attention.masks, or one a layer", mask, Predicate)


def _require_scale(scale: object) -> None:
    if scale is not None:
        require_number(scale=scale)

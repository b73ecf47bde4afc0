"""Attention from scratch: one function, its masks, and what can be observed on the way.

Axis letters, everywhere in AttnLab: B batch, L layers, H query heads, K key/value heads,
Q queries, S keys (source), D head size of queries and keys, E value size, M model width,
V vocabulary.

To read in this order: ``attend`` (the function), ``mask`` and ``masks`` (who may be seen),
``positions`` (where order enters), ``multihead`` (the matrices and heads around the function),
``cache`` and ``keep`` (what of it is kept); ``tiled`` (the same without n² numbers in memory);
``linear`` and ``state_space`` (which are no longer the same); ``steps``, ``because`` and ``soft``
(the same on a few hand-typed numbers).
"""

from attnlab.attention.attend import TILE, attend
from attnlab.attention.cache import Cache
from attnlab.attention.convolution import ShortConvolution
from attnlab.attention.explain import Explanation, explain
from attnlab.attention.keep import KeepLast
from attnlab.attention.linear import LinearAttention, LinearState, linear_attention
from attnlab.attention.mask import Mask, causal_mask
from attnlab.attention.multihead import MultiHead, Turn
from attnlab.attention.parallel_scan import parallel_scan
from attnlab.attention.selective_scan import selective_scan
from attnlab.attention.stages import At, Where
from attnlab.attention.state_space import SelectiveStateSpace, StateSpaceState
from attnlab.attention.tiled import tiled
from attnlab.attention.tiles import Tile, tiles

__all__ = [
    "TILE",
    "At",
    "Cache",
    "Explanation",
    "KeepLast",
    "LinearAttention",
    "LinearState",
    "Mask",
    "MultiHead",
    "SelectiveStateSpace",
    "ShortConvolution",
    "StateSpaceState",
    "Tile",
    "Turn",
    "Where",
    "attend",
    "causal_mask",
    "explain",
    "linear_attention",
    "parallel_scan",
    "selective_scan",
    "tiled",
    "tiles",
]

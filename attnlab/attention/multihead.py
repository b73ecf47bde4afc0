"""Attention with several heads and its four matrices (Vaswani et al. 2017, section 3.2.2).

    q, k, v = x W_Q, source W_K, source W_V, cut into heads
    MultiHead(x, source) = [attention(q₁, k₁, v₁), …, attention(q_H, k_H, v_H)] W_O

One class, whose head counts decide: K = H is multi-head attention, 1 < K < H grouped-query
(Ainslie et al. 2023), K = 1 multi-query (Shazeer 2019). With a ``source`` it is cross-attention.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jaxtyping import Float
from torch import Tensor, nn

from attnlab.attention.attend import attend
from attnlab.attention.cache import Cache
from attnlab.attention.checks import require_number, require_vectors, require_whole
from attnlab.attention.head_sizes import HeadSizes
from attnlab.attention.mask import Mask
from attnlab.attention.stages import At, Where, visitor

Turn = Callable[[Tensor], Tensor]
"""Turns queries or keys [B, h, n, D] by their positions."""


class MultiHead(nn.Module):
    """H query heads over K key/value heads.

    Args:
        width: M, of what is read and of what is returned.
        heads: H.
        kv_heads: K; H / K query heads in a row share a key/value head. H when None.
        key_size: D, of each query and key; M / H when None.
        value_size: E, of each value; D when None.
        source_width: M of the source, in cross-attention; M when None.
        qkv_bias, out_bias: whether the matrices come with a bias.
        scale: factor on q·k; 1/√D when None.

    Raises:
        ValueError: a size is below 1, K does not divide H, H does not divide M where D follows
            from it, or the scale is no finite number.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        kv_heads: int | None = None,
        key_size: int | None = None,
        value_size: int | None = None,
        *,
        source_width: int | None = None,
        qkv_bias: bool = True,
        out_bias: bool = True,
        scale: float | None = None,
    ) -> None:
        super().__init__()
        sizes = HeadSizes.of(width, heads, kv_heads, key_size, value_size)
        self.heads, self.kv_heads = sizes.heads, sizes.kv_heads
        self.key_size, self.value_size = sizes.key_size, sizes.value_size
        self.scale = self.key_size**-0.5 if scale is None else scale
        source_width = width if source_width is None else source_width
        require_number(scale=self.scale)
        require_whole(source_width=source_width)
        self.w_q = nn.Linear(width, heads * self.key_size, bias=qkv_bias)  # [H·D, M]
        self.w_k = nn.Linear(source_width, self.kv_heads * self.key_size, bias=qkv_bias)  # [K·D, M]
        self.w_v = nn.Linear(source_width, self.kv_heads * self.value_size, bias=qkv_bias)  # [K·E]
        self.w_o = nn.Linear(heads * self.value_size, width, bias=out_bias)  # [M, H·E]

    def forward(
        self,
        x: Float[Tensor, "B Q M"],
        source: Float[Tensor, "#B S N"] | None = None,
        *,
        mask: Mask | Tensor | None = None,
        bias: Float[Tensor, "#B #H #Q #S"] | None = None,
        rotate: Turn | None = None,
        rotate_keys: Turn | None = None,
        cache: Cache | None = None,
        at: At | None = None,
        where: Where | None = None,
        workspace: dict[str, Tensor] | None = None,
    ) -> Float[Tensor, "B Q M"]:
        """What each position of ``x`` gathers from ``source``; from ``x`` itself when None.

        Args:
            mask, bias, at, where, workspace: as ``attend`` takes them.
            rotate: turns queries and keys by their positions (RoPE).
            rotate_keys: turns all keys, those of the cache too, which then keeps them as they were
                before: for a cache that numbers its tokens anew. ``rotate`` is for queries alone.
            cache: where the keys and values of earlier positions are kept. With one, ``x`` holds
                the new positions only, and ``mask`` has a column for each position that is kept.

        Raises:
            ValueError: ``x`` or ``source`` has another shape or nothing in it, or the mask is
                none.
        """
        require_vectors("x", x, self.w_q.in_features)
        if source is not None:
            require_vectors("source", source, self.w_k.in_features)
        q = _split(self.w_q(x), self.heads)
        if source is not None and cache is not None:
            k, v = cache.once(self, lambda: self.keys_values(source))
        else:
            k, v = self.keys_values(x if source is None else source)
        if rotate is not None:
            visit = visitor(at, self._before_turning(x, where))
            q, k = rotate(visit("q_unrotated", q)), visit("k_unrotated", k)
            k = rotate(k) if rotate_keys is None else k
        if cache is not None and source is None:
            k, v = cache.extend(self, k, v)
        if rotate_keys is not None:
            k = rotate_keys(k)
        z = attend(
            q, k, v, mask, bias=bias, scale=self.scale, at=at, where=where, workspace=workspace
        )
        return self.w_o(z.transpose(1, 2).flatten(2))

    def _before_turning(self, x: Tensor, where: Where | None) -> Where:
        """Where queries and keys lie before they turn: only the new ones, so keys are where
        queries are. They count from 0 where nobody says how many came before."""
        new = range(x.shape[1])
        here = (where or Where(queries=new)).queries
        return replace(
            where or Where(),
            rows=range(x.shape[0]),
            queries=here,
            keys=here,
            query_index=new,
            key_index=new,
            group=self.heads // self.kv_heads,
        )

    def keys_values(self, source: Float[Tensor, "B S N"]) -> tuple[Tensor, Tensor]:
        """What the source offers: keys [B, K, S, D] and values [B, K, S, E], before rotation."""
        return _split(self.w_k(source), self.kv_heads), _split(self.w_v(source), self.kv_heads)


def _split(x: Float[Tensor, "B n width"], heads: int) -> Float[Tensor, "B heads n size"]:
    """Cut the last axis into heads."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)

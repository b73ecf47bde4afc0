"""Linear attention (Katharopoulos et al. 2020, "Transformers are RNNs", sections 3.2 to 3.4).

The similarity exp(q·k) of softmax is replaced by φ(q)·φ(k), with φ(x) = elu(x) + 1 > 0:

    z_i = Σ_{j ≤ i} (φ(q_i)·φ(k_j)) v_j  /  Σ_{j ≤ i} φ(q_i)·φ(k_j)

φ(q_i) does not depend on j, so it comes out of both sums, and what is left of the past is a state
of a fixed size:

    S_i = Σ_{j ≤ i} φ(k_j) v_jᵀ  [D, E]        n_i = Σ_{j ≤ i} φ(k_j)  [D]
    z_i = φ(q_i) S_i / (φ(q_i)·n_i)

One function, three ways to add the same numbers:

    parallel    all pairs at once: n² products, as attention is usually drawn
    recurrent   token by token with the state: D·E products a token, one after another
    chunked     pairs within a chunk, the state between chunks: linear in n, few steps

    z, state = linear_attention(q, k, v)
    z, state = linear_attention(q_new, k_new, v_new, state)       # goes on from there
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.attention.checks import require_filled, require_vectors, require_whole, require_word
from attnlab.attention.head_sizes import HeadSizes

CHUNK = 64
"""Tokens of a chunk: within it all pairs are computed."""
FORMS = ("parallel", "recurrent", "chunked")


@dataclass(frozen=True)
class LinearState:
    """All that is kept of the tokens so far: its size does not depend on how many they were.

    Attributes:
        values: S, the sum of φ(k) vᵀ.
        keys: n, the sum of φ(k).
    """

    values: Float[Tensor, "B K D E"]
    keys: Float[Tensor, "B K D"]

    @property
    def numbers(self) -> int:
        return self.values.numel() + self.keys.numel()

    def after(self, k: Float[Tensor, "B K n D"], v: Float[Tensor, "B K n E"]) -> LinearState:
        """The state once these tokens were read; ``k`` is φ(k)."""
        return LinearState(self.values + k.mT @ v, self.keys + k.sum(2))

    def read(self, q: Float[Tensor, "B K G n D"]) -> tuple[Tensor, Tensor]:
        """Both sums for queries that see all of it: [B, K, G, n, E] and [B, K, G, n, 1]."""
        return q @ self.values[:, :, None], q @ self.keys[:, :, None, :, None]


def feature_map(x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
    """φ(x) = elu(x) + 1: positive everywhere, and smooth (equation 7)."""
    return F.elu(x) + 1


def linear_attention(
    q: Float[Tensor, "B H n D"],
    k: Float[Tensor, "B K n D"],
    v: Float[Tensor, "B K n E"],
    state: LinearState | None = None,
    *,
    form: str = "chunked",
    chunk: int = CHUNK,
) -> tuple[Float[Tensor, "B H n E"], LinearState]:
    """What each query gathers from itself and the past, and the state that goes on from there.

    Args:
        q, k, v: before the feature map. With K < H, H / K query heads in a row share a state.
        state: of the tokens before these; None at the beginning.
        form: "parallel", "recurrent" or "chunked"; the result is the same.
        chunk: tokens of a chunk.

    Raises:
        ValueError: another form, a chunk without a token, no token at all, keys or values of
            another number of tokens, or K does not divide H.
    """
    require_word("form", form, FORMS)
    require_whole(chunk=chunk)
    require_filled(q=q, k=k, v=v)
    counts = [x.shape[2] for x in (q, k, v)]
    if len(set(counts)) > 1:
        raise ValueError(f"q, k and v are of {counts} tokens; each has a query, a key and a value")
    HeadSizes.of(q.shape[-1], q.shape[1], k.shape[1], q.shape[-1])
    n = q.shape[2]
    size = {"parallel": n, "recurrent": 1, "chunked": chunk}[form]
    q = feature_map(q).unflatten(1, (k.shape[1], -1))  # [B, K, G, n, D]
    k = feature_map(k)
    state = _empty(k, v) if state is None else state
    found = []
    for start in range(0, n, size):
        at = slice(start, start + size)
        found.append(_chunk(q[:, :, :, at], k[:, :, at], v[:, :, at], state))
        state = state.after(k[:, :, at], v[:, :, at])
    return torch.cat(found, 3).flatten(1, 2), state


def _empty(k: Tensor, v: Tensor) -> LinearState:
    B, K, _, D = k.shape
    return LinearState(k.new_zeros(B, K, D, v.shape[-1]), k.new_zeros(B, K, D))


def _chunk(q: Tensor, k: Tensor, v: Tensor, state: LinearState) -> Tensor:
    """[B, K, G, c, E] of one chunk: its own pairs, and all that came before by the state."""
    values, weights = state.read(q)
    pairs = (q @ k[:, :, None].mT).tril()  # [B, K, G, c, c]: a query sees itself and the past
    values = values + pairs @ v[:, :, None]
    weights = weights + pairs.sum(-1, keepdim=True)
    # φ(x) is 0 where x is very negative: a query without any weight gathers nothing.
    return values / weights.clamp_min(torch.finfo(weights.dtype).tiny)


class LinearAttention(nn.Module):
    """Linear attention with H heads and its four matrices, in the place of ``MultiHead``.

    Raises:
        ValueError: a size is below 1, or ``heads`` does not divide ``width``.
    """

    def __init__(self, width: int, heads: int, *, bias: bool = True) -> None:
        super().__init__()
        sizes = HeadSizes.of(width, heads)
        self.heads, self.key_size = sizes.heads, sizes.key_size
        self.w_q = nn.Linear(width, width, bias=bias)
        self.w_k = nn.Linear(width, width, bias=bias)
        self.w_v = nn.Linear(width, width, bias=bias)
        self.w_o = nn.Linear(width, width, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "B n M"],
        state: LinearState | None = None,
        *,
        form: str = "chunked",
    ) -> tuple[Float[Tensor, "B n M"], LinearState]:
        """What each position gathers from itself and the past, and the state after the last.

        Raises:
            ValueError: ``x`` has another shape or nothing in it, or there is no such form.
        """
        require_vectors("x", x, self.w_q.in_features)
        q, k, v = (self._heads(matrix(x)) for matrix in (self.w_q, self.w_k, self.w_v))
        z, state = linear_attention(q, k, v, state, form=form)
        return self.w_o(z.transpose(1, 2).flatten(2)), state

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

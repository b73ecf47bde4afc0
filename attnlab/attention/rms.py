"""RMSNorm (Zhang and Sennrich 2019, "Root Mean Square Layer Normalization", section 3).

    x / √(mean(x²) + eps) · weight

LayerNorm without the mean and without a bias.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """The length is taken in float32; what it leaves is rounded before it is weighted.

    So it rounds in half precision where Llama and T5 do, which torch's own does not: over the 30
    layers of SmolLM2 in bfloat16 that made 6% of the largest logit.
    """

    def __init__(self, size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x: Float[Tensor, "*B M"]) -> Float[Tensor, "*B M"]:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)

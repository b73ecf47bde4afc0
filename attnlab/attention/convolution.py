"""A short causal convolution: each channel mixes a token with the few just before it.

    y_t[c] = bias[c] + Σ_{i < w} weight[c, i] · x_{t − w + 1 + i}[c]

Mamba has one in every block (Gu and Dao 2023, section 3.4), and so have many models without
softmax: it puts neighbours together, which a state alone is slow to learn (Fu et al. 2023, "Hungry
Hungry Hippos", section 3.1). Its state is the last w − 1 inputs.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.attention.checks import require_vectors, require_whole


class ShortConvolution(nn.Module):
    """Depthwise, causal, ``size`` tokens wide; the weight [C, 1, w] as torch's ``Conv1d`` has it.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(self, channels: int, size: int = 4, *, bias: bool = True) -> None:
        super().__init__()
        require_whole(channels=channels, size=size)
        self.channels, self.size = channels, size
        bound = size**-0.5  # torch's Conv1d begins so
        self.weight = nn.Parameter(torch.empty(channels, 1, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(channels)) if bias else None

    def forward(
        self, x: Float[Tensor, "B n C"], state: Float[Tensor, "B w C"] | None = None
    ) -> tuple[Float[Tensor, "B n C"], Float[Tensor, "B w C"]]:
        """The mixed tokens, and the last w − 1 inputs for the tokens that follow.

        Raises:
            ValueError: ``x`` has another shape, or nothing in it.
        """
        require_vectors("x", x, self.channels)
        before = x.new_zeros(len(x), self.size - 1, self.channels) if state is None else state
        n = x.shape[1]
        x = torch.cat([before, x], 1)
        # Shifted and added: for a few tokens faster than a convolution, above all backwards.
        mixed = x[:, :n] * self.weight[:, 0, 0]
        for i in range(1, self.size):
            mixed = torch.addcmul(mixed, x[:, i : i + n], self.weight[:, 0, i])
        mixed = mixed if self.bias is None else mixed + self.bias
        return mixed, x[:, n:]

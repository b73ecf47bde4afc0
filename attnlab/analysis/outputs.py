"""What the output projection makes of each head, as a matrix.

    attention adds  Σ_h z_h W_O^h + b        z_h: [n, E],  W_O^h: [E, M]

(Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", "Attention heads are
independent and additive"). The matrix is read off the module by handing it unit vectors, so it does
not matter how the module stores it, turned round or quantised.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.errors import StageNotAvailable
from attnlab.trace.runner import Runner
from attnlab.trace.site import Site


@dataclass(frozen=True)
class Output:
    """The output projection of one site, on the CPU in float64.

    Attributes:
        matrix: [H, E, M], by head.
        bias: [M], what it adds to no head in particular.
    """

    matrix: Tensor
    bias: Tensor

    def of_head(self, head: int, vectors: Float[Tensor, "*n E"]) -> Float[Tensor, "*n M"]:
        """What vectors in a head's place become, the bias left out."""
        return vectors.double() @ self.matrix[head]


def output_of(runner: Runner, site: Site) -> Output:
    """The output projection of a site.

    Raises:
        StageNotAvailable: the probe did not see which module reads this site's heads.
    """
    if not site.out_proj:
        raise StageNotAvailable(
            f"What follows the heads of {site.name} in {runner.name} was not found, so what each "
            "of them adds is not known."
        )
    module = runner.module(site.out_proj)
    like = next(module.parameters())
    rows = site.heads * site.value_size
    units = torch.zeros(rows + 1, 1, rows, dtype=like.dtype, device=like.device)
    units[:rows, 0] = torch.eye(rows, dtype=like.dtype, device=like.device)
    with torch.no_grad():
        made = module(units)[:, 0].double().cpu()
    bias = made[-1]
    return Output((made[:-1] - bias).view(site.heads, site.value_size, -1), bias)
